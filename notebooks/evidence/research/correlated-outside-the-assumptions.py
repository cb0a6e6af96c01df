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
# # Evidence: What happens outside the assumptions?
#
# Two claims are remarks of the paper (Y-5.l and Y-5.a). The other three go beyond it, and the ledger names their sources. Nothing is hidden. The story is told in [the research note of the same name](../../research/correlated-outside-the-assumptions.ipynb). Tuples are counted from 0 in the code and from 1 in the text.

# %%
from collections import Counter
from itertools import product

import numpy as np
import sympy as sp
from scipy.stats import norm

from privlib.correlated.adversary import adversaries
from privlib.correlated.finite import FiniteDistribution
from privlib.correlated.gaussian import GaussianModel
from privlib.notebook import claim, derivation
from privlib.research.markov_chain import MarkovChain

# %% [markdown]
# ## Two other routes to the leakage
#
# **Normal tuples.** The note and the package compute $1 + \ell$ from the precision matrix. Here it is the regression coefficient of the sum on the target, computed from the covariance matrix.

# %%
def by_regression(covariance, target, known=()):
    """1 + l, and the variance of the sum that remains, from the covariance matrix (exact)."""
    n = covariance.rows
    given = [target, *known]
    with_sum = covariance.extract(given, range(n)) * sp.ones(n, 1)
    slopes = covariance.extract(given, given).LUsolve(with_sum)
    remains = sum(covariance) - (with_sum.T * slopes)[0]
    return sp.simplify(slopes[0]), sp.simplify(remains)


def by_regression_in_floats(covariance, target, known=()):
    given = [target, *known]
    slopes = np.linalg.solve(covariance[np.ix_(given, given)], covariance[given].sum(axis=1))
    return slopes[0]


def by_precision(precision, target, known=()):
    """1 + l, by the package."""
    return 1 + GaussianModel(precision=precision, width=1).leakage_coefficient(target, known)


# %% [markdown]
# **Zeros and ones.** Here we go through all values of the known tuples and add up the distribution of the sum. The largest log ratio is attained at an output that is a possible sum.

# %%
def leakage_by_hand(joint, target, known, level):
    """Leakage of the sum with noise from Lap(1/level); all databases have positive probability."""
    n = joint.ndim
    totals = np.indices(joint.shape).sum(axis=0)
    outputs = np.arange(n + 1)
    kernel = np.exp(-level * np.abs(outputs[:, None] - outputs))
    largest = 0.0
    for known_values in product((0, 1), repeat=len(known)):
        densities = []
        for value in (0, 1):
            place = [slice(None)] * n
            place[target] = value
            for tuple_known, known_value in zip(known, known_values):
                place[tuple_known] = known_value
            chances = joint[tuple(place)].ravel()
            sums = np.bincount(totals[tuple(place)].ravel(), chances, n + 1)
            densities.append(kernel @ sums / sums.sum())
        largest = max(largest, np.abs(np.log(densities[1] / densities[0])).max())
    return largest


def all_by_hand(joint, level):
    leakages = {}
    for target, known in adversaries(joint.ndim):
        leakages[target, known] = leakage_by_hand(joint, target, known, level)
    return leakages


def chain_distribution(P, n):
    """Joint distribution of n steps of a stationary chain with two states."""
    P = np.array(P)
    joint = np.array([P[1, 0], P[0, 1]]) / (P[1, 0] + P[0, 1])
    for _ in range(n - 1):
        joint = joint[..., None] * P
    return joint


# %% [markdown]
# ## Y-5.l (negative correlation, two tuples that add up to 100)
#
# *Positive correlation makes weak attackers dangerous; negative correlation, as in $x_1 + x_2 = 100$, need not.* The sum of two tuples is pulled towards 100 with strength $k$ (the number 100 changes only the mean). Then the weak attacker has at most what the strong one has, and nothing in the limit $k \to \infty$. With a positive weight $w$ the weak attacker has at least as much. The exact constraint is a finite distribution: three values each, which always add up to 2. Then the sum is constant, and the weak attacker learns nothing.

