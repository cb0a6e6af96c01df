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
# # Evidence: Can a client prove that its noise is honest?
#
# Four statements of the paper on its transfers, and four that go beyond it. Nothing is hidden. The story is told in
# [the research note of the same name](../../research/sketch-verifiable-noise.ipynb).

# %%
import math
from fractions import Fraction
from itertools import product

import numpy as np
import sympy as sp

from privlib.notebook import claim, derivation
from privlib.research.verifiable_noise import Client, ProofError, Protocol, Server
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch, Sketch, transfer
from privlib.sketch.data import shop_counts
from privlib.sketch.hadamard import hadamard_matrix
from privlib.sketch.slots import slot_constant, slot_epsilon
from privlib.sketch.threat_model import threat_matrix

counts = shop_counts()
E, a = sp.symbols("E a", positive=True)  # e^ε, and e^(ε/2)
m = sp.Symbol("m", positive=True)
F = m / (m - 1)


def source(seed):
    return np.random.default_rng(seed).bytes


# %% [markdown]
# ## The paper's transfers, run and counted
#
# All transfers are those of the paper: two slots, order known to the server. A report of CMS and one of HCMS for five widths; and many reports for $m = 8$, whose signs we compare with the true ones.

# %%
def transfers(kind, width, seed, repeats=1):
    scheme = kind(1.0, hashes=4, width=width, seed=1)
    draw = source(seed)
    reports = []
    for _ in range(repeats):
        reports.append(transfer.oblivious_report(scheme, "A18", order="known", randomness=draw))
    return scheme, reports


widths = [8, 16, 32, 64, 128]
signs, sent_bytes, exponentiations = {}, {}, {}
for kind in (CountMeanSketch, HadamardCountMeanSketch):
    single = [transfers(kind, width, seed=width)[1][0] for width in widths]
    signs[kind] = [sent.signs.size for sent in single]
    sent_bytes[kind] = [sum(sent.sent) for sent in single]
    exponentiations[kind] = [sum(sent.exponentiations) for sent in single]

cms, cms_reports = transfers(CountMeanSketch, 8, seed=65, repeats=160)
cell_of = cms.family.positions("A18")[0]  # in each of the four rows
kept_cms, kept_own = [], []
for sent in cms_reports:
    rows, opened = cms.unpack(sent.report)
    for cell, sign in enumerate(opened[0]):
        true_sign = 1 if cell == cell_of[rows[0]] else -1
        kept_cms.append(sign == true_sign)
        if true_sign == 1:
            kept_own.append(sign == true_sign)

hcms, hcms_reports = transfers(HadamardCountMeanSketch, 8, seed=66, repeats=400)
H8 = hadamard_matrix(8)
cell_of = hcms.family.positions("A18")[0]
kept_hcms = []
for sent in hcms_reports:
    row, coordinate, sign = (int(values[0]) for values in hcms.unpack(sent.report))
    kept_hcms.append(sign == H8[coordinate, cell_of[row]])
assert len(kept_own) == 160


def share_error(p, number):
    return math.sqrt(p * (1 - p) / number)


# %% [markdown]
# ## S-4.23 (OT-CMS)
#
# *In OT-CMS $p = e^{\varepsilon/2}/(1 + e^{\varepsilon/2})$, and the trial is repeated $m$ times.* Two items differ in two signs, so two signs must give odds of $e^\varepsilon$. Sympy solves for $p$; real transfers are counted, also by their bytes (a key of 32, and 64 for each transfer).

