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
# # Evidence: Can a poisoned report hide?
#
# The paper measures gains and does not ask whether an attack is noticed. So all eight claims here are beyond it, and the ledger names their sources. Nothing is hidden. The story is told in
# [the research note of the same name](../../research/sketch-hiding-and-defending.ipynb).

# %%
from fractions import Fraction
from itertools import pairwise, product
from math import log, sqrt

import dask
import numpy as np
import sympy as sp
from scipy import optimize, stats

from privlib.notebook import claim, datasets, derivation
from privlib.research import distributed_sketches
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch, Sketch, defences, poisoning
from privlib.sketch.data import shop_counts
from privlib.sketch.hadamard import hadamard_matrix
from privlib.sketch.hashing import ExplicitFamily

rng = np.random.default_rng(43)
counts = shop_counts()
items, target = list(counts), "A18"
true = np.array(list(counts.values()))
n, D, at = int(true.sum()), len(items), items.index(target)
n_fake = poisoning.n_fake_users(n, 0.01)
CMS = CountMeanSketch(1.0, hashes=1024, width=128, seed=2024)
HCMS = HadamardCountMeanSketch(1.0, hashes=1024, width=128, seed=2024)
schemes = (CMS, HCMS)


def fakes_of(scheme, size, *, hidden):
    """Reports of fake users with the target A18: MGA, or hidden."""
    options = {"targets": [target], "n_fake": size, "rng": rng, "hidden": hidden}
    return poisoning.fake_reports(scheme, "mga", **options)


shops = {}  # estimates of the 43 items in 100 honest populations
for scheme in schemes:
    runs = [scheme.simulate(counts, rng).estimate(items) for _ in range(100)]
    shops[scheme] = np.array(runs)

# %% [markdown]
# ## A small sketch, report by report
#
# Three items, two rows and four cells, with $e^{\varepsilon/2} = 3$. All reports are listed, with their probabilities by the definition of the protocol and with what the estimators make of them, in fractions. The note's scores do not occur here.

# %%
CELLS = {"t": (0, 1), "u": (2, 1), "w": (3, 3)}  # cell of each item in rows 0 and 1
KEEP = {"CMS": Fraction(3, 4), "HCMS": Fraction(9, 10)}
H4 = hadamard_matrix(4).astype(int).tolist()
REPORTS = {
    "CMS": list(product(range(2), product((1, -1), repeat=4))),  # row, vector
    "HCMS": list(product(range(2), range(4), (1, -1))),  # row, column, sign
}


def distribution(scheme, item, keep=None):
    """Probability of each report of an honest user; item None: an idle user."""
    keep = KEEP[scheme] if keep is None else keep
    result = {}
    for report in REPORTS[scheme]:
        if scheme == "CMS":
            row, vector = report
            own = None if item is None else CELLS[item][row]
            chance = Fraction(1, 2)
            for cell, sign in enumerate(vector):
                chance *= keep if (sign == 1) == (cell == own) else 1 - keep
        else:
            row, column, sign = report
            chance = Fraction(1, 16)
            if item is not None:
                right = sign == H4[column][CELLS[item][row]]
                chance = Fraction(1, 8) * (keep if right else 1 - keep)
        result[report] = chance
    return result


def added(scheme, report, item):
    """What a report adds to an item's estimate: c is 2 on CMS and 5/4 on HCMS."""
    cell = CELLS[item][report[0]]
    if scheme == "CMS":
        entry = (2 * Fraction(report[1][cell]) + 1) / 2
    else:
        entry = Fraction(5, 4) * report[2] * H4[report[1]][cell]
    return Fraction(4, 3) * (entry - Fraction(1, 4))


def supports_target(scheme, report):
    cell = CELLS["t"][report[0]]
    if scheme == "CMS":
        return report[1][cell] == 1
    return report[2] == H4[report[1]][cell]


def hidden_distribution(scheme):
    """Honest reports of t, given that they support t."""
    own = distribution(scheme, "t")
    total = sum(chance for report, chance in own.items() if supports_target(scheme, report))
    result = {}
    for report, chance in own.items():
        result[report] = chance / total if supports_target(scheme, report) else Fraction(0)
    return result


family = ExplicitFamily(CELLS, 4)
small = {
    "CMS": CountMeanSketch.with_family(2 * log(3), family),
    "HCMS": HadamardCountMeanSketch.with_family(2 * log(3), family),
}
WORTH = {"CMS": Fraction(3, 2), "HCMS": Fraction(5, 4)}  # G

# %% [markdown]
# ## S-B6 (hidden fake users)
#
# *Attacks that hide (honest noise on the other cells of CMS; a random column for HCMS) have the same raw gain as the printed ones.* A report that supports the target gains $F(G - \frac1m)$; sympy shows that this is the largest gain of each sketch, as notebook 3 has it, and that $G p - (G - 1) p_0 = 1$, which is the theorem of the note. In the small sketch, both are checked for all reports. Then the package's attacks, in the shop.

# %%
p, p_0, m, a = sp.symbols("p p_0 m a", positive=True)  # a = exp(ε/2)
F = m / (m - 1)
worth = (1 - p_0) / (p - p_0)
of_scheme = {
    "CMS": {p: a / (a + 1), p_0: 1 / (a + 1)},
    "HCMS": {p: a**2 / (a**2 + 1), p_0: sp.Rational(1, 2)},
}
largest_gain = {
    "CMS": F * (((a + 1) / (a - 1) + 1) / 2 - 1 / m),  # equation of notebook 3, sign +1
    "HCMS": F * ((a**2 + 1) / (a**2 - 1) - 1 / m),
}
printed_report = {"CMS": (0, (1, -1, -1, -1)), "HCMS": (0, 0, 1)}

