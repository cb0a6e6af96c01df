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
# # Evidence: How much noise do others need at the same ε?
#
# All claims here are beyond the paper, and the ledger names their sources. Nothing is hidden. The story is told in [the research note of the same name](../../research/correlated-noise-at-equal-epsilon.ipynb).

# %%
import math
from itertools import combinations_with_replacement, pairwise, product

import networkx as nx
import numpy as np
import sympy as sp
from scipy.integrate import quad
from scipy.optimize import brentq, linprog
from scipy.stats import laplace, norm

from privlib.correlated import FiniteDistribution, GaussianModel
from privlib.correlated.adversary import adversaries
from privlib.notebook import claim, derivation
from privlib.research.markov_chain import MarkovChain, projective_diameter
from privlib.research.markov_random_field import MarkovRandomField

rng = np.random.default_rng(11)
P = np.array([[0.9, 0.1], [0.4, 0.6]])
STATIONARY = [0.8, 0.2]


def joint_distribution(transition, first, steps):
    """The joint distribution of all tuples of a chain."""
    joint = np.array(first)
    for _ in range(steps - 1):
        joint = joint[..., None] * np.array(transition)
    return joint


def cross_ratio(power):
    """The largest cross ratio, entry by entry; exp(Δ_m) for the matrix P^m."""
    states = range(len(power))
    ratios = []
    for u, w, v, x in product(states, repeat=4):
        ratios.append(power[u][v] * power[w][x] / (power[u][x] * power[w][v]))
    return max(ratios)


# %% [markdown]
# ## Y-B50 (forgetting)
#
# *Two values of a tuple make the value m places away more probable by a factor of at most* $e^{\Delta_m}$*, whatever is known beyond; so the level lies between* $A_r$ *and* $A_r + 2\Delta_{r+1}$*, and every ε-differentially private mechanism is* $(\varepsilon + 2\Delta_1)$*-BDP.*
#
# **Algebra.** Bayes' rule turns the ratio into a ratio of sums over the far value $w$. We check this with free symbols for three far values. If a term above is at most $R$ times the term below, it can be written as $R b_w/(1 + g_w)$ with $g_w \ge 0$; then the ratio of the sums is at most $R$.

# %%
q = sp.symbols("q_0:3", positive=True)  # belief about the far value
to_v = sp.symbols("p_0:3", positive=True)  # P^m(u, v)
to_x = sp.symbols("r_0:3", positive=True)  # P^m(u, v')
chance_v = sum(q[w] * to_v[w] for w in range(3))
chance_x = sum(q[w] * to_x[w] for w in range(3))
by_bayes = (q[0] * to_v[0] / chance_v) / (q[0] * to_x[0] / chance_x)
above = sum(q[w] * to_v[0] * to_x[w] for w in range(3))
below = sum(q[w] * to_x[0] * to_v[w] for w in range(3))

R, b0, b1 = sp.symbols("R b_0 b_1", positive=True)
g0, g1 = sp.symbols("g_0 g_1", nonnegative=True)
ratio_of_sums = (q[0] * R * b0 / (1 + g0) + q[1] * R * b1 / (1 + g1)) / (q[0] * b0 + q[1] * b1)
sums_keep_bounds = derivation(ratio_of_sums).at_most(R, "all symbols positive", by="coefficients")
sums_keep_bounds

# %% [markdown]
# **Beliefs in fractions.** A chain with three states, five beliefs about the far value, one, two and three steps:

# %%
three_states = sp.Rational(1, 10) * sp.Matrix([[6, 3, 1], [2, 5, 3], [1, 2, 7]])
beliefs = [[1, 1, 1], [98, 1, 1], [1, 98, 1], [1, 1, 98], [49, 49, 2]]
largest_ratios, cross_ratios = [], []
for steps in (1, 2, 3):
    power = (three_states**steps).tolist()
    for belief in beliefs:
        ratios = []
        for u, v, x in product(range(3), repeat=3):
            posterior_v = power[u][v] / sum(belief[w] * power[w][v] for w in range(3))
            posterior_x = power[u][x] / sum(belief[w] * power[w][x] for w in range(3))
            ratios.append(posterior_v / posterior_x)
        largest_ratios.append(max(ratios))
        cross_ratios.append(cross_ratio(power))
closeness = np.array(largest_ratios, float) / np.array(cross_ratios, float)

# %% [markdown]
# **All attackers of random chains.** The level by the joint distribution, beside $A_r$ from the same distribution and $\Delta_{r+1}$ by four loops:

# %%
lower, gaps, levels = [], [], []
for states in (2, 2, 2, 2, 2, 2, 3, 3):
    transition = rng.dirichlet(np.ones(states), size=states)
    steps = 6 if states == 2 else 4
    chain = FiniteDistribution(joint_distribution(transition, [1 / states] * states, steps))
    for scale in (0.3, 3):
        level = chain.worst_adversary(scale=scale).leakage
        for r in (0, 1):
            near = []
            for i in range(steps):
                for first in range(max(0, i - r), i + 1):
                    for last in range(i, min(steps - 1, i + r) + 1):
                        known = [*range(first), *range(last + 1, steps)]
                        near.append(chain.leakage(i, known, scale=scale))
            power = np.linalg.matrix_power(transition, r + 1)
            lower.append(max(near))
            gaps.append(2 * np.log(cross_ratio(power)))
            levels.append(level)
