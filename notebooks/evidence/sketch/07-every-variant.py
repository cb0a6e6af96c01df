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
# # Evidence: Every variant, and what a cheating client can still gain
#
# One statement of the paper's section 4.2, and what goes beyond it: free input, aborting, committed items, spent sessions, and the comparison of all variants. Nothing is hidden. The story is told in
# [the notebook of the same name](../../sketch/07-every-variant.ipynb).

# %%
import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import numpy as np
import sympy as sp

from privlib.notebook import claim, derivation
from privlib.research.verifiable_noise import Client, ProofError, Protocol, Server
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch, poisoning, transfer
from privlib.sketch.data import shop_counts
from privlib.sketch.hadamard import hadamard_matrix
from privlib.sketch.slots import slot_epsilon
from privlib.sketch.threat_model import threat_matrix

counts = shop_counts()
eight = [f"A{i}" for i in range(36, 44)]
rng = np.random.default_rng(2016)

# %% [markdown]
# ## S-4.21 (the row stays with the user)
#
# *The entries of the vector are chosen with the server's help; the number of the hash function is sent as before.* Real transfers of a user who wants row 8: the report has this row, and the server chooses once for each sign and for nothing else.

# %%
with claim("S-4.21") as c:
    for kind, signs in ((CountMeanSketch, 128), (HadamardCountMeanSketch, 1)):
        scheme = kind(1.0, hashes=1024, width=128, seed=2024)
        sent = transfer.oblivious_report(
            scheme, "A18", order="known", place=(8, 0), randomness=rng.bytes
        )
        label = f"OT-{scheme.name}: the row is the user's"
        c.exact(int(sent.report["row"][0]), 8, label)
        label = f"OT-{scheme.name}: one choice of the server for each sign, none for the row"
        c.decisive("one example").exact(sent.choices.size, signs, label)
        label = f"OT-{scheme.name}: all bytes are those of the transfers"
        c.exact(sent.sent, (32 + 32 * signs, 32 * signs), label)

# %% [markdown]
# ## S-4.26 (enforced noise leaves the input free)
#
# *Even where the noise is enforced the input is free, and $r$ targets gain $r n'$.* One target's gain is linear in the expectation $u/c$ of the noisy sign, where $u = 1 - v$ is the sign before the noise.

# %%
c_, F = sp.symbols("c F", positive=True)  # F = m/(m - 1), so 1/m = 1 - 1/F
v = sp.Symbol("v", nonnegative=True)
noisy_mean = sp.Mul(c_, (1 - v) / c_, evaluate=False)  # c times u/c
gain_cms = F * ((noisy_mean + 1) / 2 - (1 - 1 / F))
gain_hcms = F * (noisy_mean - (1 - 1 / F))
chain_cms = (
    derivation(gain_cms, of=r"F\left(\tfrac{c\,u/c+1}{2}-\tfrac1m\right)")
    .equal(1 - F * v / 2, "$c$ cancels, and so does $F - 1$")
    .at_most(1, "equal at $v = 0$")
)
chain_hcms = (
    derivation(gain_hcms, of=r"F\left(c\,\tfrac uc-\tfrac1m\right)")
    .equal(1 - F * v, "$c$ cancels, and so does $F - 1$")
    .at_most(1, "equal at $v = 0$")
)
chain_cms

# %%
chain_hcms


# %%
def expected_gain_cms(vector, cells):
    """Exact expected gain of a CMS report with enforced noise: m = 4, p = 5/8, c = 4."""
    total = Fraction(0)
    for flips in product((1, -1), repeat=4):
        probability = Fraction(1)
        for flip in flips:
            probability *= Fraction(5, 8) if flip == 1 else Fraction(3, 8)
        for x in cells:
            entry = (4 * vector[x] * flips[x] + 1) / Fraction(2)
            total += probability * Fraction(4, 3) * (entry - Fraction(1, 4))
    return total


by_vector = {}
for vector in product((1, -1), repeat=4):
    by_vector[vector] = expected_gain_cms(vector, (0, 1))

