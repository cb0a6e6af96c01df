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
# # Evidence: What if I ask a hundred times?
#
# The note does not discuss more than one answer. All claims here are beyond it, and all results are known; the ledger names their sources. Nothing is hidden. The story is told in
# [the notebook of the same name](../../laplace/03-a-hundred-answers.ipynb).

# %%
from fractions import Fraction
from itertools import product

import numpy as np
import sympy as sp
from scipy import integrate, optimize, stats

from privlib.notebook import claim, derivation

half = Fraction(1, 2)
eps = sp.Symbol("epsilon", positive=True)
E = sp.exp(eps)


def noisy(count, alpha, top):
    """Distribution of a count with geometric noise, cut off at 0 and at top."""
    p = np.array([alpha ** abs(y - count) for y in range(top + 1)])
    p[1:-1] *= 1 - alpha
    return p / (1 + alpha)


def smallest_delta(p, other, factor):
    """Smallest delta of two distributions at the level ln(factor)."""
    return sum(max(Fraction(0), value) for value in p - factor * other)


two, three = noisy(2, half, 4), noisy(3, half, 4)
assert sum(two) == sum(three) == 1

# %% [markdown]
# ## N-B16 (the mean removes the noise)
#
# *An attacker who takes the mean of $k$ answers with Laplace noise of scale 1 decides wrongly between two neighbouring counts with probability at most $4/k$.* The mean of the noise has variance $2/k$ and is
# symmetric, so by Chebyshev's inequality it exceeds $\frac12$ with probability at most $\frac12 \cdot \frac{2/k}{1/4}$. Two further routes to the probability itself: the sum of $k$ Laplace variables is the difference of two
# gamma variables, and a simulation.

# %%
k, v = sp.symbols("k v", positive=True)
variance = 2 * sp.integrate(v**2 * sp.exp(-v) / 2, (v, 0, sp.oo))
chebyshev = (variance / k) / sp.Rational(1, 4) / 2  # one of two equal tails


def error(count):
    """Probability that the mean of `count` Laplace variables exceeds 1/2."""

    def integrand(g):
        return stats.gamma.pdf(g, count) * stats.gamma.sf(g + count / 2, count)

    middle = stats.gamma.ppf([1e-14, 1 - 1e-14], count)
    return integrate.quad(integrand, *middle, epsabs=1e-13, limit=200)[0]


numbers = [1, 2, 5, 10, 20, 50, 100]
errors = [error(count) for count in numbers]
rng = np.random.default_rng(3)
games = 100_000
drawn = [(rng.laplace(size=(games, count)).mean(axis=1) > 0.5).mean() for count in numbers[:5]]
with claim("N-B16") as c:
    c.decisive("proved").exact(chebyshev, 4 / k, "Chebyshev's inequality with the variance 2/k")
    c.close(errors[0], np.exp(-0.5) / 2, "one answer: gamma difference, closed form", rtol=1e-8)
    c.at_most(errors, [4 / count for count in numbers], "k = 1 … 100: error at most 4/k")
    stderr = np.sqrt(np.array(errors[:5]) / games)
    c.sampled(drawn, errors[:5], "100,000 games, k = 1 … 20", stderr=stderr)

# %% [markdown]
# ## N-B17 (sequential composition)
#
# *Answers of the levels $\varepsilon_1$ and $\varepsilon_2$, the second of which may depend on the first answer, have level $\varepsilon_1 + \varepsilon_2$ together. A total is kept also if each level is chosen after seeing the earlier answers,
# as long as the sum of the levels never exceeds the total.* For two outputs with probabilities $p_1, p_2$ and, under the neighbour, $q_1, q_2$, privacy means $q_j = (p_j + u_j)e^{-\varepsilon_j}$ with $u_j \ge 0$.
#
# All ways to spend a budget: a strategy with $b$ units left stops, or spends $c \le b$ units on a noisy bit with the ratio $2^c$ and continues in a way that may depend on the bit. With three units there are 42.

# %%
p1, p2, e1, e2 = sp.symbols("p_1 p_2 epsilon_1 epsilon_2", positive=True)
u1, u2 = sp.symbols("u_1 u_2", nonnegative=True)
q1 = (p1 + u1) * sp.exp(-e1)
q2 = (p2 + u2) * sp.exp(-e2)
bound = sp.exp(e1 + e2) * q1 * q2
chain = (
    derivation(p1 * p2, of="p_1 p_2")
    .at_most((p1 + u1) * (p2 + u2), r"$u_1, u_2 \ge 0$", by="coefficients")
    .equal(bound, "the two promises")
)