lower, gaps, levels = np.array(lower), np.array(gaps), np.array(levels)


# %% [markdown]
# **Any mechanism.** Random mechanisms on four tuples, with three outputs whose probabilities depend on the whole database:

# %%
def log_ratio(probabilities, axis):
    """Largest log ratio of two entries along an axis."""
    return np.ptp(np.log(probabilities), axis=axis).max()


private_levels, bayesian_levels, promised = [], [], []
for transition in ([[0.6, 0.4], [0.3, 0.7]], [[0.5, 0.5], [0.2, 0.8]], [[0.9, 0.1], [0.4, 0.6]]):
    joint = joint_distribution(transition, [0.3, 0.7], 4)
    counts = np.indices((2,) * 4).sum(axis=0)[..., None]
    for spread in (0, 0.02, 0.5):
        outputs = np.exp(-abs(counts - np.array([0, 2, 4])))
        mechanism = outputs * np.exp(spread * rng.normal(size=(2, 2, 2, 2, 3)))
        mechanism = mechanism / mechanism.sum(axis=-1, keepdims=True)
        private = max(log_ratio(mechanism, axis) for axis in range(4))
        leakages = []
        for i, known in adversaries(4):
            unknown = tuple(j for j in range(4) if j != i and j not in known)
            given = joint / joint.sum(axis=unknown, keepdims=True)
            seen = (mechanism * given[..., None]).sum(axis=unknown, keepdims=True)
            leakages.append(log_ratio(seen, i))
        private_levels.append(private)
        bayesian_levels.append(max(leakages))
        promised.append(private + 2 * np.log(cross_ratio(transition)))

# %%
random_matrices = []
for states in (2, 3, 4):
    for _ in range(30):
        random_matrices.append(rng.dirichlet(np.ones(states), size=states))
diameters = [2 * projective_diameter(matrix, 1) for matrix in random_matrices]
by_entries = [4 * np.log(matrix.max() / matrix.min()) for matrix in random_matrices]
cut_off, without_cut_off, of_six, brute_force = [], [], [], []
six = FiniteDistribution(joint_distribution(P, STATIONARY, 6))
for scale in (1, 10):
    cut_off.append(MarkovChain(P, 10_000).worst_adversary(scale=scale).leakage)
    without_cut_off.append(MarkovChain(P, 60).worst_adversary(scale=scale, rtol=0).leakage)
    of_six.append(MarkovChain(P, 6).worst_adversary(scale=scale).leakage)
    brute_force.append(six.worst_adversary(scale=scale).leakage)

with claim("Y-B50") as c:
    label = "Bayes' rule, three far values: a ratio of sums"
    c.decisive("proved").exact(sp.simplify(by_bayes - above / below), sp.Integer(0), label)
    label = "a ratio of sums keeps a bound of its terms"
    c.decisive("proved").derived(sums_keep_bounds, ratio_of_sums, R, label)
    label = "three states, m = 1, 2, 3, five beliefs: at most the cross ratio"
    c.decisive("sampled").at_most(largest_ratios, cross_ratios, label)
    label = "for each m one of the beliefs comes within a tenth of it"
    c.at_most(0.9, closeness.reshape(3, 5).max(axis=1), label)
    package = [projective_diameter(np.array(three_states, float), m) for m in (1, 2, 3)]
    c.close(np.log(np.array(cross_ratios[::5], float)), package, "Δ_m of the package")
    label = "8 random chains, all attackers: the level is at least A_r"
    c.decisive("sampled").at_most(lower, levels * (1 + 1e-12), label)
    label = "8 random chains, all attackers: it is at most A_r + 2 Δ"
    c.decisive("sampled").at_most(levels, lower + gaps, label)
    above_lower = bool((levels > lower * 1.1).any())
    c.holds(above_lower, "A_r alone would not be an upper bound", method="numeric")
    label = "9 mechanisms on four tuples, all attackers: at most DP + 2 Δ_1"
    c.decisive("sampled").at_most(bayesian_levels, promised, label, slack=1e-12)
    larger = bool((np.array(bayesian_levels) > np.array(private_levels) * 1.2).any())
    c.holds(larger, "DP alone would not be an upper bound", method="numeric")
    c.at_most(diameters, by_entries, "2 Δ_1 against 4 log(max/min), 90 random matrices")
    c.close(cut_off, without_cut_off, "10,000 steps with the cut-off, 60 without", rtol=1e-6)
    c.close(of_six, brute_force, "6 steps, all 192 attackers")


# %% [markdown]
# ## Y-B51 (a quilt against all attackers)
#
# *Laplace noise of scale* $(2r+1)/(\varepsilon - 2\Delta_{r+1})$ *makes every query that changes by at most 1 with one tuple of a Markov chain ε-BDP, if* $2\Delta_{r+1} < \varepsilon$. Four queries on six tuples, four chains, two levels, all attackers by the joint distribution. For independent tuples and the sum the level is attained.