fakes, runs = 502, 100  # 1% of fake users in the shop
simulated = {}
for kind in (CountMeanSketch, HadamardCountMeanSketch):
    scheme = kind(1.0, hashes=1024, width=128, seed=2024)
    for attack, hidden in (("all_ones", True), ("ria", False)):
        gains = []
        for _ in range(runs):
            reports = poisoning.fake_reports(
                scheme, attack, targets=eight, n_fake=fakes, rng=rng, hidden=hidden
            )
            gains.append(scheme.aggregate(reports).estimate(eight).sum())
        expected = poisoning.frequency_gain(scheme, "ria", n_fake=fakes, targets=eight)
        if attack == "all_ones":
            expected = 8 * fakes
        stderr = np.std(gains, ddof=1) / math.sqrt(runs)
        simulated[scheme.name, attack] = np.mean(gains), expected, stderr

# %%
with claim("S-4.26") as c:
    label = "CMS: at most 1 for each target"
    c.decisive("proved").derived(chain_cms, gain_cms, sp.Integer(1), label)
    label = "HCMS: at most 1 for each target"
    c.decisive("proved").derived(chain_hcms, gain_hcms, sp.Integer(1), label)
    label = "m = 4, two targets, all 16 vectors and all noise: the best vector gains r = 2"
    c.exact(max(by_vector.values()), Fraction(2), label)
    label = "where the vector of one target gains 2/3"
    c.exact(by_vector[1, -1, -1, -1], Fraction(2, 3), label)
    for (name, attack), (mean, expected, stderr) in simulated.items():
        label = f"{name}, drawn, eight targets, signs of {attack}: {expected:.0f} expected"
        c.sampled(mean, expected, label, stderr=stderr)


# %% [markdown]
# ## S-B10a (the values of V5 and V6)
#
# *On HCMS, against a server that rejects wrong answers: in V5 the largest expected gain of a client that may abort is $p F (c\,r - \frac rm)$, and it aborts a share $q$. In V6, on average over the hash functions, a client that finishes gains at most 1, and on a wide sketch one that may abort gains at most
# $\frac12(c \operatorname{E}|S_r| + 1)$.* Both games are solved by backward induction, over all moves: all places, signs and numbers $\rho$ for V5, all items and numbers $\rho$ for V6. A value is a pair, of the gain and the share of sessions that end.

# %%
@dataclass(frozen=True)
class Game:
    """One session on a small HCMS sketch."""

    width: int  # m
    targets: int  # r
    slots: int  # N
    true: int  # N_t
    may_abort: bool

    def noisy(self, w, rho, coin):
        return w if (rho + coin) % self.slots < self.true else -w

    def families(self, items):
        """Hash values of some items in a row, all equally likely."""
        return list(product(range(self.width), repeat=items))

    def gain(self, y, column, x):
        """What a report adds to the targets with hash values x."""
        return gain_of_report(self, y, column, x)

    def answer(self, y, column, x):
        """The last move."""
        value = (self.gain(y, column, x), 1)
        return max(value, ABORT) if self.may_abort else value


ABORT = (Fraction(0), 0)
hadamard = cache(hadamard_matrix)


@cache
def gain_of_report(game, y, column, x):
    total = sum(int(hadamard(game.width)[column, value]) for value in x)
    scale = Fraction(game.slots, 2 * game.true - game.slots)
    value = scale * y * total - Fraction(game.targets, game.width)
    return Fraction(game.width, game.width - 1) * value


def average(values):
    """Mean of equally likely pairs."""
    return tuple(Fraction(sum(column)) / len(values) for column in zip(*values))


def over_coins(game, w, rho, column, x):
    """A sign and a number are fixed, then the coin is drawn."""
    signs = [game.noisy(w, rho, coin) for coin in range(game.slots)]
    return average([game.answer(y, column, x) for y in signs])


# %%
def v5(game, x):
    """Place, sign and number are fixed before the coin."""
    moves = product((1, -1), range(game.slots), range(game.width))
    return max(over_coins(game, w, rho, column, x) for w, rho, column in moves)


def v6(game):
    """Item and number are fixed before row, place and coin; the last item is no target."""
    values = []
    for item, rho in product(range(game.targets + 1), range(game.slots)):
        outcomes = []
        for x, column in product(game.families(game.targets + 1), range(game.width)):
            w = int(hadamard(game.width)[column, x[item]])
            outcomes.append(over_coins(game, w, rho, column, x[: game.targets]))
        values.append(average(outcomes))
    return max(values)