# %%
tau, k, w, eps = sp.symbols("tau k w epsilon", positive=True)
pulled = tau * sp.eye(2) + k * sp.ones(2, 2)
linked = sp.Matrix([[w + tau, -w], [-w, w + tau]])
V_pulled = pulled.inv()
V_linked = linked.inv()

negative = derivation(1 + V_pulled[0, 1] / V_pulled[0, 0], of=r"1 + \ell_1")
negative = negative.equal(tau / (tau + k), "the covariances, divided")
negative = negative.at_most(1, "the strong attacker has 1", by="coefficients")
positive = derivation(V_linked[0, 1] / V_linked[0, 0], of=r"\ell_1")
positive = positive.equal(w / (w + tau), "the covariances, divided")
positive = positive.at_least(0, "the strong attacker has 0", by="coefficients")

third = sp.Rational(1, 3)
constant_sum = np.array([[0, 0, third], [0, third, 0], [third, 0, 0]], dtype=object)
with claim("Y-5.l") as c:
    start = 1 + V_pulled[0, 1] / V_pulled[0, 0]
    c.decisive("proved").derived(negative, start, 1, "negative: weak at most strong")
    start = V_linked[0, 1] / V_linked[0, 0]
    c.decisive("proved").derived(positive, start, 0, "positive: weak at least strong")
    by_package = [by_precision(matrix, 0) for matrix in (pulled, linked)]
    c.exact(by_package, [tau / (tau + k), 1 + w / (w + tau)], "precision and covariance")
    c.exact(sp.limit(by_package[0], k, sp.oo), 0, "strong pull: the weak attacker has 0")
    learnt = FiniteDistribution(constant_sum).leakage(0, scale=1 / eps)
    c.exact(learnt, 0, "exact constraint, three values: the weak attacker learns nothing")

# %% [markdown]
# ## Y-B7 (weights of mixed signs)
#
# *Theorem 5.2 does not extend to negative weights: an attacker who knows some but not all tuples may be the only worst one, and three tuples are enough. The comparison matrix gives a usable bound.* For the three tuples of the note all twelve attackers are computed from the covariance matrix. Then 2,200 random networks of six tuples, as in the note, are compared with the bound. In one of them all 192 attackers are computed by both routes.

# %%
mixed = sp.Matrix([[3, -1, 1], [-1, 2, 0], [1, 0, 2]])
factors = {}
for target, known in adversaries(3):
    factors[target, known] = abs(by_regression(mixed.inv(), target, known)[0])
reach = set()
for attacker, factor in factors.items():
    if factor >= sp.Rational(3, 2):
        reach.add(attacker)
by_package = GaussianModel(precision=mixed, width=1).worst_adversary(scale=1)


def signed_network(n, p, rng):
    """Random precision matrix; each weight is negative with probability p."""
    W = np.triu(rng.exponential(size=(n, n)), 1)
    W = W * np.where(rng.random((n, n)) < p, -1, 1)
    W = W + W.T
    return np.diag(abs(W).sum(axis=1) + 1) - W


def comparison_bound(P):
    comparison = -abs(P)
    np.fill_diagonal(comparison, P.diagonal())
    V = np.linalg.inv(comparison)
    return V.sum(axis=1) / V.diagonal() - 1


rng = np.random.default_rng(56)
levels, bounds, without_sign, strong_with_positive = [], [], [], []
for p in np.linspace(0, 1, 11):
    for _ in range(200):
        P = signed_network(6, p, rng)
        worst = GaussianModel(precision=P, width=1).worst_adversary(scale=1)
        levels.append(worst.leakage)
        bounds.append(1 + comparison_bound(P).max())
        n_known = len(worst.adversary.known)
        if p == 0:
            without_sign.append(n_known)
        if n_known == 5 and (P - np.diag(P.diagonal())).min() < 0:
            strong_with_positive.append(P)

