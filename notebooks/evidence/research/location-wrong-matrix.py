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
# # Evidence: What if the attacker's matrix is another one?
#
# The paper judges a release by one transition matrix. So all six claims here are beyond it, and the ledger names their sources. Nothing is hidden. The story is told in
# [the research note of the same name](../../research/location-wrong-matrix.ipynb).

# %%
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import prod

import numpy as np
import sympy as sp
from scipy import optimize, sparse

from privlib.location import mechanism
from privlib.notebook import claim
from privlib.research.robust_release import robust_mechanism

rng = np.random.default_rng(40)
half, E = Fraction(1, 2), Fraction(5, 3)
fair = (half, half)  # stays, goes
sticky = (Fraction(9, 10), Fraction(1, 10))
level = float(np.log(5 / 3))


# %% [markdown]
# ## Gains by name
#
# The note adds up distributions of histograms. Here everybody is followed by name: all movements of all people, with their probabilities, and Bayes' rule. A prior is a list of pairs: a weight, and a row for each person.

# %%
def movements(prior, places):
    """Probability of each movement of the named people."""
    people = len(prior[0][1])
    found = {}
    for move in product(range(places), repeat=people):
        found[move] = sum(w * prod(r[j] for r, j in zip(rows, move)) for w, rows in prior)
    return found


def gains_by_name(prior, channel):
    """Gain of each output about each person and place; outputs that cannot occur are left out."""
    places = len(prior[0][1][0])
    probability = movements(prior, places)
    number = {}
    for k, x in enumerate(mechanism.histograms(len(prior[0][1]), places).tolist()):
        number[tuple(x)] = k
    gains = {}
    for o in range(channel.shape[1]):
        output, joint, at = 0, {}, {}
        for move, chance in probability.items():
            x = tuple(move.count(j) for j in range(places))
            both = chance * channel[number[x], o]
            output += both
            for u, j in enumerate(move):
                joint[u, j] = joint.get((u, j), 0) + both
                at[u, j] = at.get((u, j), 0) + chance
        for guess, chance in at.items():
            if output > 0 and chance > 0:
                gains[o, *guess] = joint[guess] / (chance * output)
    return gains


def largest(rows, channel):
    return max(gains_by_name([(1, rows)], channel).values())


# %% [markdown]
# The rows of the promise follow from the same movements, as coefficients of the channel:

# %%
def promise_by_name(rows, bound):
    """Rows a with a @ channel <= 0, one for each person and possible place."""
    places = len(rows[0])
    inputs = [tuple(x) for x in mechanism.histograms(len(rows), places).tolist()]
    probability = movements([(1, rows)], places)
    found = []
    for u, j in product(range(len(rows)), range(places)):
        if rows[u][j] == 0:
            continue
        row = dict.fromkeys(inputs, 0)
        for move, chance in probability.items():
            x = tuple(move.count(k) for k in range(places))
            row[x] += chance * ((move[u] == j) / rows[u][j] - bound)
        found.append([row[x] for x in inputs])
    return np.array(found)


def cost_by_name(rows):
    """Probability of x times the distance of x and o."""
    places = len(rows[0])
    inputs = [tuple(x) for x in mechanism.histograms(len(rows), places).tolist()]
    chance = dict.fromkeys(inputs, 0)
    for move, p in movements([(1, rows)], places).items():
        chance[tuple(move.count(k) for k in range(places))] += p
    return np.array(
        [[chance[x] * sum(abs(a - b) for a, b in zip(x, o)) for o in inputs] for x in inputs]
    )


# %% [markdown]
# A loss is *proved* to be the least if a channel that keeps the promise has it and multipliers of the rows give the same lower bound, both in fractions.

# %%
def solve(cost, rows):
    """The solver's channel and multipliers."""
    m = len(cost)
    every_output = sparse.kron(np.array(rows, dtype=float), sparse.eye(m))
    sums = sparse.kron(sparse.eye(m), np.ones((1, m)))
    found = optimize.linprog(np.array(cost, dtype=float).ravel(), every_output,
                             np.zeros(every_output.shape[0]), sums, np.ones(m))  # fmt: skip
    return found.x.reshape(m, m), -found.ineqlin.marginals.reshape(-1, m)