def v5_all_reactions(game, x):
    """V5 without backward induction: every place, committed number and reaction to the coins."""
    values = []
    reactions = list(product((1, -1, 0), repeat=game.slots))  # 0: abort
    for column, committed in product(range(game.width), range(2 * game.slots + 1)):
        b, rho = divmod(committed, game.slots)  # b = 2: no valid number, all answers are wrong
        for reaction in reactions:
            outcomes = []
            for coin, y in enumerate(reaction):
                right = b < 2 and y == game.noisy((-1) ** b, rho, coin)
                outcomes.append((game.gain(y, column, x), 1) if right else ABORT)
            values.append(average(outcomes))
    return max(values), len(values)


# %%
sizes = list(product(((2, 1), (2, 2), (4, 1), (4, 2), (4, 3)), ((3, 2), (5, 3))))
solved_v5, formula_v5, finishing_v6 = [], [], []
for (width, targets), (slots, true) in sizes:
    game = Game(width, targets, slots, true, may_abort=True)
    solved_v5.append(average([v5(game, x) for x in game.families(targets)]))
    p, scale = Fraction(true, slots), Fraction(slots, 2 * true - slots)
    blow_up = Fraction(width, width - 1)
    value = p * blow_up * (scale * targets - Fraction(targets, width))
    formula_v5.append((value, p))
    finishing_v6.append(v6(Game(width, targets, slots, true, may_abort=False))[0])


def wide_v6(targets, p):
    """The kept parts of w times the sum: the item's own 1, and fair signs of other targets."""
    total = Fraction(0)
    for others in product((1, -1), repeat=targets - 1):
        product_of_signs = 1 + sum(others)
        kept = p if product_of_signs > 0 else 1 - p
        total += kept * abs(product_of_signs) / (2 * p - 1) / 2 ** (targets - 1)
    return total


def half_formula(targets, p):
    """(c E|S_r| + 1)/2, all signs enumerated."""
    size = sum(abs(sum(signs)) for signs in product((1, -1), repeat=targets))
    return (Fraction(size, 2**targets) / (2 * p - 1) + 1) / 2


wide_sizes = list(product(range(1, 9), (Fraction(2, 3), Fraction(3, 5), Fraction(8, 11))))
small_game = Game(4, 2, 5, 3, may_abort=True)
outright = [v5_all_reactions(small_game, x) for x in ((0, 1), (2, 2), (3, 1))]
induced = [v5(small_game, x) for x in ((0, 1), (2, 2), (3, 1))]

# %% [markdown]
# The same for the shop's own sketch: eight targets, all rows and coordinates. Here the hash functions are fixed. A client that knows them commits to the target that shares most hash values with the others; this is where the average over the hash functions matters.

# %%
shop = HadamardCountMeanSketch(slot_epsilon(11, 8), hashes=1024, width=128, seed=2024)
signs = hadamard_matrix(128)[:, shop.family.positions(eight)].astype(int)  # (m, 8, k)
sums = signs.sum(axis=1)  # (m, k)
keep = 8 / 11
best_place = (keep * np.maximum(128 / 127 * (11 / 5 * abs(sums) - 8 / 128), 0)).max()
finishing, gains, aborted = [], [], []
for item in range(8):
    own = signs[:, item] * sums  # committed sign times the sum
    kept_sign = 128 / 127 * (11 / 5 * own - 8 / 128)
    negated = 128 / 127 * (-11 / 5 * own - 8 / 128)
    finishing.append((keep * kept_sign + (1 - keep) * negated).mean())
    value = keep * np.maximum(kept_sign, 0) + (1 - keep) * np.maximum(negated, 0)
    gains.append(value.mean(axis=0))
    aborted.append((keep * (kept_sign <= 0) + (1 - keep) * (negated <= 0)).mean(axis=0))
by_row = {"gain": np.mean(gains, axis=0), "aborted": np.mean(aborted, axis=0)}
best_aborting = max(values.mean() for values in gains)
matrix = {row.name: row for row in threat_matrix(slot_epsilon(11, 8), 8)}

positions = shop.family.positions(eight)
sharing = []  # targets with this one's hash value, itself included
for item in range(8):
    sharing.append((positions == positions[item]).sum(axis=0).mean())
by_sharing = 128 / 127 * (np.array(sharing) - 8 / 128)