def strategies(budget):
    """All adaptive ways to spend at most `budget` units: None, or (units, if 0, if 1)."""
    ways = [None]
    for units in range(1, budget + 1):
        later = strategies(budget - units)
        for if_zero, if_one in product(later, repeat=2):
            ways.append((units, if_zero, if_one))
    return ways


def largest_ratio(strategy):
    """Largest ratio of the probabilities of one sequence of outputs under the bits 1 and 0."""
    if strategy is None:
        return Fraction(1)
    units, if_zero, if_one = strategy
    true_output = Fraction(2**units, 2**units + 1)
    ratio_of_one = true_output / (1 - true_output)
    return max(largest_ratio(if_zero) / ratio_of_one, ratio_of_one * largest_ratio(if_one))


# %%
ways = strategies(3)
ratios = [largest_ratio(way) for way in ways]
y = sp.Symbol("y", positive=True)
laplace_ratio = sp.exp(-eps * (y - 3)) / sp.exp(-eps * (y - 2))
with claim("N-B17") as c:
    label = "two answers, any distributions: probability at most e^(ε₁+ε₂) times the other"
    c.decisive("proved").derived(chain, p1 * p2, bound, label)
    c.exact(len(ways), 42, "strategies for three units")
    label = "three units, every strategy of two outputs: ratio at most 2³"
    c.decisive("sampled").at_most(ratios, [Fraction(8)] * len(ways), label)
    c.exact(max(ratios), Fraction(8), "attained by some strategy")
    label = "Laplace noise, k answers above both counts: e^(kε) is attained"
    c.exact(sp.simplify(laplace_ratio**k), sp.exp(k * eps), label)

# %% [markdown]
# ## N-B18 (post-processing)
#
# *A function of the answer, random or not, that does not look at the data has at most the $\delta$ of the answer at each level.* Let $d(y) = P(y) - e^{\varepsilon} P'(y) = d^+ - d^-$, and let the function turn $y$ into $z$ with
# probability $w(z \mid y)$. Then $\sum_z \max(0, \sum_y w(z \mid y)\, d(y)) \le \sum_z \sum_y w(z \mid y)\, d^+(y) = \sum_y d^+(y)$. The derivation is one term of the inequality, for a $z$ with two preimages.

# %%
w1, w2, d1, d2, m1, m2 = sp.symbols("w_1 w_2 d_1 d_2 m_1 m_2", nonnegative=True)
term = w1 * (d1 - m1) + w2 * (d2 - m2)
most = w1 * d1 + w2 * d2
one_term = derivation(term, of=r"w_1 d(y_1) + w_2 d(y_2)").at_most(
    most, r"$w, d^- \ge 0$", by="coefficients"
)

factors = [Fraction(1), Fraction(5, 4), Fraction(3, 2), Fraction(2)]
before = [smallest_delta(three, two, factor) for factor in factors]
largest = [Fraction(0)] * 4
for function in product(range(5), repeat=5):  # value of the function for each of 5 outputs
    p = np.array([Fraction(0)] * 5)
    other = np.array([Fraction(0)] * 5)
    for output, value in enumerate(function):
        p[value] += three[output]
        other[value] += two[output]
    for i, factor in enumerate(factors):
        largest[i] = max(largest[i], smallest_delta(p, other, factor))

rng = np.random.default_rng(18)
random_largest = [Fraction(0)] * 4
for _ in range(300):
    weights = np.vectorize(Fraction)(rng.integers(1, 50, size=(5, 5)))
    weights = weights / weights.sum(axis=1, keepdims=True)
    for i, factor in enumerate(factors):
        after = smallest_delta(three @ weights, two @ weights, factor)
        random_largest[i] = max(random_largest[i], after)
with claim("N-B18") as c:
    label = "a term of the sum after the function is at most the sum of its positive parts"
    c.decisive("proved").derived(one_term, term, most, label)
    label = "noisy counts 2 and 3: largest of 3,125 functions, four levels"
    c.decisive("sampled").exact(largest, before, label)
    label = "300 random functions, four levels"
    c.decisive("sampled").at_most(random_largest, before, label)
    c.exact(before[-1], Fraction(0), "level ln 2: δ = 0")