simple = np.vectorize(lambda v: Fraction(float(v)).limit_denominator(5000), otypes=[object])


def proved_least(cost, rows):
    """Channel, its loss, and the lower bound of the multipliers, in fractions."""
    channel, multipliers = map(simple, solve(cost, rows))
    assert (channel >= 0).all() and (channel.sum(axis=1) == 1).all()
    assert (rows @ channel <= 0).all() and (multipliers >= 0).all()
    return channel, (cost * channel).sum(), (cost + rows.T @ multipliers).min(axis=1).sum()


# %% [markdown]
# ## M-B40 (one programme for several matrices)
#
# *The best release for a fair coin loses 1/3 and has the gain 5 against an attacker who knows that both people stay with probability 9/10; among the releases that are safe against both, the least loss is 13/27.* Two routes: the programme by names with its multipliers, and `robust_mechanism` of the package.

# %%
cost = cost_by_name([fair, fair])
fair_rows = promise_by_name([fair, fair], E)
sticky_rows = promise_by_name([sticky, sticky], E)
for_fair, loss_fair, bound_fair = proved_least(cost, fair_rows)
for_both, loss_both, bound_both = proved_least(cost, np.vstack([fair_rows, sticky_rows]))

matrices = [np.array([row, row], dtype=float) for row in (fair, sticky)]
package = []
for attackers in (matrices[:1], matrices):
    robust = robust_mechanism([2, 0], matrices[0], attackers=attackers, epsilon=level)
    package.append(robust.loss)
with claim("M-B40") as c:
    losses = [loss_fair, bound_fair, loss_both, bound_both]
    expected = [Fraction(1, 3)] * 2 + [Fraction(13, 27)] * 2
    c.decisive("proved").exact(losses, expected, "loss of a channel, bound of the multipliers")
    label = "largest gains by name: fair for the first, sticky for the first, both for the second"
    gains = [largest([fair, fair], for_fair), largest([sticky, sticky], for_fair)]
    gains += [largest([fair, fair], for_both), largest([sticky, sticky], for_both)]
    c.decisive("proved").exact(gains, [E, Fraction(5), E, E], label)
    c.close(package, [1 / 3, 13 / 27], "package", rtol=1e-8)

# %% [markdown]
# ## M-B41 (the price for nine people)
#
# *Nine people, three in each place of the town of notebook 5, ε = 1: the least loss is 0.165 for one matrix, 0.341 if the release is also safe against the matrices that are sharper and blunter by 0.2, 0.381 if it is safe against all mixtures of these two, and 2.221 under event-level differential privacy.* Route one is the package, which certifies its mechanisms. Route two is a programme whose rows come from generating polynomials instead of people who arrive one by one.

# %%
P = np.array([[6, 3, 1], [2, 6, 2], [1, 3, 6]]) / 10
before = [3, 3, 3]
inputs = mechanism.histograms(9, 3)
sharper, blunter = 1.2 * P - 0.2 / 3, 0.8 * P + 0.2 / 3


def by_polynomial(rows):
    """Coefficients of the product of the linear forms of all people."""
    table = np.ones((1, 1, 1))
    for row in rows:
        larger = np.zeros(np.add(table.shape, 1))
        larger[1:, :-1, :-1] += row[0] * table
        larger[:-1, 1:, :-1] += row[1] * table
        larger[:-1, :-1, 1:] += row[2] * table
        table = larger
    return table[tuple(inputs.T)]


def rows_of_nine(held, bound):
    """Rows of the promise, if the three people of each place hold these matrices."""
    people = [matrix[i] for i, of_place in enumerate(held) for matrix in of_place]
    chance = by_polynomial(people)
    found = []
    for u in range(9):
        others = people[:u] + people[u + 1 :]
        found += [by_polynomial([*others, point]) - bound * chance for point in np.eye(3)]
    return found


listed, one_each = [], []
for matrix in (P, sharper, blunter):
    listed += rows_of_nine([[matrix] * 3] * 3, np.e)
