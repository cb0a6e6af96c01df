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
# # Evidence: Would another mechanism have been safer?
#
# The paper compares its two sketches with each other only. So all five claims here are beyond it, and the ledger names their sources. Nothing is hidden. The story is told in
# [the research note of the same name](../../research/sketch-another-mechanism.ipynb).
#
# A report *supports* the item of its user with probability $P$ and any other item with probability $Q$. With two scores, $\frac{1 - Q}{P - Q}$ for a report that supports an item and $-\frac{Q}{P - Q}$ otherwise, the estimate is unbiased.

# %%
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb, sqrt

import numpy as np
import sympy as sp
from scipy.optimize import linprog

from privlib.notebook import claim, derivation
from privlib.notebook.derivations import increasing
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch, poisoning
from privlib.sketch.data import shop_counts
from privlib.sketch.threat_model import threat_matrix

rng = np.random.default_rng(2026)
D, g, w, E, m = sp.symbols("D g omega E m", positive=True)  # E = exp(ε)
root = sp.sqrt(E)


def promotion(P, Q):
    return (1 - Q) / (P - Q)


def demotion(P, Q):
    return Q / (P - Q)


def variance(P, Q):
    return Q * (1 - Q) / (P - Q) ** 2


def total_error(P, Q, items):
    return P * (1 - P) / (P - Q) ** 2 + (items - 1) * variance(P, Q)


def subset_selection(size, odds, items):
    """P and Q if size of the items are named; fractions stay fractions."""
    own = size * odds / (size * odds + items - size)
    return own, (size - own) / (items - 1)


keep_cms, keep_hcms = root / (root + 1), E / (E + 1)
frame = {
    "GRR": (E / (E + D - 1), 1 / (E + D - 1)),
    "SUE": (root / (root + 1), 1 / (root + 1)),
    "OUE": (sp.Rational(1, 2), 1 / (E + 1)),
    "local hashing": (E / (E + g - 1), 1 / g),
    "subset selection": subset_selection(w, E, D),
    "CMS": (keep_cms, keep_cms / m + (1 - 1 / m) * (1 - keep_cms)),
    "HCMS": (keep_hcms, keep_hcms / m + (1 - 1 / m) / 2),
}
as_code = {name: sp.lambdify((D, m, E, g, w), pair) for name, pair in frame.items()}


def at_level(name, epsilon, buckets=2, size=1):
    """P and Q of a mechanism for 43 items and m = 128."""
    return as_code[name](43, 128, np.exp(epsilon), buckets, size)


# %% [markdown]
# *Projective geometry response* reports a point of a projective space over a field of $s$ elements. A report supports the items whose vector is orthogonal to it. For three small spaces all points and inner products are listed.

