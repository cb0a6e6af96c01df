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
# # Evidence: Do the tools say how safe a release is?
#
# All ten claims are beyond the paper; the ledger names their sources. Nothing is hidden. The story is told in
# [the research note of the same name](../../research/disclosure-what-the-tools-say.ipynb).

# %%
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from math import log

import mpmath
import numpy as np
import sympy as sp
from scipy import optimize

from privlib.disclosure import anonymity, pram, sampling
from privlib.notebook import claim, derivation
from privlib.notebook.derivations import increasing
from privlib.research.pram_estimation import invariant_matrix, mle_proportions, neighbour_delta

rng = np.random.default_rng(7)


def random_matrix(rows, columns):
    """A row-stochastic matrix of fractions without zeros."""
    weights = rng.integers(1, 10, size=(rows, columns))
    result = np.empty((rows, columns), dtype=object)
    for u, a in np.ndindex(rows, columns):
        result[u, a] = Fraction(int(weights[u, a]), int(weights[u].sum()))
    return result


# %% [markdown]
# ## K-B27 (rewriting twice)
#
# *A second rewriting does not lower $\gamma$ or $g_2$. The invariant matrix and its mixtures with the identity leave the shares as they are.* The minima are taken from their definition, over all indices. The invariant matrix is made entry by entry, from the story of the two stages, and compared with the package.

# %%
def minima(A):
    """gamma and g2, from their definition."""
    rows, columns = range(A.shape[0]), range(A.shape[1])
    gamma, g2 = Fraction(1), Fraction(1)
    for u, v, a, b in product(rows, rows, columns, columns):
        gamma = min(gamma, A[u, a] / A[v, a])
        g2 = min(g2, A[u, a] * A[v, b] / (A[v, a] * A[u, b]))
    return gamma, g2


def two_stages(A, shares):
    """Show a category by A, then draw one by Bayes' rule."""
    size = len(shares)
    result = np.full((size, size), 0 * A[0, 0])
    for a in range(A.shape[1]):
        shown = sum(shares[u] * A[u, a] for u in range(size))
        for u, w in product(range(size), repeat=2):
            result[u, w] += A[u, a] * shares[w] * A[w, a] / shown
    return result


not_lower, shares_stay, mixture_lower, as_package = [], [], [], []
for _ in range(100):
    size, columns, wide = (int(x) for x in rng.integers(2, 5, size=3))
    A = random_matrix(size, columns)
    shares = random_matrix(1, size)[0]
    R = two_stages(A, shares)
    mixture = (R + np.diag([Fraction(1)] * size)) / 2
    gamma, g2 = minima(A)
    for second in (A @ random_matrix(columns, wide), R):
        again = minima(second)
        not_lower.append(again[0] >= gamma and again[1] >= g2)
    shares_stay.append(bool((shares @ R == shares).all() and (shares @ mixture == shares).all()))
    mixture_lower.append(minima(mixture)[1] < minima(R)[1])
    as_package.append(bool((invariant_matrix(A, shares) == R).all()))
with claim("K-B27") as c:
    label = f"{len(not_lower)} second rewritings, exact: neither minimum falls"
    c.decisive("sampled").holds(all(not_lower), label)
    label = f"{len(shares_stay)} exact cases: shares after the two stages and after the mixture"
    c.decisive("sampled").holds(all(shares_stay), label)
    c.holds(all(as_package), "entry by entry, the package's matrix")
    c.limit(minima(R)[1], minima(mixture)[1], "g2 of the mixture with the identity")
    c.holds(all(mixture_lower), "the mixture has the smaller g2 each time")

# %% [markdown]
# ## K-B28 (sdcMicro's default on 4,580 roofs)
#
# *With R's seed 123 the default matrix guarantees a level below 1.02. Over 300 seeds the median level is 1.08 and the largest 1.77.* One route takes the five numbers that R prints after `set.seed(123); runif(5)`, and the functions above. The other takes our version of R's generator, and the package. (That sdcMicro's own function makes this matrix is compared in the tests, entry by entry.)

# %%
roof = np.array([814, 3697, 19, 34, 16])
homes = int(roof.sum())


def default_matrix(stay, make_invariant):
    """sdcMicro's matrix, from the five probabilities to stay."""
    A = np.zeros((5, 5))
    for u, a in product(range(5), repeat=2):
        if u == a:
            A[u, a] = stay[u]
        else:
            A[u, a] = (1 - stay[u]) / 4
    return (make_invariant(A, roof) + np.eye(5)) / 2