P = signed_network(6, 0.5, np.random.default_rng(7))
by_two_routes, sizes, limits = [], [], []
for target, known in adversaries(6):
    regressed = by_regression_in_floats(np.linalg.inv(P), target, known)
    by_two_routes.append((by_precision(P, target, known), regressed))
    sizes.append(abs(regressed - 1))
    limits.append(comparison_bound(P)[target])
by_two_routes = np.array(by_two_routes)
with claim("Y-B7") as c:
    label = "three tuples, all twelve attackers: only A(1, {3}) has 3/2"
    c.decisive("exhaustive").exact(reach, {(0, (2,))}, label)
    c.exact(by_package.leakage, sp.Rational(3, 2), "and by the package")
    best_weak = max(factors[target, ()] for target in range(3))
    c.exact(best_weak, sp.Rational(6, 5), "the best weak attacker has 6/5")
    c.close(*by_two_routes.T, "six tuples, 192 attackers: precision and covariance")
    c.at_most(sizes, limits, "their |l| and the comparison bound", slack=1e-12)
    label = f"the comparison bound is enough in all {len(bounds)} networks"
    c.decisive("sampled").at_most(levels, bounds, label, slack=1e-12)
    c.exact(set(without_sign), {0}, "no negative weight: a weak attacker is the worst")
    label = "networks with a positive weight where a strong attacker is the worst"
    c.exact(len(strong_with_positive), 0, label)

# %% [markdown]
# ## Y-5.a (counts and histograms)
#
# *Counting queries and histograms derive from the sum query.* The leakage of the noisy count of each value is computed by counting in all 27 databases of three tuples with three values, and compared with the package's leakage of a sum of indicators.
#
# That the formula for *normal* tuples also holds for zeros and ones is not claimed by the paper; the limits show that it does not. For small $\varepsilon$ the density of the output $t$ is $\frac\varepsilon2 (1 - \varepsilon \operatorname{E}|t - s|)$ up to terms in $\varepsilon^3$. So the log ratio at $t$ is $\varepsilon\, g(t)$ with $g(t) = \operatorname{E}[|t - s| \mid x_1 = 0] - \operatorname{E}[|t - s| \mid x_1 = 1]$. At the two ends of the range, $g$ is plus or minus the difference of the expected sums, which is the formula. Between two possible sums, the slope of $g$ is twice the difference of the two distribution functions. If the sum is stochastically larger given $x_1 = 1$, this slope never changes its sign, and the ends are the maximum. Otherwise the maximum may lie inside, as for the three bits below.

# %%
rng = np.random.default_rng(3)
mass = rng.dirichlet(np.ones(27)).reshape(3, 3, 3)


def by_counting(counted_value, target):
    """Leakage of a noisy count to the weak attacker of a tuple; scale 1."""
    count_chances = np.zeros((3, 4))  # value of the target, count
    for database in np.ndindex(3, 3, 3):
        count = Counter(database)[counted_value]
        count_chances[database[target], count] += mass[database]
    count_chances /= count_chances.sum(axis=1, keepdims=True)
    outputs = np.arange(4)
    densities = count_chances @ np.exp(-np.abs(outputs[:, None] - outputs))
    return np.log(densities.max(axis=0) / densities.min(axis=0)).max()


counted, summed = [], []
for counted_value in range(3):
    indicator = [int(value == counted_value) for value in range(3)]
    as_sum = FiniteDistribution(mass, values=[indicator] * 3)
    for target in range(3):
        counted.append(by_counting(counted_value, target))
        summed.append(as_sum.leakage(target, scale=1))


def sum_given_first(joint):
    """Distribution of the sum given x_1 = 0 and given x_1 = 1."""
    totals = np.indices(joint.shape).sum(axis=0)
    rows = []
    for value in (0, 1):
        row = np.bincount(totals[value].ravel(), joint[value].ravel(), joint.ndim + 1)
        rows.append(row / row.sum())
    return np.array(rows)


