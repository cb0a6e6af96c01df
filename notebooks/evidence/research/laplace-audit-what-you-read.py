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
# # Evidence: Which faults does an audit find, and which does only the accuracy show?
#
# The study note says nothing about programs that keep or break its promise. So all four claims here are beyond it, and the ledger names their sources. Nothing is hidden. The story is told in
# [the research note of the same name](../../research/laplace-audit-what-you-read.ipynb).

# %%
from math import ceil, comb, exp

import numpy as np
import opendp.prelude as dp
import sympy as sp
from scipy import integrate, optimize, special, stats

from privlib.laplace import discrete, erm, laplace_mechanism
from privlib.notebook import claim, derivation
from privlib.research.auditing import audit

dp.enable_features("contrib")
rng = np.random.default_rng(12)

# %% [markdown]
# ## N-B12 (noise that is not divided by n)
#
# *Suppose that objective perturbation does not divide its noise by $n$. Then $\|\Lambda w + b\| \le L$ for all data, so no record that is independent of $b$ is classified correctly with a probability above $\Pr(\xi < L)$, where $\xi$ is one coordinate of $b$. With the Huber hinge and equal records this is attained for every $n$. If the noise is divided, the weights are within $\|b\|/(n\Lambda)$ of the weights without noise.*
#
# We fit random data of three sizes, with two losses ($L = 1$). For each fit we compute the two lengths, and try 200 new records. If a record is classified correctly, then $y\,b^{\mathsf T}x$ must be less than $\|x\|$.

# %%
strength = 0.1
without_division, with_division, projections = [], [], []
for n, d, loss in ((1, 1, "huber"), (40, 3, "logistic"), (300, 5, "huber")):
    X = rng.normal(size=(n, d))
    X[:, 0] += 4  # records that agree leave little room below the bound
    X = erm.clip_rows(X)
    y = np.ones(n)
    options = {"loss": loss, "regularization": strength}
    exact = erm.minimise(X, y, **options).weights
    for _ in range(30):
        b = erm.spherical_laplace(d, scale=2.0, rng=rng)
        w = erm.minimise(X, y, **options, linear=b).weights
        without_division.append(np.linalg.norm(strength * w + b))
        x_new = rng.normal(size=(200, d))
        y_new = rng.choice([-1, 1], 200)
        correct = y_new * (x_new @ w) > 0
        projection = y_new * (x_new @ b) / np.linalg.norm(x_new, axis=1)
        projections.extend(projection[correct])
        w = erm.minimise(X, y, **options, linear=b / n).weights
        bound = np.linalg.norm(b) / (n * strength)
        with_division.append(np.linalg.norm(w - exact) / bound)
print(f"largest: {max(without_division):.3f}, {max(with_division):.3f}, {max(projections):.3f}")
assert max(without_division) > 0.9 and max(with_division) > 0.9 and max(projections) > 0.8

# %% [markdown]
# For equality, all records are $(1, 0, \dots, 0)$ with the label 1. They are classified correctly if and only if the first coordinate of $b$ is less than 1.

# %%
classified, small = [], []
for n, d in ((1, 1), (7, 2), (50, 5)):
    equal = np.zeros((n, d))
    equal[:, 0] = 1
    for _ in range(60):
        b = erm.spherical_laplace(d, scale=1.0, rng=rng)
        model = erm.minimise(equal, np.ones(n), loss="huber", regularization=1.0, linear=b)
        classified.append(bool(model.weights[0] > 0))
        small.append(bool(b[0] < 1))
assert set(classified) == {True, False}

# %% [markdown]
# For $d = 5$ and $L = 1$ the note gives $\Pr(\xi < 1)$ in closed form, from the density of one coordinate. The second route uses polar coordinates: the length of $b$ has a Gamma distribution, and the square of the cosine of its angle with an axis has a Beta distribution. The third route draws $b$.

# %%
beta, r, x = sp.symbols("beta r x", positive=True)
shell = sp.Integral(r * (r**2 - x**2) * sp.exp(-beta * r), (r, x, sp.oo))
density = sp.simplify(shell.doit() * beta**5 / 32)
start = sp.Rational(1, 2) + sp.Integral(density, (x, 0, 1))
end = 1 - (beta**2 + 5 * beta + 8) * sp.exp(-beta) / 16
limit = derivation(start, of=r"\Pr(\xi < 1)").equal(end, "integrate")
assert sp.simplify(2 * sp.integrate(density, (x, 0, sp.oo))) == 1
limit