def r_uniform(seed, size):
    """What R's set.seed(seed); runif(size) draws."""
    state = seed
    for _ in range(51):
        state = (69069 * state + 1) % 2**32  # R's scrambling of the seed
    key = []
    for _ in range(624):
        state = (69069 * state + 1) % 2**32
        key.append(state)
    twister = np.random.MT19937()
    words = {"key": np.array(key, dtype=np.uint32), "pos": 624}
    twister.state = {"bit_generator": "MT19937", "state": words}
    return twister.random_raw(size) / 2**32


printed_by_r = np.array([0.2875775, 0.7883051, 0.4089769, 0.8830174, 0.9404673])
by_hand = default_matrix(0.8 + 0.2 * printed_by_r, two_stages)
level_by_hand = 1 + (homes - 1) * minima(by_hand)[1]
levels = []
for seed in range(1, 301):
    matrix = default_matrix(0.8 + 0.2 * r_uniform(seed, 5), invariant_matrix)
    levels.append(anonymity.pk_level(matrix, homes))
with claim("K-B28") as c:
    c.close(r_uniform(123, 5), printed_by_r, "R's generator", rtol=0, atol=5e-8)
    label = "seed 123: package, and by hand from what R prints"
    c.decisive("one example").close(levels[122], level_by_hand, label, rtol=1e-6)
    c.decisive("one example").at_most(level_by_hand, 1.02, "seed 123")
    label = "median and largest level of 300 seeds"
    c.decisive("sampled").close(
        [np.median(levels), max(levels)], [1.08, 1.77], label, rtol=0, atol=5e-3
    )


# %% [markdown]
# ## K-B29 (two columns)
#
# *The mean table has the true margins, and at most $(\mu_R\, \mu_T)^2$ times the true $\phi^2$; for two columns of two values exactly that.* The margins are compared in fractions. For matrices of two rows the second eigenvalue is the trace less 1, which needs no solver.

# %%
def phi2(table):
    joint = table / table.sum()
    independent = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    return ((joint - independent) ** 2 / independent).sum()


def second_eigenvalue(M):
    return np.sort(np.linalg.eigvals(M).real)[-2]


margins_after, margins_before = [], []
shrunk, bounds, of_two, bounds_of_two = [], [], [], []
for trial in range(60):
    rows, columns = (int(x) for x in rng.integers(2, 5, size=2))
    counts = rng.integers(1, 9, size=(rows, columns))
    table = np.array([[Fraction(int(x)) for x in row] for row in counts])
    R = two_stages(random_matrix(rows, rows), table.sum(axis=1))
    T = two_stages(random_matrix(columns, columns), table.sum(axis=0))
    if trial % 2:
        R = (R + np.diag([Fraction(1)] * rows)) / 2
    mean_table = R.T @ table @ T
    margins_after += [*mean_table.sum(axis=1), *mean_table.sum(axis=0)]
    margins_before += [*table.sum(axis=1), *table.sum(axis=0)]
    R, T = R.astype(float), T.astype(float)
    shrunk.append(phi2(mean_table.astype(float)))
    bounds.append(phi2(counts) * (second_eigenvalue(R) * second_eigenvalue(T)) ** 2)
    if rows == columns == 2:
        of_two.append(shrunk[-1])
        bounds_of_two.append(phi2(counts) * ((np.trace(R) - 1) * (np.trace(T) - 1)) ** 2)
with claim("K-B29") as c:
    label = "60 random tables, in fractions: margins"
    c.decisive("sampled").exact(margins_after, margins_before, label)
    c.decisive("sampled").at_most(shrunk, bounds, "their φ², bound", slack=1e-12)
    label = f"{len(of_two)} of them with two rows and columns: φ², bound by traces"
    assert len(of_two) > 3
    c.decisive("sampled").close(of_two, bounds_of_two, label, rtol=1e-6, atol=1e-13)


# %% [markdown]
# ## K-B19 (a risk of 74 digits)
#
# *The printed formula is right, and cannot be evaluated in double precision everywhere: at $f = 12$, $p = 0.9$ it is off by more than 1 %; at $f = 40$, $p = 0.99$ it gives a number of 74 digits.* The formula is evaluated once with 400 digits and once with floats, and compared with our series of positive terms.

