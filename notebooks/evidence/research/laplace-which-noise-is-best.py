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
# # Evidence: Which noise is best?
#
# The study note says that Laplace noise is private, and how large its error is. It does not ask whether other noise is better. So all four claims here are beyond it, and the ledger names their sources. Nothing is hidden. The story is told in
# [the research note of the same name](../../research/laplace-which-noise-is-best.ipynb).

# %%
from fractions import Fraction
from itertools import pairwise, product
from math import comb

import numpy as np
import sympy as sp
from scipy import integrate, optimize, stats
from sympy import QQ
from sympy.polys.matrices import DomainMatrix

from privlib.notebook import claim, derivation, increasing
from privlib.research.auditing import audit
from privlib.research.binomial_test import binomial_test
from privlib.research.staircase import Staircase

rng = np.random.default_rng(5)


# %% [markdown]
# ## The linear programme, solved in fractions
#
# As in the note. A result is returned only if dual prices prove it in exact arithmetic.

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
# ## N-B8 (counts)
#
# *For all weights of the counts $0, \dots, n$ and every loss that grows with the error, one of the best $\varepsilon$-private mechanisms is geometric noise followed by a post-processing.* Two routes: the optimum of the programme over all private tables, and geometric noise with the best estimate for each noisy count.
# Neither uses the other. The cases have $n \le 4$, three levels, three lists of weights and two losses.

# %%
def best_mechanism(top, factor, weights=None, loss=abs):
    """Least expected loss of all private mechanisms on 0..top, and the best table."""
    size = top + 1
    weights = weights or [Fraction(1, size)] * size
    costs = [weights[x] * loss(x - y) for x, y in product(range(size), repeat=2)]
    rows = privacy_rows(size, size, factor)
    least, p = solve_lp_exactly(costs, rows, [0] * len(rows), sum_rows(size, size))
    return least, p.reshape(size, size)


# %%
def geometric(top, factor):
    """Geometric noise on 0..top, with results beyond the ends moved to the ends."""
    alpha = 1 / Fraction(factor)
    p = np.array([[alpha ** abs(x - y) for y in range(top + 1)] for x in range(top + 1)])
    p[:, 1:-1] *= 1 - alpha
    return p / (1 + alpha)


def binomial(n, p):
    return np.array([comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)])


def loss_of_geometric_noise(top, factor, weights, loss):
    """Expected loss of geometric noise with the best estimate for each noisy count."""
    joint = geometric(top, factor) * np.array(weights)[:, None]
    counts = range(top + 1)
    losses = np.array([[loss(x - y) for x in counts] for y in counts])
    return (losses @ joint).min(axis=0).sum()


# %%
def square(difference):
    return difference**2


over_all_tables, with_geometric_noise = [], []
for top, factor in product(range(1, 5), (Fraction(3, 2), 2, 3)):
    equal = [Fraction(1, top + 1)] * (top + 1)
    one_in_five = list(binomial(top, Fraction(1, 5)))
    ends_heavy = [Fraction(1 + 8 * (k in (0, top)), top + 17) for k in range(top + 1)]
    for weights, loss in product((equal, one_in_five, ends_heavy), (abs, square)):
        assert sum(weights) == 1
        over_all_tables.append(best_mechanism(top, factor, weights, loss)[0])
        with_geometric_noise.append(loss_of_geometric_noise(top, factor, weights, loss))

ends_moved = np.zeros((4, 4), dtype=int)  # 0 is read as 1, and 3 as 2
ends_moved[[0, 1, 2, 3], [1, 1, 2, 2]] = 1
with claim("N-B8") as c:
    label = f"{len(over_all_tables)} cases, n ≤ 4: proved optimum, best estimates from the noise"
    c.decisive("sampled").exact(over_all_tables, with_geometric_noise, label)
    label = "n = 3, e^ε = 2: the programme's table is the noise"
    c.exact(best_mechanism(3, 2)[1], geometric(3, 2), label)
    expected = geometric(3, Fraction(3, 2)) @ ends_moved
    label = "n = 3, e^ε = 3/2: the noise, with 0 read as 1 and 3 as 2"
    c.exact(best_mechanism(3, Fraction(3, 2))[1], expected, label)