# %%
def quilt_for_all(transition, steps, epsilon):
    """The least scale of the theorem, at most that of group privacy."""
    scales = [steps / epsilon]
    for r in range(steps // 2):
        power = np.linalg.matrix_power(transition, r + 1)
        left = epsilon - 2 * np.log(cross_ratio(power))
        if left > 0:
            scales.append((2 * r + 1) / left)
    return min(scales)


def alternating(x):
    return sum(x[::2]) - sum(x[1::2])


def parity(x):
    return sum(x) % 2


def two_in_a_row(x):
    return any(a == b == 1 for a, b in pairwise(x))


answers, changes = {}, []
for query in (sum, alternating, parity, two_in_a_row):
    values = [float(query(x)) for x in product((0, 1), repeat=6)]
    answers[query] = np.reshape(values, (2,) * 6)
    changes.append([abs(np.diff(answers[query], axis=i)).max() for i in range(6)])

independent = [[0.7, 0.3], [0.7, 0.3]]
correlated = [[0.6, 0.4], [0.4, 0.6]]
cases = [(correlated, [0.5, 0.5]), ([[0.7, 0.3], [0.5, 0.5]], [0.95, 0.05])]
cases += [([[0.65, 0.35], [0.45, 0.55]], [0.5, 0.5]), (independent, [0.95, 0.05])]
shares, attained = [], []
for transition, first in cases:
    joint = joint_distribution(transition, first, 6)
    for query in answers:
        for epsilon in (0.5, 1):
            scale = quilt_for_all(transition, 6, epsilon)
            released = FiniteDistribution(joint, query=answers[query])
            share = released.worst_adversary(scale=scale).leakage / epsilon
            shares.append(share)
            if transition is independent and query is sum:
                attained.append(share)

closed_form = []
for epsilon in (0.5, 1):
    scales = []
    for r in (0, 1, 2):
        left = epsilon - 4 * np.log((1 + 0.2 ** (r + 1)) / (1 - 0.2 ** (r + 1)))
        if left > 0:
            scales.append((2 * r + 1) / left)
    closed_form.append(min(scales))

with claim("Y-B51") as c:
    c.close(changes, 1, "each query changes by 1 with one tuple")
    label = "32 cases of chain, first distribution, query and ε, six tuples: level / ε"
    c.decisive("sampled").at_most(shares, 1 + 1e-12, label)
    c.close(attained, [1, 1], "independent tuples, sum: attained")
    label = "symmetric chain of correlation 0.2: closed form of Δ"
    scales = [quilt_for_all(correlated, 6, epsilon) for epsilon in (0.5, 1)]
    c.close(scales, closed_form, label)
    c.at_most(closed_form, [5.8 / 0.5, 5.8], "which is less than group privacy's six")
    label = "a ratio of sums keeps a bound of its terms"
    c.derived(sums_keep_bounds, ratio_of_sums, R, label)

# %% [markdown]
# ## Y-B52 (noise at equal ε)
#
# *On the chain that stays with probability 0.9 and 0.6, at ε = 1, for 10, 30 and 100 steps: exact 3.20, 3.38, 3.38; Wasserstein 4, 4, 4; quilt 10.0, 12.84, 12.84, and 10.0, 13.61, 13.61 against all attackers; group privacy 10, 30, 100.* The exact scale is checked by brute force for 8 steps, and for 30 steps at the worst attacker by a Markov random field. For the quilts we use closed forms: the chain has the eigenvalues 1 and 1/2, so $P^m(v, v) = \pi_v + (1 - \pi_v)/2^m$. For $W_\infty$ we move exact masses, pile by pile.

# %%
STEPS = (10, 30, 100)


def influence(value, steps):
    """Log ratio by which x_i = value makes the same value some steps away more probable."""
    if steps == 0:
        return 0.0  # no tuple in the quilt
    half = 0.5**steps
    share = STATIONARY[value]
    return math.log((share + (1 - share) * half) / (share * (1 - half)))


def quilt_in_closed_form(steps):
    """Noise of the quilt mechanism at ε = 1; the chain is reversible."""
    of_zero = [influence(0, m) for m in range(steps)]
    of_one = [influence(1, m) for m in range(steps)]
    noise = []
    for i in range(steps):
        scales = []
        for before in range(i + 1):  # how far the quilt's tuple is; 0: there is none
            inside_before = before - 1 if before else i
            for after in range(steps - i):
                inside_after = after - 1 if after else steps - 1 - i
                e = max(of_zero[before] + of_zero[after], of_one[before] + of_one[after])
                if e < 1:
                    scales.append((1 + inside_before + inside_after) / (1 - e))
        noise.append(min(scales))
    return max(noise)


def quilt_for_all_in_closed_form(steps):
    """The same for the theorem; Δ is the sum of the influences of both values."""
    scales = [steps]
    for r in range(steps // 2):
        left = 1 - 2 * (influence(0, r + 1) + influence(1, r + 1))
        if left > 0:
            scales.append((2 * r + 1) / left)
    return min(scales)


def longest_move(first, second):
    """W_∞ of two distributions on integers: move mass from left to right, pile by pile."""
    piles = [[s, mass] for s, mass in enumerate(first) if mass]
    places = [[s, mass] for s, mass in enumerate(second) if mass]
    longest = 0
    while piles:
        moved = min(piles[0][1], places[0][1])
        longest = max(longest, abs(piles[0][0] - places[0][0]))
        for heap in (piles, places):
            heap[0][1] -= moved
            if heap[0][1] == 0:
                heap.pop(0)
    return longest


def chain_as_field(steps):
    """The chain as a Markov random field with rational potentials."""
    ties = {(i, i + 1): [[9, 1], [4, 6]] for i in range(steps - 1)}
    return MarkovRandomField({(0,): [4, 1]} | ties)


def distance_in_fractions(steps):
    field = chain_as_field(steps)
    distances = []
    for i in range(steps):
        _, joint = field.joint_distribution(i)
        distances.append(longest_move(joint[0] / joint[0].sum(), joint[1] / joint[1].sum()))
    return max(distances)


chains = [MarkovChain(P, steps) for steps in STEPS]
exact = [chain.noise_scale(1) for chain in chains]
wasserstein = [chain.wasserstein_distance() for chain in chains]
quilt = [chain.markov_quilt_scale(1) for chain in chains]
for_all = [quilt_for_all(P, steps, 1) for steps in STEPS]
quilt_closed = [quilt_in_closed_form(steps) for steps in STEPS]
for_all_closed = [quilt_for_all_in_closed_form(steps) for steps in STEPS]

eight = FiniteDistribution(joint_distribution(P, STATIONARY, 8))
of_eight = eight.worst_adversary(scale=MarkovChain(P, 8).noise_scale(1)).leakage
field = chain_as_field(30)
worst = chains[1].worst_adversary(scale=exact[1]).adversary
of_worst = field.leakage(*worst, scale=exact[1])

with claim("Y-B52") as c:
    digits = {"rtol": 0, "atol": 0.005}
    label = "8 steps, all 1,024 attackers by the joint distribution: level at the exact scale"
    c.decisive("one example").close(of_eight, 1, label, rtol=1e-5)
    label = "30 steps: the worst attacker, by a Markov random field"
    c.decisive("one example").close(of_worst, 1, label, rtol=1e-5)
    label = "exact scale, 10, 30 and 100 steps, printed digits"
    c.decisive("one example").close(exact, [3.20, 3.38, 3.38], label, **digits)
    label = "W_∞ of 10 and 30 steps, in fractions"
    moves = [distance_in_fractions(steps) for steps in STEPS[:2]]
    c.decisive("one example").exact(moves, [4, 4], label)
    label = "Wasserstein, 10, 30 and 100 steps, package"
    c.decisive("one example").exact([int(w) for w in wasserstein], [4, 4, 4], label)
    label = "quilt: closed form, printed digits"
    c.decisive("one example").close(quilt_closed, [10.0, 12.84, 12.84], label, **digits)
    c.decisive("one example").close(quilt, quilt_closed, "quilt: package and closed form")
    label = "quilt against all attackers: closed form, printed digits"
    c.decisive("one example").close(for_all_closed, [10.0, 13.61, 13.61], label, **digits)
    label = "quilt against all attackers: the theorem and its closed form"
    c.decisive("one example").close(for_all, for_all_closed, label)

# %% [markdown]
# ## Y-B53 (a sharp bound for normal data)
#
# *Among normal distributions of n tuples with equal variances and correlations up to ρ,* $(n-1)\rho < 1$*, an attacker who knows k tuples amplifies a sum by at most* $1 + (n-1-k)\rho/(1-k\rho)$*, which is attained; the largest is* $1 + (n-1)\rho$*.* The two steps of the proof are derived. That the bound is attained is computed with a symbol for ρ, for all k < n − 1 up to five tuples. Random matrices, many of them with entries at the edge, look for a counterexample.

# %%
k, d, s, rho = sp.symbols("k d s rho", positive=True)
c_max = k * rho**2 / (1 - (k - 1) * rho)
one_tuple = derivation((rho + c_max) / (1 - c_max)).equal(rho / (1 - k * rho), "cancel 1 + ρ")
one_tuple

# %%
bound_for_k = 1 + (d * rho / (1 - k * rho)).subs(rho, 1 / (k + d + s))
bound_for_nobody = 1 + (k + d) / (k + d + s)
knowing_less = (
    derivation(bound_for_k)
    .equal(1 + d / (d + s), "ρ = 1/(k + d + s)")
    .at_most(bound_for_nobody, "k more above and below", by="coefficients")
)
knowing_less

# %% [markdown]
# The published bound, for $n = 2 + t$ tuples, is never below the sharp one:

# %%
t = sp.Symbol("t", nonnegative=True)
published_bound = 1 + ((2 + t) ** 2 / 4) / (1 + s)  # 1/ρ - n + 2 = 1 + s
sharp_bound = 1 + (1 + t) / (1 + t + s)
looser = derivation(published_bound).at_least(sharp_bound, "equal for t = 0", by="coefficients")
looser


# %%
def conditional_covariance(C, target, known):
    """Covariances of the target (first) and the unknown tuples, given the known ones."""
    rest = [target]
    for j in range(C.rows):
        if j != target and j not in known:
            rest.append(j)
    S = C.extract(rest, rest)
    if known:
        cross = C.extract(rest, list(known))
        S = S - cross * C.extract(list(known), list(known)).inv() * cross.T
    return S


def extremal(n, number_known):
    """The matrix of the proof: the last tuples are known, tuple 0 is the target."""
    C = sp.eye(n)
    for a in range(n):
        for b in range(n):
            if a != b:
                opposed = min(a, b) > 0 and max(a, b) >= n - number_known
                C[a, b] = -rho if opposed else rho
    return C


def sharp(n, number_known, correlation):
    return 1 + (n - 1 - number_known) * correlation / (1 - number_known * correlation)


reached, reached_by_package, bounds, bounds_at_edge = [], [], [], []
for n in range(2, 6):
    for number_known in range(n - 1):
        C = extremal(n, number_known)
        known = tuple(range(n - number_known, n))
        S = conditional_covariance(C, 0, known)
        reached.append(sp.cancel(sum(S.row(0)) / S[0, 0]))
        bounds.append(sp.cancel(sharp(n, number_known, rho)))
        at_edge = sp.Rational(1, n)
        model = GaussianModel.from_covariance(C.subs(rho, at_edge), width=1)
        reached_by_package.append(1 + model.leakage_coefficient(0, known))
        bounds_at_edge.append(sharp(n, number_known, at_edge))


def amplification_in_floats(C, target, known):
    rest = [target]
    for j in range(len(C)):
        if j != target and j not in known:
            rest.append(j)
    S = C[np.ix_(rest, rest)]
    if known:
        cross = C[np.ix_(rest, known)]
        S = S - cross @ np.linalg.solve(C[np.ix_(known, known)], cross.T)
    return abs(S[0].sum()) / S[0, 0]


amplifications, allowed = [], []
for n, correlation in product((2, 3, 4, 5), (0.05, 0.1, 0.2)):
    for _ in range(20):
        entries = rng.uniform(-2 * correlation, 2 * correlation, (n, n))
        upper = np.triu(np.clip(entries, -correlation, correlation), 1)
        C = np.eye(n) + upper + upper.T
        for target, known in adversaries(n):
            amplifications.append(amplification_in_floats(C, target, known))
            allowed.append(sharp(n, len(known), correlation))
unequal = np.array([[1, 0.2], [0.2, 1]]) * np.outer([1, 30], [1, 30])
of_unequal = amplification_in_floats(unequal, 0, ())

with claim("Y-B53") as c:
    start = (rho + c_max) / (1 - c_max)
    c.decisive("proved").derived(one_tuple, start, rho / (1 - k * rho), "one unknown tuple")
    label = "k tuples known against none"
    c.decisive("proved").derived(knowing_less, bound_for_k, bound_for_nobody, label)
    label = "attained as a function of ρ, n ≤ 5, every k < n - 1"
    c.decisive("exhaustive").exact(reached, bounds, label)
    c.exact(reached_by_package, bounds_at_edge, "the same at ρ = 1/n, by the package")
    label = "240 random matrices, all attackers, each by the number that it knows"
    c.at_most(amplifications, np.array(allowed) * (1 + 1e-12), label)
    c.derived(looser, published_bound, sharp_bound, "the published bound is never below")
    label = "standard deviations 1 and 30: 1 + 30 ρ"
    c.limit(of_unequal, sharp(2, 0, 0.2), label)

# %% [markdown]
# ## Y-B54 (Gaussian noise and the spread of the data)
#
# *With Gaussian noise on the Gaussian model, the Rényi divergence of order α that an attacker sees is* $\alpha(1+\ell)^2M^2/(2(V+\sigma^2))$*. For a row of six with τ = M = 1, α = 2, ε = 1, the variance is 4.91 by the shift alone, 2.53 against all attackers with the spread, and 1.12 would do for weak ones only.* The exponent is derived by completing the square. A second route integrates the densities, with Schur complements of the covariance matrix.

# %%
alpha, h, w = sp.symbols("alpha h w", positive=True)
x = sp.Symbol("x", real=True)
power = -alpha * (x - h) ** 2 / (2 * w) - (1 - alpha) * x**2 / (2 * w)
completed = -((x - alpha * h) ** 2) / (2 * w) + alpha * (alpha - 1) * h**2 / (2 * w)
exponent = derivation(power).equal(completed, "complete the square")
exponent


# %%
def renyi_by_integration(covariance, target, known, sigma, order):
    """Rényi divergence of the two output densities, by a sum over a grid; M = 1."""
    rest = [target]
    for j in range(len(covariance)):
        if j != target and j not in known:
            rest.append(j)
    S = covariance[np.ix_(rest, rest)]
    if known:
        cross = covariance[np.ix_(rest, known)]
        S = S - cross @ np.linalg.solve(covariance[np.ix_(known, known)], cross.T)
    shift = S[0].sum() / S[0, 0]
    sd = np.sqrt(S.sum() - S[0].sum() ** 2 / S[0, 0] + sigma**2)
    grid, step = np.linspace(-14 * sd, 14 * sd, 4001, retstep=True)
    grid = grid + order * shift
    first, second = norm.logpdf(grid, shift, sd), norm.logpdf(grid, 0, sd)
    return np.log(np.exp(order * first + (1 - order) * second).sum() * step) / (order - 1)


row = GaussianModel.from_graph(nx.path_graph(6), 1.0, width=1)
covariance = np.linalg.inv(nx.laplacian_matrix(nx.path_graph(6)).toarray() + np.eye(6))
by_shift, with_spread, weak_with_spread = [], [], []
for target, known in adversaries(6):
    amplification = 1 + row.leakage_coefficient(target, known)
    spread = (amplification / row.gaussian_noise_mu(target, known, sigma=1)) ** 2 - 1
    by_shift.append(amplification**2)
    with_spread.append(amplification**2 - spread)
    if not known:
        weak_with_spread.append(amplification**2 - spread)
variances = [max(by_shift), max(with_spread), max(weak_with_spread)]

at_all, at_weak = [], []
for target, known in adversaries(6):
    sigma = np.sqrt(variances[1])
    at_all.append(renyi_by_integration(covariance, target, known, sigma, 2))
    sigma = np.sqrt(variances[2])
    at_weak.append(renyi_by_integration(covariance, target, known, sigma, 2))

integrated, by_formula = [], []
for target, known in [(0, ()), (2, ()), (2, (0,)), (4, (0, 1, 2)), (3, (0, 1, 2, 4, 5))]:
    integrated.append(renyi_by_integration(covariance, target, known, 1.3, 3))
    by_formula.append(3 * row.gaussian_noise_mu(target, known, sigma=1.3) ** 2 / 2)

with claim("Y-B54") as c:
    c.decisive("proved").derived(exponent, power, completed, "the exponent of p^α q^(1-α)")
    label = "five attackers, α = 3: integral and formula"
    c.decisive("sampled").close(integrated, by_formula, label, rtol=1e-8)
    label = "row of six: the largest D_2 of all 192 attackers at the variance for all"
    c.decisive("exhaustive").close(max(at_all), 1, label, rtol=1e-8)
    label = "row of six: at the variance for weak attackers somebody exceeds ε"
    c.decisive("one example").at_most(1.1, max(at_weak), label)
    c.close(variances, [4.91, 2.53, 1.12], "printed digits", atol=0.005, rtol=0)


# %% [markdown]
# ## Y-B57 (Rényi levels of the chain)
#
# *On the chain of thirty steps, the least Laplace scale at which the noisy sum has the Rényi level 1 is, for the orders 2, 10 and ∞: 0.59, 2.32, 3.34 for attackers who know nobody; 1.79, 2.86, 3.38 for all. At the first of these scales somebody who knows later tuples has the level 2.83 of order 2. A bound by moving the mass asks for 2.20, 3.18, 4 for attackers who know nobody, and to move it in order of size is the best way.*
#
# More noise is the same noise plus some more, so no divergence rises with the scale. What lies outside an interval only adds noise, so only intervals matter, for every order. We list the distributions of the sum for all intervals. First one side of $x_i$, with $m$ unknown tuples:

# %%
def one_side(steps):
    """sides[m, end][v]: distribution of the sum of the m tuples after x_i = v.

    The value that follows them is `end`; None: the chain ends there. The chain is
    stationary and reversible, so the tuples before x_i have the same distributions.
    """
    table = np.zeros((2, 2, steps))  # x_i, last value so far, sum so far
    table[0, 0, 0] = table[1, 1, 0] = 1
    sides = {}
    for m in range(steps):
        for end in (None, 0, 1):
            if end is None:
                weights = table.sum(axis=1)
            else:
                weights = table[:, 0] * P[0, end] + table[:, 1] * P[1, end]
            sides[m, end] = weights / weights.sum(axis=1, keepdims=True)
        moved = np.einsum("vus,uw->vws", table, P)
        moved[:, 1] = np.roll(moved[:, 1], 1, axis=-1)  # an active step adds 1
        table = moved
    return sides


def all_intervals(steps):
    """Intervals, up to reflection, and the distributions of the sum given x_i = 0 and 1."""
    intervals, distributions = [], []
    sides = one_side(steps)
    for (a, left), (b, right) in combinations_with_replacement(sides, 2):
        ends = (left is not None) + (right is not None)
        outside = steps - 1 - a - b
        if outside < ends or (ends == 0 and outside > 0):
            continue
        pair = np.zeros((2, steps + 1))
        for v in (0, 1):
            inside = np.convolve(sides[a, left][v], sides[b, right][v])[:steps]
            pair[v, v : steps + v] = inside
        intervals.append((a, left, b, right))
        distributions.append(pair)
    return intervals, np.array(distributions)


intervals, all_pairs = all_intervals(30)
weak_pairs = all_pairs[[left is None and right is None for _, left, _, right in intervals]]
print(len(intervals), "intervals,", len(weak_pairs), "of attackers who know nobody")

# %% [markdown]
# The divergence: Gauss's rule between integers, where the densities are smooth. Beyond the sums their ratio is constant.

# %%
nodes, shares = np.polynomial.legendre.leggauss(12)


def divergence(first, second, scale, order):
    """D_α of the noisy sums."""
    sums = np.arange(first.shape[-1])

    def densities(at):
        noise = np.exp(-abs(at[:, None] - sums) / scale) / (2 * scale)
        return first @ noise.T, second @ noise.T

    if order == math.inf:
        p, q = densities(sums)
        return np.log(p / q).max(axis=-1)
    p, q = densities((sums[:-1, None] + (nodes + 1) / 2).ravel())
    weights = np.tile(shares / 2, len(sums) - 1)
    total = (weights * p * (p / q) ** (order - 1)).sum(axis=-1)
    p, q = densities(sums[[0, -1]])
    total = total + (scale * p * (p / q) ** (order - 1)).sum(axis=-1)
    return np.log(total) / (order - 1)


def levels_of(pairs, scale, order):
    """The larger of both divergences for each attacker."""
    up = divergence(pairs[:, 0], pairs[:, 1], scale, order)
    down = divergence(pairs[:, 1], pairs[:, 0], scale, order)
    return np.maximum(up, down)


def root(level):
    """The scale at which a decreasing level is 1."""
    return brentq(lambda scale: level(scale) - 1, 0.4, 5, xtol=1e-9)


def least_scale(pairs, order):
    """The scale at which the largest level is 1: that of one attacker, until it is the worst."""
    scale = 1.0
    while True:
        worst = levels_of(pairs, scale, order).argmax()
        one_pair = pairs[[worst]]
        scale = root(lambda trial, one_pair=one_pair: levels_of(one_pair, trial, order)[0])
        if levels_of(pairs, scale, order).max() <= 1 + 1e-8:
            return scale


ORDERS = (2, 10, math.inf)
for_weak = [least_scale(weak_pairs, order) for order in ORDERS]
for_everybody = [least_scale(all_pairs, order) for order in ORDERS]


# %% [markdown]
# *Moving mass.* $e^{(\alpha-1) D_\alpha}$ is convex in both distributions. So its mean over the mass moved is a bound, where mass that moves by $\lambda x$ costs what two Laplace distributions at that distance have:

# %%
def cost_of_moves(far, order):
    """exp((α - 1) D_α) of two Laplace distributions of scale 1 that are so far apart."""
    up, down = np.exp((order - 1) * far), np.exp(-order * far)
    return (order * up + (order - 1) * down) / (2 * order - 1)


def moves_in_order(first, second):
    """How far mass moves, and how much of it, if both are used up from below."""
    ends = np.unique(np.concatenate([first.cumsum(), second.cumsum()]).clip(0, 1))
    masses = np.diff(ends, prepend=0)
    middles = ends - masses / 2
    from_here = np.searchsorted(first.cumsum(), middles)
    to_there = np.searchsorted(second.cumsum(), middles)
    return abs(from_here - to_there), masses


def level_by_moves(pair, scale, order):
    far, masses = moves_in_order(*pair)
    if order == math.inf:
        return far[masses > 1e-14].max() / scale
    return math.log(masses @ cost_of_moves(far / scale, order)) / (order - 1)


def largest_by_moves(scale, order):
    return max(level_by_moves(pair, scale, order) for pair in weak_pairs)


by_moves = [root(lambda scale, a=order: largest_by_moves(scale, a)) for order in ORDERS]


def level_by_any_moves(pair, scale, order):
    """The same for the cheapest of all couplings, by a linear programme."""
    k = np.arange(31)
    cost = cost_of_moves(abs(k[:, None] - k) / scale, order)
    rows = np.vstack([np.kron(np.eye(31), np.ones(31)), np.kron(np.ones(31), np.eye(31))])
    solution = linprog(cost.ravel(), A_eq=rows, b_eq=np.append(pair[0], pair[1]))
    return math.log(solution.fun) / (order - 1)


any_moves_less, any_moves_more = [], []
for order, digits, scale in zip((2, 10), (2.20, 3.18), by_moves):
    levels = [level_by_moves(pair, scale, order) for pair in weak_pairs]
    hardest = weak_pairs[int(np.argmax(levels))]
    any_moves_less.append(level_by_any_moves(hardest, digits - 0.005, order))
    any_moves_more.append(level_by_any_moves(hardest, digits + 0.005, order))

far, more = sp.symbols("x s", positive=True)  # s = α - 1
price = (1 + more) * sp.exp(more * far) + more * sp.exp(-(1 + more) * far)
curvature = more * sp.exp(more * far) + (1 + more) * sp.exp(-(1 + more) * far)
not_convex_by = sp.expand(sp.diff(price, far, 2) - more * (1 + more) * curvature)
slope_at_0 = sp.expand(sp.diff(price, far).subs(far, 0))


# %% [markdown]
# *Other routes.* For five steps, all 80 attackers by the joint distribution. For thirty steps, the attackers that decide, by exact distributions of the Markov random field and adaptive quadrature:

# %%
def by_field(target, known_values):
    """Both distributions of the sum, from the Markov random field in fractions."""
    _, joint = field.joint_distribution(target, known_values)
    rows = []
    for row in joint:
        rows.append([float(p / sum(row)) for p in row])
    return np.array(rows)


def level_by_quadrature(pair, scale, order):
    """The larger divergence, integrated unit by unit far into the tails."""
    places = np.arange(pair.shape[1])
    levels = []
    for first, second in (pair, pair[::-1]):

        def integrand(t, first=first, second=second):
            noise = laplace.pdf(t, places, scale)
            return (first @ noise) ** order * (second @ noise) ** (1 - order)

        total = sum(quad(integrand, unit, unit + 1)[0] for unit in range(-100, 131))
        levels.append(math.log(total) / (order - 1))
    return max(levels)


def largest_by_joint(order):
    """Largest level at scale 1 of all attackers of five steps."""
    joint = joint_distribution(P, STATIONARY, 5)
    levels = []
    for target, known in adversaries(5):
        for values in product((0, 1), repeat=len(known)):
            pair = np.zeros((2, 6))
            for x, p in np.ndenumerate(joint):
                if all(x[j] == value for j, value in zip(known, values)):
                    pair[x[target], sum(x)] += p
            pair = pair / pair.sum(axis=1, keepdims=True)
            levels.append(levels_of(pair[None], 1.0, order)[0])
    return max(levels)


five_steps = all_intervals(5)[1]
by_intervals = [levels_of(five_steps, 1.0, order).max() for order in ORDERS]
by_joint = [largest_by_joint(order) for order in ORDERS]

worst_two = by_field(10, {j: 1 for j in range(30) if not 7 <= j <= 13})
worst_ten = by_field(10, {j: 1 for j in range(30) if not 6 <= j <= 14})
named = [level_by_quadrature(worst_two, for_everybody[0], 2)]
named.append(level_by_quadrature(worst_ten, for_everybody[1], 10))
at_weak_noise = []
for order, scale in zip((2, 10), for_weak):
    at_weak_noise.append(max(level_by_quadrature(by_field(i, {}), scale, order) for i in range(15)))
knows_later = by_field(2, dict.fromkeys(range(6, 30), 1))
learns = level_by_quadrature(knows_later, for_weak[0], 2)
at_infinity = [max(field.leakage(i, scale=for_weak[2]) for i in range(30))]
at_infinity.append(MarkovChain(P, 30).worst_adversary(scale=for_everybody[2]).leakage)

with claim("Y-B57") as c:
    digits = {"rtol": 0, "atol": 0.005}
    label = "5 steps: all 80 attackers by the joint distribution, against intervals"
    c.decisive("one example").close(by_intervals, by_joint, label)
    label = "30 steps: attackers who know nobody, printed digits"
    c.decisive("one example").close(for_weak, [0.59, 2.32, 3.34], label, **digits)
    label = "30 steps: all attackers, printed digits"
    c.decisive("one example").close(for_everybody, [1.79, 2.86, 3.38], label, **digits)
    label = "orders 2 and 10: the worst weak attacker, by field and quadrature"
    c.decisive("one example").close(at_weak_noise, [1, 1], label, rtol=1e-6)
    label = "orders 2 and 10: the worst attacker of all, by field and quadrature"
    c.decisive("one example").close(named, [1, 1], label, rtol=1e-6)
    c.close(at_infinity, [1, 1], "order ∞: by the package", rtol=1e-6)
    label = "at the noise for weak attackers: x_3 to somebody who knows x_7 = 1 and beyond"
    c.decisive("one example").close(learns, 2.83, label, **digits)
    label = "mass moved in order, printed digits"
    c.decisive("one example").close(by_moves, [2.20, 3.18, 4], label, **digits)
    label = "hardest tuple, all couplings by linear programmes: 0.005 less noise is too little"
    c.decisive("one example").at_most([1, 1], any_moves_less, label)
    label = "hardest tuple, all couplings by linear programmes: 0.005 more noise is enough"
    c.decisive("one example").at_most(any_moves_more, [1, 1], label)
    label = "cost of a move: second derivative, slope at 0"
    c.decisive("proved").exact([not_convex_by, slope_at_0], [sp.Integer(0)] * 2, label)
    c.holds(bool(curvature.is_positive), "the second derivative is positive, so the cost is convex")
    direct = divergence(np.eye(31)[0], np.eye(31)[3], 1.0, 2)
    c.close(np.exp(direct), cost_of_moves(3.0, 2), "cost at distance 3, order 2, by the divergence")