A, B, p = sp.symbols("A B p", positive=True)  # E max(wS, 0) and E max(-wS, 0)
kept_parts = (p * A + (1 - p) * B) / (2 * p - 1)
last = ((A + B) / (2 * p - 1) + (A - B)) / 2
chain_v6 = derivation(kept_parts, of=r"c\,(p\,A + q\,B)").equal(last, "$c = 1/(2p - 1)$")
chain_v6

# %%
with claim("S-B10a") as c:
    label = "V5, ten small games, all strategies: gain, and share of sessions that end"
    c.decisive("sampled").exact(solved_v5, formula_v5, label)
    tried = sum(number for _, number in outright)
    label = f"V5, three families: best of {tried:,} pure strategies, and backward induction"
    c.exact([value for value, _ in outright], induced, label)
    label = "V6, ten small games: largest gain of a client that finishes"
    c.decisive("sampled").exact(finishing_v6, [Fraction(1)] * 10, label)
    label = "V6, wide sketch, 1 to 8 targets, three p: kept parts, and (c E|S| + 1)/2"
    enumerated = [wide_v6(targets, p) for targets, p in wide_sizes]
    formula = [half_formula(targets, p) for targets, p in wide_sizes]
    c.decisive("sampled").exact(enumerated, formula, label)
    c.derived(chain_v6, kept_parts, last, "V6, any p: c (p A + q B)")
    wide = {row.name: row for row in threat_matrix(slot_epsilon(11, 8), 8, width=1 << 24)}
    label = "V6, eight targets, the package at m = 2^24"
    c.close(wide["V6"].aborts, float(half_formula(8, Fraction(8, 11))), label, rtol=1e-5)
    c.close(best_place, matrix["V5"].aborts, "V5 in the shop's sketch, best of all places")
    for name, expected in (("gain", matrix["V6"].aborts), ("aborted", matrix["V6"].unfinished)):
        values = by_row[name]
        label = f"V6 in the shop's sketch, eight items, all rows and coordinates: {name}"
        stderr = values.std(ddof=1) / math.sqrt(values.size)
        c.sampled(values.mean(), expected, label, stderr=stderr)
    label = "V6 in the shop's sketch, each target: gain of finishing, and by shared hash values"
    c.close(finishing, by_sharing, label, rtol=1e-9)
    label = "V6 in the shop's sketch, hash functions known: best item, finishing"
    c.limit(1.0, max(finishing), label)
    label = "V6 in the shop's sketch, hash functions known: best item, aborting"
    c.limit(matrix["V6"].aborts, best_aborting, label)


# %% [markdown]
# ## S-B10b (spent sessions)
#
# *A session must be spent before its coin. Two sessions on one item have the level $2\varepsilon$, and no less. Whoever opens a session in somebody's name spends it; and if a client could begin anew until the coin is favourable, it would gain as much as without noise.*

# %%
def ratio_of(slots, true, coins, items):
    """Largest ratio of a view under two items; each item gives its sign in each session."""
    views = (Counter(), Counter())
    for numbers in product(range(slots), repeat=len(coins)):
        for signs, seen in zip(items, views):
            answers = []
            for w, rho, coin in zip(signs, numbers, coins):
                answers.append(w if (rho + coin) % slots < true else -w)
            seen[tuple(answers)] += 1
    return max(Fraction(views[0][view], views[1][view]) for view in views[0])


two_sessions, squared, all_signs = [], [], []
sign_pairs = list(product((1, -1), repeat=2))  # of one item at the two places of V6
for slots, true in ((3, 2), (5, 3), (8, 5), (11, 8)):
    odds = Fraction(true, slots - true)
    ratios = set()
    for coins in product(range(slots), repeat=2):
        ratios.add(ratio_of(slots, true, coins, ((1, 1), (-1, -1))))
    two_sessions.append(ratios)
    squared.append({odds**2})
    by_items = {}
    for items in product(sign_pairs, repeat=2):
        different = sum(a != b for a, b in zip(*items))
        by_items.setdefault(odds**different, set()).add(ratio_of(slots, true, (0, 0), items))
    all_signs.append(by_items)


def refused(action):
    try:
        action()
    except ProofError:
        return True
    return False


