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
# # Evidence: What does oblivious transfer enforce?
#
# The statements on oblivious transfer in the paper's sections 3.1, 4.2, 6.3 to 6.6 and Table 7, in the paper's order: what each one states, and its check. Nothing is hidden. Some claims stand later than in the paper: S-4.22 after the real transfers, and S-6.8 and S-6.20 to S-6.22 after Table 7, because they need them. The story is told in
# [the notebook of the same name](../../sketch/05-oblivious-transfer.ipynb).

# %%
import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import sympy as sp
from scipy.stats import chi2

from privlib.notebook import claim, derivation, increasing
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch, poisoning, transfer
from privlib.sketch.data import shop_counts
from privlib.sketch.slots import slot_epsilon

cms = CountMeanSketch(1.0, hashes=1024, width=128, seed=2024)
hcms = HadamardCountMeanSketch(1.0, hashes=1024, width=128, seed=2024)
counts = shop_counts()
rng = np.random.default_rng(2015)
shares = [Fraction(share) for share in ("0.01", "0.02", "0.04", "0.08", "0.1")]
printed = {
    "CMS": "38.30 76.61 158.33 331.97 423.90",
    "OT-CMS": "18.56 30.59 59.70 129.44 156.07",
    "HCMS": "32.6 65.19 134.73 282.51 360.74",
    "OT-HCMS": "17.15 38.75 65.34 135.75 148.91",
}
for name, row in printed.items():
    printed[name] = [Fraction(cell) for cell in row.split()]
assert sum(sum(row) for row in printed.values()) == Fraction("2705.14")

factor = 128 / 127
p, q = cms.keep, 1 - cms.keep
per_fake = {  # gain of a report without noise
    "CMS": factor * ((1 / math.tanh(1 / 4) + 1) / 2 - 1 / 128),
    "HCMS": factor * (1 / math.tanh(1 / 2) - 1 / 128),
}

# %% [markdown]
# ## S-1.9 (Figure 1)
#
# *An overview of the work.* The picture is not in our copy of the paper.

# %%
with claim("S-1.9") as c:
    c.source_incomplete("Figure 1, the overview, is not in our copy of the text")

# %% [markdown]
# ## S-3.22 and S-4.25 (oblivious transfer)
#
# S-3.22: *The receiver learns only one of the two messages, and the sender does not learn which.* S-4.25 says the same of the server and the user. Judged on the protocol of Chou and Orlandi, in the group of the squares modulo 23, of order 11. That the sender learns nothing
# is enumerated. That the receiver learns no more rests on square Diffie–Hellman and on the hash (random oracle), and is not checked; the limit is a receiver that computes the logarithm of $A$.

# %%
g, prime, order = 2, 23, 11


def toy_transfer(a, b, choice):
    """What the sender sees, the receiver's key, and the keys of both slots."""
    A = pow(g, a, prime)
    B = pow(g, b, prime) * pow(A, choice, prime) % prime
    slot_keys = [pow(B * pow(A, -slot, prime), a, prime) for slot in (0, 1)]
    return B, pow(A, b, prime), slot_keys


def both_keys(a, key, choice):
    """Keys that a receiver computes who finds the logarithm of A by search."""
    A = pow(g, a, prime)
    logarithm = next(x for x in range(order) if pow(g, x, prime) == A)
    other = key * pow(g, (2 * choice - 1) * logarithm**2, prime) % prime
    return [key, other] if choice == 0 else [other, key]


squares = Counter(x * x % prime for x in range(1, order + 1))
seen_by_sender, slots_that_fit, opened_by_search = [], [], []
for a, choice in product(range(1, order), (0, 1)):
    seen = Counter()
    for b in range(order):
        B, key, slot_keys = toy_transfer(a, b, choice)
        seen[B] += 1
        slots_that_fit.append((choice, [slot for slot in (0, 1) if slot_keys[slot] == key]))
        opened_by_search.append(both_keys(a, key, choice) == slot_keys)
    seen_by_sender.append((choice, seen))

messages = [b"left message    ", b"right message   "]  # 16 bytes each
opened = []
for choice in (0, 1):
    sender = transfer.Sender(randomness=rng.bytes)
    receiver = transfer.Receiver(sender.first, 0, choice=choice, randomness=rng.bytes)
    offers = sender.offer(receiver.second, 0, messages=messages)
    opened.append(receiver.open(offers))