def normal_formula(joint):
    """Difference of the expected sums: 1 + l of normal tuples with the same covariances."""
    rows = sum_given_first(joint)
    return (rows[1] - rows[0]) @ np.arange(joint.ndim + 1)


rare = np.array([[0.00999, 0.00001], [0.891, 0.099]])
at_two = [0.999 * np.exp(-2) + 0.001 * np.exp(-1), 0.9 * np.exp(-1) + 0.1]  # the output 2
rare_leakage = np.log(at_two[1] / at_two[0])

crossing = np.full((2, 2, 2), 0.005)
crossing[0, 0, 0] = crossing[0, 1, 1] = 0.245
crossing[1, 0, 0] = 0.485
outputs = np.arange(4)
distances = np.abs(outputs[:, None] - outputs)
g = distances @ (sum_given_first(crossing)[0] - sum_given_first(crossing)[1])

ordered = []
for joint in np.random.default_rng(5).dirichlet(np.full(8, 0.3), 40).reshape(-1, 2, 2, 2):
    rows = sum_given_first(joint)
    larger = np.cumsum(rows[0] - rows[1])[:-1] >= 0
    if larger.all() or not larger.any():
        learnt = FiniteDistribution(joint).leakage(0, scale=1e7) * 1e7
        ordered.append((learnt, abs(normal_formula(joint))))
assert len(ordered) > 5
with claim("Y-5.a") as c:
    label = "counts of each value, 27 databases: leakage as of a sum of indicators"
    c.decisive("one example").close(summed, counted, label)
    learnt = FiniteDistribution(rare).leakage(0, scale=1)
    c.close(learnt, rare_leakage, "rare event, ε = 1: package and by hand")
    label = "0/1 tuples, rare event, ε = 1: leakage by the formula for normal tuples"
    c.limit(float(normal_formula(rare)), float(rare_leakage), label)
    c.close(*np.transpose(ordered), "much noise, stochastic order: the formula", rtol=1e-4)
    learnt = FiniteDistribution(crossing).leakage(0, scale=1e5) * 1e5
    c.close(learnt, np.abs(g).max(), "three bits without this order: largest |g|", rtol=1e-4)
    label = "0/1 tuples, much noise, no stochastic order: leakage/ε by the formula"
    c.limit(float(normal_formula(crossing)), float(np.abs(g).max()), label)

# %% [markdown]
# ## Y-B8 (normal noise, δ, zeros and ones)
#
# *Theorem 5.2 does not extend to Gaussian noise, to $(\varepsilon, \delta)$, or to binary data, not even attractive chains.*
#
# *Normal noise.* Two tuples with the weight $w$, priors 1, $\sigma = M = 1$: the sign of $\mu_{\text{weak}}^2 - \mu_{\text{strong}}^2$ is derived from the covariance matrix. A simulated attack at $w = \frac1{10}$ has the predicted shares of right guesses $\Phi(\mu/2)$. For three tuples, the attackers of tuples 1 and 2 who know tuple 3 are the only worst ones.

# %%
shift, spread = by_regression(linked.subs(tau, 1).inv(), 0)
difference = shift**2 / (1 + spread) - 1
compared = derivation(difference, of=r"\mu_{\mathrm{weak}}^2 - \mu_{\mathrm{strong}}^2")
compared = compared.equal((3 * w**2 + w - 1) / ((w + 1) * (w + 2)), "one fraction")

tenth = sp.Rational(1, 10)
mean, variance = float(shift.subs(w, tenth)), float(spread.subs(w, tenth))
mu_weak = mean / np.sqrt(1 + variance)
rng = np.random.default_rng(2021)
attacks = 400_000
target_value = rng.integers(0, 2, attacks)
other = rng.normal((mean - 1) * target_value, np.sqrt(variance))
release = target_value + other + rng.normal(size=attacks)
right_weak = np.mean((release > mean / 2) == target_value)
right_strong = np.mean((release - other > 1 / 2) == target_value)