with claim("S-B6") as c:
    label = "G p − (G − 1) p_0"
    c.decisive("proved").exact(sp.simplify(worth * p - (worth - 1) * p_0), sp.Integer(1), label)
    for name, values in of_scheme.items():
        gap = sp.simplify(F * (worth.subs(values) - 1 / m) - largest_gain[name])
        label = f"{name}: F (G − 1/m) less the largest gain"
        c.decisive("proved").exact(gap, sp.Integer(0), label)
    for name in small:
        hidden = hidden_distribution(name)
        honest, idle = distribution(name, "t"), distribution(name, None)
        mixture = {}
        for report in honest:
            mixture[report] = WORTH[name] * honest[report] - (WORTH[name] - 1) * idle[report]
        c.exact(hidden, mixture, f"small {name}: U = G P − (G − 1) P∅, all {len(hidden)} reports")
        gains = {report: added(name, report, "t") for report in hidden}
        of_hidden = {gains[report] for report, chance in hidden.items() if chance > 0}
        expected = {max(gains.values())}
        c.exact(of_hidden, expected, f"small {name}: gains of hidden reports, and the largest")
        c.exact({gains[printed_report[name]]}, expected, f"small {name}: the printed report")
        drawn = poisoning.fake_reports(
            small[name], "mga", targets=["t"], n_fake=20_000, rng=rng, hidden=True
        )
        estimate = small[name].aggregate(drawn).estimate(["u", "w"]) / 20_000
        mean, square = np.zeros(2), np.zeros(2)
        for report, chance in hidden.items():
            moved = np.array([float(added(name, report, item)) for item in "uw"])
            mean += float(chance) * moved
            square += float(chance) * moved**2
        error = np.sqrt((square - mean**2) / 20_000)
        c.sampled(estimate, mean, f"small {name}: the package's, on the other items", stderr=error)
    for scheme in schemes:
        value = float(largest_gain[scheme.name].subs({a: sp.exp(0.5), m: 128}))
        for hidden in (False, True):
            sent = scheme.aggregate(fakes_of(scheme, n_fake, hidden=hidden))
            gain = sent.estimate([target])[0]
            label = f"{scheme.name}, shop, hidden: {hidden}: gain of 502 fake users, closed form"
            c.close(gain, n_fake * value, label, rtol=1e-9)


# %% [markdown]
# ## S-B5 (norm-sub)
#
# *Norm-sub undoes the printed attack on HCMS and makes the printed attack on CMS stronger.* The printed attack on HCMS adds the same to all items, and a common shift changes nothing; all that is left is that the total to be shared out has grown by $n'$, over at most 43 positive items. Both attacks run in 100 simulated shops. The second route to norm-sub goes by the set of items that stay positive (in fractions) or by root finding.

# %%
def norm_sub_by_support(estimates, total):
    """The one shift that leaves exactly the items above it, in fractions."""
    values = sorted((Fraction(x) for x in estimates), reverse=True)
    for size in range(1, len(values) + 1):
        shift = (sum(values[:size]) - total) / size
        above = sum(x > shift for x in values)
        if above == size:
            return [float(max(x - shift, 0)) for x in estimates]
    raise ValueError("no shift")


def norm_sub_by_root(estimates, total):
    def excess(shift):
        return np.clip(estimates - shift, 0, None).sum() - total

    shift = optimize.brentq(excess, estimates.min() - total, estimates.max())
    return np.clip(estimates - shift, 0, None)


lifted, not_lifted = [], []
for triple in product(range(-2, 4), repeat=3):
    for lift, total in product((1, 2), (1, 4)):
        lifted.append(norm_sub_by_support([x + lift for x in triple], total))
        not_lifted.append(defences.norm_sub(np.array(triple, dtype=float), total))

effect, published_gain, by_root = {}, {}, {}
for scheme in schemes:
    sent = scheme.aggregate(fakes_of(scheme, n_fake, hidden=False))
    effect[scheme] = sent.estimate(items)
    before = defences.norm_sub(shops[scheme], n)[:, at]
    after = defences.norm_sub(shops[scheme] + effect[scheme], n + n_fake)[:, at]
    published_gain[scheme] = after - before
    by_root[scheme] = []
    for estimates in shops[scheme]:
        poisoned = norm_sub_by_root(estimates + effect[scheme], n + n_fake)
        by_root[scheme].append(poisoned[at] - norm_sub_by_root(estimates, n)[at])
positive = (defences.norm_sub(shops[HCMS], n) > 0).sum(axis=1)
left_hcms = published_gain[HCMS].mean()
left_cms = published_gain[CMS].mean()
error = published_gain[CMS].std(ddof=1) / 10

with claim("S-B5") as c:
    label = f"{len(lifted)} small cases: lifted, by support; not lifted, by the package"
    c.close(lifted, not_lifted, label, rtol=0, atol=1e-12)
    value = n_fake * float(largest_gain["HCMS"].subs({a: sp.exp(0.5), m: 128}))
    c.close(effect[HCMS], np.full(D, value), "printed HCMS: all items gain alike")
    label = f"printed HCMS keeps {left_hcms:.1f} users: at most n' over {positive.min()} items"
    c.decisive("simulated").at_most(left_hcms, n_fake / positive.min(), label)
    c.at_most(n_fake / D, left_hcms, "at least n'/43")
    label = f"printed CMS: {effect[CMS][at]:.0f} users become {left_cms:.0f}, less 4 errors"
    c.decisive("simulated").at_most(effect[CMS][at], left_cms - 4 * error, label)
    for scheme in schemes:
        label = f"{scheme.name}: what is left, by root finding, 100 shops"
        c.close(published_gain[scheme], by_root[scheme], label, rtol=1e-6, atol=1e-5)