sender = transfer.Sender(randomness=rng.bytes)
receiver = transfer.Receiver(sender.first, 0, choice=0, randomness=rng.bytes)
offers = sender.offer(receiver.second, 0, messages=messages)
other_message = receiver.open(offers[16:] + offers[:16])  # the key of slot 1, the other message

# %%
with claim("S-3.22") as c:
    label = "order 11: the sender sees each element equally often, for both choices"
    uniform = [squares] * 20
    c.decisive("one example").exact([seen for _, seen in seen_by_sender], uniform, label)
    label = "all secrets and choices: an honest receiver's key fits the chosen slot only"
    chosen_only = [(choice, [choice]) for choice, _ in slots_that_fit]
    c.exact(slots_that_fit, chosen_only, label)
    label = "order 11, a receiver that computes the logarithm of A: messages that it opens"
    c.limit(1, 1 + all(opened_by_search), label)
    c.exact(opened, messages, "real transfers: the receiver reads what it chose")
    c.holds(other_message != messages[1], "real transfer: the other message stays masked")
with claim("S-4.25") as c:
    by_choice = {0: Counter(), 1: Counter()}
    for choice, seen in seen_by_sender:
        by_choice[choice] += seen
    label = "order 11: what the user sees has one distribution, whichever slot is taken"
    c.decisive("one example").exact(by_choice[0], by_choice[1], label)
    label = "order 11: the key of an honest server opens so many messages of the two"
    c.exact({len(fitting) for _, fitting in slots_that_fit}, {1}, label)
    label = "order 11, a server that computes the logarithm of A: messages that it opens"
    c.limit(1, 1 + all(opened_by_search), label)


# %% [markdown]
# ## S-4.19 (the attack sends no noise)
#
# *The MGA replaces the data after the perturbation, so that what is sent has no noise.* Two checks: the gains printed in Table 7 are those of signs that are all as intended; and in our reports no sign of a fake user is negated.

# %%
def negated(kind, number=2000):
    """How many signs of so many reports differ from those of the item's vector."""
    reports = poisoning.fake_reports(cms, kind, targets=["A18"], n_fake=number, rng=rng)
    rows, signs = cms.unpack(reports)
    cell = cms.family.positions(["A18"])[0][rows]
    intended = np.where(np.arange(cms.width) == cell[:, None], 1, -1)
    return int((signs != intended).sum())


with claim("S-4.19") as c:
    for name, gain in per_fake.items():
        label = f"Table 7, {name}, 166 fake users: the gain of reports without noise, not 1"
        one_printed = float(printed[name][-1]) / 166  # half a last digit is 0.005
        c.decisive("one example").close(one_printed, gain, label, rtol=0, atol=0.0051 / 166)
    c.exact(negated("mga"), 0, "our MGA: signs negated, of 256,000")
    expected = 1 / (1 + math.exp(0.5))
    stderr = math.sqrt(expected * (1 - expected) / 256_000)
    label = "honest reports: the share q of the signs is negated"
    c.sampled(negated("ria") / 256_000, expected, label, stderr=stderr)

# %% [markdown]
# ## S-B11 (shuffled slots)
#
# Beyond the paper: *one of $N$ slots, $N_t$ of them true and all shuffled by the client, is private with $\varepsilon = \ln\frac{N_t}{N - N_t}$ a bit.* The proof: the orders with the true value in a fixed slot, divided by those with the false value there. (The page says the same with probabilities: each slot holds the true value with probability $N_t/N$.) The second route enumerates
# all views.

# %%
slots, true = sp.symbols("N N_t", positive=True, integer=True)
orders = sp.binomial(slots - 1, true - 1) / sp.binomial(slots - 1, true)
slot_odds = derivation(orders, of=r"\frac{p}{1-p}").equal(
    true / (slots - true), "cancel factorials"
)


def shuffled(w, slots, true):
    """Probability of each view if the user shuffles the slots and the server opens any."""
    views = Counter()
    for true_slots in combinations(range(slots), true):
        for opened in range(slots):
            sign = w if opened in true_slots else -w
            views[opened, sign] += 1
    return {view: Fraction(number, views.total()) for view, number in views.items()}