pairs = list(combinations_with_replacement((sharper, blunter), 3))
for held in product(pairs, repeat=3):
    one_each += rows_of_nine(held, np.e)
one_each = np.unique(np.array(one_each).round(13), axis=0)
chance = by_polynomial([P[i] for i in range(3) for _ in range(3)])
cost_of_nine = chance[:, None] * np.abs(inputs[:, None] - inputs).sum(axis=2)
by_polynomials = []
for rows in (listed[:27], listed, one_each):
    channel, _ = solve(cost_of_nine, rows)
    by_polynomials.append(float((cost_of_nine * channel).sum()))
certified = [
    mechanism.optimal_mechanism(before, P, epsilon=1),
    robust_mechanism(before, P, attackers=[P, sharper, blunter], epsilon=1),
    robust_mechanism(before, P, attackers=[sharper, blunter], epsilon=1, per_person=True),
]
event_level = mechanism.event_level_mechanism(before, P, epsilon=1)
with claim("M-B41") as c:
    label = "least losses by polynomials, to three decimals"
    printed = [0.165, 0.341, 0.381]
    c.decisive("one example").close(by_polynomials, printed, label, atol=5e-4, rtol=0)
    label = "package, with certified gains"
    c.close([best.loss for best in certified], by_polynomials, label, rtol=1e-5)
    c.close(event_level.loss, 2.221, "event-level, to three decimals", atol=5e-4, rtol=0)

# %% [markdown]
# ## M-B42 (mixed matrices)
#
# *Safety against two matrices is not safety against their mixtures: the best release for a fair coin and for 9/10 has the gain 50/29 > 5/3 if everybody stays with probability 3/5. For one person it is, if both matrices allow the same places.* The counterexample is computed by name. For one person the promise is a sum of two promises; sympy confirms the identity.

# %%
mixed = (Fraction(3, 5), Fraction(2, 5))
weight = (mixed[0] - sticky[0]) / (fair[0] - sticky[0])
assert 0 < weight < 1 and weight * fair[1] + (1 - weight) * sticky[1] == mixed[1]

lam, bound = sp.symbols("lambda E", positive=True)
first, second, q = (sp.IndexedBase(name, nonnegative=True) for name in "rsq")
j = sp.Symbol("j", integer=True, nonnegative=True)


def slack(row):
    """E Pr(o) - Pr(o | at j), for one person with three places who moves by this row."""
    return bound * sum(row(place) * q[place] for place in range(3)) - q[j]


between = slack(lambda place: lam * first[place] + (1 - lam) * second[place])
ends = lam * slack(lambda place: first[place]) + (1 - lam) * slack(lambda place: second[place])
with claim("M-B42") as c:
    label = "gain by name, everybody stays with probability 3/5"
    c.decisive("proved").exact(largest([mixed, mixed], for_both), Fraction(50, 29), label)
    label = "largest gains by name, at the two matrices"
    at_ends = [largest([row, row], for_both) for row in (fair, sticky)]
    c.exact(at_ends, [E, E], label)
    label = "one person: the slack of a mixture is the mixture of the slacks"
    c.decisive("proved").exact(sp.expand(between - ends), sp.Integer(0), label)

# %% [markdown]
# ## M-B43 (one matrix a person)
#
# *A release that bounds every gain for all ways to give each person one of finitely many matrices, which allow the same moves, does so for all ways to give each person a mixture of them.* The slack of the mixtures is the mean of the slacks, with the products of the weights. Sympy confirms this identity with free symbols for three people, two matrices and two places; the argument is the same for more. Then the package's release for one matrix a person meets random mixtures, by name.

# %%
a, b = sp.symbols("a:3"), sp.symbols("b:3")  # person v stays with a_v or b_v
weights = sp.symbols("w:3")  # of the first matrix
outputs = sp.symbols("q:4")  # probability of an output if 0, 1, 2, 3 people stay


def output_chance(stays):
    total = 0
    for move in product((0, 1), repeat=3):
        factors = [s if stayed else 1 - s for s, stayed in zip(stays, move)]
        total += sp.prod(factors) * outputs[sum(move)]
    return total