protocol = Protocol(shop, slots=11, true=8, domain=list(counts))
server = Server(protocol)
attacker, victim = Client(protocol, b"victim"), Client(protocol, b"victim")
server.challenge(b"victim", attacker.commit("A34"))
first_message = victim.commit("A18")
victim_refused = refused(lambda: server.challenge(b"victim", first_message))
bystander = Client(protocol, b"bystander")
coin = server.challenge(b"bystander", bystander.commit("A18"))
other_session = server.accept(b"bystander", bystander.respond(coin)).size
value, repeated, prob = sp.symbols("v V p", positive=True)
begin_anew = sp.solve(sp.Eq(repeated, prob * value + (1 - prob) * repeated), repeated)
lucky_report = Fraction(128, 127) * (Fraction(11, 5) * 8 - Fraction(8, 128))

# %%
with claim("S-B10b") as c:
    label = "two sessions, four numbers of slots, all pairs of coins: largest ratio"
    c.decisive("sampled").exact(two_sessions, squared, label)
    label = "two places, all signs of two items: the ratio is that of the signs that differ"
    expected = [{ratio: {ratio} for ratio in by_items} for by_items in all_signs]
    c.decisive("sampled").exact(all_signs, expected, label)
    c.exact([max(by_items) for by_items in all_signs], [max(s) for s in squared], "and the largest")
    label = "real sessions: the victim is refused, another user is not"
    c.decisive("one example").exact((victim_refused, other_session), (True, 1), label)
    c.exact(begin_anew, [value], "beginning anew until lucky: the value of a lucky report")
    label = "which for eight targets is the gain without enforced noise"
    c.decisive("one example").close(float(lucky_report), matrix["V0"].gain_hcms, label)


# %% [markdown]
# ## S-B10 (all variants)
#
# *For each variant: privacy against a curious and a malicious server, the largest gain of a client that finishes, on CMS and HCMS, and on HCMS the gain and aborted share of one that may abort.* The server's views are enumerated for eight of eleven slots. The games of the other variants follow; V5 and V6 are those above.

# %%
def distribution(views):
    """Probabilities of equally likely views."""
    views = list(views)
    return {view: Fraction(times, len(views)) for view, times in Counter(views).items()}


def worst_odds(view_of):
    plus, minus = distribution(view_of(1)), distribution(view_of(-1))
    if set(plus) != set(minus):
        return "∞"
    return str(max(max(plus[view] / minus[view], minus[view] / plus[view]) for view in plus))


def shuffled(w, slots=11, true=8):
    orders = combinations(range(slots), true)
    return [(i, w if i in chosen else -w) for chosen, i in product(orders, range(slots))]


def public_coin(w):
    """The commitment has one distribution for all contents; coin and answer are seen."""
    cases = product(range(11), repeat=2)
    return [(coin, w if (rho + coin) % 11 < 8 else -w) for rho, coin in cases]


def all_slots_read(w):
    """V3, if the transfer does not hide the other slots."""
    orders = combinations(range(11), 8)
    return [tuple(w if i in chosen else -w for i in range(11)) for chosen in orders]


views = {
    "V0": lambda w: [w if i < 8 else -w for i in range(11)],
    "V1": lambda w: [("true slot", w)] * 8 + [("false slot", -w)] * 3,
    "V1'": lambda w: [w] * 11,
    "V2": lambda w: shuffled(w, slots=2, true=1),
    "V3": shuffled,
    "V4": shuffled,
    "V5": public_coin,
    "V5'": public_coin,
    "V6": public_coin,
}


# %%
def best_of(game, values):
    """The best move; a client that may abort may also send nothing at all."""
    return max([*values, ABORT]) if game.may_abort else max(values)


def v0(game, x):
    places = product(range(game.width), (1, -1))
    return best_of(game, [(game.gain(y, column, x), 1) for column, y in places])


def filled_slots(game, x, allowed):
    """Every content of the slots whose sum is allowed; one is opened."""
    values = []
    for column, content in product(range(game.width), product((1, -1), repeat=game.slots)):
        if sum(content) in allowed:
            values.append(average([(game.gain(y, column, x), 1) for y in content]))
    return best_of(game, values)