def known_order(w):
    """The same for two slots if the server knows the order; p = 8/11."""
    return {("true value", w): Fraction(8, 11), ("false value", -w): Fraction(3, 11)}


def largest_ratio(plus, minus):
    """Largest ratio of the probabilities of one view, infinite if one of them is 0."""
    largest = 0
    for view in set(plus) | set(minus):
        low, high = sorted((plus.get(view, 0), minus.get(view, 0)))
        if low == 0:
            return sp.oo
        largest = max(largest, high / low)
    return largest


def best_guess(plus, minus):
    """How often the best guess of the sign is right, for equally likely signs."""
    return sum(max(plus.get(v, 0), minus.get(v, 0)) for v in set(plus) | set(minus)) / 2


def true_opened(plus):
    """How often the opened value is the true one."""
    return sum(probability for (_, sign), probability in plus.items() if sign == 1)


by_enumeration, by_formula = [], []
for N, T in ((3, 2), (5, 3), (8, 5), (11, 8)):
    by_enumeration.append(largest_ratio(shuffled(1, N, T), shuffled(-1, N, T)))
    by_formula.append(Fraction(T, N - T))
plus, minus = shuffled(1, 11, 8), shuffled(-1, 11, 8)
two_signs = []  # two cells in which the vectors of two items differ
for y, z in product((1, -1), repeat=2):
    two_signs.append(plus[0, y] * minus[0, z] / (minus[0, y] * plus[0, z]))

# %%
with claim("S-B11") as c:
    label = "ratio for the opened slot, all N and N_t"
    c.decisive("proved").derived(slot_odds, orders, true / (slots - true), label)
    label = "2 of 3, 3 of 5, 5 of 8, 8 of 11: largest ratio over all views"
    c.exact(by_enumeration, by_formula, label)
    levels = [slot_epsilon(11, 8), slot_epsilon(11, 8, bits=2)]
    logarithms = [math.log(by_enumeration[-1]), math.log(max(two_signs))]
    label = "8 of 11: the package's ε for one sign and for two, and the enumerated ratios"
    c.close(levels, logarithms, label, rtol=1e-12)

# %% [markdown]
# ## S-4.24 (1-out-of-1/p)
#
# *User and server communicate by "1-out-of-$1/p$ OT".* Taken literally, $1/p$ is a number of slots. It lies between 1 and 2.

# %%
eps = sp.Symbol("varepsilon", positive=True)
keep = sp.exp(eps / 2) / (1 + sp.exp(eps / 2))
literal_slots = (
    derivation(1 / keep, of=r"\frac1p")
    .equal(1 + sp.exp(-eps / 2), "divide by $e^{\\varepsilon/2}$")
    .at_most(2, "equal at $\\varepsilon = 0$, then it falls", by=increasing(eps, 0))
)

# %%
with claim(
    "S-4.24",
    printed=r"1-out-of-$1/p$ OT",
    corrected=r"1-out-of-$N$ OT with $N_t$ true slots in random order, $p = N_t/N$",
    consequence=(
        f"$p$ becomes rational: 8 of 11 slots give {slot_epsilon(11, 8):.3f} "
        "for one sign. The estimator takes the constant of that $p$."
    ),
) as c:
    number = 1 / cms.keep
    c.fails(number == round(number), f"ε = 1: 1/p = {number:.3f} is an integer", method="numeric")
    c.close(number, 1 + math.exp(-1 / 2), "the package's p and the printed one", rtol=1e-12)
    label = "1/p is at most 2 for every ε"
    c.derived(literal_slots, 1 / keep, sp.Integer(2), label)
    c.exact(sp.limit(1 / keep, eps, sp.oo), sp.Integer(1), "and 1 in the limit")
    label = "8 of 11 shuffled slots: the true value with p = 8/11"
    c.decisive("one example").exact(true_opened(plus), Fraction(8, 11), label)
    c.at_most(slot_epsilon(11, 8), 1.0, "and ε = ln(8/3), below 1")


# %% [markdown]
# ## S-4.20 and S-6.29 (what is enforced)
#
# S-4.20: *The user does not perturb alone, but lets the server take part by a transfer; hence wrongful perturbation is prevented.* S-6.29 draws the conclusion: *malicious users cannot send what they intend, and the safety improves.* Both are read against the attacker of section 3.2, who may send any data. They hold with honest slots. The counterexample fills
# both slots of every transfer with the wanted sign.