# %%
x = sp.Symbol("x", positive=True)
with claim("S-4.23") as c:
    roots = sp.solve(sp.Eq((x / (1 - x)) ** 2, E), x)
    (per_sign,) = [root for root in roots if 0 < root.subs(E, 4) < 1]
    label = "the only p for which two signs give odds of e^ε"
    printed = sp.sqrt(E) / (1 + sp.sqrt(E))
    c.decisive("proved").exact(sp.simplify(per_sign - printed), sp.S.Zero, label)
    by_bytes = [(size - 32) // 64 for size in sent_bytes[CountMeanSketch]]
    label = "m = 8 to 128: transfers in a real report, counted and by its bytes"
    c.decisive("sampled").exact([signs[CountMeanSketch], by_bytes], [widths] * 2, label)
    p = 1 / (1 + math.exp(-1 / 2))
    for name, kept in (("all cells", kept_cms), ("the item's own cell", kept_own)):
        label = f"{len(kept):,} real transfers at ε = 1, {name}: share of true signs"
        c.sampled(np.mean(kept), p, label, stderr=share_error(p, len(kept)))

# %% [markdown]
# ## S-4.27 (OT-HCMS)
#
# *In OT-HCMS $p = e^\varepsilon/(1 + e^\varepsilon)$, and a trial for one bit is enough.*

# %%
with claim("S-4.27") as c:
    (per_report,) = sp.solve(sp.Eq(x / (1 - x), E), x)
    label = "the only p for which one sign gives odds of e^ε"
    c.decisive("proved").exact(sp.simplify(per_report - E / (1 + E)), sp.S.Zero, label)
    by_bytes = [(size - 32) // 64 for size in sent_bytes[HadamardCountMeanSketch]]
    label = "m = 8 to 128: one transfer in a real report, counted and by its bytes"
    c.decisive("sampled").exact([signs[HadamardCountMeanSketch], by_bytes], [[1] * 5] * 2, label)
    p = 1 / (1 + math.exp(-1))
    label = f"{len(kept_hcms)} real transfers at ε = 1: share of true signs"
    c.sampled(np.mean(kept_hcms), p, label, stderr=share_error(p, len(kept_hcms)))

# %% [markdown]
# ## S-1.7 and S-1.8 (what the transfers cost)
#
# *Traffic and processing of OT-CMS grow in proportion to $m$. OT-HCMS lowers the cost of the transfers.*

# %%
with claim("S-1.7") as c:
    label = "m = 8 to 128: bytes, one key and then 64 a cell"
    by_parts = [32 + 64 * width for width in widths]
    c.decisive("sampled").exact(sent_bytes[CountMeanSketch], by_parts, label)
    label = "exponentiations, two and then four a cell"
    by_parts = [2 + 4 * width for width in widths]
    c.decisive("sampled").exact(exponentiations[CountMeanSketch], by_parts, label)
with claim("S-1.8") as c:
    label = "m = 8 to 128: bytes of HCMS, a key and one cell"
    c.decisive("sampled").exact(sent_bytes[HadamardCountMeanSketch], [32 + 64] * 5, label)
    label = "and its exponentiations"
    c.decisive("sampled").exact(exponentiations[HadamardCountMeanSketch], [2 + 4] * 5, label)
    pairs = zip(sent_bytes[CountMeanSketch], sent_bytes[HadamardCountMeanSketch])
    saved = [Fraction(wide, narrow) for wide, narrow in pairs]
    at_least = [Fraction(width, 2) for width in widths]
    c.at_most(at_least, saved, "bytes saved, a factor: m/2 or more")

# %% [markdown]
# ## S-B12 (the wrong constant)
#
# *Slots make $p$ rational; an estimator that keeps the irrational $p$ is biased, by a computable factor and a computable share of all users.* With $\lambda = c/c_N$, an item of $f$ among $n$ users is estimated on average as $\lambda f - (\lambda - 1)\frac{m - 2}{2(m - 1)}\,n$ on CMS and as $\lambda f + \frac{\lambda - 1}{m - 1}\,n$ on HCMS.

# %%
f, n, lam = sp.symbols("f n lambda", positive=True)
matches = f + (n - f) / m  # users whose cell is that of the item
cms_start = F * ((lam + 1) / 2 * matches + (1 - lam) / 2 * (n - matches) - n / m)
cms_end = lam * f - (lam - 1) * (m - 2) / (2 * (m - 1)) * n
cms_bias = (
    derivation(cms_start, of=r"\mathrm{E}\tilde f")
    .equal(F * (lam * matches + (1 - lam) * n / 2 - n / m), "collect λ")
    .equal(cms_end, "multiply out")
)
cms_bias

# %%
hcms_start = F * (lam * matches - n / m)
hcms_end = lam * f + (lam - 1) * n / (m - 1)
hcms_bias = derivation(hcms_start, of=r"\mathrm{E}\tilde f").equal(hcms_end, "multiply out")
hcms_bias


# %% [markdown]
# The second route goes through all cells of a user and of an item, all coordinates and both outcomes of the noise, for 5 of 8 slots. The third is the package on the shop's counts.

# %%
def mean_of_one_user(name, columns, own_item, factor=Fraction(11, 8)):
    """Mean of what one user adds to an item, with factor times the right constant."""
    keep = Fraction(5, 8)
    constant = factor * Fraction(8, 2)  # 8/(2·5 − 8) is right
    H = hadamard_matrix(columns).astype(int)
    values = []
    for item_cell, user_cell in product(range(columns), repeat=2):
        if own_item and item_cell != user_cell:
            continue
        for coordinate in range(columns):  # CMS has none: the same value each time
            value = Fraction(0)
            for noise, probability in ((1, keep), (-1, 1 - keep)):
                if name == "CMS":
                    sign = noise * (1 if item_cell == user_cell else -1)
                    entry = (constant * sign + 1) / 2
                else:
                    sign = noise * int(H[coordinate, user_cell])
                    entry = constant * sign * int(H[coordinate, item_cell])
                value += probability * (entry - Fraction(1, columns))
            values.append(Fraction(columns, columns - 1) * value)
    return sum(values) / len(values)


by_cases, by_formula = [], []
for name, columns, own_item in product(("CMS", "HCMS"), (2, 4, 8), (True, False)):
    formula = cms_end if name == "CMS" else hcms_end
    numbers = {f: int(own_item), n: 1, m: columns, lam: sp.Rational(11, 8)}
    by_cases.append(mean_of_one_user(name, columns, own_item))
    by_formula.append(Fraction(str(formula.subs(numbers))))

meant = CountMeanSketch(1.0, hashes=1024, width=128, seed=6)
drawn = CountMeanSketch(slot_epsilon(8, 5, bits=2), hashes=1024, width=128, seed=6)
users = {item: 10**5 * number for item, number in counts.items()}  # many users: little noise
sketch = drawn.simulate(users, np.random.default_rng(61))
right = sketch.estimate(list(users))
wrong = Sketch(meant, sketch.signed, sketch.counts).estimate(list(users))
slope, offset = np.polyfit(right, wrong, 1)
scores = (right - list(users.values())) / np.sqrt(drawn.variances(users))
ratio = 1 / math.tanh(1 / 4) / 4  # c at ε = 1, over c of 5 of 8 slots

# %%
with claim("S-B12") as c:
    c.decisive("proved").derived(cms_bias, cms_start, cms_end, "CMS, any slots")
    c.decisive("proved").derived(hcms_bias, hcms_start, hcms_end, "HCMS, any slots")
    label = "m = 2, 4, 8, λ = 11/8: all cells, coordinates and outcomes"
    c.exact(by_cases, by_formula, label)
    label = "shop's counts, 5 of 8 slots read with ε = 1: slope of the estimates"
    c.close(slope, ratio, label, rtol=1e-9)
    label = "and their offset, a share of all users"
    c.close(offset / sum(users.values()), -(ratio - 1) * 63 / 127, label, rtol=1e-6)
    label = "with the constant of the slots: 43 scores, no bias"
    c.sampled(scores, np.zeros(43), label, stderr=1.0, threshold=5)

# %% [markdown]
# ## S-B13 (commit, public coin, proof)
#
# *Such a report is as private as shuffled slots, against unlimited time and whatever the hash function; a client that finishes cannot choose its noise, if it computes no discrete logarithm and the hash behaves as a random function.*
#
# **Privacy.** The note lists all sessions with challenges of one bit. Here the challenges come from the whole group of order 7, there are three hash functions, and the code works on arrays. An element $h^x$ is written as $x$. The arrays `honest` and `accepted` have one entry for each commitment, report and proof.

# %%
order, slots, true, log_g = 7, 3, 2, 3  # g = h^3
mixed = np.random.default_rng(7).integers(order, size=(order, 2, slots, order, order, order))
hashes = {
    "constant": lambda C, y, coin, T: 0 * T[0],
    "linear": lambda C, y, coin, T: (C + y + coin + T[0] + 2 * T[1] + 3 * T[2]) % order,
    "random": lambda C, y, coin, T: mixed[C, int(y < 0), coin, *T],
}
drawn_numbers = np.indices((order,) * 5).reshape(5, -1)  # k, two challenges, two responses
all_proofs = np.indices((order,) * 6).reshape(2, 3, -1)  # three challenges, three responses


def toy_answer(w, rho, coin):
    return w if (rho + coin) % slots < true else -w


def clauses(C, y, coin):
    """Logarithms of C/g^u for the number u of clause rho: 0 to 2 for w = 1, 3 to 5 for w = -1."""
    logarithms = []
    for rho in range(slots):
        u = rho if toy_answer(1, rho, coin) == y else rho + slots
        logarithms.append((C - log_g * u) % order)
    return np.array(logarithms)[:, None]


# %%
def honest_sessions(w, coin, hashed):
    """How often an honest client with the sign w sends each commitment, report and proof."""
    honest = np.zeros((order, 2, order**6), dtype=int)
    for rho, s in product(range(slots), range(order)):
        C = (log_g * (rho + slots * (w < 0)) + s) % order
        y = toy_answer(w, rho, coin)
        others = [i for i in range(slots) if i != rho]
        e, z, T = np.zeros((3, slots, drawn_numbers.shape[1]), dtype=int)
        e[others] = drawn_numbers[1:3]
        z[others] = drawn_numbers[3:5]
        T[others] = (z - e * clauses(C, y, coin))[others] % order
        T[rho] = drawn_numbers[0]
        e[rho] = (hashed(C, y, coin, T) - e[others].sum(axis=0)) % order
        z[rho] = (T[rho] + e[rho] * s) % order
        number_of_proof = np.ravel_multi_index((*e, *z), (order,) * 6)
        honest[C, int(y < 0)] += np.bincount(number_of_proof, minlength=order**6)
    return honest


def accepted_sessions(coin, hashed):
    e, z = all_proofs
    accepted = np.zeros((order, 2, order**6), dtype=bool)
    for C, y in product(range(order), (1, -1)):
        T = (z - e * clauses(C, y, coin)) % order
        accepted[C, int(y < 0)] = e.sum(axis=0) % order == hashed(C, y, coin, T)
    return accepted


# %%
times, exceptions, number_accepted = {}, {}, {}
for name, hashed in hashes.items():
    times[name], exceptions[name], number_accepted[name] = set(), 0, 0
    for coin in range(slots):
        plus, minus = honest_sessions(1, coin, hashed), honest_sessions(-1, coin, hashed)
        accepted = accepted_sessions(coin, hashed)
        number_accepted[name] += int(accepted.sum())
        for honest in (plus, minus):
            exceptions[name] += int(((honest > 0) != accepted).sum())
        for column, y in enumerate((1, -1)):
            both = np.unique(10 * plus[:, column] + minus[:, column])
            times[name] |= {(y, *divmod(int(value), 10)) for value in both if value}
expected_times = {(1, true, slots - true), (-1, slots - true, true)}

# %% [markdown]
# How a client would forge a proof if it foresaw the total: it draws all challenges so that they add up to 0. The server accepts this always if the hash is constant, and in a seventh of all cases if it is random.

# %%
e, z = all_proofs[:, :, all_proofs[0].sum(axis=0) % order == 0]
forged = {}
for name in ("constant", "random"):
    T = (z - e * clauses(4, 1, 0)) % order
    forged[name] = float((hashes[name](4, 1, 0, T) == 0).mean())
forgery_error = share_error(1 / order, order**3)  # so many entries of the random table decide

# %% [markdown]
# **Soundness.** Commitments bind: two openings of one $C$ give the logarithm of $g$; all pairs, in a group of order 11. Two valid answers after the same first messages give a witness. And each number that is committed keeps the sign for $N_t$ of the $N$ coins.

# %%
group_order, prime, g, h = 11, 23, 3, 2
openings, hidden = {}, set()
for u in range(group_order):
    commitments = []
    for s in range(group_order):
        C = pow(g, u, prime) * pow(h, s, prime) % prime
        commitments.append(C)
        openings.setdefault(C, []).append((u, s))
    hidden.add(tuple(sorted(commitments)))
squares = tuple(sorted({v * v % prime for v in range(1, prime)}))
given_away = set()
for same in openings.values():
    for (u, s), (other_u, other_s) in product(same, repeat=2):
        if u != other_u:
            logarithm = (other_s - s) * pow(u - other_u, -1, group_order) % group_order
            given_away.add(pow(h, logarithm, prime))

witness, k, e_1, e_2 = sp.symbols("x k e e'")
z_1, z_2 = k + e_1 * witness, k + e_2 * witness
quotient = (z_1 - z_2) / (e_1 - e_2)
extract = derivation(quotient, of=r"\frac{z - z'}{e - e'}").equal(
    witness, "$k$ cancels, then $e - e'$"
)

logarithms = (2, 5)  # two clauses, order 7: all first messages, all pairs of challenges
recovered, silent = set(), 0
couples = list(product(range(order), repeat=2))
for T, e, other in product(couples, repeat=3):
    if sum(e) % order == sum(other) % order:
        continue
    extracted = set()
    for i in range(2):
        if e[i] != other[i]:
            z = (T[i] + e[i] * logarithms[i]) % order
            other_z = (T[i] + other[i] * logarithms[i]) % order
            extracted.add((i, (z - other_z) * pow(e[i] - other[i], -1, order) % order))
    silent += not extracted
    recovered |= extracted
extract

# %%
by_rho, by_coin, shares = [], [], []
for N in range(3, 31):
    for N_t in range(N // 2 + 1, N):
        kept = np.array([[(rho + coin) % N < N_t for coin in range(N)] for rho in range(N)])
        by_rho.append({Fraction(int(number), N) for number in kept.sum(axis=0)})
        by_coin.append({Fraction(int(number), N) for number in kept.sum(axis=1)})
        shares.append({Fraction(N_t, N)})

scheme = HadamardCountMeanSketch(slot_epsilon(11, 8), hashes=1024, width=128, seed=6)
protocol = Protocol(scheme, slots=11, true=8)
applied = []
for w, coin in product((1, -1), range(11)):
    applied.append(sum(protocol.apply(w, rho, coin=coin) == w for rho in range(11)))


# %% [markdown]
# **The real group.** One finished session, and what happens to it if one part changes while the server's coin stays the same.

# %%
def new_client():
    return Client(protocol, b"s", randomness=source(8))


def is_accepted(commitment, response, session=b"s"):
    server = Server(protocol, randomness=source(7))  # draws the same coin
    try:
        server.challenge(session, commitment)
        server.accept(session, response)
    except ProofError:
        return False
    return True


def changed(message, at):
    return message[:at] + bytes([message[at] ^ 1]) + message[at + 1 :]


client = new_client()
commitment = client.commit("A18")
coin = Server(protocol, randomness=source(7)).challenge(b"s", commitment)
response = client.respond(coin)
twin = new_client()  # the same secrets, but it answers another coin
assert twin.commit("A18") == commitment
other_coin = bytes([(coin[0] + 1) % 11, 0])
attempts = {
    "row": is_accepted(changed(commitment, 0), response),
    "coordinate": is_accepted(changed(commitment, 4), response),
    "commitment": is_accepted(changed(commitment, 8), response),
    "sign": is_accepted(commitment, changed(response, 0)),
    "challenge": is_accepted(commitment, changed(response, 1)),
    "response": is_accepted(commitment, changed(response, 17)),
    "session": is_accepted(commitment, response, session=b"t"),
    "coin": is_accepted(commitment, twin.respond(other_coin)),
}

# %%
with claim("S-B13") as c:
    label = "order 7, 2 of 3 slots: sessions that the server accepts, three hashes"
    c.exact(number_accepted, dict.fromkeys(hashes, 3 * 2 * order * order**5), label)
    label = "report, and how often the clients with w = 1 and w = -1 have a session"
    c.decisive("sampled").exact(times, dict.fromkeys(hashes, expected_times), label)
    label = "sessions that are accepted and never sent, or sent and refused"
    c.decisive("sampled").exact(exceptions, dict.fromkeys(hashes, 0), label)
    label = "N = 3 to 30, all N_t: share of the numbers that keep the sign, for each coin"
    c.decisive("sampled").exact(by_rho, shares, label)
    label = "and of the coins, for each number"
    c.decisive("sampled").exact(by_coin, shares, label)
    c.exact(set(applied), {8}, "the package, 8 of 11: both signs, all coins")
    label = "the ε of one of 11 shuffled slots"
    c.close(math.log(applied[0] / (11 - applied[0])), slot_epsilon(11, 8), label, rtol=1e-12)
    label = "order 11: commitments to each number, over all s"
    c.exact(hidden, {squares}, label)
    label = "order 11: two openings of a commitment give the logarithm of g, all pairs"
    c.decisive("sampled").exact(given_away, {g}, label)
    label = "two responses after one first message: the witness"
    c.decisive("proved").derived(extract, quotient, witness, label)
    label = "order 7, two clauses, all pairs of answers: witnesses, and pairs without one"
    c.decisive("sampled").exact((recovered, silent), (set(enumerate(logarithms)), 0), label)
    c.close(forged["constant"], 1.0, "constant hash: share of forgeries accepted")
    label = "random hash of seven values: share of forgeries accepted"
    c.sampled(forged["random"], 1 / order, label, stderr=forgery_error)
    label = "real group: the honest session is accepted"
    c.holds(is_accepted(commitment, response), label)
    label = "real group, one part changed: whether it is accepted"
    c.exact(attempts, dict.fromkeys(attempts, False), label)

# %% [markdown]
# ## S-B14 (aborting)
#
# *With one target, clients that abort whenever the coin is against them gain $e^\varepsilon/(e^\varepsilon - 1)$ a session instead of 1, up to a term in $1/m$, on CMS as on HCMS, at an abort rate that the server sees.*

# %%
p, constant = E / (1 + E), (E + 1) / (E - 1)
hcms_start = p * F * (constant - 1 / m)
hcms_end = E / (E - 1) + 2 * E / ((E**2 - 1) * (m - 1))
abort_hcms = (
    derivation(hcms_start, of=r"p F\left(c - \tfrac1m\right)", names={E: r"e^\varepsilon"})
    .equal(p * constant + p * (constant - 1) / (m - 1), "split off 1/(m − 1)")
    .equal(hcms_end, "insert p and c")
)
abort_hcms

# %%
p_cms, constant_cms = a / (a + 1), (a + 1) / (a - 1)
cms_start = p_cms * F * ((constant_cms + 1) / 2 - 1 / m)
cms_end = a**2 / (a**2 - 1) + a / ((a**2 - 1) * (m - 1))
abort_cms = (
    derivation(cms_start, of=r"p F\left(\tfrac{c + 1}{2} - \tfrac1m\right)")
    .equal(p_cms * F * (a / (a - 1) - 1 / m), "(c + 1)/2 = a/(a − 1)")
    .equal(cms_end, "split off 1/(m − 1)")
)
abort_cms


# %% [markdown]
# The second route is a game in fractions: all pairs of a committed number and a coin, eight of eleven slots on HCMS and five of eight on CMS, $m = 128$. The third runs 60 real sessions of clients that abort.

# %%
def game(slots, true, worth_if_kept, worth_if_negated):
    """Mean gain of a client that finishes, and of one that aborts rather than lose."""
    finishing, aborting = Fraction(0), Fraction(0)
    for rho, coin in product(range(slots), repeat=2):
        kept = (rho + coin) % slots < true
        worth = worth_if_kept if kept else worth_if_negated
        finishing += worth / slots**2
        aborting += max(worth, Fraction(0)) / slots**2
    return finishing, aborting


scale, small = Fraction(128, 127), Fraction(1, 128)
c_hcms, c_cms = slot_constant(11, 8), slot_constant(8, 5)
played = [
    game(11, 8, scale * (c_hcms - small), scale * (-c_hcms - small)),
    game(8, 5, scale * ((c_cms + 1) / 2 - small), scale * ((1 - c_cms) / 2 - small)),
]
by_formula = []
for end, level in ((hcms_end, {E: sp.Rational(8, 3)}), (cms_end, {a: sp.Rational(5, 3)})):
    by_formula.append((Fraction(1), Fraction(str(end.subs({**level, m: 128})))))

server = Server(protocol, randomness=source(9))
draw = source(10)
for i in range(60):
    cheating = Client(protocol, b"%d" % i, randomness=draw)
    coin = server.challenge(cheating.session, cheating.commit_signs([1], row=0, column=0))
    if cheating.outcome(coin) == [1]:
        server.accept(cheating.session, cheating.respond(coin))

# %%
with claim("S-B14") as c:
    c.decisive("proved").derived(abort_hcms, hcms_start, hcms_end, "HCMS: kept signs only")
    c.decisive("proved").derived(abort_cms, cms_start, cms_end, "CMS: kept signs only")
    limits = []
    for end in (hcms_end, cms_end.subs(a, sp.sqrt(E))):
        limits.append(sp.simplify(sp.limit(end, m, sp.oo) - E / (E - 1)))
    c.exact(limits, [0, 0], "wide sketches: both are e^ε/(e^ε − 1)")
    label = "8 of 11 slots (HCMS), 5 of 8 (CMS), m = 128: games of finishing and of aborting"
    c.exact(played, by_formula, label)
    label = f"the server sees it: {server.pending} of 60 real sessions never end"
    c.sampled(server.pending / 60, 3 / 11, label, stderr=share_error(3 / 11, 60))
    c.exact(server.pending + server.finished, 60, "and counts all of them")

# %% [markdown]
# ## S-B15 (the committed item)
#
# *On HCMS a commitment to the item before the server draws row and coordinate brings the gain of a client that finishes down to 1 in total, on average over the hash functions, for any number of targets.*

# %%
r = sp.Symbol("r", positive=True)
held = F * (1 + (r - 1) / m - r / m)  # own sign, same cells, what is subtracted
one_user = (
    derivation(held, of=r"F\left(1 + \tfrac{r-1}{m} - \tfrac rm\right)")
    .equal(F * (1 - 1 / m), "r cancels")
    .equal(1, "F = m/(m − 1)")
)
one_user


# %%
def enumerated(columns, targets):
    """Mean gain of finishing and of aborting: all hash values, coordinates and outcomes."""
    H = hadamard_matrix(columns).astype(int)
    finishing, aborting, cases = Fraction(0), Fraction(0), 0
    for coordinate, *cells in product(range(columns), repeat=targets + 1):
        signs = [int(H[coordinate, cell]) for cell in cells]
        cases += 1
        for noise, probability in ((1, Fraction(8, 11)), (-1, Fraction(3, 11))):
            sign = noise * signs[0]  # the client commits to the first target
            value = Fraction(11, 5) * sign * sum(signs) - Fraction(targets, columns)
            finishing += probability * value
            aborting += probability * max(value, 0)
    return [Fraction(columns, columns - 1) * total / cases for total in (finishing, aborting)]


sizes = [(2, 1), (4, 1), (4, 2), (4, 3), (8, 3)]
results = [enumerated(*size) for size in sizes]
packaged = []
for columns, targets in sizes:
    rows = {row.name: row for row in threat_matrix(slot_epsilon(11, 8), targets, width=columns)}
    packaged.append(rows["V6"].aborts)

eight = sorted(counts, key=counts.get)[:8]
positions = scheme.family.positions(eight)
signs = hadamard_matrix(128)[:, positions].astype(int)  # coordinates, targets, rows
own_gain = 128 / 127 * ((signs * signs.sum(axis=1, keepdims=True)).mean(axis=(0, 2)) - 8 / 128)
stderr = math.sqrt(2 * 7 / (8 * 128 * 1024))  # 28 pairs of targets share a cell by chance
eight_targets = {row.name: row for row in threat_matrix(slot_epsilon(11, 8), 8, width=128)}

# %%
with claim("S-B15") as c:
    c.decisive("proved").derived(one_user, held, sp.S.One, "any r and m")
    label = "five small cases, 8 of 11 slots: the mean over all hash values and coordinates"
    c.exact([finishing for finishing, _ in results], [Fraction(1)] * 5, label)
    label = "the same cases, aborting: enumerated, and the package"
    c.close([float(aborting) for _, aborting in results], packaged, label, rtol=1e-9)
    label = "8 of the shop's 43 items, all rows and coordinates"
    c.sampled(own_gain.mean(), 1.0, label, stderr=stderr)
    label = "a client that may abort, eight targets, m = 128: the gain"
    c.limit(1.0, round(eight_targets["V6"].aborts, 4), label)
    label = "hash functions known, the shop's own: best of the eight items"
    c.limit(1.0, round(float(own_gain.max()), 4), label)