def v1(game, x):
    """Contents of the true and of the false slot."""
    values = []
    for column, first, second in product(range(game.width), (1, -1), (1, -1)):
        opened = [first] * game.true + [second] * (game.slots - game.true)
        values.append(average([(game.gain(y, column, x), 1) for y in opened]))
    return best_of(game, values)


def v3(game, x):
    return filled_slots(game, x, range(-game.slots, game.slots + 1))


def v4(game, x):
    """Proved slots; V1' does the same to one sign."""
    balance = 2 * game.true - game.slots
    return filled_slots(game, x, (balance, -balance))


def v5_drawn(game):
    """V5': row and place are drawn before the commitment."""
    values = []
    for x, column in product(game.families(game.targets), range(game.width)):
        moves = product((1, -1), range(game.slots))
        values.append(max(over_coins(game, w, rho, column, x) for w, rho in moves))
    return average(values)


# %%
row_known = {"V0": v0, "V1": v1, "V1'": v4, "V3": v3, "V4": v4, "V5": v5}
solved, packaged = {}, {}
for (width, targets), (slots, true) in sizes:
    values = {}
    for may_abort in (False, True):
        game = Game(width, targets, slots, true, may_abort)
        for name, play in row_known.items():
            outcomes = [play(game, x) for x in game.families(targets)]
            values[name, may_abort] = average(outcomes)
        values["V5'", may_abort] = v5_drawn(game)
        values["V6", may_abort] = v6(game)
    level = math.log(true / (slots - true))
    rows = {row.name: row for row in threat_matrix(level, targets, width=width)}
    for name in (*row_known, "V5'", "V6"):
        gain, ended = values[name, True]
        finishing = values[name, False][0]
        solved.setdefault(name, []).append([float(finishing), float(gain), float(1 - ended)])
        row = rows[name]
        packaged.setdefault(name, []).append([row.gain_hcms, row.aborts, row.unfinished])


# %%
def cms_gains(targets, slots, true):
    """Largest gains of a finishing CMS client, m = 4: free output, free signs, free item."""
    scale = Fraction(slots, 2 * true - slots)

    def gain(means, x):
        return sum(Fraction(4, 3) * ((scale * means[i] + 1) / 2 - Fraction(1, 4)) for i in x)

    totals = [Fraction(0)] * 3
    families = list(product(range(4), repeat=targets))
    for x in families:
        vectors = list(product((1, -1), repeat=4))
        noisy = [[sign / scale for sign in vector] for vector in vectors]
        own = [(1 if cell == x[0] else -1) / scale for cell in range(4)]
        totals[0] += max(gain(vector, x) for vector in vectors)
        totals[1] += max(gain(means, x) for means in noisy)
        totals[2] += gain(own, x)
    return [float(total / len(families)) for total in totals]


cms_solved, cms_packaged = [], []
for targets, (slots, true) in product((1, 2, 3), ((3, 2), (8, 5))):
    level = 2 * math.log(true / (slots - true))
    rows = {row.name: row.gain_cms for row in threat_matrix(level, targets, width=4)}
    output, free_signs, item = cms_gains(targets, slots, true)
    cms_solved.append([output] * 3 + [free_signs] * 4 + [item])
    names_in_order = ("V0", "V1", "V3", "V1'", "V4", "V5", "V5'", "V6")
    cms_packaged.append([rows[name] for name in names_in_order])

# %%
with claim("S-B10") as c:
    for name, view_of in views.items():
        levels = []
        for level in (matrix[name].curious, matrix[name].malicious):
            odds = math.exp(level)
            levels.append("∞" if math.isinf(odds) else str(Fraction(odds).limit_denominator(100)))
        label = f"{name}: odds of the table, curious and malicious, and odds of all views"
        c.decisive("one example").exact(levels, [worst_odds(view_of)] * 2, label)
    label = "V3, a server that breaks the transfer and reads all slots: odds"
    c.limit(worst_odds(shuffled), worst_odds(all_slots_read), label)
    for name in solved:
        label = f"{name}, HCMS, ten small games: gains of finishing and of aborting, aborted share"
        c.decisive("sampled").close(solved[name], packaged[name], label, rtol=1e-9, atol=1e-12)
    label = "CMS, m = 4, six cases: output free (V0, V1, V3), signs free, item free (V6)"
    c.decisive("sampled").close(cms_solved, cms_packaged, label, rtol=1e-9)