# %%
def gain_on(targets, scheme, reports):
    """What reports of fake users add to the estimates of the targets."""
    return float(scheme.aggregate(reports).estimate(targets).sum())


def equal_slots(scheme, targets):
    """A real transfer whose slots all hold the wanted sign, and the report that was wanted."""
    hadamard = scheme is hcms  # then: any row and coordinate, drawn uniformly
    wanted = poisoning.fake_reports(
        scheme, "mga", targets=targets, n_fake=1, rng=rng, hidden=hadamard
    )
    signs = scheme.unpack(wanted)[-1].reshape(-1, 1)
    column = int(wanted["column"][0]) if hadamard else 0
    sent = transfer.oblivious_report(
        scheme,
        targets[0],
        order="known",
        contents=np.repeat(signs, 2, axis=1),
        place=(int(wanted["row"][0]), column),
        randomness=rng.bytes,
    )
    return sent, wanted


as_wanted = []
signs_sent = set()
gains = {"CMS": [], "HCMS": []}
for scheme, size in ((cms, 15), (hcms, 15), (hcms, 30), (hcms, 62), (hcms, 130), (hcms, 166)):
    reports, wishes = [], []
    for _ in range(size):
        sent, wanted = equal_slots(scheme, ["A18"])
        reports.append(sent.report)
        wishes.append(wanted)
        if scheme is hcms:
            signs_sent.add(int(wanted["sign"][0]))
    reports = np.concatenate(reports)
    as_wanted.append(np.array_equal(reports, np.concatenate(wishes)))
    gains[scheme.name].append(gain_on(["A18"], scheme, reports) / size)
eight = [f"A{i}" for i in range(36, 44)]
eight_targets = gain_on(eight, cms, equal_slots(cms, eight)[0].report)

honest, honest_error, ones_left = {}, {}, []
first_taken = []
for scheme, size in ((cms, 75), (hcms, 300)):
    reports = []
    for _ in range(size):
        sent = transfer.oblivious_report(scheme, "A18", order="known", randomness=rng.bytes)
        reports.append(sent.report)
        if scheme is cms:
            ones_left.append(int((transfer.infer_from_choices(sent) == 1).sum()))
            first_taken.extend(sent.choices == 0)
    variance = poisoning.gain_variance(scheme, "ria", n_fake=size, targets=1)
    honest[scheme.name] = gain_on(["A18"], scheme, np.concatenate(reports)) / size
    honest_error[scheme.name] = math.sqrt(variance) / size


# %% [markdown]
# A server that knows the order can test a CMS report: with the choices undone, an honest vector has exactly one $+1$. What can the best fake user gain then? A target's cell can be filled in four ways. The other cells are honest $-1$, and at most one of them is an honest $+1$; other fillings only change how many $+1$ are left. The second route goes through all fillings of all
# cells and all choices, for a sketch with four columns.

# %%
def fillings_of_a_cell(width, keep):
    """Filling -> sign left -> (probability, mean gain of the cell's target, given that sign)."""
    constant = 1 / (2 * keep - 1)
    blow = Fraction(width, width - 1)
    high = blow * ((constant + 1) / 2 - Fraction(1, width))  # the server reads +1
    low = blow * ((1 - constant) / 2 - Fraction(1, width))  # the server reads -1
    flip = 1 - keep
    return {
        "both +1": {1: (keep, high), -1: (flip, high)},
        "both -1": {1: (flip, low), -1: (keep, low)},
        "honest +1": {1: (1, keep * high + flip * low)},
        "honest -1": {-1: (1, keep * low + flip * high)},
    }


def after_the_test(filling, kinds):
    """Number of +1 left in the targets' cells (0 or 1) -> (probability, gain times it)."""
    states = {0: (1, 0)}
    for name in filling:
        following = {}
        for left, (probability, gain) in states.items():
            for sign, (chance, mean) in kinds[name].items():
                ones = left + 1 if sign == 1 else left
                if ones <= 1:
                    before = following.get(ones, (0, 0))
                    more = (probability * chance, chance * (gain + probability * mean))
                    following[ones] = (before[0] + more[0], before[1] + more[1])
        states = following
    return states