# %% [markdown]
# ## N-B9 (real numbers)
#
# *No $\varepsilon$-private noise has a smaller mean absolute error than $\Delta e^{\varepsilon/2}/(e^{\varepsilon} - 1)$, and staircase noise has it.* The proof adds three facts, with $w = e^{\varepsilon/2}$. $T$ and $C$ are the mass and the first moment of $|X|/\Delta$ beyond 1, and $H$ is its first moment below 1. The note proves the facts:
#
# 1. $(1 - w^{-2})\,C \ge w^{-2} H + T$;
# 2. $w^2\, T \ge 1$;
# 3. $H \ge (1 - T)/(1 + w)$, because an integral is 0 at $\gamma = 1/(1 + w)$.

# %%
w, a, t, gamma = sp.symbols("w a t gamma", positive=True)
H, T, rest = sp.symbols("H T K", positive=True)
before = sp.integrate(w**2 * a * (gamma - t), (t, 0, gamma))
after = sp.integrate(a * (gamma - t), (t, gamma, 1))
fact_3 = sp.simplify((before + after).subs(gamma, 1 / (1 + w)))

total = (1 - w**-2) * H + rest
names = {rest: r"\left(1 - \tfrac{1}{w^2}\right) C"}
bound = (
    derivation(total, of=r"\left(1 - \tfrac{1}{w^2}\right)\tfrac{E|X|}{\Delta}", names=names)
    .at_least(H + T, "fact 1", by=increasing(rest, H / w**2 + T))
    .at_least((1 - T) / (1 + w) + T, "fact 3", by=increasing(H, (1 - T) / (1 + w)))
    .equal(1 / (1 + w) + w / (1 + w) * T, "collect T")
    .at_least(1 / (1 + w) + 1 / (w * (1 + w)), "fact 2", by=increasing(T, w**-2))
    .equal(1 / w, "add")
)
bound


# %% [markdown]
# A second route uses no proof: the programme over all private noise on the multiples of $1/m$, with $e^{\varepsilon} = 4$. Its optimum is compared with the error of staircases on this grid, which is a geometric series.

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


# %%
def error_of_staircase(m, high, factor):
    """Mean |error| of the staircase on multiples of 1/m with `high` high places in a unit."""
    q = Fraction(1, factor)
    unit = [1 if place < high else q for place in range(m)]
    mass = sum(unit) / (1 - q)  # one side, with 0
    moment = sum(place * height for place, height in enumerate(unit)) / (1 - q)
    moment += m * sum(unit) * q / (1 - q) ** 2
    return 2 * moment / (2 * mass - 1) / m


def integral(function, noise):
    """Twice the integral over 60 units, from fall to fall."""
    ends = np.sort([unit + end for unit in range(60) for end in (0.0, noise.step)])
    return 2 * sum(integrate.fixed_quad(function, *pair, n=3)[0] for pair in pairwise(ends))


def largest_loss(noise):
    """Largest logarithm of the ratio of densities at points up to 1 apart."""
    x = np.linspace(-4, 4, 801) + 1e-9
    apart = np.linspace(0, 1, 41)[:, None]
    return np.abs(np.log(noise.pdf(x) / noise.pdf(x + apart))).max()


# %%
programme, staircases = [], []
for m in range(1, 7):
    programme.append(best_noise(m, factor=4)[0])
    staircases.append(min(error_of_staircase(m, high, 4) for high in range(1, m + 1)))

least_error = bound.last / (1 - w**-2)
half_level = sp.log(w)  # ε/2
of_laplace = half_level / sp.sinh(half_level).rewrite(sp.exp)
levels = np.array([1.0, 3.0, 5.0])
noises = [Staircase(epsilon=level) for level in levels]
with claim("N-B9") as c:
    label = "every private noise, from the three facts"
    c.decisive("proved").derived(bound, total, 1 / w, label)
    c.exact(fact_3, sp.Integer(0), "fact 3 holds with equality at γ")
    c.exact(least_error * 2 * half_level, of_laplace, "ε times it: the share of Laplace's error")
    label = "e^ε = 4, multiples of 1/m, m ≤ 6: least error of all noise, and of staircases"
    c.exact(programme, staircases, label)
    on_thirds = [error_of_staircase(3, high, 4) for high in (1, 2)]
    label = "on thirds it is w/(w² − 1) = 2/3, for a fall before or after one third"
    c.exact(on_thirds, [Fraction(2, 3)] * 2, label)
    masses = [integral(noise.pdf, noise) for noise in noises]
    c.close(masses, np.ones(3), "ε = 1, 3, 5: the density integrates to 1", rtol=1e-12)
    errors = [integral(lambda x, n=noise: x * n.pdf(x), noise) for noise in noises]
    stated = np.exp(levels / 2) / (np.exp(levels) - 1)
    c.close(errors, stated, "ε = 1, 3, 5: and has that error", rtol=1e-12)
    losses = [largest_loss(noise) for noise in noises]
    c.close(losses, levels, "ε = 1, 3, 5: largest loss up to 1 apart", rtol=1e-12)
    drawn = np.abs([noise.sample(200_000, rng=rng) for noise in noises])
    stderr = drawn.std(axis=1) / np.sqrt(200_000)
    c.sampled(drawn.mean(axis=1), stated, "ε = 1, 3, 5: drawn", stderr=stderr)