# %%
def by_angle(d, rate):
    """Probability that one coordinate is below 1, from the length and the angle."""

    def below(length):
        cosine = min(1, 1 / length)
        share = (1 + special.betainc(0.5, (d - 1) / 2, cosine**2)) / 2
        return stats.gamma.pdf(length, d, scale=1 / rate) * share

    inside = integrate.quad(below, 0, 1)[0]
    return inside + integrate.quad(below, 1, np.inf)[0]


rates = [0.1, 0.5, 2.0]
in_closed_form = [float(end.subs(beta, rate)) for rate in rates]
angles = [by_angle(5, rate) for rate in rates]
drawn = erm.spherical_laplace(5, scale=2.0, rng=rng, size=100_000)[:, 0] < 1
stderr = drawn.std() / np.sqrt(drawn.size)
with claim("N-B12") as c:
    label = f"{len(without_division)} fits, n = 1, 40, 300: ‖Λw + b‖ / L without division"
    c.decisive("sampled").at_most(without_division, 1.0, label, slack=1e-8)
    label = f"{len(projections)} new records classified correctly: y bᵀx / ‖x‖ is below L"
    c.decisive("sampled").holds(max(projections) < 1, label, method="numeric")
    label = "60 fits each for n = 1, 7, 50 equal records: right if and only if b₁ < L"
    c.decisive("sampled").exact(classified, small, label)
    label = "with division: distance to the weights without noise, over ‖b‖/(nΛ)"
    c.decisive("sampled").at_most(with_division, 1.0, label, slack=1e-6)
    label = "d = 5: Pr(ξ < 1) from the density of one coordinate"
    c.decisive("proved").derived(limit, start, end, label)
    c.close(in_closed_form, angles, "d = 5: from length and angle")
    c.sampled(drawn.mean(), in_closed_form[1], "d = 5, β = 1/2: drawn", stderr=stderr)

# %% [markdown]
# ## N-B13 (subsampling, and the mean of p-values)
#
# *Hits that are kept with probability $e^{-\varepsilon}$ have the distribution of the other side's hits if $p_x = e^\varepsilon p_y$, so Fisher's test after one subsample keeps its level. The mean of its p-values over subsamples rejects less than a quarter as often, for $\varepsilon = 0.7$ and 25, 50, 100 and 200 draws.*
#
# The number of hits has the generating function $(1 - p + pz)^n$. To keep a hit with probability $s$ means to replace $z$ by $1 - s + sz$.

# %%
p, s, z, size = sp.symbols("p s z n", positive=True)
before = (1 - p + p * (1 - s + s * z)) ** size
after = (1 - s * p + s * p * z) ** size  # binomial with sp in place of p
kept_hits = derivation(before, of=r"E\,z^{\text{kept}}").equal(after, "multiply out")
kept_hits

# %% [markdown]
# The probabilities to reject, as in the note: sums over all counts, the largest over 99 values of $p_x$.

# %%
level, alpha = 0.7, 0.05
shares = np.linspace(0.01, 0.99, 99)
draws = [25, 50, 100, 200]


def largest_sizes(n):
    """Largest probability to reject: with one subsample, and with the mean over all."""
    counts = np.arange(n + 1)
    single = stats.hypergeom.sf(counts[:, None] - 1, 2 * n, n, counts[:, None] + counts)
    kept = stats.binom.pmf(counts, counts[:, None], np.exp(-level))
    mean = kept @ single
    sizes = []
    for p_x in shares:
        first = stats.binom.pmf(counts, n, p_x)
        second = stats.binom.pmf(counts, n, p_x * np.exp(-level))
        once = first @ kept @ (single <= alpha) @ second
        sizes.append([once, first @ (mean <= alpha) @ second])
    return np.max(sizes, axis=0)


once, averaged = np.array([largest_sizes(n) for n in draws]).T
print("one subsample:", once.round(4), " mean:", averaged.round(4))


# %% [markdown]
# The second route has no subsample: Fisher's test compares two binomial counts with the same probability. For the mean, it adds up binomial coefficients, kept hits one by one.