# %% [markdown]
# ## S-B7 (three statistics)
#
# *The weight of a report, the load of a column and the sum of all estimates, with their honest distributions, detect the printed attacks; their power is computed, and the hidden attacks pass the first two.* In the small sketch the moments are sums over all reports. In the shop, the attacks run.

# %%
few = {"t": 60_000, "u": 30_000, "w": 10_000}
keep, flip, width = CMS.keep, CMS.flip, CMS.width
honest_total = {scheme: defences.total_moments(scheme, counts) for scheme in schemes}
honest_reports = {scheme: scheme.privatize(np.repeat(items, true), rng) for scheme in schemes}


def weights_seen(hidden):
    """Lowest weight of a report, and the mean weight, in standard units."""
    reports = np.concatenate([honest_reports[CMS], fakes_of(CMS, n_fake, hidden=hidden)])
    scores = defences.weight_scores(CMS, reports)
    return np.array([scores.min(), scores.mean() * sqrt(len(scores))])


def largest_load(hidden):
    reports = np.concatenate([honest_reports[HCMS], fakes_of(HCMS, n_fake, hidden=hidden)])
    return defences.column_scores(HCMS, reports).max()


def sum_of_estimates(name, item):
    """Exact mean and variance of the sum of the three estimates, one honest report."""
    mean, square = Fraction(0), Fraction(0)
    for report, chance in distribution(name, item).items():
        value = sum(added(name, report, other) for other in CELLS)
        mean += chance * value
        square += chance * value**2
    return mean, square - mean**2


scores = defences.weight_scores(CMS, honest_reports[CMS])
honest_weights = np.array([scores.min(), scores.mean() * sqrt(len(scores))])

# %% [markdown]
# How often does an honest report have a weight of at most 1, as printed fake users have? Either all signs are $-1$, or one of them is $+1$.

# %%
of_few = stats.binom.pmf([0, 1], width - 1, flip)  # signs +1 in the other 127 cells
low_weight = of_few[0] + of_few[1] * flip
one_by_one = keep ** (width - 1)  # no other cell has +1; the own sign may be either
for _ in range(width - 1):  # one other cell has +1, and the own sign is flipped
    one_by_one += flip * keep ** (width - 2) * flip
everybody = n + n_fake

small_share = poisoning.n_fake_users(n, "0.0015")
sent = HCMS.aggregate(fakes_of(HCMS, small_share, hidden=False)).estimate(items).sum()
grown = 1 + small_share / n
moments = honest_total[HCMS]
spread = moments.sd * sqrt(grown)
z = (shops[HCMS].sum(axis=1) + sent - moments.mean * grown) / spread
alarms = (np.abs(z) > stats.norm.isf(0.005)).mean()
# each printed fake user adds the largest gain to all 43 items
each = D * float(largest_gain["HCMS"].subs({a: sp.exp(0.5), m: 128}))
power = defences.power(small_share * (each - moments.mean / n) / spread)

# %%
expected_load = n_fake * sqrt(1 - 1 / width) / sqrt(everybody / width)
by_hand = (n / width + n_fake - everybody / width) / sqrt(everybody / width * (1 - 1 / width))
limit = stats.norm.isf(0.01 / width / 2)
with claim("S-B7") as c:
    for item in CELLS:
        mean, square = Fraction(0), Fraction(0)
        load = [Fraction(0)] * 4
        for (_, vector), chance in distribution("CMS", item).items():
            mean += chance * vector.count(1)
            square += chance * vector.count(1) ** 2
        for (_, column, _), chance in distribution("HCMS", item).items():
            load[column] += chance
        by_formula = [Fraction(3, 4) + 3 * Fraction(1, 4), 4 * Fraction(3, 16)]
        label = f"small CMS, item {item}: mean weight p + (m − 1)q, variance mpq"
        c.exact([mean, square - mean**2], by_formula, label)
        c.exact(load, [Fraction(1, 4)] * 4, f"small HCMS, item {item}: load 1/m")
    for name, scheme in small.items():
        total = np.zeros(2)
        for item, users in few.items():
            total += users * np.array(sum_of_estimates(name, item), dtype=float)
        package = defences.total_moments(scheme, few)
        label = f"small {name}: moments of the total, from all reports"
        c.close([package.mean, package.variance], total, label)
    weight = defences.weight_scores(CMS, fakes_of(CMS, 1, hidden=False))[0]
    by_definition = (1 - (keep + (width - 1) * flip)) / sqrt(width * keep * flip)
    c.close(weight, by_definition, "weight of a printed fake user")
    c.close(low_weight, one_by_one, "honest weight at most 1, sign by sign")
    label = "printed CMS: expected false alarms at that weight among all reports"
    c.decisive("one example").at_most(everybody * low_weight, 1.1e-20, label)
    label = f"printed HCMS: load of column 0, z = {expected_load:.1f} expected"
    c.decisive("simulated").sampled(largest_load(False), expected_load, label, stderr=1.0)
    c.close(expected_load, by_hand, "the same from the mean loads")
    label = "hidden HCMS: below the 1% limit of the load"
    c.decisive("simulated").at_most(largest_load(True), limit, label)
    label = "hidden CMS: lowest and mean weight move by less than one standard unit"
    c.decisive("simulated").at_most(np.abs(weights_seen(True) - honest_weights), 1.0, label)
    label = f"printed HCMS, β = 0.15%: power of the total {power:.2f}"
    error = sqrt(power * (1 - power) / 100)
    c.decisive("simulated").sampled(alarms, power, label, stderr=error)
    for scheme in schemes:
        totals = shops[scheme].sum(axis=1)
        variance = honest_total[scheme].variance
        label = f"{scheme.name}, shop: variance of the total, 100 runs"
        c.sampled(totals.var(ddof=1), variance, label, stderr=variance * sqrt(2 / 99))