# %%
def geometry(s, t):
    """Points of the space of t coordinates, and how many are orthogonal to one and to two."""
    return [(s ** (t - j) - 1) // (s - 1) for j in range(3)]


def projective_geometry(s, t, epsilon):
    points, to_one, to_two = geometry(s, t)
    odds = np.exp(epsilon)
    total = to_one * odds + points - to_one
    return to_one * odds / total, (to_two * odds + to_one - to_two) / total


def listed_geometry(s, t):
    vectors = np.array(list(product(range(s), repeat=t)))[1:]
    first_nonzero = vectors[np.arange(len(vectors)), (vectors != 0).argmax(axis=1)]
    points = vectors[first_nonzero == 1]  # one vector for each point
    orthogonal = (points @ points.T % s == 0).astype(int)
    shared = orthogonal @ orthogonal.T
    different = shared[~np.eye(len(points), dtype=bool)]
    return [len(points), set(np.diag(shared).tolist()), set(different.tolist())]


def nine_mechanisms(epsilon):
    """P and Q for 43 items, each mechanism with its parameter of least variance."""
    hashing = [at_level("local hashing", epsilon, buckets=k) for k in range(2, 60)]
    subsets = [at_level("subset selection", epsilon, size=k) for k in range(1, 43)]
    spaces = []
    for s in (2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32, 37, 41, 43):
        t = next(t for t in range(2, 9) if geometry(s, t)[0] >= 43)
        spaces.append(projective_geometry(s, t, epsilon))
    pairs = {name: at_level(name, epsilon) for name in ("GRR", "SUE", "OUE", "CMS", "HCMS")}
    pairs["BLH"] = at_level("local hashing", epsilon)
    for name, choices in (("OLH", hashing), ("subset selection", subsets), ("PGR", spaces)):
        pairs[name] = min(choices, key=lambda pair: variance(*pair))
    return pairs


levels = (0.5, 1.0, 2.0, 4.0)
mechanisms = {level: nine_mechanisms(level) for level in levels}

# %% [markdown]
# ## S-B16 (variances and gains)
#
# *Variance and largest gain of CMS and HCMS beside other frequency oracles at equal ε.* Three routes: closed forms from the literature and from notebooks 1 to 3, the package's gain of an attack, and five mechanisms simulated from their definitions.

# %%
true = np.array(list(shop_counts().values())) // 16
n = int(true.sum())
values = np.repeat(np.arange(43), true)
size, buckets = round(43 / (np.e + 1)), round(np.e) + 1


def randomized_response(values, choices):
    """Each value with probability e/(e + choices - 1), else one of the others."""
    kept = rng.random(len(values)) < np.e / (np.e + choices - 1)
    others = (values + rng.integers(1, choices, len(values))) % choices
    return np.where(kept, values, others)


def bits(own, other):
    """One bit an item: 1 with the first probability for the user's own, else with the second."""
    chances = np.full((n, 43), other)
    chances[np.arange(n), values] = own
    return rng.random((n, 43)) < chances


def subsets():
    """The own item with its probability; other items, drawn until the subset is full."""
    with_own = rng.random(n) < size * np.e / (size * np.e + 43 - size)
    named = np.zeros((n, 43), dtype=int)
    for user in range(n):
        others = np.delete(np.arange(43), values[user])
        drawn = rng.choice(others, size - with_own[user], replace=False)
        named[user, drawn] = 1
        named[user, values[user]] = with_own[user]
    return named


def hashed():
    """Which items have the reported hash value."""
    tables = rng.integers(buckets, size=(n, 43))
    answers = randomized_response(tables[np.arange(n), values], buckets)
    return tables == answers[:, None]


flip = 1 / (np.exp(0.5) + 1)
support_counts = {
    "GRR": lambda: np.bincount(randomized_response(values, 43), minlength=43),
    "SUE": lambda: bits(1 - flip, flip).sum(axis=0),
    "OUE": lambda: bits(1 / 2, 1 / (np.e + 1)).sum(axis=0),
    "local hashing": lambda: hashed().sum(axis=0),
    "subset selection": lambda: subsets().sum(axis=0),
}
squared_errors = []
for name, simulate in support_counts.items():
    P, Q = at_level(name, 1.0, buckets=buckets, size=size)
    own_variance = P * (1 - P) / (P - Q) ** 2
    expected = (n - true) * variance(P, Q) + true * own_variance
    ratios = []
    for _ in range(2):
        estimates = (simulate() - n * Q) / (P - Q)
        ratios.append((estimates - true) ** 2 / expected)
    squared_errors.append(np.mean(ratios))

# %%
F, c_cms, c_hcms = m / (m - 1), (root + 1) / (root - 1), (E + 1) / (E - 1)
literature = {
    "GRR": (D - 2 + E) / (E - 1) ** 2,
    "SUE": root / (root - 1) ** 2,
    "OUE": 4 * E / (E - 1) ** 2,
    "local hashing": (E - 1 + g) ** 2 / ((E - 1) ** 2 * (g - 1)),
    "CMS": F**2 * root / (root - 1) ** 2 + 1 / (m - 1),
    "HCMS": F**2 * c_hcms**2 - 1 / (m - 1) ** 2,
}
largest_gains = {"CMS": F * ((c_cms + 1) / 2 - 1 / m), "HCMS": F * (c_hcms - 1 / m)}
ordered = []
for pairs in mechanisms.values():
    errors = {name: variance(*pair) for name, pair in pairs.items()}
    ordered.append(max(errors["subset selection"], errors["OUE"]) < errors["CMS"] < errors["HCMS"])

with claim("S-B16") as c:
    variances = [variance(*frame[name]) for name in literature]
    label = f"variance in closed form: {', '.join(literature)}"
    c.decisive("proved").exact(variances, list(literature.values()), label)
    gains = [promotion(*frame[name]) for name in largest_gains]
    label = "largest gain of one report: CMS, HCMS"
    c.decisive("proved").exact(gains, list(largest_gains.values()), label)
    for kind in (CountMeanSketch, HadamardCountMeanSketch):
        scheme = kind(1.0, hashes=1024, width=128, seed=2024)
        by_package = []
        for attack in ("mga", "demotion"):
            total = poisoning.frequency_gain(scheme, attack, n_fake=502, targets=1)
            by_package.append(total / 502)
        pair = mechanisms[1.0][scheme.name]
        label = f"{scheme.name}, ε = 1: promotion and demotion by the package"
        c.close([promotion(*pair), -demotion(*pair)], by_package, label, rtol=1e-9)
    label = "five mechanisms simulated from their definitions, 86 squared errors each"
    c.sampled(squared_errors, np.ones(5), label, stderr=sqrt(2 / 86))
    label = "four levels: subset selection and OUE below CMS below HCMS"
    c.holds(all(ordered), label)
    for s, t in ((2, 4), (3, 3), (5, 3)):
        points, to_one, to_two = geometry(s, t)
        label = f"projective geometry, s = {s}, t = {t}: all points listed"
        c.exact(listed_geometry(s, t), [points, {to_one}, {to_two}], label)

# %% [markdown]
# ## S-B25 (bounds for each gain)
#
# *For every ε-locally private mechanism whose estimate of a count is an unbiased sum over the reports, one fake adds at least $e^\varepsilon/(e^\varepsilon - 1)$ to the item or takes away at least $1/(e^\varepsilon - 1)$; the variance per user of another item is at most the product of the two largest gains, with equality exactly if the estimator has two values.* The three steps of the proof are derivations. $A$ and $B$ stand for the means of a number that is never negative, under $P_d$ and under $P_t$.

# %%
A, B, g_minus, g_plus, b = sp.symbols("A B g_- g_+ b", nonnegative=True)
names = {E: r"e^\varepsilon", g_minus: "g^-", g_plus: "g^+"}
upward = (
    derivation(E * (B + 1) - A, of=r"(e^\varepsilon - 1)\, g^+", names=names)
    .equal(E + E * B - A, "expand")
    .at_least(E, "privacy", by=increasing(B, A / E))
)
downward = derivation(E * A - B + 1, of=r"(e^\varepsilon - 1)\, g^-", names=names).at_least(
    1, "privacy", by=increasing(A, B / E)
)
score = b - g_minus  # with b = φ + g⁻, which is never negative
product_bound = (g_plus - g_minus) * score + g_plus * g_minus
square = derivation(score**2, of=r"\varphi^2", names=names).at_most(
    product_bound, "the largest φ is g⁺", by=increasing(g_plus, b - g_minus)
)


# %% [markdown]
# The second route knows nothing of the proof: for random channels, linear programmes find the best estimator for each of three costs. The third cost, of a client that aborts, belongs to `S-B27`.

# %%
def best_estimator(channel, cost):
    """Least cost of an unbiased estimator of item 0, and its scores.

    The unknowns are the positive and the negative parts of the scores and the largest of each.
    """
    items, reports = channel.shape
    one, zero = np.eye(reports), np.zeros((reports, reports))
    all_ones, nil = np.ones((reports, 1)), np.zeros((reports, 1))
    costs = {
        "promotion": np.r_[np.zeros(2 * reports), 1, 0],
        "demotion": np.r_[np.zeros(2 * reports), 0, 1],
        "abort": np.r_[channel[0], np.zeros(reports + 2)],
    }
    result = linprog(
        costs[cost],
        A_ub=np.block([[one, zero, -all_ones, nil], [zero, one, nil, -all_ones]]),
        b_ub=np.zeros(2 * reports),
        A_eq=np.c_[channel, -channel, np.zeros((items, 2))],
        b_eq=np.eye(items)[0],
    )
    return result.fun, result.x[:reports] - result.x[reports : 2 * reports]


channels = []
while len(channels) < 60:
    items = int(rng.integers(2, 6))
    spread = rng.choice([0.3, 1.0, 3.0])
    logarithms = spread * rng.random((items, items + int(rng.integers(1, 6))))
    if rng.random() < 0.5:  # only the two ends of the range
        logarithms = spread * (logarithms > spread / 2)
    channel = np.exp(logarithms)
    channel /= channel.sum(axis=1, keepdims=True)
    if np.linalg.matrix_rank(channel, tol=1e-6) == items:
        channels.append(channel)

quotients = {"promotion": [], "demotion": [], "abort": []}
variances, products = [], []
for channel in channels:
    ratio = (channel.max(axis=0) / channel.min(axis=0)).max()  # its own exp(ε)
    bounds = {
        "promotion": ratio / (ratio - 1),
        "demotion": 1 / (ratio - 1),
        "abort": ratio**2 / (ratio**2 - 1),
    }
    for cost, bound in bounds.items():
        least, scores = best_estimator(channel, cost)
        quotients[cost].append(least / bound)
        variances.append(channel[1] @ scores**2)
        products.append(scores.max() * -scores.min())
variances, products = np.array(variances), np.array(products)


# %% [markdown]
# The third route lists all reports of subset selection, in fractions, at $e^\varepsilon = 3$.

# %%
def listed_subset_selection(items, size, odds=3):
    """Promotion gain, demotion gain, variance and total error, by listing all reports."""
    sets = list(combinations(range(items), size))
    with_item = comb(items - 1, size - 1)
    total = odds * with_item + len(sets) - with_item
    channel = np.full((items, len(sets)), Fraction(1, total))
    contains = np.zeros((items, len(sets)), dtype=int)
    for number, named in enumerate(sets):
        for item in named:
            channel[item, number] = Fraction(odds, total)
            contains[item, number] = 1
    own, other = channel[0] @ contains[0], channel[1] @ contains[0]
    scores = (contains - other) / (own - other)
    means = channel @ scores.T
    assert (means == np.eye(items, dtype=int)).all()  # unbiased for each item
    total_error = sum(channel[0] @ (row - mean) ** 2 for row, mean in zip(scores, means[0]))
    return scores.max(), -scores.min(), channel[1] @ scores[0] ** 2, total_error


sizes = [(items, size) for items in (2, 3, 4, 5) for size in range(1, items)]
listed = {pair: listed_subset_selection(*pair) for pair in sizes}
few, many = listed[4, 1], listed[4, 3]
half = Fraction(1, 2)
mixture = [max(few[0], many[0]), max(few[1], many[1]), half * few[2] + half * many[2]]

with claim("S-B25") as c:
    label = "promotion: A = g⁺, B = g⁺ − 1"
    c.decisive("proved").derived(upward, E * (B + 1) - A, E, label)
    label = "demotion: A = g⁻, B = g⁻ + 1"
    c.decisive("proved").derived(downward, E * A - B + 1, 1, label)
    label = "variance: the square of φ, whose mean under P_d is V"
    c.decisive("proved").derived(square, score**2, product_bound, label)
    label = "what the last step loses: (g⁺ − φ)(φ + g⁻)"
    lost = (g_plus - score) * (score + g_minus)
    c.decisive("proved").exact(product_bound - score**2, lost, label)
    for cost in ("promotion", "demotion"):
        label = f"60 random channels: bound over least {cost} gain"
        c.at_most(1 / np.array(quotients[cost]), 1, label, slack=1e-7)
    label = "180 best estimators: variance"
    c.at_most(variances, products * (1 + 1e-7), label)
    label = "all but one item, e^ε = 3: least promotion gain"
    gains = [listed[items, items - 1][0] for items in (2, 3, 4, 5)]
    c.exact(gains, [Fraction(3, 2)] * 4, label)
    label = "GRR, e^ε = 3: least demotion gain"
    c.exact([listed[items, 1][1] for items in (2, 3, 4, 5)], [half] * 4, label)
    label = "two values: equality"
    by_gains = [up * down for up, down, *_ in listed.values()]
    c.exact([row[2] for row in listed.values()], by_gains, label)
    label = "GRR or all but one, at random: four values, less than the product"
    c.holds(mixture[2] < mixture[0] * mixture[1], label)


# %% [markdown]
# ## S-B26 (all possible pairs of gains)
#
# *The gains that a private mechanism with unbiased additive estimators can have for all of $D$ items at once are bounded by the broken line of subset selections; in the limit of many items they satisfy $e^\varepsilon/g^+ + 1/g^- \le e^\varepsilon - 1$.* The proof is on the page. Here the *mechanism itself* is unknown: a linear programme maximises over all of them, without steps 3 to 6 of the proof. Scores are scaled so that the largest one is 1 and the smallest one is $-\kappa$; the programme maximises the mean $s$ of a score for its own item. Then $g^+ = 1/s$ and $g^- = \kappa/s$.

# %%
def best_mechanism(items, odds, kappa):
    """Largest s. Unknown: the weight of each two-valued list, and weight times score."""
    sets = []
    for size in range(1, items):
        sets += combinations(range(items), size)
    lists = np.ones((items, len(sets)))
    for number, members in enumerate(sets):
        lists[list(members), number] = odds
    count = len(sets)
    unknowns = count * (items + 1) + 1
    equal, right, below = [], [], []
    for d in range(items):  # probabilities add up to 1
        row = np.zeros(unknowns)
        row[:count] = lists[d]
        equal.append(row)
        right.append(1)
    for t, d in product(range(items), repeat=2):  # unbiased, up to the factor s
        row = np.zeros(unknowns)
        row[count * (t + 1) : count * (t + 2)] = lists[d]
        row[-1] = -(t == d)
        equal.append(row)
        right.append(0)
    for t, number in product(range(items), range(count)):  # scores between -κ and 1
        for sign, largest in ((1, 1), (-1, kappa)):
            row = np.zeros(unknowns)
            row[count * (t + 1) + number] = sign
            row[number] = -largest
            below.append(row)
    objective = np.zeros(unknowns)
    objective[-1] = -1
    ranges = [(0, None)] * count + [(None, None)] * (unknowns - count)
    zeros = np.zeros(len(below))
    result = linprog(objective, np.array(below), zeros, np.array(equal), right, ranges)
    return -result.fun


def broken_line(items, odds):
    """Points (Q, P) of subset selection, from no item to all."""
    points = [(Fraction(0), Fraction(0))]
    for size in range(1, items):
        own, other = subset_selection(Fraction(size), odds, items)
        points.append((other, own))
    return [*points, (Fraction(1), Fraction(1))]


def height(items, odds, alpha):
    return np.interp(alpha, *np.array(broken_line(items, odds), dtype=float).T)


cases = list(product((2, 3, 4), (2, 3, 20), (0.15, 0.5, 0.8, 1.5, 5.0)))
cases += [(5, 3, kappa) for kappa in (0.15, 0.5, 0.8, 1.5, 5.0)]
by_programme, by_line = [], []
for items, odds, kappa in cases:
    by_programme.append(best_mechanism(items, odds, kappa))
    alpha = kappa / (1 + kappa)
    by_line.append((height(items, odds, alpha) - alpha) / (1 - alpha))

concave = []
for items, odds in product((2, 3, 7, 43), (2, 3, 20)):
    slopes = []
    for (Q1, P1), (Q2, P2) in pairwise(broken_line(items, odds)):
        slopes.append((P2 - P1) / (Q2 - Q1))
    concave += [first > second for first, second in pairwise(slopes)]

distances = []
for items in (43, 1000, 20_000):
    for size in (items // 10, items // 4, items // 2):
        own, other = subset_selection(Fraction(size), 3, items)
        left_side = 3 / promotion(own, other) + 1 / demotion(own, other)
        distances.append(abs(left_side - 2) * items)

room = {}
for level, pairs in mechanisms.items():
    for name, (P, Q) in pairs.items():
        room[name, level] = 1 - (P - Q) / (height(43, Fraction(np.exp(level)), Q) - Q)
sketches = [room[name, level] for name in ("CMS", "HCMS") for level in levels]

# %%
Q = sp.Symbol("Q", positive=True)
P = E * Q / (1 + (E - 1) * Q)
curve = (
    derivation(
        E / promotion(P, Q) + 1 / demotion(P, Q),
        of=r"\frac{e^\varepsilon}{g^+} + \frac{1}{g^-}",
        names={E: r"e^\varepsilon"},
    )
    .equal((E - 1) * P + (E - 1) * (1 - P), "P − Q has the factor Q(1 − Q)")
    .equal(E - 1, "add")
)
with claim("S-B26") as c:
    label = "the limit curve"
    first = E / promotion(P, Q) + 1 / demotion(P, Q)
    c.decisive("proved").derived(curve, first, E - 1, label)
    label = f"{len(cases)} linear programmes over all mechanisms of 2 to 5 items"
    c.decisive("sampled").close(by_programme, by_line, label, rtol=1e-6)
    c.holds(all(concave), "the line is concave: 2, 3, 7, 43 items, e^ε = 2, 3, 20")
    points = []
    for up, down, *_ in listed.values():
        points.append((down / (up + down), (1 + down) / (up + down)))
    corners = [broken_line(items, Fraction(3))[size] for items, size in listed]
    c.exact(points, corners, "corners for 2 to 5 items, by listing all reports")
    label = "43 to 20,000 items: distance to the limit, times D"
    c.at_most(distances, Fraction(30), label)
    label = "nine mechanisms, four levels: none lies beyond the line"
    c.at_most([-share for share in room.values()], 0, label, slack=1e-9)
    label = "both sketches, four levels: both gains could be lower by at most 3.2%"
    c.at_most(sketches, 0.032, label)
    label = "CMS and HCMS at ε = 1, to a tenth of a per cent"
    c.close([room["CMS", 1.0], room["HCMS", 1.0]], [0.030, 0.024], label, rtol=0, atol=5e-4)
    one_item = (Fraction(3, 4), Fraction(1, 4))  # "is it t?", lies with odds 1 : 3
    left_side = 3 / promotion(*one_item) + 1 / demotion(*one_item)
    label = "only one item is counted, e^ε = 3: e^ε/g⁺ + 1/g⁻"
    c.limit(Fraction(2), left_side, label)


# %% [markdown]
# ## S-B45 (the least error)
#
# *Let $L$ be the sum over $D$ items of the variance that a user adds to their estimates, on average over the user's item. Every ε-locally private mechanism with unbiased additive estimators has at least the $L$ of the best subset selection. At 43 items, $k = 1{,}024$, $m = 128$ and the counts of the shop, CMS has 1.08, 1.15, 1.43 and 4.00 times the least error at ε = 0.5, 1, 2 and 4, and HCMS 1.13, 1.36, 2.60 and 21.2 times.*
#
# The proof is on the page. Here the bound comes from a certificate. Let $G$ be the Gram matrix of the page. For every symmetric $W$, the matrix $(I - GW)^\top G^{-1} (I - GW)$ is positive semidefinite. Its trace gives $\operatorname{tr} G^{-1} \ge 2 \operatorname{tr} W - \operatorname{tr} W G W$. The last trace is a mean of $|W R|^2$ over lists $R$ with the sum $D$ and a ratio of at most $e^\varepsilon$. This is convex in $R$, so two-valued lists decide, and all of them are gone through in fractions.

# %%
def certified_bound(items, odds):
    """Lower bound of L, from the matrix W of the best subset selection."""
    errors = {k: total_error(*subset_selection(k, odds, items), items) for k in range(1, items)}
    best = min(errors, key=errors.get)
    large = odds * items / (best * odds + items - best)
    small = items / (best * odds + items - best)
    eigenvalue = (best * large**2 + (items - best) * small**2 - items) / (items - 1)
    projection = np.full((items, items), Fraction(1, items))
    W = projection / items + (np.eye(items, dtype=int) - projection) / eigenvalue
    largest = Fraction(0)
    for chosen in product((0, 1), repeat=items):
        two_valued = np.array([odds if inside else Fraction(1) for inside in chosen])
        image = W @ (two_valued * items / two_valued.sum())
        largest = max(largest, image @ image)
    return 2 * W.trace() - largest - 1


def bound(items, odds):
    """The formula of the page."""
    squares = []
    for k in range(1, items):
        squares.append(items**2 * (k * odds**2 + items - k) / (k * odds + items - k) ** 2)
    return 1 / Fraction(items) + Fraction((items - 1) ** 2) / (max(squares) - items) - 1


certified, by_formula, attained = [], [], []
some_odds = (Fraction(3, 2), Fraction(2), Fraction(3), Fraction(20))
for items, odds in product((2, 3, 4, 5, 6), some_odds):
    certified.append(certified_bound(items, odds))
    by_formula.append(bound(items, odds))
    errors = [total_error(*subset_selection(k, odds, items), items) for k in range(1, items)]
    attained.append(min(errors))

excess = []
for channel in channels:
    items = len(channel)
    ratio = Fraction((channel.max(axis=0) / channel.min(axis=0)).max())
    mean = channel.mean(axis=0)
    gram = (channel / mean) @ channel.T
    excess.append((np.trace(np.linalg.inv(gram)) - 1) / float(bound(items, ratio)))

# %% [markdown]
# The error of a sketch is the package's exact variance, and $L$ plus a term of the collisions (notebooks 1 and 2), and, at ε = 1, a mean over 60 simulated shops with 60 families of hash functions.

# %%
counts = shop_counts()
held = np.array(list(counts.values()), dtype=float)
users = held.sum()
by_package, by_frame, simulated, spread = {}, {}, [], []
for name, kind in (("CMS", CountMeanSketch), ("HCMS", HadamardCountMeanSketch)):
    by_package[name], by_frame[name] = [], []
    for level in levels:
        scheme = kind(level, hashes=1024, width=128, seed=1)
        least = float(bound(43, Fraction(np.exp(level))))
        by_package[name].append(scheme.variances(counts).sum() / users / least)
        others = users - held
        squares = (held**2).sum() - held**2
        shared = ((squares - others) / (1024 * 127)).sum() / users
        error = total_error(*at_level(name, level), 43) + shared
        by_frame[name].append(error / least)
    sums = []
    for seed in range(60):
        scheme = kind(1.0, hashes=1024, width=128, seed=seed)
        errors = scheme.simulate(counts, rng).estimate(list(counts)) - held
        sums.append((errors**2).sum() / users / float(bound(43, Fraction(np.e))))
    simulated.append(np.mean(sums))
    spread.append(np.std(sums) / sqrt(60))

with claim("S-B45") as c:
    label = "2 to 6 items, e^ε = 3/2, 2, 3, 20: bound by the certificate, best subset selection"
    c.decisive("sampled").exact(certified, attained, label)
    c.exact(by_formula, attained, "the formula of the page, best subset selection")
    label = "subset selection of 2 to 5 items, e^ε = 3: total error, by listing all reports"
    formula = []
    for items, k in listed:
        formula.append(total_error(*subset_selection(k, Fraction(3), items), items))
    c.exact([row[3] for row in listed.values()], formula, label)
    c.at_most(1 / np.array(excess), 1, "60 random channels: bound over least error", slack=1e-9)
    label = "CMS over the least error: four levels"
    c.decisive("exhaustive").close(by_package["CMS"], [1.08, 1.15, 1.43, 4.00], label,
                                   rtol=0, atol=0.0051)  # fmt: skip
    label = "HCMS over the least error: four levels"
    c.decisive("exhaustive").close(by_package["HCMS"], [1.13, 1.36, 2.60, 21.2], label,
                                   rtol=1e-3, atol=0.0051)  # fmt: skip
    for name in by_package:
        label = f"{name}: package, and P and Q with the term of the collisions"
        c.close(by_package[name], by_frame[name], label, rtol=1e-9)
    label = "60 simulated shops at ε = 1, 60 families: CMS, HCMS"
    expected = [by_package[name][1] for name in by_package]
    c.sampled(simulated, expected, label, stderr=spread)

# %% [markdown]
# ## S-B27 (clients that abort)
#
# *Where noise is enforced but a fake may abort, it earns the promotion gain times the probability of support; that is $e^\varepsilon/(e^\varepsilon - 1)$, the least promotion gain of any private mechanism, whenever an item multiplies the odds of its support by $e^\varepsilon$, as in unary encodings, local hashing and both sketches, if wide.*

# %%
stop = derivation(
    P * promotion(P, Q), of=r"P\,g^+", names={E: r"e^\varepsilon"}
).equal(E / (E - 1), "P − Q has the factor Q(1 − Q)")

odds_ratio = {}
for name, (own, other) in frame.items():
    odds_ratio[name] = sp.simplify(own * (1 - other) / (other * (1 - own)))
with_factor = [odds_ratio[name] for name in ("SUE", "OUE", "local hashing")]
with_factor += [sp.limit(odds_ratio[name], m, sp.oo) for name in ("CMS", "HCMS")]

own, other = mechanisms[1.0]["HCMS"]
finite = next(row for row in threat_matrix(1.0, 1, width=128) if row.name == "V6")
wide = next(row for row in threat_matrix(1.0, 1, width=2**20) if row.name == "V6")
sessions = promotion(own, other) * (rng.random(10**6) < own)
earned = [pair[0] * promotion(*pair) for pair in mechanisms[1.0].values()]

with claim("S-B27") as c:
    label = "on the curve of many items"
    c.decisive("proved").derived(stop, P * promotion(P, Q), E / (E - 1), label)
    label = "SUE, OUE, local hashing, both sketches if wide: an item multiplies the odds by e^ε"
    c.decisive("proved").exact(with_factor, [E] * 5, label)
    label = "HCMS, V6 of the threat matrix, m = 128: P times the promotion gain"
    c.close(finite.aborts, own * promotion(own, other), label, rtol=1e-9)
    c.close(wide.aborts, np.e / (np.e - 1), "V6, m = 2²⁰: e/(e − 1)", rtol=1e-5)
    label = "HCMS: a million sessions"
    c.sampled(sessions.mean(), finite.aborts, label, stderr=sessions.std() / 1000)
    label = "nine mechanisms, 43 items, ε = 1: between 1.545 and 1.595"
    c.at_most(np.abs(np.array(earned) - 1.57), 0.025, label)
    label = "60 random channels: e^2ε/(e^2ε − 1) over the least that aborting earns"
    c.at_most(1 / np.array(quotients["abort"]), 1, label, slack=1e-7)
    two_items = Fraction(3, 4), Fraction(1, 4)
    label = "GRR of two items, e^ε = 3: aborting earns e^2ε/(e^2ε − 1)"
    c.limit(Fraction(3, 2), two_items[0] * promotion(*two_items), label)