# %%
def size_of_fisher(n):
    """Largest probability that Fisher's test rejects two equal probabilities."""
    largest = 0.0
    counts = np.arange(n + 1)
    rejects = np.zeros((n + 1, n + 1))
    for k in range(n + 1):
        for other in range(n + 1):
            ways = [comb(n, j) * comb(n, k + other - j) for j in range(k, min(n, k + other) + 1)]
            rejects[k, other] = sum(ways) <= alpha * comb(2 * n, k + other)
    for p_x in shares:
        equal = stats.binom.pmf(counts, n, p_x * exp(-level))
        largest = max(largest, equal @ rejects @ equal)
    return largest


def mean_by_sums(hits, others, n, tested=level):
    """Mean p-value over all subsamples, from binomial coefficients."""
    total = 0.0
    for k in range(hits + 1):
        both = k + others
        ways = sum(comb(n, j) * comb(n, both - j) for j in range(k, min(n, both) + 1))
        keep = comb(hits, k) * exp(-tested * k) * (1 - exp(-tested)) ** (hits - k)
        total += keep * ways / comb(2 * n, both)
    return total


def size_by_sums(n):
    """Largest probability that the mean p-value rejects, pair by pair of counts."""
    rejected = np.zeros((n + 1, n + 1))
    for hits in range(n + 1):
        for others in range(n + 1):
            rejected[hits, others] = mean_by_sums(hits, others, n) <= alpha
    largest = 0.0
    counts = np.arange(n + 1)
    for p_x in shares:
        first = stats.binom.pmf(counts, n, p_x)
        second = stats.binom.pmf(counts, n, p_x * exp(-level))
        largest = max(largest, first @ rejected @ second)
    return largest


# %% [markdown]
# The note averages over 49 quantiles of the number of kept hits in place of all subsamples:

# %%
def mean_p_value(hits, others, n, tested):
    """Mean p-value of Fisher's test over 49 quantiles of the number of kept hits."""
    quantiles = (np.arange(49) + 0.5) / 49
    kept = stats.binom.ppf(quantiles, hits, np.exp(-tested))
    return stats.hypergeom.sf(kept - 1, 2 * n, n, kept + others).mean()


by_quantiles, by_sums = [], []
for hits, others, n, tested in ((30, 12, 40, 0.7), (9, 9, 40, 0.2), (25, 3, 60, 1.5)):
    by_quantiles.append(mean_p_value(hits, others, n, tested))
    by_sums.append(mean_by_sums(hits, others, n, tested))

k, others = np.meshgrid(np.arange(1, 61), np.arange(61), indexing="ij")
p_values = stats.hypergeom.sf(k - 1, 120, 60, k + others)
with_one_less = stats.hypergeom.sf(k - 2, 120, 60, k - 1 + others)
with claim("N-B13") as c:
    label = "the number of kept hits is binomial, with sp in place of p"
    c.decisive("proved").derived(kept_hits, before, after, label)
    label = "one subsample, n = 25, 50, 100, 200: size of Fisher's test of equal probabilities"
    c.decisive("sampled").close(once, [size_of_fisher(n) for n in draws], label)
    label = "the mean, n = 25: size by binomial coefficients"
    c.decisive("sampled").close(averaged[0], size_by_sums(25), label)
    label = "the mean rejects less than a quarter as often"
    c.decisive("sampled").holds(bool(np.all(4 * averaged < once)), label, method="numeric")
    c.at_most(once, alpha, "one subsample keeps its level")
    label = "n = 60: with one kept hit less the p-value is no smaller"
    c.at_most(p_values, with_one_less, label, slack=1e-12)
    c.close(by_quantiles, by_sums, "49 quantiles, all subsamples", rtol=0.03)

# %% [markdown]
# ## N-B14 (nine mechanisms)
#
# *Nine mechanisms claim $\varepsilon = 0.7$. The bounds of the audit and of the test are below the level of the three correct ones by less than 0.05. Both tests detect the five that leak, in each of ten trials, and neither objects to a mean whose noise was not divided by $n$.* The claim does not say that a correct mechanism is never accused: a test at the level 5% may do so in one of twenty trials. The Laplace noise here comes from the package, with other seeds than the note's.

# %%
claimed, repeats, runs = 0.7, 10, 100_000


def laplace(epsilon, sensitivity=1.0):
    """The package's Laplace mechanism, for all runs in one call."""

    def run(answers, rng):
        options = {"sensitivity": sensitivity, "dimension": np.size(answers)}
        return laplace_mechanism(epsilon=epsilon, **options)(np.asarray)(answers, rng=rng)

    return run