# %%
def printed_risk(f, p, logarithm):
    """The printed sum, for numbers of any precision with their logarithm."""
    A = (p ** (1 - f) - 1) / (f - 1)
    total, term = 0, 1
    for i in range(f - 2):
        binomial = p**0 * (f - 1 - i) ** 2 / ((i + 1) * (f - 2 - i))  # in the precision of p
        term *= binomial * (p ** (i + 2 - f) - 1) / (p ** (i + 1 - f) - 1)
        total += (-1) ** (i + 1) * term
    return (p / (1 - p)) ** f * (A * (1 + total) + (-1) ** f * logarithm(p))


pairs = [(3, 0.1), (5, 0.3), (12, 0.9), (20, 0.5), (30, 0.7), (40, 0.99)]
with mpmath.workdps(400):
    by_400_digits = [float(printed_risk(f, mpmath.mpf(p), mpmath.log)) for f, p in pairs]
by_series = [float(sampling.benedetti_franconi_risk(f, p)) for f, p in pairs]
by_floats = [printed_risk(f, p, log) for f, p in pairs]
far_off = set()
for (f, _), value, right in zip(pairs, by_floats, by_series):
    if abs(value / right - 1) > 0.01:
        far_off.add(f)
with claim("K-B19") as c:
    label = "the printed formula with 400 digits, our series: six (f, p)"
    c.decisive("sampled").close(by_400_digits, by_series, label, rtol=1e-12)
    label = "in floats, more than 1 % off: f = 12, 30 and 40"
    c.decisive("sampled").exact(far_off, {12, 30, 40}, label)
    label = "f = 40, p = 0.99 in floats: digits"
    c.decisive("one example").exact(len(str(abs(int(by_floats[-1])))), 74, label)

# %% [markdown]
# ## K-B24 (how many digits can be lost)
#
# *The absolute values of the printed terms add up to at least $\bigl(\frac{1+p}{1-p}\bigr)^{f-1}$ times the risk.* Three steps. The printed terms are those of the binomial theorem: their successive ratios agree for all $f$ and $p$. The quotient of the integrands is $\bigl(\frac{1+w}{1-w}\bigr)^{f-1}$, and $\frac{1+w}{1-w} \ge \frac{1+p}{1-p}$ for $w \ge p$; with $u = 1 - w$ and $d = w - p$ this is the following chain. Then numbers, with 50 digits.

# %%
u, d = sp.symbols("u d", positive=True)
larger = derivation(2 / u - 1, of=r"\frac{1+w}{1-w}", names={u: "(1-w)", d: "(w-p)"})
larger.at_least(2 / (u + d) - 1, "$1 - p = (1-w) + (w-p)$", by="coefficients")
larger

# %%
f, m, p = sp.symbols("f m p", positive=True)
term = sp.binomial(f - 1, m) * (p ** (m + 1 - f) - 1) / (f - 1 - m)
ratio = sp.combsimp(term.subs(m, m + 1) / term)
printed_ratio = (f - 1 - m) ** 2 / ((m + 1) * (f - 2 - m))
printed_ratio *= (p ** (m + 2 - f) - 1) / (p ** (m + 1 - f) - 1)

at_least, sizes_over_risk, by_50_digits, package = [], [], [], []
with mpmath.workdps(50):
    for count, rate in product((2, 3, 5, 8, 12, 20, 30, 40), (0.01, 0.2, 0.5, 0.51, 0.9, 0.99)):
        x = mpmath.mpf(rate)
        risk = x / count * mpmath.hyp2f1(1, 1, count + 1, 1 - x)
        sizes = abs(mpmath.log(x))
        for k in range(count - 1):
            sizes += mpmath.binomial(count - 1, k) * (x ** (k + 1 - count) - 1) / (count - 1 - k)
        sizes_over_risk.append(float(sizes * (x / (1 - x)) ** count / risk))
        at_least.append(float(((1 + x) / (1 - x)) ** (count - 1)))
        by_50_digits.append(float(risk))
        package.append(float(sampling.benedetti_franconi_risk(count, rate)))

q, total, fraction_term = Fraction(1, 13), Fraction(1), Fraction(1)
for k in range(1, 40):
    fraction_term *= k * q / (12 + k)
    total += fraction_term
