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
# # Evidence: How much do releases that go on for ever tell about one minute?
#
# Both claims here are beyond the paper, and the ledger names their sources. Nothing is hidden. The story is told in
# [the research note of the same name](../../research/location-releases-for-ever.ipynb).

# %%
import math
from fractions import Fraction
from itertools import product

import sympy as sp

from privlib.notebook import claim

two = Fraction(2)


def matrix(*rows):
    """Rows of tenths, as fractions."""
    return [[Fraction(n, 10) for n in row] for row in rows]


# %% [markdown]
# ## The bound and the truth, in fractions
#
# `recursion` is the bound of Cao and others. `enumerated` goes through all sequences of randomised responses, and knows nothing of the bound: it follows the likelihoods of all places. Both are exact.

# %%
def recursion(B, E, minutes):
    """Bound on the largest ratio, after each minute."""
    places = range(len(B))
    ratios = [E]
    for _ in range(minutes - 1):
        largest = 1
        for chosen in product((0, 1), repeat=len(B)):
            weights = []
            for i in places:
                came = sum(B[i][k] for k in places if chosen[k])
                weights.append(came * (ratios[-1] - 1) + 1)
            largest = max(largest, max(weights) / min(weights))
        ratios.append(E * largest)
    return ratios


def enumerated(B, E, minutes):
    """Largest ratio over all sequences of reports, after each minute."""
    places = range(len(B))
    likelihoods = {(Fraction(1),) * len(B)}
    ratios = []
    for _ in range(minutes):
        longer = set()
        for v in likelihoods:
            before = [sum(B[i][k] * v[k] for k in places) for i in places]
            for report in places:
                after = [w * E if i == report else w for i, w in enumerate(before)]
                smallest = min(after)
                longer.add(tuple(w / smallest for w in after))
        likelihoods = longer
        ratios.append(max(max(v) for v in likelihoods))
    return ratios


# %% [markdown]
# ## M-B27 (when the recursion is exact)
#
# *Two places, the same probabilities to have come from each place in every minute, randomised response every minute: with the probabilities $r$ and $s$ of having come from the other place. If people tend to stay ($r + s \le 1$), the recursion of Cao et al. is exact. If they tend to change places, it is exact if $r = s$, and otherwise too large from the third minute on.* Sympy confirms the two facts that the proof uses, with $\lambda = 1 - r - s$: a larger ratio a minute ago gives a larger one now if $\lambda > 0$ and a smaller one if $\lambda < 0$, and the factors of the two places do not change their order. The enumeration confirms the theorem for seven matrices where people tend to stay, two with $r = s$ and three others.

# %%
r, s, lam, more, h = sp.symbols("r s lambda delta h", nonnegative=True)
x = sp.Symbol("x", positive=True)


def ratio_now(ago):
    """Ratio in favour of the first place; 1 - s = lambda + r and 1 - r = lambda + s."""
    return ((lam + r) * ago + s) / (r * ago + lam + s)


grows = sp.factor(ratio_now(x + more) - ratio_now(x))
numerator, denominator = sp.fraction(grows)
growth = lam * more * (lam + r + s)
first = ratio_now(1 + h).subs(lam, 1 - r - s)
second = (1 / ratio_now(1 / (1 + h))).subs(lam, 1 - r - s)
order = (1 - r - s) * (s - r) * h**2 / ((1 + r * h) * (1 + s * h))

staying = [matrix((7, 3), (4, 6))]
for first_stays, second_stays in product((5, 7, 9), (5, 8)):
    staying.append(matrix((first_stays, 10 - first_stays), (10 - second_stays, second_stays)))
alike = [matrix((2, 8), (8, 2)), matrix((4, 6), (6, 4))]
unlike = [matrix((1, 9), (7, 3)), matrix((3, 7), (9, 1)), matrix((0, 10), (9, 1))]
with claim("M-B27") as c:
    label = "a larger ratio a minute ago: difference of the ratios now, numerator"
    c.decisive("proved").exact(sp.expand(numerator - growth), sp.Integer(0), label)
    positive = sp.expand((r * (x + more) + lam + s) * (r * x + lam + s))
    c.exact(sp.expand(denominator - positive), sp.Integer(0), "and its denominator")
    label = "first factor less second factor: the sign of (1 - r - s)(s - r)"
    c.decisive("proved").exact(sp.simplify(first - second - order), sp.Integer(0), label)
    label = "E = 2, seven matrices, all reports of six minutes"
    reached = [enumerated(B, two, 6) for B in staying]
    c.exact(reached, [recursion(B, two, 6) for B in staying], label)
    label = "0.7 and 0.6, all reports of nine minutes"
    c.exact(enumerated(staying[0], two, 9), recursion(staying[0], two, 9), label)
    label = "tend to change, r = s: all reports of six minutes"
    reached = [enumerated(B, two, 6) for B in alike]
    c.exact(reached, [recursion(B, two, 6) for B in alike], label)
    too_large = []
    for B in unlike:
        gaps = [b > t for b, t in zip(recursion(B, two, 6), enumerated(B, two, 6))]
        too_large.append(gaps == [False, False, True, True, True, True])
    c.holds(all(too_large), "tend to change, r and s differ: too large from the third minute on")