def discrete_laplace(counts, rng):
    stop = 1 - np.exp(-claimed)
    return counts + rng.geometric(stop, counts.shape) - rng.geometric(stop, counts.shape)


def randomised_response(bits, rng):
    truthful = rng.random(bits.shape) < 1 / (1 + np.exp(-claimed))
    return np.where(truthful, bits, 1 - bits)


def two_cells(cells, rng):
    """Two cells change, the noise is made for one; the result is large if both have changed."""
    noisy = laplace(claimed)(cells, rng)
    return np.minimum(noisy[:, 1] - 1, -noisy[:, 0])


def empty_stays_empty(counts, rng):
    return np.where(counts == 0, 0.0, laplace(claimed)(counts, rng))


def sign_lost(counts, rng):
    return counts + np.abs(rng.laplace(0, 1 / claimed, counts.shape))


# %%
mechanisms = {  # mechanism, two neighbours, true level
    "Laplace": (laplace(claimed), 0.0, 1.0, claimed),
    "discrete Laplace": (discrete_laplace, 0, 1, claimed),
    "randomised response": (randomised_response, 0, 1, claimed),
    "half the scale": (laplace(2 * claimed), 0.0, 1.0, 2 * claimed),
    "two cells, noise for one": (two_cells, [1.0, 0.0], [0.0, 1.0], 2 * claimed),
    "empty cell stays empty": (empty_stays_empty, 0, 1, np.inf),
    "sign of the noise lost": (sign_lost, 0.0, 1.0, np.inf),
    "mean, divided twice": (laplace(claimed, 1e-4), 0.5, 0.51, 100 * claimed),
    "mean, not divided": (laplace(claimed), 0.5, 0.51, claimed / 100),
}


def largest_rejected_level(hits, others, n):
    """Largest level that the mean p-value rejects at 5%."""
    if mean_p_value(hits, others, n, 0) > alpha:
        return 0.0
    return optimize.brentq(
        lambda tested: mean_p_value(hits, others, n, tested) - alpha, 0, 12, xtol=1e-4
    )


truths = np.array([truth for *_, truth in mechanisms.values()])
bounds = {"audit": np.zeros((9, repeats)), "test": np.zeros((9, repeats))}
for row, (mechanism, first, second, _) in enumerate(mechanisms.values()):
    for trial in range(repeats):
        result = audit(mechanism, first, second, rng=rng, draws=runs)
        bounds["audit"][row, trial] = result.epsilon
        bounds["test"][row, trial] = largest_rejected_level(*result.hits, result.draws)
for name, *row in zip(mechanisms, bounds["audit"].mean(axis=1), bounds["test"].mean(axis=1)):
    print(f"{name:>25}: audit {row[0]:.3f}, test {row[1]:.3f}")

# %% [markdown]
# For Laplace noise we know which bounds to expect. The best event has the probabilities $\frac12$ and $\frac12 e^{-\varepsilon}$. With exactly this share of hits, the bounds of Clopper and Pearson and of the test are:

# %%
n = runs // 2
hits = [n // 2, int(n / 2 * np.exp(-claimed))]
lower = stats.beta.ppf(0.025, hits[0], n - hits[0] + 1)
upper = stats.beta.ppf(0.975, hits[1] + 1, n - hits[1])
expected = {"audit": np.log(lower / upper), "test": largest_rejected_level(*hits, n)}
leaks = truths > claimed
assert leaks.sum() == 5
correct = truths == claimed
ordinary = truths < 10
with claim("N-B14") as c:
    for name, values in bounds.items():
        means = values.mean(axis=1)
        gaps = truths[correct] - means[correct]
        label = f"{name}: true level of the three correct mechanisms, less the bound"
        c.decisive("simulated").at_most(gaps, 0.05, label)
        label = f"{name}: bound and true level"
        c.decisive("simulated").at_most(means[ordinary], truths[ordinary], label)
        detected = (values > claimed).sum(axis=1)
        label = f"{name}: trials of {repeats} in which each of the five leaks is detected"
        c.decisive("simulated").exact(detected[leaks].tolist(), [repeats] * 5, label)
        label = f"{name}: trials in which the mean that was not divided is detected"
        c.decisive("simulated").exact(int(detected[-1]), 0, label)
        label = f"{name}: false alarms about the correct ones in {3 * repeats} trials, most at 5%"
        c.at_most(int(detected[correct].sum()), int(stats.binom.ppf(0.9999, 30, 0.05)), label)
        label = f"{name}: Laplace noise, expected share of hits"
        c.close(means[0], expected[name], label, atol=0.02, rtol=0)

# %% [markdown]
# ## N-B15 (accuracy of discrete Laplace noise)
#
# *The least integer that the absolute value of discrete Laplace noise of scale $R$ exceeds with probability at most $\delta$ is $\lceil x \rceil - 1$ with $x = R \ln\frac{2}{(1+q)\delta}$, $q = e^{-1/R}$. This $x$ is the number that OpenDP returns.*
#
# The closed form $2q^{a+1}/(1+q)$ of the tail falls by $\Pr(|k| = a)$ from $a - 1$ to $a$, and tends to 0, as the tail does. OpenDP's rule is transformed into $x$.

# %%
q, scale, count, delta = sp.symbols("q R a delta", positive=True)
step = 2 * q**count / (1 + q) - 2 * q ** (count + 1) / (1 + q)
probability = 2 * (1 - q) / (1 + q) * q**count
fall = derivation(step, of=r"\Pr(|k| > a-1) - \Pr(|k| > a)").equal(probability, "factor $q^a$")
fall

# %%
opendp_rule = scale * sp.log(2 / (delta * (sp.exp(1 / scale) + 1))) + 1
inside = scale * sp.log(2 * sp.exp(1 / scale) / (delta * (sp.exp(1 / scale) + 1)))
note_rule = scale * sp.log(2 / (delta * (1 + sp.exp(-1 / scale))))
same_rule = (
    derivation(opendp_rule, of="x")
    .equal(inside, "into the logarithm")
    .equal(note_rule, "$q = e^{-1/R}$")
)
same_rule


# %%
def least_by_search(R, risk):
    """Add up the distribution from 0 outward until at most the risk is left."""
    ratio = np.exp(-1 / R)
    a = 0
    within = (1 - ratio) / (1 + ratio)
    while 1 - within > risk:
        a += 1
        within += 2 * (1 - ratio) / (1 + ratio) * ratio**a
    return a


returned, by_rule, rounded, searched, least = [], [], [], [], []
for R in (0.5, 1.0, 2.0, 5.0, 20.0):
    for risk in (0.001, 0.01, 0.05, 0.1, 0.2, 0.5, 0.9):
        number = dp.discrete_laplacian_scale_to_accuracy(R, risk)
        returned.append(number)
        by_rule.append(float(note_rule.subs({scale: R, delta: risk})))
        rounded.append(ceil(number) - 1)
        searched.append(least_by_search(R, risk))
        least.append(int(discrete.tolerance_for(risk, R)))

# %% [markdown]
# If $\delta$ is itself the probability that the noise exceeds an integer $a$, then $x = a + 1$, and floating point decides on which side of it the number falls.

# %%
ties, from_package, too_high, floors = [], [], 0, []
for R in (0.5, 1.0, 2.0, 5.0, 20.0):
    for a in range(1, min(61, int(30 * R))):
        risk = float(discrete.error_probability(a, R))
        number = dp.discrete_laplacian_scale_to_accuracy(R, risk)
        ties.append(a)
        from_package.append(int(discrete.tolerance_for(risk, R)))
        too_high += ceil(number) - 1 > a
        floors.append(int(number) - a)
print(f"{len(ties)} ties, the ceiling less one is too high in {too_high}")
assert set(floors) == {0, 1}  # rounding down is safe, and can be one more than needed
assert 0 < too_high < len(ties)
with claim("N-B15") as c:
    label = "the closed form of the tail falls by the probability of |k| = a"
    c.decisive("proved").derived(fall, step, probability, label)
    label = "OpenDP's rule is x"
    c.decisive("proved").derived(same_rule, opendp_rule, note_rule, label)
    label = f"{len(least)} pairs: the ceiling of OpenDP's number, less one, and a search"
    c.decisive("sampled").exact(rounded, searched, label)
    c.exact(least, searched, f"{len(least)} pairs: the package and the search")
    c.close(returned, by_rule, "what OpenDP returns is this rule", rtol=1e-12)
    label = f"{len(ties)} ties: the package's tolerance from its own probability"
    c.exact(from_package, ties, label)