low = (1 - q) / 12 * total  # the rest of the series is positive
with claim("K-B24") as c:
    label = "ratio of successive binomial terms, for all f and p: less the printed one"
    c.decisive("proved").exact(sp.simplify(ratio - printed_ratio), sp.Integer(0), label)
    label = "quotient of the integrands, without its exponent"
    c.decisive("proved").derived(larger, 2 / u - 1, 2 / (u + d) - 1, label)
    label = f"{len(at_least)} pairs: factor, sizes over the risk with 50 digits"
    c.at_most(at_least, np.array(sizes_over_risk) * (1 + 1e-12), label)
    c.close(package, by_50_digits, "the package loses no digit", rtol=4e-15)
    c.at_most(Fraction(7, 100), low, "f = 12, p = 12/13: the risk, by fractions")
    in_floats = Fraction(float(printed_risk(12, 12 / 13, log)))
    c.at_most(in_floats, Fraction(-1, 100), "and the printed sum in floats")


# %% [markdown]
# ## K-B30 (the least δ of bounded noise)
#
# *Noise within $\pm D$ with the same distribution for all counts has at least $\delta = 1/\sum_v e^{(D-|v|)\varepsilon}$, and the truncated geometric distribution attains it.* The second route is a linear programme over all distributions. Its variables are the distribution, the positive parts in both directions, and δ.

# %%
def geometric(D, epsilon):
    weights = np.exp((D - abs(np.arange(-D, D + 1))) * epsilon)
    return weights / weights.sum(), 1 / weights.sum()


def least_by_programming(D, epsilon):
    """Least δ of all distributions within ±D."""
    size = 2 * D + 1
    shown = size + 1  # values that one of two neighbouring counts can show
    first = np.eye(shown, size)
    second = np.eye(shown, size, k=-1)
    rows = []
    for v in range(shown):
        for direction, (P, Q) in enumerate(((first, second), (second, first))):
            row = np.zeros(size + 2 * shown + 1)
            row[:size] = P[v] - np.exp(epsilon) * Q[v]
            row[size + direction * shown + v] = -1
            rows.append(row)
    for direction in range(2):
        row = np.zeros(size + 2 * shown + 1)
        row[size + direction * shown : size + (direction + 1) * shown] = 1
        row[-1] = -1
        rows.append(row)
    cost = np.zeros(size + 2 * shown + 1)
    cost[-1] = 1
    total = np.zeros((1, size + 2 * shown + 1))
    total[0, :size] = 1
    solution = optimize.linprog(
        cost, A_ub=rows, b_ub=np.zeros(len(rows)), A_eq=total, b_eq=[1], method="highs-ds"
    )
    return solution.fun


cases = list(product((1, 2, 3, 5), (0, 0.1, 0.5, 1.0, 1.5)))
by_formula, by_programming, attained = [], [], []
for D, epsilon in cases:
    distribution, least = geometric(D, epsilon)
    by_formula.append(least)
    by_programming.append(least_by_programming(D, epsilon))
    neighbours = np.array([[*distribution, 0], [0, *distribution]])
    attained.append(neighbour_delta(neighbours, epsilon))
printed_15 = [0.00002, 0.00008, 0.00035, 0.00157, 0.00706, 0.03162, 0.14172, 0.63516]
printed_05 = [0.0076, 0.0125, 0.0206, 0.0339, 0.0559, 0.0922, 0.1520, 0.2506]
with claim("K-B30") as c:
    label = f"{len(cases)} pairs of D and ε: formula, linear programme"
    c.decisive("sampled").close(by_formula, by_programming, label, rtol=1e-6)
    c.decisive("sampled").close(attained, by_formula, "attained", rtol=1e-9)
    label = "printed by the National Academies for D = 7, ε = 1.5"
    c.close(geometric(7, 1.5)[0][:8], printed_15, label, rtol=0, atol=6e-6)
    c.close(geometric(7, 0.5)[0][:8], printed_05, "and ε = 0.5", rtol=0, atol=6e-5)

# %% [markdown]
# ## K-B31 (ptable's example)
#
# *Between zero and one person $\delta = 0.492$ for every ε; at $\varepsilon = 1$ it is 0.124 for counts of 4 and more, where 0.067 is possible.* The second route goes through all 512 sets of shown counts.