three = np.array([[3.05, -2, -0.05], [-2, 3.05, -0.05], [-0.05, -0.05, 1.1]])
exact_three = sp.Matrix(three.tolist()).applyfunc(sp.nsimplify)
mu_three = {}
for target, known in adversaries(3):
    move, remains = by_regression(exact_three.inv(), target, known)
    mu_three[target, known] = float(move) / np.sqrt(1 + float(remains))
by_symmetry = {(0, (2,)), (1, (2,))}  # tuples 1 and 2 play the same part

# %% [markdown]
# *Laplace noise and δ.* The density of the output of the weak attacker is integrated over the unknown tuple, and $\delta$ is the integral of what exceeds $e^{\varepsilon}$ times the other density. The strong attacker has $\delta = 1 - e^{-(1 - \varepsilon)/2}$.

# %%
outputs = np.linspace(-25, 26, 4001)
unknown = np.linspace(-8, 8, 3201)
weights = norm.pdf(unknown) * (unknown[1] - unknown[0])
before, after = np.zeros(4001), np.zeros(4001)
for standard, weight in zip(unknown, weights):
    away = outputs - standard * np.sqrt(variance)
    before += weight * np.exp(-np.abs(away)) / 2
    after += weight * np.exp(-np.abs(away - mean)) / 2
delta_weak = np.trapezoid(np.maximum(after - np.exp(0.5) * before, 0), outputs)
delta_strong = -np.expm1(-0.25)

# %% [markdown]
# *Zeros and ones.* For the chain of four with stay probability 0.9, all 32 attackers are computed by hand.

# %%
four = chain_distribution([[0.9, 0.1], [0.1, 0.9]], 4)
of_four = all_by_hand(four, 5)
weak_of_four = max(of_four[target, ()] for target in range(4))
ten = chain_distribution([[0.9, 0.1], [0.1, 0.9]], 10)
weak_of_ten = max(leakage_by_hand(ten, target, (), 1) for target in range(10))
worst_of_ten = MarkovChain(0.9, 10).worst_adversary(scale=1)
two_linked = GaussianModel(precision=np.array([[1.1, -0.1], [-0.1, 1.1]]), width=1)
three_linked = GaussianModel(precision=three, width=1)
with claim("Y-B8") as c:
    last = (3 * w**2 + w - 1) / ((w + 1) * (w + 2))
    c.decisive("proved").derived(compared, difference, last, "normal noise, two tuples")
    label = "w = 1/10: the strong attacker is the worse one"
    c.decisive("proved").at_most(difference.subs(w, tenth), 0, label)
    c.close(two_linked.gaussian_noise_mu(0, sigma=1), mu_weak, "the package's μ")
    guesses = [right_weak, right_strong]
    expected = norm.cdf([mu_weak / 2, 1 / 2])
    c.sampled(guesses, expected, "right guesses of both attackers", stderr=0.5 / attacks**0.5)
    others = [mu for attacker, mu in mu_three.items() if attacker not in by_symmetry]
    label = "normal noise, three tuples: all others below A(1, {3}) and A(2, {3})"
    c.at_most(max(others) + 0.2, mu_three[0, (2,)], label)
    by_package = three_linked.gaussian_noise_mu(0, [2], sigma=1)
    c.close(by_package, mu_three[0, (2,)], "three tuples: the package's μ")
    by_package = two_linked.laplace_delta(0, epsilon=0.5, scale=1)
    c.close(delta_weak, by_package, "δ, weak: integral and package", rtol=1e-4)
    by_package = two_linked.laplace_delta(0, [1], epsilon=0.5, scale=1)
    c.close(delta_strong, by_package, "δ, strong: closed form and package")
    label = "δ at ε = 1/2, two tuples: the strong attacker is the worse one"
    c.decisive("one example").at_most(delta_weak + 0.1, delta_strong, label)
    label = "attractive chain of 4, ε = 5: A(2, {4}) above every weak attacker"
    c.decisive("exhaustive").at_most(weak_of_four + 1, of_four[1, (3,)], label)
    c.close(of_four[1, (3,)], max(of_four.values()), "which is the largest of all 32")
    c.exact(tuple(worst_of_ten.adversary), (4, (0, 9)), "chain of 10: the worst is A(5, {1, 10})")
    c.at_most(weak_of_ten + 0.2, worst_of_ten.leakage, "it is above every weak attacker")