# %% [markdown]
# ## N-B19 (parallel composition)
#
# *If a change of one record never moves it to another group, answers of level $\varepsilon$ about all groups, with independent noise, have level $\varepsilon$ together. If the groups are defined by the value that changes, the level can be $2\varepsilon$.* In the ratio of two
# products the factors of the untouched groups cancel. Four customers, all 15 partitions into groups, one noisy count with $e^{\varepsilon} = 2$ for each group, 64 pairs of neighbours.

# %%
databases = list(product((0, 1), repeat=4))
neighbours = []
for x, z in product(databases, repeat=2):
    if sum(a != b for a, b in zip(x, z)) == 1:
        neighbours.append((x, z))


def joint(distributions):
    """Joint distribution of independent answers, as one list."""
    result = np.array([Fraction(1)])
    for distribution in distributions:
        result = np.outer(result, distribution).ravel()
    return result


def by_group(x, group_of):
    """Distribution of a noisy count for each group of customers."""
    answers = []
    for group in sorted(set(group_of)):
        members = [i for i in range(4) if group_of[i] == group]
        answers.append(noisy(sum(x[i] for i in members), half, len(members)))
    return joint(answers)


partitions = []
for group_of in product(range(4), repeat=4):
    first_seen = []
    for group in group_of:
        if group not in first_seen:
            first_seen.append(group)
    if first_seen == sorted(first_seen) == list(range(len(first_seen))):
        partitions.append(group_of)  # groups numbered in the order of their first customer

worst = []
for group_of in partitions:
    worst.append(max(max(by_group(x, group_of) / by_group(z, group_of)) for x, z in neighbours))
bins = []
for x, z in neighbours:
    p = joint([noisy(sum(x), half, 4), noisy(4 - sum(x), half, 4)])
    other = joint([noisy(sum(z), half, 4), noisy(4 - sum(z), half, 4)])
    bins.append(max(p / other))
touched, touched_other, untouched = sp.symbols("p q r", positive=True)
with claim("N-B19") as c:
    ratio = sp.simplify(touched * untouched / (touched_other * untouched))
    label = "the answers about the other groups cancel from the ratio"
    c.exact(ratio, touched / touched_other, label)
    label = "15 partitions of four customers: ratio 2 as for one"
    c.decisive("sampled").exact(worst, [Fraction(2)] * 15, label)
    label = "two bins defined by the value: the ratio 2² is attained"
    c.decisive("one example").exact(max(bins), Fraction(4), label)

# %% [markdown]
# ## N-B20 (the worst case is a biased coin)
#
# *Let $k$ mechanisms be $\varepsilon$-private and each be chosen after seeing the earlier answers. At every level they need at most the $\delta$ of $k$ tosses of a coin with the probabilities $\frac{e^{\varepsilon}}{1 + e^{\varepsilon}}$ and
# $\frac{1}{1 + e^{\varepsilon}}$, exchanged for the neighbour.* The decomposition of one answer, with $Q = e^{\varepsilon}P - u$ or $P = e^{\varepsilon}Q - u$, $u \ge 0$; then N-B18. Beside it the binomial formula for $\delta$ and the sum over all sequences, and random private mechanisms.

# %%
P, Q, u = sp.symbols("P Q u", nonnegative=True)
A = (E * P - Q) / (E - 1)
B = (E * Q - P) / (E - 1)
sum_of_A = A.subs({P: 1, Q: 1})  # A is linear: summing P and Q over all outputs gives 1 and 1
sum_of_B = B.subs({P: 1, Q: 1})


def coins(k, factor):
    """Distribution of k tosses under a database and under its neighbour, e^epsilon = factor."""
    heads, tails = Fraction(factor, factor + 1), Fraction(1, factor + 1)
    return joint([[heads, tails]] * k), joint([[tails, heads]] * k)


def binomial_delta(k, factor, level):
    """Delta of k tosses at the level ln(level), from the number of heads."""
    heads = Fraction(factor, factor + 1)
    result = Fraction(0)
    for number in range(k + 1):
        ways = sp.binomial(k, number)
        p = int(ways) * heads**number * (1 - heads) ** (k - number)
        likelihood_ratio = Fraction(factor) ** (2 * number - k)
        result += max(Fraction(0), p * (1 - level / likelihood_ratio))
    return result


levels = [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(4), Fraction(6)]
by_formula, by_sum = [], []
for k_small, factor, level in product(range(1, 8), (2, 3), levels):
    by_formula.append(binomial_delta(k_small, factor, level))
    by_sum.append(smallest_delta(*coins(k_small, factor), level))