def best_by_fillings(targets, width, keep):
    """Largest mean gain of a fake user whose targets have cells of their own."""
    kinds = fillings_of_a_cell(width, keep)
    best = 0
    for filling in combinations_with_replacement(kinds, targets):
        for _, gain in after_the_test(filling, kinds).values():
            best = max(best, gain)  # one +1 left here, or none here and one elsewhere
    return best


def best_of_all(targets):
    """The same for m = 4 and p = 5/8, over all fillings of all cells and all choices."""
    best = 0
    for cells in product(product((1, -1), repeat=2), repeat=4):
        gain = 0
        for choices in product((0, 1), repeat=4):
            read, left = [], []
            for (first, second), choice in zip(cells, choices):
                read.append(first if choice == 0 else second)
                left.append(first if choice == 0 else -second)
            if left.count(1) == 1:
                first_slots = choices.count(0)
                probability = Fraction(5**first_slots * 3 ** (4 - first_slots), 8**4)
                for sign in read[:targets]:
                    entry = Fraction(4 * sign + 1, 2)  # c = 4
                    gain += probability * Fraction(4, 3) * (entry - Fraction(1, 4))
        best = max(best, gain)
    return best


small = [best_by_fillings(targets, 4, Fraction(5, 8)) for targets in (1, 2, 3)]
small_outright = [best_of_all(targets) for targets in (1, 2, 3)]
look_one = best_by_fillings(1, 128, cms.keep)
look_eight = best_by_fillings(8, 128, cms.keep)
two_cells = 2 * p * q * (2 * per_fake["CMS"] - 6 / 127)  # +1 in both slots of two cells

# %%
with claim(
    "S-4.20",
    printed="the server takes part in the choice by a transfer; hence no wrongful perturbation",
    corrected="so it is if the slots hold $w$ and $-w$; the paper does not test it",
    consequence=(
        "Against the attacker of section 3.2, who fills the slots, and a server that "
        "keeps every report, the gain of the MGA is unchanged: "
        "$n' F(\\frac{c+1}{2} - \\frac1m)$ a target for CMS and "
        "$n' F(c - \\frac1m)$ for HCMS. Table 7 measures honest slots."
    ),
) as c:
    label = f"equal slots: one of {len(as_wanted)} sets of reports arrives perturbed"
    c.fails(not all(as_wanted), label)
    for name, value in honest.items():
        label = f"OT-{name}, honest slots: one user for each fake user"
        c.decisive("simulated").sampled(value, 1.0, label, stderr=honest_error[name])
with claim(
    "S-6.29",
    printed="the transfers force the perturbation; malicious users cannot send what they intend",
    corrected="they can, through equal slots, which nothing in the paper tests",
    consequence=(
        "If the server keeps every report, the largest gain of a fake user is that of "
        f"CMS, {per_fake['CMS']:.2f} users a target at the defaults, and that of eight targets is "
        "eight times that of one. If the server knows the order, undoes its choices and "
        "keeps only what an item could have sent, the best fake user on CMS gains "
        f"{look_one:.2f} users with one target and {look_eight:.2f} with eight "
        "in cells of their own, more if the fake user finds a row in which they "
        "share cells. No such test of one HCMS report is possible without a proof, because an "
        "honest user may send either sign at any row and coordinate."
    ),
) as c:
    least = min(min(row) for row in gains.values())
    label = f"equal slots: at most one user for each fake user; it is at least {least:.2f}"
    c.fails(least <= 1, label, method="numeric")
    for name, row in gains.items():
        label = f"OT-{name}, equal slots, real transfers: the full gain of the MGA"
        c.decisive("one example").close(row, [per_fake[name]] * len(row), label)
    for name, value in honest.items():
        label = f"OT-{name}, honest slots: less than without transfers"
        c.at_most(value + 4 * honest_error[name], per_fake[name], label)
    label = "OT-HCMS: signs that fake users send if they draw row and coordinate uniformly"
    c.exact(signs_sent, {1, -1}, label)
    label = "OT-CMS, equal slots, eight targets, real transfers: eight times as much"
    c.close(eight_targets, 8 * per_fake["CMS"], label)
    label = "order known: signs +1 left of each honest vector, real transfers"
    c.exact(set(ones_left), {1}, label)
    label = "a server that tests, m = 4, r = 1, 2, 3: all 256 fillings and 16 choices"
    c.exact(small, small_outright, label)
    label = "m = 128, r = 1 and 8, by hand: p u, and two cells alike, 2 p q (2 u − 6/127)"
    c.close([look_one, look_eight], [p * per_fake["CMS"], two_cells], label)