# %% [markdown]
# ## Y-B9 (all attackers of a Markov chain)
#
# *Binary Markov chains: the exact leakage of a noisy sum over all $n2^{n-1}$ attackers in polynomial time; at most the published bound; for a chain of $n = 20$ that stays with probability 0.9, a tenth of it for much noise, and within a factor of 1.2 for little.* `MarkovChain`, which looks at intervals only, is compared with all attackers by hand. The limit $\frac{1 + \rho}{1 - \rho}$ of the note is a geometric series. A chain that stays with probability 0.9 in one state and 0.6 in the other has $\rho = \frac12$ and exceeds it.

# %%
matrices = [[[0.9, 0.1], [0.1, 0.9]], [[0.3, 0.7], [0.7, 0.3]], [[0.8, 0.2], [0.4, 0.6]]]
by_intervals, by_hand = [], []
for matrix in matrices:
    for n in (2, 3, 4, 5, 6):
        joint = chain_distribution(matrix, n)
        for level in (0.1, 1, 5):
            worst = MarkovChain(matrix, n).worst_adversary(scale=1 / level)
            by_intervals.append(worst.leakage)
            by_hand.append(max(all_by_hand(joint, level).values()))

levels = np.geomspace(0.02, 30, 41)
exact = np.array([MarkovChain(0.9, 20).worst_adversary(scale=1 / e).leakage for e in levels])
published = levels + 4 * np.log(0.9 / 0.1)
much, little = levels < 0.1, levels > 20

rho = sp.Symbol("rho", positive=True)
series = 1 + 2 * (rho + rho**2 + rho**3) + 2 * rho**4 / (1 - rho)  # all further ones
both_sides = derivation(series).equal((1 + rho) / (1 - rho), "a geometric series")
long = MarkovChain(0.9, 60).worst_adversary(scale=1e4).leakage * 1e4
skewed = MarkovChain([[0.9, 0.1], [0.4, 0.6]], 11).worst_adversary(scale=1e5).leakage * 1e5
opposed = []
for n in (2, 5, 20):
    opposed.append(MarkovChain(0.3, n).worst_adversary(scale=1).leakage)
with claim("Y-B9") as c:
    label = f"{len(by_hand)} chains with n up to 6: intervals against all attackers by hand"
    c.decisive("sampled").close(by_intervals, by_hand, label)
    label = "n = 20, 41 levels: at most the published bound"
    c.decisive("sampled").at_most(exact, published, label)
    label = "stay 0.9, n = 20, much noise: a tenth of the bound or less"
    c.decisive("sampled").at_most(10 * exact[much], published[much], label)
    label = "stay 0.9, n = 20, little noise: the bound is within a factor of 1.2"
    c.decisive("sampled").at_most(published[little], 1.2 * exact[little], label)
    by_package = [MarkovChain(0.9, 2).markov_bound(level) for level in levels]
    c.close(by_package, published, "the published bound: package and formula")
    c.derived(both_sides, series, (1 + rho) / (1 - rho), "limit for much noise")
    c.close(long, 9, "n = 60, ε = 1e-4: near 9", rtol=2e-3)
    c.at_most(3.1, skewed, "without symmetry, ρ = 1/2: above 3, for much noise")
    c.close(opposed, np.ones(3), "stay 0.3, ε = 1: the level is ε")