# %% [markdown]
# ## M-B28 (where it is too large)
#
# *For two places where people stay with the probabilities 0.1 and 0.3, and for the three places of notebook 5, the recursion exceeds what randomised response with $E = 2$ tells, in the third to the ninth minute (two places) and the third to the seventh (three).* The second route follows single sequences by hand: for two places the reports alternate; for three places they always name the first place. The recursion of a single factor is written out, too.

# %%
restless = matrix((1, 9), (7, 3))
three = matrix((6, 3, 1), (2, 6, 2), (1, 3, 6))


def along(B, reports):
    """Largest ratio after each of these reports, E = 2."""
    v = [Fraction(1)] * len(B)
    ratios = []
    for report in reports:
        v = [sum(b * w for b, w in zip(row, v)) for row in B]
        v[report] *= 2
        ratios.append(max(v) / min(v))
    return ratios


def one_factor(q, d, minutes):
    """The same factor (q h + 1)/(d h + 1) in every minute, E = 2."""
    ratios = [two]
    for _ in range(minutes - 1):
        h = ratios[-1] - 1
        ratios.append(2 * (q * h + 1) / (d * h + 1))
    return ratios


alternating = []
for starts in (0, 1):
    alternating.append(along(restless, [(starts + k) % 2 for k in range(9)]))
by_hand = [max(pair) for pair in zip(*alternating)]
restless_bound, restless_truth = recursion(restless, two, 9), enumerated(restless, two, 9)
three_bound, three_truth = recursion(three, two, 7), enumerated(three, two, 7)
gaps = [float(b - t) for b, t in zip(restless_bound, restless_truth)]
gaps_three = [float(b - t) for b, t in zip(three_bound, three_truth)]
with claim("M-B28") as c:
    label = "0.1 and 0.3, nine minutes: all reports, alternating reports"
    c.decisive("one example").exact(restless_truth, by_hand, label)
    label = "the recursion, by its larger factor"
    c.exact(restless_bound, one_factor(Fraction(7, 10), Fraction(1, 10), 9), label)
    label = "three places, seven minutes: all reports, always the first place"
    c.decisive("one example").exact(three_truth, along(three, [0] * 7), label)
    label = "the recursion, by its largest factor"
    c.exact(three_bound, one_factor(Fraction(6, 10), Fraction(1, 10), 7), label)
    label = "bound less truth, from the third minute on: at least 0.03"
    c.decisive("one example").at_most([0.03] * 12, gaps[2:] + gaps_three[2:], label)
print(f"two places: {math.log(restless_bound[-1]):.4f}, {math.log(restless_truth[-1]):.4f}")
print(f"three places: {math.log(three_bound[-1]):.4f}, {math.log(three_truth[-1]):.4f}")

# %% [markdown]
# ## The level that may go on for ever
#
# This carries no claim; the choice of a level by the limit is by Cao and others. For people who stay with probability 0.7 or 0.6, all sequences of reports in thirteen minutes are followed, forwards and backwards in time, to the minute in the middle. The largest ratio is the product of the recursions for past and future, divided by $E$. Its logarithm stays below 1, and comes near.

# %%
B = [[0.7, 0.3], [0.4, 0.6]]  # forwards and backwards, because the chain is reversible
q, d = 0.6, 0.3
half = (math.e * d - 1 + q) / (2 * q)
limit = half + math.sqrt(half**2 + math.e * (1 - d) / q)
level = 2 * math.log(limit) - 1
E = math.exp(level)
largest = 0
for reports in product((0, 1), repeat=13):
    past, future = [1, 1], [1, 1]
    for before, after in zip(reports[:6], reports[:6:-1]):
        past[before] *= E
        past = [row[0] * past[0] + row[1] * past[1] for row in B]
        future[after] *= E
        future = [row[0] * future[0] + row[1] * future[1] for row in B]
    both = [past[0] * future[0], past[1] * future[1]]
    both[reports[6]] *= E
    largest = max(largest, max(both) / min(both))
total = math.log(largest)
assert math.isclose(total, 2 * math.log(recursion(B, E, 7)[-1]) - level, rel_tol=1e-12)
assert 0.999 < total < 1
print(f"level {level:.4f}; past and future of thirteen minutes: {total:.6f}")