# %% [markdown]
# The note also gives the mean privacy loss at $\varepsilon = 3$. It finds it by summing over a fine grid. By hand: between the densities around 0 and around 1, staircase noise has the loss $\varepsilon$ below $\gamma$, no loss between $\gamma$ and $1 - \gamma$, and the loss $-\varepsilon$ beyond; Laplace noise has the mean loss $\varepsilon - 1 + e^{-\varepsilon}$.

# %%
def mean_loss(density):
    y = (np.arange(2_500_000) + 0.5) * 1e-5 - 12
    return (density(y) * np.log(density(y) / density(y - 1))).sum() * 1e-5


noise = noises[1]
up_to_step = 0.5 + noise.step * noise.pdf(0)
by_hand = 3 * up_to_step * (1 - np.exp(-3))
assert np.isclose(mean_loss(noise.pdf), by_hand, atol=1e-4)
assert np.isclose(mean_loss(stats.laplace(scale=1 / 3).pdf), 3 - 1 + np.exp(-3), atol=1e-4)


# %% [markdown]
# ## N-B10 (the private announcement)
#
# *Of all $\varepsilon$-private tests of the same level, the threshold for the count with geometric and uniform noise announces most often, against every larger rate.* Two routes, both in fractions: the programme over all private tests, and the theorem's test, from the distribution function of its noise. The threshold lies between two half-integers, where the level is a linear function of it.

# %%
def best_announcement(n, rate, other, factor, level):
    """Largest power against the rate `other`, and the probability of yes for each count."""
    yes = np.array([0, 1])
    rows = [*privacy_rows(n + 1, 2, factor), np.kron(binomial(n, rate), yes)]
    limits = [0] * (len(rows) - 1) + [level]
    costs = -np.kron(binomial(n, other), yes)
    least, p = solve_lp_exactly(costs, np.array(rows), limits, sum_rows(n + 1, 2))
    return -least, p[1::2]


def noise_at_most(x, q):
    """Distribution function of geometric noise plus a uniform number; exact."""
    nearest = (x + Fraction(1, 2)).__floor__()
    part = (1 - q) / (1 + q) * q ** abs(nearest) * (x - nearest + Fraction(1, 2))
    if nearest <= 1:
        return q ** (1 - nearest) / (1 + q) + part
    return 1 - q**nearest / (1 + q) + part


def theorem_test(n, rate, factor, level):
    """Probability of yes for each count, with the threshold that makes the level exact."""
    q = 1 / Fraction(factor)

    def says_yes(threshold):
        return np.array([noise_at_most(count - threshold, q) for count in range(n + 1)])

    low = Fraction(-61, 2)
    while binomial(n, rate) @ says_yes(low + 1) >= level:
        low += 1
    above = binomial(n, rate) @ says_yes(low)
    below = binomial(n, rate) @ says_yes(low + 1)
    return says_yes(low + (above - level) / (above - below))


# %%
fifth, half, level = Fraction(1, 5), Fraction(1, 2), Fraction(1, 20)
cases = [(20, Fraction(rate, 4), 2) for rate in (1, 2, 3)]
cases += [(n, half, factor) for n in (1, 4, 9) for factor in (Fraction(3, 2), 3)]
by_programme, by_theorem = [], []
for n, other, factor in cases:
    by_programme.append(best_announcement(n, fifth, other, factor, level)[0])
    by_theorem.append(binomial(n, other) @ theorem_test(n, fifth, factor, level))