# %% [markdown]
# ## S-4.22 (how the server takes the true value)
#
# *The user offers 1 and −1; the server takes the true value with probability $p$ and the false one with $q$.* Right if the server knows the order, or with more slots. The limits: two slots in an order that only the user knows give $p = \frac12$; and a server that knows the order learns the sign.

# %%
two_plus, two_minus = shuffled(1, 2, 1), shuffled(-1, 2, 1)
with claim("S-4.22") as c:
    label = "order known, 9,600 real transfers: the true value is taken with p"
    stderr = math.sqrt(p * q / len(first_taken))
    c.decisive("simulated").sampled(np.mean(first_taken), p, label, stderr=stderr)
    label = "11 shuffled slots: the same p, without aiming"
    c.decisive("one example").exact(true_opened(plus), Fraction(8, 11), label)
    label = "two slots, shuffled by the user: the true value is taken with"
    c.limit(Fraction(8, 11), true_opened(two_plus), label)
    label = "order known: the server guesses the sign with"
    c.limit(best_guess(plus, minus), best_guess(known_order(1), known_order(-1)), label)
    assert best_guess(two_plus, two_minus) == Fraction(1, 2)

# %% [markdown]
# ## S-6.7 (items and trials)
#
# *The OT experiments have 10 trials and evaluate A18 and A34.* Without transfers, $n'$ fake users gain $n'$ times a known number, so Table 7 gives the numbers $n'$. If $n' = \lfloor n\beta/(1-\beta) \rfloor$, rounded down as in Table 5, then the number $n$ of honest users follows. Of all single items and pairs only A18 and A34 have as many; of the triples, which the paper does not name, twelve have. (Rounded to the nearest integer, $n'$ would need 1490 to 1494 users, whom no item and no pair has.) The number of
# trials is compatible with ten, as is every number from 1 to 11. (We test each of the two schemes by itself, at the level of 1%.)

# %%
users = counts["A18"] + counts["A34"]
fakes = np.array([int(users * share / (1 - share)) for share in shares])
by_cms = [round(gain / per_fake["CMS"]) for gain in printed["CMS"]]
by_hcms = [round(gain / per_fake["HCMS"]) for gain in printed["HCMS"]]
possible = []
for number in range(1, 5000):
    if [poisoning.n_fake_users(number, share) for share in shares] == by_cms:
        possible.append(number)
nearest = []  # the same, rounded to the nearest integer
for number in range(1, 5000):
    if [round(number * share / (1 - share)) for share in shares] == by_cms:
        nearest.append(number)


def sets_of_items(size, sums):
    """Sets of so many items whose users, added up, are one of the sums."""
    sets = []
    for items in combinations(sorted(counts), size):
        if sum(counts[item] for item in items) in sums:
            sets.append(items)
    return sets


singles_and_pairs = sets_of_items(1, possible) + sets_of_items(2, possible)
triples = sets_of_items(3, possible)

constant = {"CMS": 1 / math.tanh(1 / 4), "HCMS": 1 / math.tanh(1 / 2)}
weight = {"CMS": factor / 2, "HCMS": factor}
columns, stderr = {}, {}
chi_square = {}
for name in ("CMS", "HCMS"):
    columns[name] = np.array(printed[name], dtype=float)
    columns[f"OT-{name}"] = np.array(printed[f"OT-{name}"], dtype=float)
    variance = weight[name] ** 2 * (constant[name] ** 2 - 1)  # of one fake user, honest slots
    stderr[name] = np.sqrt(variance * fakes / 10)
    deviations = (columns[f"OT-{name}"] - fakes) / stderr[name]
    chi_square[name] = float((deviations**2).sum())