# %%
beyond = [0.07012498, 0.24450007, 0.3707499, 0.24450007, 0.07012498]
ptable = np.zeros((6, 9))
ptable[0, 0] = 1
ptable[1, :4] = [0.50833333, 0, 0.475, 0.01666667]
ptable[2, :5] = [0.16155827, 0, 0.55565037, 0.24246618, 0.04032518]
ptable[3, :6] = [0, 0, 0.41231301, 0.28806097, 0.18693903, 0.11268699]
ptable[4, 2:7] = beyond
ptable[5, 3:8] = beyond
ptable /= ptable.sum(axis=1, keepdims=True)  # eight printed digits do not add up to 1


def delta_by_sets(i, epsilon):
    """Largest excess of neighbouring rows over all sets of shown counts."""
    excess = []
    for P, Q in permutations(ptable[i : i + 2]):
        for chosen in product((False, True), repeat=9):
            members = np.array(chosen)
            excess.append(P[members].sum() - np.exp(epsilon) * Q[members].sum())
    return max(excess)


package, by_sets = [], []
for i, epsilon in product((0, 1, 4), (0, 1)):
    package.append(neighbour_delta(ptable[i : i + 2], epsilon))
    by_sets.append(delta_by_sets(i, epsilon))
variance = ptable[4, 2:7] @ np.arange(-2, 3) ** 2
mean = ptable[4, 2:7] @ np.arange(-2, 3)
between_zero_and_one = [neighbour_delta(ptable[:2], e) for e in (0, 0.5, 1, 2, 4, np.inf)]
with claim("K-B31") as c:
    c.close([mean, variance], [0, 1.05], "noise of counts of 4 and more: mean, variance", atol=1e-6)
    label = "six pairs of rows and ε: package, all 512 sets"
    c.decisive("one example").close(package, by_sets, label, rtol=1e-9)
    label = "zero or one person, six ε: chance that one person is shown at all"
    c.decisive("one example").close(between_zero_and_one, [0.475 + 0.01666667] * 6, label)
    label = "ε = 1: counts of 4 and more, and the least"
    c.decisive("one example").close(
        [by_sets[-1], geometric(2, 1)[1]], [0.124, 0.0675], label, rtol=0, atol=6e-4
    )

# %% [markdown]
# ## K-B25 (the certificate)
#
# *The mean log likelihood of no shares exceeds that of $\pi$ by more than the largest score less 1.* All rests on $\ln x \le x - 1$. It is proved for $x = 1 + t$ and for $x = 1/(1 + t)$, $t \ge 0$, which are all $x > 0$: both sides are 0 at $t = 0$. The other steps are equalities. Random cases compare the two numbers.

# %%
t = sp.Symbol("t", nonnegative=True)
above_one = derivation(t, of=r"(1 + t) - 1").at_least(
    sp.log(1 + t), "the difference grows from 0", by=increasing(t)
)
below_one = derivation(1 / (1 + t) - 1, of=r"\tfrac{1}{1+t} - 1").at_least(
    -sp.log(1 + t), "the difference grows from 0", by=increasing(t)
)
above_one

# %%
below_one


# %%
def scores(shares, counts, A):
    """Slopes of the mean log likelihood."""
    shown = [sum(shares[u] * A[u][a] for u in range(len(A))) for a in range(len(counts))]
    result = []
    for row in A:
        slopes = [n * x / probability for n, x, probability in zip(counts, row, shown)]
        result.append(sum(slopes) / sum(counts))
    return result


gains, certificates = [], []
for _ in range(200):
    size = int(rng.integers(2, 6))
    A = rng.dirichlet(np.ones(size), size=size)
    counts = rng.integers(1, 20, size=size)
    shares, others = rng.dirichlet(np.ones(size), size=2)
    gains.append(np.log(others @ A / (shares @ A)) @ counts / counts.sum())
    certificates.append(max(scores(shares, counts, A)) - 1)
with claim("K-B25") as c:
    label = "ln x ≤ x − 1, x above 1"
    c.decisive("proved").derived(above_one, t, sp.log(1 + t), label)
    last = -sp.log(1 + t)
    c.decisive("proved").derived(below_one, 1 / (1 + t) - 1, last, "and below")
    label = "200 random matrices and pairs of shares: gain, certificate"
    c.at_most(gains, certificates, label, slack=1e-12)