chances = theorem_test(20, fifth, 2, level)
climbs = [min(2 * v, 1 - (1 - v) / 2) for v in chances[:-1]]
test = binomial_test(20, 1 / 5, epsilon=np.log(2))
late = rng.binomial(20, 0.5, 200_000)
yes = test.release(late, rng=rng) >= test.threshold
with claim("N-B10") as c:
    label = "20 customers against 1/4, 1/2, 3/4, and 6 other cases: proved optimum, theorem's test"
    c.decisive("sampled").exact(by_theorem, by_programme, label)
    found = best_announcement(20, fifth, half, 2, level)[1]
    c.exact(found, chances, "the programme's own test is the theorem's")
    c.exact(binomial(20, fifth) @ chances, level, "its level is 1/20")
    c.exact(list(chances[1:]), climbs, "it climbs as fast as privacy permits")
    c.close(test.chances, chances.astype(float), "the package's test", rtol=1e-12)
    power, stderr = float(by_programme[1]), yes.std() / np.sqrt(yes.size)
    c.sampled(yes.mean(), power, "power against 1/2, drawn", stderr=stderr)


# %% [markdown]
# ## N-B11 (the audit)
#
# *The bound from events that one half of the draws chose and the other half judged exceeds the true $\varepsilon$ with probability $1 - $ confidence at most.* The event is fixed before it is judged, so the two counts are binomial. The bound can exceed $\varepsilon$ only if one of the two confidence limits is wrong. We sum how often a limit is wrong, for 199 probabilities and four numbers of draws. And we audit a mechanism whose $\varepsilon$ is exactly 1, 2,000 times at each of two confidences, and compare the frequency of false alarms with a sum over the two binomial distributions.

# %%
def lower_limits(n, beta):
    """Clopper and Pearson's lower limit for each number of hits, at beta/2."""
    hits = np.arange(n + 1)
    return np.nan_to_num(stats.beta.ppf(beta / 2, hits, n - hits + 1))


def limit_too_high(n, beta=0.05):
    """Largest probability, over 199 distributions, that the lower limit is too high."""
    p = np.linspace(0.005, 0.995, 199)[:, None]
    wrong = lower_limits(n, beta) > p
    return (stats.binom.pmf(np.arange(n + 1), n, p) * wrong).sum(axis=1).max()


def false_alarm(n, p, beta):
    """Probability that n judging draws accuse, at ε = 1 and event probabilities p and p/e."""
    hits = np.arange(n + 1)
    low = lower_limits(n, beta)[:, None]
    high = 1 - lower_limits(n, beta)[::-1]
    accuses = low > np.e * high
    return stats.binom.pmf(hits, n, p) @ accuses @ stats.binom.pmf(hits, n, p / np.e)


keep = np.e / (1 + np.e)


def flipped(bits, rng):
    return rng.random(bits.shape) < np.where(bits, keep, 1 - keep)


def accuses(confidence):
    return audit(flipped, 0, 1, rng=rng, draws=1000, confidence=confidence).epsilon > 1


# %%
repeats = 2000
false_alarms = [sum(accuses(level) for _ in range(repeats)) for level in (0.95, 0.5)]
rates = np.array(false_alarms) / repeats
summed = np.array([false_alarm(500, keep, beta) for beta in (0.05, 0.5)])
rare = 1 - 10.0 ** -np.arange(2.5, 7, 0.25)
worst = max(false_alarm(500, p, 0.05) for p in [*np.linspace(0.005, 0.995, 199), *rare])
upper = stats.binomtest(false_alarms[0], repeats).proportion_ci(0.999, method="exact").high

shown = audit(flipped, 0, 1, rng=rng, confidence=0.999)
low = stats.beta.ppf(0.0005, shown.hits[0], shown.draws - shown.hits[0] + 1)
high = stats.beta.ppf(0.9995, shown.hits[1] + 1, shown.draws - shown.hits[1])
with claim("N-B11") as c:
    label = f"{repeats:,} honest audits at 95 % and at 50 %: false alarms, and summed"
    stderr = np.sqrt(summed * (1 - summed) / repeats)
    c.decisive("simulated").sampled(rates, summed, label, stderr=stderr)
    too_high = [limit_too_high(n) for n in (30, 100, 300, 500)]
    label = "a limit is too high with half the allowed error, summed for 199 distributions"
    c.decisive("sampled").at_most(too_high, np.full(4, 0.025), label)
    label = f"{false_alarms[0]} false alarms: the rate is at most {upper:.3f} (99.9 %)"
    c.at_most(upper, 0.05, label)
    label = "one event of any of 217 probabilities: largest probability of a false alarm"
    c.at_most(worst, 0.05, label)
    c.close(shown.epsilon, np.log(low / high), "the bound, by scipy's limits", rtol=1e-9)
print(f"summed {summed[0]:.4f} for this mechanism, at most {worst:.4f} for one event")

# %% [markdown]
# The false alarms are rarer than allowed, because each limit has half of the error to itself.