largest_chi_square = chi2.isf(0.01, len(fakes))  # exceeded by chance in 1% of the cases
trials_that_fit = []
for trials in range(1, 101):
    if max(chi_square.values()) * trials / 10 <= largest_chi_square:
        trials_that_fit.append(trials)

# %%
with claim("S-6.7") as c:
    label = "fake users: from the users of A18 and A34, and from the printed gains"
    c.decisive("exhaustive").exact(fakes, by_cms, label)
    c.exact(fakes, by_hcms, "the HCMS column gives the same")
    c.exact((possible[0], possible[-1]), (1495, 1502), "these admit 1495 to 1502 honest users")
    label = "of all 43 items and 903 pairs of items: those with so many users"
    c.decisive("one example").exact(singles_and_pairs, [("A18", "A34")], label)
    c.exact(len(triples), 12, "triples of items with so many users, beside this pair")
    label = "rounded to the nearest integer: honest users, and items and pairs that have as many"
    alike = sets_of_items(1, nearest) + sets_of_items(2, nearest)
    c.exact((nearest[0], nearest[-1], alike), (1490, 1494, []), label)
    for name, value in chi_square.items():
        label = f"ten trials: χ² {value:.1f} of the five OT-{name} cells, not rejected at 1%"
        c.at_most(value, largest_chi_square, label)
    label = "numbers of trials that are compatible: all from 1 to 11"
    c.exact(trials_that_fit, list(range(1, 12)), label)

# %% [markdown]
# ## S-T7.mga, S-T7.ot, S-Fg10-11 (Table 7, Figures 10 and 11)
#
# *Gain of the MGA for five shares of fake users, without transfers (ten cells) and with transfers (ten cells).* Without transfers we compare the rounded numbers. With transfers we compare with honest slots, within the error of a mean of ten trials, and test each scheme by itself: OT-CMS fits, OT-HCMS fits less well. The figures are not in our copy; they draw the table.

# %%
with claim("S-T7.mga") as c:
    for name in ("CMS", "HCMS"):
        rounded = [Fraction(f"{per_fake[name] * number:.2f}") for number in fakes]
        label = f"{name}: five cells, rounded as printed"
        c.decisive("exhaustive").exact(rounded, printed[name], label)
with claim("S-T7.ot") as c:
    for name in ("CMS", "HCMS"):
        one = poisoning.gain_variance({"CMS": cms, "HCMS": hcms}[name], "ria", n_fake=1, targets=1)
        label = f"OT-{name}: error of ten trials, by hand and by the package"
        c.close(stderr[name], np.sqrt(one * fakes / 10), label)
        label = f"OT-{name}: the gain n' of honest slots"
        c.decisive("simulated").sampled(columns[f"OT-{name}"], fakes, label, stderr=stderr[name])
        p_value = chi2.sf(chi_square[name], len(fakes))
        label = f"OT-{name}, five cells: χ² {chi_square[name]:.1f} on 5, p {p_value:.3f}, not below 1%"
        c.at_most(0.01, p_value, label)
with claim("S-Fg10-11") as c:
    c.source_incomplete("Figures 10 and 11 are not in our copy of the text")
    drawn = np.array([math.floor(users * share / (1 - share)) for share in shares])
    for name in ("CMS", "HCMS"):
        label = f"{name} against β, rebuilt: n'(β) times the gain of one fake user"
        curve = per_fake[name] * drawn
        c.decisive("exhaustive").close(curve, columns[name], label, rtol=0, atol=0.0051)
        label = f"OT-{name} against β, rebuilt: n'(β)"
        c.decisive("simulated").sampled(columns[f"OT-{name}"], drawn, label, stderr=stderr[name])

# %% [markdown]
# ## S-6.8 and S-6.20 to S-6.22 (what is read from Table 7)
#
# S-6.8: *The OT experiments evaluate the MGA.* Of honest slots, which turn it into an RIA. S-6.20: *OT-CMS and OT-HCMS have smaller gains.* S-6.21 and S-6.22: *at $\beta = 0.1$ they are safer by 267.83 and by 211.83.*

# %%
with claim("S-6.8") as c:
    for name in ("CMS", "HCMS"):
        label = f"OT-{name}: the gain of an RIA, so the slots were filled honestly"
        c.decisive("simulated").sampled(columns[f"OT-{name}"], fakes, label, stderr=stderr[name])
        below = (per_fake[name] * fakes - columns[f"OT-{name}"]) / stderr[name]
        c.at_most(10, below[2:], f"OT-{name}, from 4%: ten standard errors below a full MGA")