# %% [markdown]
# ## S-B7a (the best test)
#
# *If popularity may be anything, the corrected total is to first order, near the distribution of idle users, the best possible test against hidden fake users; the information on the sum of the shares is $1/(\mathbf 1^\top (KA)^{-1} \mathbf 1)$ a report.* The identities of the proof are symbolic. $R$ stands for the mean square of $g - \frac\theta S T$.

# %%
K = (p - p_0) ** 2 / (p_0 * (1 - p_0))
ratio_less_one = {1: p / p_0 - 1, 0: (1 - p) / (1 - p_0) - 1}
linear = [sp.simplify(K * (b_d - p_0) / (p - p_0) - r) for b_d, r in ratio_less_one.items()]

theta, S, R = sp.symbols("theta S R", positive=True)
share = sp.UnevaluatedExpr(theta / S)
square = R + 2 * share * theta - share**2 * S
distance = (
    derivation(square, of=r"\mathrm{E}_\emptyset[g^2]")
    .equal(R + theta**2 / S, r"$\mathrm{E}[gT] = θ$, $\mathrm{E}[T^2] = S$")
    .at_least(theta**2 / S, "a mean square")
)
distance


# %% [markdown]
# In the small sketch everything is computed from the lists of reports: the likelihood ratios less one, $L_d$, their second moments, $T$, and the distances of the poisoned distribution from 66 honest populations. $A$ comes from the cells.

# %%
class SmallTest:
    """Likelihood ratios, their moments and T, from the list of all reports."""

    def __init__(self, name):
        self.idle = distribution(name, None)
        self.ratio = {}
        for item in CELLS:
            own = distribution(name, item)
            self.ratio[item] = {r: own[r] / self.idle[r] - 1 for r in own}
        self.moments = [[self.mean_product(d, e) for e in CELLS] for d in CELLS]
        matrix = sp.Matrix([[sp.Rational(str(x)) for x in row] for row in self.moments])
        self.weights = [Fraction(str(x)) for x in matrix.LUsolve(sp.ones(3, 1))]
        self.T = {}
        for report in self.idle:
            values = [self.ratio[item][report] for item in CELLS]
            self.T[report] = sum(w * x for w, x in zip(self.weights, values))

    def mean_product(self, d, e):
        products = [self.idle[r] * self.ratio[d][r] * self.ratio[e][r] for r in self.idle]
        return sum(products)

    def population(self, shares):
        """Distribution of the reports of honest users with these shares."""
        result = {}
        for report, chance in self.idle.items():
            linear = sum(f * self.ratio[item][report] for f, item in zip(shares, CELLS))
            result[report] = chance * (1 + linear)
        return result

    def square_distance(self, one, other):
        return sum((one[r] - other[r]) ** 2 / self.idle[r] for r in self.idle)


grid = [(i, j, 10 - i - j) for i in range(11) for j in range(11 - i)]
shares = [Fraction(4, 10), Fraction(3, 10), Fraction(3, 10)]
beta = Fraction(1, 20)
overlap = []
for d in CELLS:
    overlap.append([Fraction(sum(x == y for x, y in zip(CELLS[d], CELLS[e])), 2) for e in CELLS])


# %% [markdown]
# How good is the first order? In the small sketch, the power of the likelihood ratio, which no test can exceed, and that of the corrected total are computed by convolving the distribution of one report with itself, a million times. There are as many fake users as give $z = 2.5$, and the honest population is the nearest one.