# %% [markdown]
# ## K-B32 (the Dutch survey)
#
# *No score of the shares found is above $1 + 10^{-10}$; with the prior of rrLogit's test the same algorithm gives the shares that rrLogit printed.* The scores of the package's shares are computed again in fractions.

# %%
card = np.array([[Fraction(4, 5), Fraction(1, 5)], [Fraction(1, 5), Fraction(4, 5)]])
both = np.kron(card, card)
answers = [68, 52, 103, 189]  # yes-yes, yes-no, no-yes, no-no
likely, missing = mle_proportions(answers, both.astype(float))
fractions = np.array([Fraction(float(x)) for x in likely])
exact_scores = scores(fractions / sum(fractions), answers, both)

with_prior = np.full(4, 0.25)  # rrLogit's: half a person more in each true cell
for _ in range(2000):
    people = 412 * with_prior * scores(with_prior, answers, both.astype(float))
    with_prior = (people + 0.5) / 414
printed = [0.1586, 0.0162, 0.1969, 0.6283]  # rrLogit 1.0.1, tests/unemployment.Rout.save


def log_likelihood(shares):
    return np.log(shares @ both.astype(float)) @ answers


by_solver = optimize.minimize(
    lambda x: -log_likelihood(np.maximum(x, 1e-12)) / 412, np.full(4, 0.25), tol=1e-13,
    bounds=[(0, 1)] * 4, constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
)  # fmt: skip
with claim("K-B32") as c:
    label = "largest score less 1, by fractions"
    c.decisive("one example").at_most(float(max(exact_scores) - 1), 1e-10, label)
    c.close(likely, by_solver.x, "the shares, by a solver", rtol=0, atol=1e-5)
    label = "rrLogit's shares, with its prior"
    c.decisive("one example").close(with_prior, printed, label, rtol=0, atol=5e-5)
    c.close(log_likelihood(with_prior), -520.8335, "and its log likelihood", rtol=0, atol=5e-5)
    c.at_most(log_likelihood(with_prior), log_likelihood(likely), "the most likely exceed it")


# %% [markdown]
# ## K-B26 (most likely shares under retention)
#
# *The most likely shares are $(\lambda_a - b)/\rho$ with $\lambda_a = \max(b, \mu f_a)$.* By the certificate it is enough that no score exceeds 1. This is checked in fractions for all tables of eight records with at most four values and two retention probabilities, up to the order of the values. EM confirms three of them.

# %%
def filled(counts, keep):
    """Most likely shares under retention, in fractions; counts in falling order."""
    size, total = len(counts), sum(counts)
    b = (1 - keep) / size
    for positive in range(size, 0, -1):
        mu = (1 - (size - positive) * b) * total / sum(counts[:positive])
        if mu * counts[positive - 1] / total > b:
            break
    return [(max(b, mu * n / total) - b) / keep for n in counts]


largest_scores, scores_of_positive, sums, least = [], [], [], []
for size, keep in product((2, 3, 4), (Fraction(1, 4), Fraction(3, 5))):
    A = pram.retention_matrix(keep, size)
    for counts in combinations_with_replacement(range(8, -1, -1), size):
        if sum(counts) != 8:
            continue
        shares = filled(counts, keep)
        of_table = scores(shares, counts, A)
        largest_scores.append(max(of_table))
        scores_of_positive += [g for g, share in zip(of_table, shares) if share > 0]
        sums.append(sum(shares))
        least.append(min(shares))
by_em, closed = [], []
for counts in ([9, 6, 1], [5, 2, 1], [8, 1, 1]):
    by_em.append(mle_proportions(counts, pram.retention_matrix(0.6, 3), gap=1e-12)[0])
    closed.append([float(x) for x in filled(counts, Fraction(3, 5))])
with claim("K-B26") as c:
    label = f"{len(largest_scores)} tables: largest score"
    c.decisive("sampled").exact(largest_scores, [Fraction(1)] * len(largest_scores), label)
    label = "score wherever the share is positive"
    ones = [Fraction(1)] * len(scores_of_positive)
    c.decisive("sampled").exact(scores_of_positive, ones, label)
    c.exact(sums, [Fraction(1)] * len(sums), "the shares add up to 1")
    c.holds(min(least) == 0, "none is negative, some are 0")
    c.close(by_em, closed, "three tables, by EM", rtol=0, atol=1e-8)