# %%
rng = np.random.default_rng(20)


def random_mechanism():
    """Probabilities of the outputs 0 and 1 under two neighbours, with ratios of at most 2."""
    while True:
        p, q = Fraction(int(rng.integers(1, 60)), 60), Fraction(int(rng.integers(1, 60)), 60)
        ratios = [p / q, q / p, (1 - p) / (1 - q), (1 - q) / (1 - p)]
        if max(ratios) <= 2:
            return np.array([1 - p, p]), np.array([1 - q, q])


observed, allowed = [], []
for _ in range(200):
    first, first_other = random_mechanism()
    both, both_other = [], []
    for output in (0, 1):  # the second mechanism depends on the first output
        second, second_other = random_mechanism()
        both.extend(first[output] * second)
        both_other.extend(first_other[output] * second_other)
    for level in levels:
        observed.append(smallest_delta(np.array(both), np.array(both_other), level))
        allowed.append(binomial_delta(2, 2, level))
with claim("N-B20") as c:
    c.decisive("proved").exact(sp.simplify((E * A + B) / (E + 1)), P, "P is the mixture of A and B")
    c.decisive("proved").exact(sp.simplify((A + E * B) / (E + 1)), Q, "the neighbour: exchanged")
    parts = (sp.simplify(A.subs(Q, E * P - u)), sp.simplify(B.subs(P, E * Q - u)))
    label = "A and B are not negative: both are u/(e^ε - 1), u what privacy leaves"
    c.decisive("proved").exact(parts, (u / (E - 1), u / (E - 1)), label)
    c.exact((sum_of_A, sum_of_B), (1, 1), "A and B sum to 1")
    label = "δ of k = 1 … 7 tosses, two coins, six levels: number of heads, and all sequences"
    c.exact(by_formula, by_sum, label)
    c.at_most(observed, allowed, "200 random adaptive pairs of private mechanisms, six levels")

# %% [markdown]
# ## N-B21 (advanced composition)
#
# *$k$ answers of level $\varepsilon$ are together $(\varepsilon', \delta)$-private with $\varepsilon' = k\varepsilon \frac{e^\varepsilon - 1}{e^\varepsilon + 1} + \varepsilon\sqrt{2k\ln(1/\delta)}$.* By N-B20 coins are the worst case. For coins: the mean of the loss, and
# Hoeffding's inequality for a sum of $k$ variables between $-\varepsilon$ and $\varepsilon$, which is solved for $\delta$. That inequality is a theorem of others; here it is checked only through the exact levels.

# %%
d = sp.Symbol("delta", positive=True)
log_term = sp.Symbol("ell", positive=True)  # ln(1/delta)
mean_loss = eps * E / (E + 1) - eps / (E + 1)
excess = eps * sp.sqrt(2 * k * log_term)
hoeffding = sp.exp(-2 * excess**2 / (k * (2 * eps) ** 2))


def coin_delta(level, k, epsilon):
    """Delta of k tosses, in floats."""
    number = np.arange(k + 1)
    loss = (2 * number - k) * epsilon
    probability = stats.binom.pmf(number, k, 1 / (1 + np.exp(-epsilon)))
    return probability @ -np.expm1(np.minimum(0, level - loss))


deltas, allowed = [], []
for number, epsilon, target in product((1, 2, 10, 100, 1000), (0.01, 0.1, 1.0), (1e-9, 1e-6, 0.1)):
    level = number * epsilon * np.tanh(epsilon / 2) + epsilon * np.sqrt(
        2 * number * np.log(1 / target)
    )
    deltas.append(coin_delta(level, number, epsilon))
    allowed.append(target)
exact_level = optimize.brentq(lambda level: coin_delta(level, 100, 0.1) - 1e-6, 0, 10)
formula = 100 * 0.1 * np.tanh(0.05) + 0.1 * np.sqrt(200 * np.log(1e6))
with claim("N-B21") as c:
    printed_mean = eps * (E - 1) / (E + 1)
    c.decisive("proved").exact(sp.simplify(mean_loss - printed_mean), 0, "mean loss of one toss")
    label = "Hoeffding's bound at the excess of the formula is δ = e^(-ell)"
    c.decisive("proved").exact(sp.simplify(hoeffding), sp.exp(-log_term), label)
    c.at_most(deltas, allowed, "45 settings: the exact δ at the formula's level")
    label = "100 answers of 0.1, δ = 1e-6: exact level, formula, sum"
    c.close([exact_level, formula], [4.7746, 5.7561], label, rtol=1e-4)