with claim("S-6.20") as c:
    ratios = []
    for name in ("CMS", "HCMS"):
        for cell, unprotected in zip(printed[f"OT-{name}"], printed[name]):
            ratios.append(cell / unprotected)
    label = "ten pairs of printed cells: part of the gain that is left with transfers"
    c.decisive("exhaustive").at_most(ratios, [Fraction(99, 100)] * 10, label)
    label = "theory, honest slots: 1 is less than the gain without transfers"
    c.at_most(1.0, min(per_fake.values()), label)
for claim_id, name, said in (("S-6.21", "CMS", "267.83"), ("S-6.22", "HCMS", "211.83")):
    with claim(claim_id) as c:
        gap = printed[name][-1] - printed[f"OT-{name}"][-1]
        c.decisive("one example").exact(gap, Fraction(said), "difference of two printed cells")
        expected = (per_fake[name] - 1) * fakes[-1]
        label = f"theory with honest slots: {expected:.1f}"
        c.sampled(float(gap), expected, label, stderr=stderr[name][-1])


# %% [markdown]
# ## S-6.27 (the constants of section 6.5)
#
# *The factor of CMS is printed as $\frac{e^{\varepsilon/2 + 1}}{e^{\varepsilon/2 - 1}}$.* Our copy of the text was made by a machine, and in small type a machine may well move "+ 1" into an exponent. What the paper prints cannot be seen in our copy. The check rebuilds the constant from Table 7: the reading as in section 2.2 gives the printed
# gains, and the one in our copy does not.

# %%
def cells(constant):
    """Table 7 without transfers for CMS, with this constant, rounded as printed."""
    gain = factor * ((constant + 1) / 2 - 1 / 128)
    return [Fraction(f"{gain * number:.2f}") for number in fakes]


a = math.exp(1 / 2)
with claim("S-6.27") as c:
    c.source_incomplete("whether the 1 stands in the exponent or beside it, in a copy by machine")
    label = "the constant with the 1 beside the power: five cells of Table 7"
    c.decisive("exhaustive").exact(cells((a + 1) / (a - 1)), printed["CMS"], label)
    as_copied = math.exp(1 / 2 + 1) / math.exp(1 / 2 - 1)
    c.holds(cells(as_copied) != printed["CMS"], "with the 1 in the exponent they do not fit")

# %% [markdown]
# ## S-6.32 and S-6.32b (trust in the server)
#
# S-6.32: *Because the server helps to perturb, it is trusted to some degree.* How much depends on the order of the slots. S-6.32b: *the proposal therefore differs from the original idea of local differential privacy.* True if the server knows the order; the limit is shuffled slots.

# %%
sent = transfer.oblivious_report(cms, "A18", order="known", place=(8, 0), randomness=rng.bytes)
undone = transfer.infer_from_choices(sent)
cell = cms.family.positions(["A18"])[0, 8]
vector = np.where(np.arange(128) == cell, 1, -1)
bytes_of_transfer = sum(sent.sent)
bytes_in_the_clear = cms.width // 8  # without the row number, as in the transfers
known_plus, known_minus = known_order(1), known_order(-1)
with claim("S-6.32") as c:
    label = "order known: the server knows w, as if it were sent in the clear"
    c.decisive("one example").exact(best_guess(known_plus, known_minus), Fraction(1), label)
    c.exact(undone.tolist(), vector.tolist(), "order known, real transfers: v from one report")
    label = "shuffled slots: the best guess is right as for an ordinary report, 8 of 11"
    c.decisive("one example").exact(best_guess(plus, minus), Fraction(8, 11), label)
    c.at_most(bytes_in_the_clear, bytes_of_transfer, "bytes: in the clear, by transfers")
with claim("S-6.32b") as c:
    label = "order known: no view is possible for both signs, so no ε is kept"
    c.decisive("one example").exact(set(known_plus) & set(known_minus), set(), label)
    label = "11 slots, shuffled by the user: largest ratio"
    c.limit(largest_ratio(known_plus, known_minus), largest_ratio(plus, minus), label)