def promise_slack(stays):
    """E Pr(o) - Pr(o | the first person stayed)."""
    return bound * output_chance(stays) - output_chance((1, *stays[1:]))


mixtures = [w * x + (1 - w) * y for w, x, y in zip(weights, a, b)]
mean = 0
for choice in product((0, 1), repeat=3):
    share = sp.prod([(1 - w) if second else w for w, second in zip(weights, choice)])
    mean += share * promise_slack([y if second else x for x, y, second in zip(a, b, choice)])

town = [[(Fraction(6, 10), Fraction(3, 10), Fraction(1, 10)),
         (Fraction(2, 10), Fraction(6, 10), Fraction(2, 10))],
        [(Fraction(4, 10), Fraction(2, 10), Fraction(4, 10)),
         (Fraction(1, 10), Fraction(8, 10), Fraction(1, 10))]]  # fmt: skip
third = (Fraction(1, 3),) * 3
floats = [np.array([*matrix, third], dtype=float) for matrix in town]
of_town = robust_mechanism([2, 1, 0], floats[0], attackers=floats, epsilon=0.5, per_person=True)
found = []
for _ in range(60):
    people = []
    for origin in (0, 0, 1):
        w = Fraction(int(rng.integers(101)), 100)
        pair = zip(town[0][origin], town[1][origin])
        people.append([float(w * x + (1 - w) * y) for x, y in pair])
    found.append(largest(people, of_town.channel))
with claim("M-B43") as c:
    label = "three people: slack of the mixtures, mean of the slacks"
    c.decisive("proved").exact(sp.expand(promise_slack(mixtures) - mean), sp.Integer(0), label)
    label = "three people in three places, 60 random mixtures: largest gain by name"
    c.at_most(max(found), np.exp(0.5), label, slack=1e-8)

# %% [markdown]
# ## M-B44 (all rows)
#
# *If each person may move by any distribution under which all places are possible, the promise is event-level differential privacy with the same ratio. If the distribution may be any, but is the same for everybody, less is asked: for two people and the ratio 5/3 a release with the loss 183/245 keeps it, where event-level differential privacy needs 1.* That differential privacy implies the promise is `M-B10`. For the converse let the others be in known places and the person almost certainly at $k$: the slack tends to that of differential privacy.

# %%
delta = sp.Symbol("delta", positive=True)
almost = [1 - delta, delta / 2, delta / 2]  # she is at k, or elsewhere; the others are known
at = sp.symbols("Q_k Q_j Q_i")  # probability of the output after she went to k, j, i
room = bound * sum(chance * value for chance, value in zip(almost, at)) - at[1]

neighbours = np.array([[1, -E, 0], [-E, 1, 0], [0, 1, -E], [0, -E, 1]])
_, loss_private, bound_private = proved_least(cost, neighbours)

s = sp.Symbol("s", real=True)  # everybody stays with this probability
common = np.array([[80, 147, 18], [0, 245, 0], [18, 147, 80]]) * Fraction(1, 245)
lowest = []
for o in range(3):
    q0, q1, q2 = (sp.Rational(int(v.numerator), int(v.denominator)) for v in common[:, o])
    output = s**2 * q2 + 2 * s * (1 - s) * q1 + (1 - s) ** 2 * q0
    for there in (s * q2 + (1 - s) * q1, s * q1 + (1 - s) * q0):
        quadratic = sp.expand(sp.Rational(5, 3) * output - there)
        ends = [quadratic.subs(s, 0), quadratic.subs(s, 1)]
        turning = [v for v in sp.solve(sp.diff(quadratic, s), s) if 0 < v < 1]
        lowest.append(min(ends + [quadratic.subs(s, v) for v in turning]))
with claim("M-B44") as c:
    limit = sp.limit(room, delta, 0)
    label = "limit of the slack: E Q(o | x) - Q(o | x'), she at k or at j"
    c.decisive("proved").exact(limit, bound * at[0] - at[1], label)
    label = "the common release: rows sum to 1, no entry is negative, loss 183/245"
    valid = (common >= 0).all() and (common.sum(axis=1) == 1).all()
    c.exact([bool(valid), (cost * common).sum()], [True, Fraction(183, 245)], label)
    label = "its least slack over all probabilities of staying, six guesses and outputs"
    c.decisive("proved").holds(all(value >= 0 for value in lowest), label)
    label = "event-level: loss of a channel, bound of the multipliers"
    c.decisive("proved").exact([loss_private, bound_private], [Fraction(1)] * 2, label)