# %%
def exact_power(null, other, values, *, size=1_000_000, level=0.01, length=2**17):
    """Power of the test that rejects for large sums of the values of the reports.

    The distribution of a sum is a power of a Fourier transform. Values are rounded to a grid of
    1/5000 of the sum's standard deviation, and sums are taken modulo 26 of these.
    """
    values = values - null @ values
    step = sqrt(size * (null @ values**2)) / 5000
    on_grid = np.round(values / step).astype(int)
    center = round(size * (null @ on_grid))
    tails = []
    for chances in (null, other):
        single = np.bincount(on_grid % length, weights=chances, minlength=length)
        sums = np.fft.irfft(np.fft.rfft(single) ** size, n=length)
        tails.append(np.roll(sums, length // 2 - center)[::-1].cumsum())
    alarm, hit = tails
    last = np.searchsorted(alarm, level)  # the largest sums, with this level in all
    part = (level - alarm[last - 1]) / (alarm[last] - alarm[last - 1])
    return hit[last - 1] + part * (hit[last] - hit[last - 1])


def compare_powers(name, epsilon, size=1_000_000):
    """Power of the likelihood ratio, and of the corrected total."""
    odds = np.exp(epsilon / 2 if name == "CMS" else epsilon)
    chances = {}
    for item in (None, *CELLS):
        listed = distribution(name, item, keep=odds / (1 + odds))
        chances[item] = np.array([float(chance) for chance in listed.values()])
    idle = chances[None]
    ratio = np.array([chances[item] for item in CELLS]) / idle - 1
    moments = (ratio * idle) @ ratio.T
    ones = np.linalg.solve(moments, np.ones(3))
    worth_here = -1 / ratio[0].min()  # U = P∅ (1 + G L) is 0 where the target is not supported
    theta_here = 2.5 * sqrt(ones.sum() / size)
    beta_here = theta_here / (worth_here - 1)
    poisoned = (1 - beta_here) * np.array([0.4, 0.3, 0.3])
    poisoned[0] += beta_here * worth_here
    nearest = poisoned - theta_here * ones / ones.sum()
    assert nearest.min() > 0 and abs(nearest.sum() - 1) < 1e-9
    null, other = idle * (1 + nearest @ ratio), idle * (1 + poisoned @ ratio)
    best = exact_power(null, other, np.log(other / null), size=size)
    return best, exact_power(null, other, ones @ ratio, size=size)


levels = (0.1, 1.0)
powers = {}
for name, level in product(small, levels):
    powers[name, level] = compare_powers(name, level)
    best, of_total = powers[name, level]
    print(f"{name}, ε = {level}: best test {best:.3f}, corrected total {of_total:.3f}")
print(f"first order: {stats.norm.cdf(2.5 - stats.norm.isf(0.01)):.3f}")

# %% [markdown]
# In the shop: the mean and the variance of the corrected total, the nearest honest population, and the information at the shop's own popularity instead of $P_\emptyset$. The last is $\mathrm{E}_\emptyset[L L^\top / (1 + f^\top L)]$, row by row: on HCMS over all columns and signs, on CMS over reports drawn from idle users.

# %%
cells = CMS.family.positions(items)  # both sketches have the same hash functions
A = (cells[:, None] == cells).mean(axis=2)
weights = np.linalg.solve(A, np.ones(D))
support = {CMS: (CMS.keep, CMS.flip), HCMS: (HCMS.keep, 0.5)}  # p and p_0
K_of, G_of, S_of = {}, {}, {}
for scheme, (own, other) in support.items():
    K_of[scheme] = (own - other) ** 2 / (other * (1 - other))
    G_of[scheme] = (1 - other) / (own - other)
    S_of[scheme] = weights.sum() / K_of[scheme]


def corrected_total(scheme, estimates, reports):
    return (estimates / scheme.factor + reports / width) @ weights


def information(scheme, draws=500):
    """Information on the sum of the shares, at the shop's popularity."""
    source = np.random.default_rng(1_000_003)
    fisher = K_of[scheme] * A
    for row in range(scheme.hashes):
        if scheme is CMS:
            bits = source.random((draws, width)) < flip
            ratio = (keep - flip) / (keep * flip) * (bits[:, cells[:, row]] - flip)
        else:
            signs = hadamard_matrix(width)[:, cells[:, row]]
            ratio = (scheme.keep - scheme.flip) * np.concatenate([signs, -signs])
        correction = 1 / (1 + ratio @ (true / n)) - 1
        fisher = fisher + (ratio.T * correction) @ ratio / len(ratio) / scheme.hashes
    return 1 / np.linalg.solve(fisher, np.ones(D)).sum()


more = {scheme.name: information(scheme) * S_of[scheme] - 1 for scheme in schemes}
for name, extra in more.items():
    print(f"{name}: {extra:.1%} more information than 1/S at the shop's popularity")

# %%
with claim("S-B7a") as c:
    label = "b = 1, b = 0: P_d/P∅ − 1 less K s_d"
    c.decisive("proved").exact(linear, [sp.Integer(0)] * 2, label)
    c.decisive("proved").derived(distance, square, theta**2 / S, "distance")
    for name, K_small in (("CMS", Fraction(4, 3)), ("HCMS", Fraction(16, 25))):
        test = SmallTest(name)
        expected = [[K_small * x for x in row] for row in overlap]
        c.exact(test.moments, expected, f"small {name}: E∅[L L'] = K A")
        means = []
        for item in CELLS:
            own = distribution(name, item)
            means.append(sum(own[r] * test.T[r] for r in own))
        c.exact(means, [Fraction(1)] * 3, f"small {name}: T has mean 1 for every item")
        variance = sum(test.idle[r] * test.T[r] ** 2 for r in test.idle)
        c.exact(variance, sum(test.weights), f"small {name}: T has the variance S")
        honest, hidden = test.population(shares), hidden_distribution(name)
        poisoned = {r: (1 - beta) * honest[r] + beta * hidden[r] for r in honest}
        least = (beta * (WORTH[name] - 1)) ** 2 / sum(test.weights)
        apart = []
        for tenths in grid:
            other = test.population([Fraction(x, 10) for x in tenths])
            apart.append(test.square_distance(poisoned, other))
        label = f"small {name}: {len(grid)} honest populations, all as far as θ²/S"
        c.at_most(least, min(apart), label)
        pull = beta * (WORTH[name] - 1) / sum(test.weights)
        nearest = {r: poisoned[r] - pull * test.idle[r] * test.T[r] for r in poisoned}
        mean = sum(nearest[r] * test.T[r] for r in nearest)
        values = [sum(nearest.values()), mean, test.square_distance(poisoned, nearest)]
        label = f"small {name}: the nearest has total 1, shares of sum 1, and this distance"
        c.exact(values, [Fraction(1), Fraction(1), least], label)
    for name in small:
        label = f"small {name}, ε = 0.1, a million reports: power of the total and of the best"
        c.close(powers[name, 0.1][1], powers[name, 0.1][0], label, rtol=0, atol=0.01)
    totals = [power[1] for power in powers.values()]
    bests = [power[0] for power in powers.values()]
    c.at_most(totals, bests, "ε = 0.1 and 1: the total never exceeds the best", slack=1e-4)
    for scheme in schemes:
        sums = corrected_total(scheme, shops[scheme], n)
        variance = n * S_of[scheme]
        label = f"{scheme.name}, shop: mean N of the corrected total, 100 runs"
        c.sampled(sums.mean(), n, label, stderr=sqrt(variance / 100))
        label = f"{scheme.name}, shop: its variance N S"
        c.sampled(sums.var(ddof=1), variance, label, stderr=variance * sqrt(2 / 99))
        users = dict(zip(items, true[::-1].tolist()))
        total = corrected_total(scheme, scheme.moments(users).mean, n)
        c.close(total, n, f"{scheme.name}, shop: the mean for another popularity")
    for scheme, beta_half in ((CMS, 0.081), (HCMS, 0.115)):  # shares of S-B7c
        poisoned = (1 - beta_half) * true / n
        poisoned[at] += beta_half * G_of[scheme]
        nearest = poisoned - beta_half * (G_of[scheme] - 1) * weights / weights.sum()
        c.close(nearest.sum(), 1, f"{scheme.name}, shop: shares of the nearest honest population")
        c.at_most(0, nearest.min(), f"{scheme.name}, shop: none of them is negative")
    label = "information at the shop's popularity: more by less than a tenth"
    c.at_most(list(more.values()), 0.1, label)

# %% [markdown]
# ## S-B7b (popularity known)
#
# *If popularity is known, comparing each of the 43 estimates with its expectation (Bonferroni, level 1%, two-sided) has power one half at a share of 1.29% (CMS) and 1.65% (HCMS) of hidden fake users.* The shares are computed from the exact moments, and the whole test then runs 100 times. Any number of hidden fake users is drawn as a sketch.

# %%
usual = {scheme: scheme.moments(counts) for scheme in schemes}
per_fake = {}
for scheme in schemes:
    per_fake[scheme] = float(largest_gain[scheme.name].subs({a: sp.exp(0.5), m: 128}))


def z_item(scheme, size, drift=0.0):
    """Expected z of the target's estimate, if popularity drifts by so many users."""
    moments = usual[scheme]
    variance = moments.variance[at] * (1 + size / n) + drift**2 * (1 - 1 / D)
    return size * (per_fake[scheme] - moments.mean[at] / n) / sqrt(variance)


def z_total(scheme, size):
    return size * (G_of[scheme] - 1) / sqrt((n + size) * S_of[scheme])


def share_for_half(z, tests=1):
    def lacking(share):
        return defences.power(z(n * share / (1 - share)), tests=tests) - 0.5

    return optimize.brentq(lacking, 1e-6, 0.9)


def hidden_sketch(scheme, size):
    """Sketch of any number of hidden fake users, drawn as counts."""
    k = scheme.hashes
    users = rng.multinomial(size, np.full(k, 1 / k))
    if scheme is CMS:
        plus = rng.binomial(users[:, None], scheme.flip, size=(k, width))
        plus[np.arange(k), cells[at]] = users
        return Sketch(scheme, 2 * plus - users[:, None], users)
    columns = rng.multinomial(users, np.full(width, 1 / width))
    return Sketch(scheme, columns * hadamard_matrix(width)[cells[at]], users)


def scores_of_items(scheme, size):
    """Standardised estimates of all items in 100 populations with fake users."""
    rows = []
    for estimates in shops[scheme]:
        poisoned = estimates + hidden_sketch(scheme, size).estimate(items)
        grown = 1 + size / n
        rows.append((poisoned - grown * usual[scheme].mean) / (usual[scheme].sd * sqrt(grown)))
    return np.array(rows)


limit = stats.norm.isf(0.01 / D / 2)
with claim("S-B7b") as c:
    for scheme, printed in ((CMS, "0.0129"), (HCMS, "0.0165")):
        half = share_for_half(lambda size, k=scheme: z_item(k, size), D)
        label = f"{scheme.name}: share for power one half, to 0.01%"
        c.decisive("one example").close(half, float(printed), label, rtol=0, atol=5e-5)
        size = poisoning.n_fake_users(n, printed)
        scores = scores_of_items(scheme, size)
        alarms = (np.abs(scores).max(axis=1) > limit).mean()
        power = defences.power(z_item(scheme, size), tests=D)
        label = f"{scheme.name}, this share: alarms in 100 runs"
        c.decisive("simulated").sampled(alarms, power, label, stderr=0.05)
        label = f"{scheme.name}: mean z of the target"
        c.sampled(scores[:, at].mean(), z_item(scheme, size), label, stderr=0.1)
        quiet = np.abs(scores_of_items(scheme, 0)).max(axis=1) > limit
        c.at_most(int(quiet.sum()), 6, f"{scheme.name}, nobody fake: false alarms in 100 runs")
        single = scheme.aggregate(fakes_of(scheme, 20_000, hidden=True)).estimate(items) / 20_000
        drawn = hidden_sketch(scheme, 10**6).estimate(items) / 10**6
        error = scheme.factor * scheme.debias_factor * sqrt(1 / 20_000 + 1e-6)  # at most
        label = f"{scheme.name}: fake users as a sketch, and one by one"
        c.sampled(drawn, single, label, stderr=error)

# %% [markdown]
# ## S-B7c (drift)
#
# *Under a drift of popularity the squared $z$ of the best linear test is, without collisions, a part from the total, which no drift touches, and a part that falls as $1/(v + \tau^2)$; the test of each item needs as many fake users as that of the total (both two-sided) only at a drift of some thousand users an item, more than seven times what this shop shows from month to month.*

# %%
v, tau = sp.symbols("v tau", positive=True)
products, remainders = [], []
for size in range(2, 7):
    along = sp.ones(size, size) / size  # projection onto the vector of ones
    across = sp.eye(size) - along
    covariance = v * sp.eye(size) + tau**2 * across
    inverse = along / v + across / (v + tau**2)
    products.append((covariance * inverse).applyfunc(sp.simplify))
    delta = sp.Matrix(sp.symbols(f"delta1:{size + 1}", real=True))
    of_total = sum(delta) ** 2 / size
    parts = of_total / v + (delta.dot(delta) - of_total) / (v + tau**2)
    remainders.append(sp.simplify((delta.T * inverse * delta)[0] - parts))

rows = [line.split(";") for line in datasets.load("eshop").decode().splitlines()[1:]]
months = []
for month in "45678":
    models = [row[7] for row in rows if row[1] == month and row[6] == "1"]
    months.append(np.array([models.count(item) for item in items]))
drifts = []
for before, after in pairwise(months):
    old, new = before / before.sum(), after / after.sum()
    noise = np.mean(old / before.sum() + new / after.sum())
    drifts.append(n * sqrt(np.mean((new - old) ** 2) - noise))
print("drift from month to month:", np.round(drifts))

# %%
with claim("S-B7c") as c:
    label = "2 to 6 items: covariance times the inverse in two parts"
    c.decisive("exhaustive").exact(products, [sp.eye(size) for size in range(2, 7)], label)
    c.exact(remainders, [sp.Integer(0)] * 5, "which gives z² in two parts")
    c.exact(sum(months).tolist(), true.tolist(), "the five months add up to the shop")
    for scheme in schemes:
        share = share_for_half(lambda size, k=scheme: z_total(k, size))
        size = n * share / (1 - share)

        def excess(drift, k=scheme, size=size):
            return defences.power(z_item(k, size, drift), tests=D) - 0.5

        meet = optimize.brentq(excess, 1, 1e5)
        shift = size * (per_fake[scheme] - usual[scheme].mean[at] / n)
        variance = usual[scheme].variance[at] * (1 + size / n)
        closed = sqrt(((shift / limit) ** 2 - variance) / (1 - 1 / D))
        label = f"{scheme.name}: drift where they meet, by root finding and closed"
        c.decisive("one example").close(meet, closed, label, rtol=1e-6)
        ratio = meet / max(drifts)
        label = f"{scheme.name}: {meet:.0f} users, against at most {max(drifts):.0f} a month"
        c.decisive("one example").at_most(7, ratio, label)
        c.at_most(ratio, 10, "but less than ten times")
        moved = rng.normal(0, 300, size=(100, D))
        moved -= moved.mean(axis=1, keepdims=True)
        drifted = shops[scheme] + scheme.factor * moved @ A
        expected = usual[scheme].variance[at] + 300**2 * (1 - 1 / D)
        label = f"{scheme.name}, τ = 300: variance of the target's estimate, 100 runs"
        c.sampled(drifted[:, at].var(ddof=1), expected, label, stderr=expected * sqrt(2 / 99))
        gap = corrected_total(scheme, drifted, n) - corrected_total(scheme, shops[scheme], n)
        c.close(gap, np.zeros(100), f"{scheme.name}: the total stays", rtol=0, atol=1e-6)


# %% [markdown]
# ## S-B4 (any number of users)
#
# *The sketch of any number of users can be simulated exactly in distribution at a cost that does not depend on that number.* The cost: a generator counts the numbers that it hands out. The distribution: means, variances and covariances of all eight cells of the small sketch, from the list of all reports.

# %%
class CountingGenerator(np.random.Generator):
    """A generator that counts the multinomial and binomial numbers that it hands out."""

    drawn = 0

    def multinomial(self, *args, **options):
        numbers = super().multinomial(*args, **options)
        self.drawn += numbers.size
        return numbers

    def binomial(self, *args, **options):
        numbers = super().binomial(*args, **options)
        self.drawn += numbers.size
        return numbers


def numbers_drawn(scheme, users):
    generator = CountingGenerator(np.random.PCG64(1))
    scheme.simulate(dict.fromkeys(CELLS, users), generator)
    return generator.drawn


def in_cells(name, report):
    """What a report adds to the eight cells."""
    table = np.zeros((2, 4))
    if name == "CMS":
        table[report[0]] = report[1]
    else:
        table[report[0], report[1]] = report[2]
    return table.ravel()


def moments_of_cells(name):
    table = np.array([in_cells(name, report) for report in REPORTS[name]])
    mean, covariance = np.zeros(8), np.zeros((8, 8))
    for item, users in few.items():
        chances = np.array([float(chance) for chance in distribution(name, item).values()])
        center = chances @ table
        mean += users * center
        covariance += users * ((table.T * chances) @ table - np.outer(center, center))
    return mean, covariance


runs = 4000
with claim("S-B4") as c:
    for name, scheme in small.items():
        drawn = [numbers_drawn(scheme, 10**power) for power in (6, 9, 12)]
        label = f"small {name}: {drawn[0]} numbers for 10^6, 10^9 and 10^12 users an item"
        c.decisive("sampled").exact(drawn[1:], drawn[:1] * 2, label)
        sketches = np.array([scheme.simulate(few, rng).signed.ravel() for _ in range(runs)])
        mean, covariance = moments_of_cells(name)
        variance = np.diag(covariance)
        label = f"small {name}: mean of every cell, {runs} sketches"
        error = np.sqrt(variance / runs)
        c.decisive("simulated").sampled(sketches.mean(axis=0), mean, label, stderr=error)
        error = np.sqrt((np.outer(variance, variance) + covariance**2) / runs)
        label = f"small {name}: all variances and covariances of the cells"
        c.decisive("simulated").sampled(
            np.cov(sketches.T), covariance, label, stderr=error, threshold=4.5
        )
    for scheme in schemes:
        squares = (shops[scheme] - usual[scheme].mean) ** 2 / usual[scheme].variance
        label = f"{scheme.name}, shop: squared errors over exact variances, mean"
        c.sampled(squares.mean(), 1, label, stderr=sqrt(2 / 100 / D))


# %% [markdown]
# ## S-B18 (sketches add)
#
# *A sketch aggregated in parts, or by Dask, equals that of a single process bit for bit.*

# %%
def reports_of_part(stream, size=50_000):
    """Reports of one part of the users, from a random stream of its own."""
    source = np.random.default_rng(stream)
    users = source.multinomial(size, true / n)
    return HCMS.privatize(np.repeat(items, users), source)


streams = np.random.SeedSequence(7).spawn(8)
parts = [dask.delayed(reports_of_part)(stream) for stream in streams]
with dask.config.set(scheduler="synchronous"):
    by_dask = distributed_sketches.aggregate(HCMS, parts)
reports = np.concatenate([reports_of_part(stream) for stream in streams])
row, column, sign = HCMS.unpack(reports)
by_hand = np.zeros((HCMS.hashes, HCMS.width), dtype=np.int64)
np.add.at(by_hand, (row, column), sign)
pieces = [HCMS.aggregate(piece) for piece in np.array_split(rng.permutation(reports), 7)]
with claim("S-B18") as c:
    label = "8 parts added by Dask, and the signs added up by hand"
    c.decisive("one example").exact(by_dask.signed, by_hand, label)
    label = "shuffled, cut in 7, added; and by hand"
    c.decisive("one example").exact(sum(pieces).signed, by_hand, label)
    c.exact(by_dask.n, len(reports), "reports that arrived")

# %% [markdown]
# ## Two statements of the note without a claim
#
# *If the numbers of fake and of honest users are fixed, the distributions agree in the mean, but not quite in the variance.* In the small CMS only the number of reports that support the target differs. With 9,900 idle and 100 fake users, no test gains more than the total variation distance over its level, about $\beta/\sqrt{2 \pi e}$.

# %%
fakes, quarter = 100, 0.25
poisoned = np.r_[np.zeros(fakes), stats.binom.pmf(range(10_000 - fakes + 1), 9_900, quarter)]
holders = 3 * fakes // 2  # G n' honest users of the target, (G − 1) n' fewer idle ones
others = stats.binom.pmf(range(9_850 + 1), 9_850, quarter)
honest = np.convolve(others, stats.binom.pmf(range(holders + 1), holders, 0.75))
total_variation = np.abs(poisoned - honest).sum() / 2
print(f"total variation {total_variation:.4f}")
numbers = np.arange(len(honest))
assert np.isclose(poisoned @ numbers, honest @ numbers)
assert np.isclose(total_variation, 0.01 / sqrt(2 * np.pi * np.e), rtol=0.08)

# %% [markdown]
# *A fake user that avoids the other items shows less* (exercise of the note). For three items in cells of their own, the squared distance to the nearest honest population is minimised over the shares, with sympy, and compared with the formula of the solution.

# %%
keep_3 = sp.Rational(3, 4)
flip_3 = 1 - keep_3
K_3, G_3, ratio_3 = (keep_3 - flip_3) ** 2 / (keep_3 * flip_3), keep_3 / (keep_3 - flip_3), 3
kappa = (G_3 - 1) / (1 + ratio_3 * sp.Rational(3, 2))
by_formula = K_3 / 3 * (G_3 - 1 - kappa) ** 2 + ratio_3 * K_3 / 2 * kappa**2
L = {1: keep_3 / flip_3 - 1, -1: flip_3 / keep_3 - 1}  # P_d/P∅ − 1, by the sign of d
x, y = sp.symbols("x y")  # honest shares of t and u; w has the rest
square_gap = sp.Integer(0)
for signs in product((1, -1), repeat=3):
    chance = sp.prod([flip_3 if sign == 1 else keep_3 for sign in signs])
    of_t, of_u, of_w = (L[sign] for sign in signs)
    shy = 0 if signs[0] == -1 else (1 - kappa * (of_u + of_w) / 2) / flip_3
    gap = shy - 1 - (x * of_t + y * of_u + (1 - x - y) * of_w)
    square_gap += chance * gap**2
nearest = sp.solve([sp.diff(square_gap, x), sp.diff(square_gap, y)], [x, y])
assert sp.simplify(square_gap.subs(nearest) - by_formula) == 0
assert by_formula < K_3 / 3 * (G_3 - 1) ** 2