# %% [markdown]
# ## N-B22 (Gaussian noise)
#
# *Let $d$ answers have independent Gaussian noise of standard deviation $\sigma$, let one record move each by at most 1, and let each question be chosen after seeing the earlier answers. With $\mu = \sqrt d/\sigma$, the answers are $(\varepsilon, \delta)$-private for $\delta = \Phi(\frac\mu2 - \frac\varepsilon\mu) - e^\varepsilon \Phi(-\frac\mu2 - \frac\varepsilon\mu)$, and no smaller $\delta$ holds if some record moves all by 1.*
# An answer that moves by $t$ is $a + tY + \sigma\sqrt{1 - t^2}\,Z$, where $Y$ is normal with mean 1 or 0 and variance $\sigma^2$, and $Z$ is standard normal: a sum of normal variables is normal, so mean and variance decide. By N-B18 the values $Y$ are therefore the worst case.
# Their $\delta$ comes from two routes: an integral by sympy over the outputs with a loss above $\varepsilon$, and a simulation with all $d$ coordinates. A second simulation lets the movement depend on the earlier answers.

# %%
mu = sp.Symbol("mu", positive=True)
x = sp.Symbol("x", real=True)
threshold = eps / mu + mu / 2


def density(shift):
    return sp.exp(-((x - shift) ** 2) / 2) / sp.sqrt(2 * sp.pi)


def Phi(value):
    return (1 + sp.erf(value / sp.sqrt(2))) / 2


integral = sp.integrate(density(mu), (x, threshold, sp.oo))
integral -= E * sp.integrate(density(0), (x, threshold, sp.oo))
printed = Phi(mu / 2 - eps / mu) - E * Phi(-mu / 2 - eps / mu)
slope = sp.diff(printed, mu)
printed_slope = sp.exp(-((mu / 2 - eps / mu) ** 2) / 2) / sp.sqrt(2 * sp.pi)

rng = np.random.default_rng(22)
draws, dimension, sigma = 400_000, 9, 4.0
output = 1 + rng.normal(scale=sigma, size=(draws, dimension))  # the true answers are all 1
loss = (output**2 - (output - 1) ** 2).sum(axis=1) / (2 * sigma**2)
weights = np.maximum(0, 1 - np.exp(0.5 - loss))
expected = float(printed.subs({mu: sp.sqrt(dimension) / sigma, eps: 0.5}))

move, mean_of_y = sp.symbols("t m", real=True)
spread = sp.Symbol("sigma", positive=True)
part_of_y, part_of_z = move, spread * sp.sqrt(1 - move**2)
mean_of_answer = part_of_y * mean_of_y  # Z has mean 0
variance_of_answer = part_of_y**2 * spread**2 + part_of_z**2

adaptive_loss = np.zeros(draws)  # the true answers are t for one database, 0 for the other
last = np.zeros(draws)
for _ in range(dimension):
    moved = np.where(last > 0.5, -1.0, 0.8)  # depends on the answer before
    last = moved + rng.normal(scale=sigma, size=draws)
    adaptive_loss += (last**2 - (last - moved) ** 2) / (2 * sigma**2)
adaptive = np.maximum(0, 1 - np.exp(0.5 - adaptive_loss))
with claim("N-B22") as c:
    log_ratio = sp.expand_log(sp.log(density(mu) / density(0)), force=True)
    loss_at_threshold = sp.simplify(log_ratio.subs(x, threshold))
    c.exact(loss_at_threshold, eps, "the loss is ε at the threshold")
    label = "integral of the excess over all outputs with a larger loss"
    c.decisive("proved").exact(sp.simplify(integral - printed), 0, label)
    label = "an answer that moves by t: mean tm and variance σ², as with noise of its own"
    produced = (mean_of_answer, sp.simplify(variance_of_answer))
    c.decisive("proved").exact(produced, (move * mean_of_y, spread**2), label)
    label = "δ grows with the distance: its derivative is a normal density"
    c.exact(sp.simplify(slope - printed_slope), 0, label)
    stderr = weights.std() / np.sqrt(draws)
    c.sampled(weights.mean(), expected, "nine answers, σ = 4, ε = 1/2, drawn", stderr=stderr)
    label = "nine answers that move by 0.8 or -1, as the last one says"
    c.decisive("simulated").at_most(adaptive.mean(), expected, label)