# %% [markdown]
# ## M-B45 (doubt about the matrix)
#
# *An attacker who doubts by which of several matrices everybody moves can gain more than an event-level private release allows to attackers with independent people: 275/218 where the ratio is 5/4. It is enough that for all pairs $k \le l$ of matrices $P^k_{ij} \Pr_k(o \mid u \text{ at } j) + P^l_{ij} \Pr_l(o \mid u \text{ at } j) \le E\,(P^k_{ij} \Pr_l(o) + P^l_{ij} \Pr_k(o))$.* The gain is computed by name, from a prior that mixes two products. Sympy confirms, for three matrices, that the slack in doubt is the sum of the slacks of the pairs, with weights that are not negative; each term of the sum has two indices, so more matrices bring nothing new.

# %%
yes = np.array([[Fraction(6 - n, 10), Fraction(4 + n, 10)] for n in range(3)])
ratios = [max(x / y, y / x) for x, y in zip(yes[:-1].ravel(), yes[1:].ravel())]
rarely = (sticky[1], sticky[0])
in_doubt = [(Fraction(9, 10), (rarely, rarely)), (Fraction(1, 10), (sticky, sticky))]
gains = gains_by_name(in_doubt, yes)

w = sp.symbols("w:3", nonnegative=True)  # weights of the matrices, of sum 1
prior = sp.symbols("p:3", nonnegative=True)  # that she is at j
given = sp.symbols("g:3", nonnegative=True)  # the output, given that she is at j
output = sp.symbols("f:3", nonnegative=True)  # the output
doubtful = bound * sum(map(sp.Mul, w, prior)) * sum(map(sp.Mul, w, output))
doubtful -= sum(w) * sum(map(sp.prod, zip(w, prior, given)))
by_pairs = 0
for one in range(3):
    by_pairs += w[one] ** 2 * prior[one] * (bound * output[one] - given[one])
for one, other in combinations(range(3), 2):
    pair = prior[one] * (bound * output[other] - given[one])
    pair += prior[other] * (bound * output[one] - given[other])
    by_pairs += w[one] * w[other] * pair

if_there, chance = {}, {}
for row in (fair, sticky):
    if_there[row] = promise_by_name([row, row], 0)  # with the bound 0 a row is p(x | u at j)
    chance[row] = (if_there[row] - promise_by_name([row, row], 1))[0]
crossed = []
for u, j in ((0, 0), (1, 1)):  # the rows are (Ann, stays), (Ann, goes), ...
    row = fair[j] * (if_there[fair][u] - E * chance[sticky])
    row = row + sticky[j] * (if_there[sticky][u] - E * chance[fair])
    crossed.append(row)
pairs = np.vstack([fair_rows, sticky_rows, crossed])
for_doubt, loss_doubt, bound_doubt = proved_least(cost, pairs)
largest_in_doubt = []
for tenths in range(11):
    share = Fraction(tenths, 10)
    doubts = [(1 - share, (fair, fair)), (share, (sticky, sticky))]
    largest_in_doubt.append(max(gains_by_name(doubts, for_doubt).values()))
with claim("M-B45") as c:
    c.exact(max(ratios), Fraction(5, 4), "event-level ratio of the release")
    label = "gain of a yes about staying, by name"
    c.decisive("proved").exact(gains[1, 0, 0], Fraction(275, 218), label)
    label = "the slack in doubt, by pairs of matrices"
    c.decisive("proved").exact(sp.expand(doubtful - by_pairs), sp.Integer(0), label)
    label = "two people, 5/3: loss of a channel, bound of the multipliers"
    c.exact([loss_doubt, bound_doubt], [Fraction(421, 759)] * 2, label)
    label = "its largest gain in doubt, by name, eleven weights"
    c.at_most(float(max(largest_in_doubt)), float(E), label, slack=1e-12)