# %% [markdown]
# ## N-B23 (Laplace beside Gaussian noise)
#
# *At $\varepsilon = 1$ and $\delta = 10^{-6}$ for $d \le 100$ answers, each of which one record moves by 1, Gaussian noise has a smaller standard deviation than Laplace noise if and only if $d \ge 9$.* For each $d$ we take the
# smallest Gaussian $\sigma$, and ask whether Laplace noise of the same standard deviation is private. Its losses are rounded up, which gives an upper bound for $\delta$, or down, which gives a lower bound; both decide. Then the Laplace noise that 100 answers need (a number on the page), and the levels of 100 answers beside those of another program.

# %%
def laplace_delta(epsilon, d, scale, n, up):
    """Bound for the delta of d answers with Laplace noise: upper if `up`, else lower."""
    steps = np.linspace(0, 1, n + 1)
    below = np.exp((steps - 1) / scale) / 2  # without the largest loss, which has probability 1/2
    if up:
        one = np.diff(below, prepend=0)
        one[-1] += 0.5
    else:
        one = np.append(np.diff(below), 0.5)
        one[0] += below[0]
    length = d * n + 1
    size = 2 ** int(np.ceil(np.log2(length)))
    total = np.fft.irfft(np.fft.rfft(one, size) ** d, size)[:length]
    loss = np.linspace(-d, d, length) / scale
    return total @ -np.expm1(np.minimum(0, epsilon - loss))


def gaussian_delta(epsilon, d, sigma):
    distance = np.sqrt(d) / sigma
    first = stats.norm.cdf(distance / 2 - epsilon / distance)
    return first - np.exp(epsilon) * stats.norm.cdf(-distance / 2 - epsilon / distance)


private_at_gaussian, private_low = [], []
for number in range(1, 101):
    sigma = optimize.brentq(lambda s, d=number: gaussian_delta(1, d, s) - 1e-6, 1, 100)
    for up, result in ((True, private_at_gaussian), (False, private_low)):
        result.append(bool(laplace_delta(1, number, sigma / np.sqrt(2), 1000, up) <= 1e-6))

# %%
# dp-accounting 0.6.0 for 100 answers with noise of scale 10, delta = 1e-6, run once:
#   from_laplace_mechanism(10, value_discretization_interval=1e-5).self_compose(100)
#   from_gaussian_mechanism(10, value_discretization_interval=1e-5).self_compose(100)
#   .get_epsilon_for_delta(1e-6)
their_laplace, their_gaussian = 4.69266741655913, 4.88655421643665


def laplace_level(up):
    """Total level of 100 answers of level 0.1."""
    return optimize.brentq(lambda e: laplace_delta(e, 100, 10, 5000, up) - 1e-6, 0, 10)


def laplace_noise(up):
    """Standard deviation of Laplace noise on 100 answers, level 1."""
    scale = optimize.brentq(lambda b: laplace_delta(1, 100, b, 5000, up) - 1e-6, 1, 100)
    return np.sqrt(2) * scale


gaussian_level = optimize.brentq(lambda e: gaussian_delta(e, 100, 10) - 1e-6, 0.1, 10)
with claim("N-B23") as c:
    expected = [number <= 8 for number in range(1, 101)]
    label = "d = 1 … 100: Laplace noise of the Gaussian standard deviation suffices, upper bound"
    c.decisive("exhaustive").exact(private_at_gaussian, expected, label)
    c.decisive("exhaustive").exact(private_low, expected, "the same, lower bound")
    c.close(laplace_delta(1, 1, 0.8, 20000, True), 1 - np.exp((1 - 1 / 0.8) / 2),
            "one answer: δ in closed form", rtol=1e-3)  # fmt: skip
    label = "standard deviation of Laplace noise that 100 answers need"
    c.close([laplace_noise(False), laplace_noise(True)], [58.67, 58.67], label, rtol=2e-4)
    bounds = (laplace_level(False), laplace_level(True))
    c.at_most([bounds[0], their_laplace], [their_laplace, bounds[1]], "dp-accounting in between")
    c.close(bounds[1], their_laplace, "Laplace, 100 answers: dp-accounting", rtol=5e-4)
    c.close(gaussian_level, their_gaussian, "Gaussian, 100 answers: dp-accounting", rtol=1e-5)
