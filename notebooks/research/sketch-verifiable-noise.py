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
# # Can a client prove that its noise is honest?
#
# **Question.** Under local differential privacy, clients add noise to their own reports, and a fake user gains by leaving the noise out. Can a client prove that it drew its noise as agreed, without showing the noise to the server?
#
# **What is known.** The paper {cite:p}`shimizu` lets the server draw the noise by oblivious transfer. In its Table 7, this lowers the gain of 1% fake users on the Hadamard sketch HCMS from 32.6 to 17.15 users. But nobody checks what a client puts into the transfer ([notebook 5](../sketch/05-oblivious-transfer.ipynb)). {cite:t}`ambainis2004cryptographic` and {cite:t}`kato2021preventing` (both read in part) add proofs to transfers, for other mechanisms.
#
# **Answer.** Yes. On HCMS at $\varepsilon \approx$ 0.98<!-- {scheme.epsilon:.2f} -->, a report with its proof has 571<!-- {transcript.size} --> bytes and reveals only the noisy sign, even to a server with unlimited time. A cheating client then gains one user for each target instead of 2.2<!-- {lines["V0"][0]:.1f} -->, or 1.6<!-- {lines["V5 aborting"][0]:.1f} --> if it aborts unfavourable sessions. So half a kilobyte takes away what a fake user gains by omitting the noise, except for what aborting returns, and the server can count the aborted sessions.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** why the proof reveals nothing more than the report, what a client gains by aborting, what the proof costs, and which constant the server must use.
# **You need** the commitment, the public coin, the proof of one of several and the protocol V5 ([notebook 6](../sketch/06-honest-noise.ipynb)), and the protocol V6 ([notebook 7](../sketch/07-every-variant.ipynb)).
# **Time:** 22 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **There are two attackers.** *The server* wants to know the item of an honest client. It may choose its coins as it likes and has unlimited time. *Fake users* run *cheating clients* to raise the estimates of $r$ target items. Such a client may send anything, or nothing, but can neither compute discrete logarithms nor predict the hash. **Protected:** the item of one report, up to the factor $e^{\varepsilon}$ in the odds. **Not protected:** the estimates, against a person with many identities; a client that reports twice; a client in whose name another person opens a session.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
import math
from collections import Counter
from fractions import Fraction
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

from privlib.notebook import plots, table
from privlib.research.verifiable_noise import Protocol, report
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch, Sketch, transfer
from privlib.sketch.data import shop_counts
from privlib.sketch.slots import slot_epsilon, slots_for
from privlib.sketch.threat_model import threat_matrix

plots.use()
counts = shop_counts()  # users of each of the 43 items
users = sum(counts.values())


def source(seed):
    """Repeatable random bytes for this page; never use such a source in production."""
    return np.random.default_rng(seed).bytes


# %% [markdown]
# ## Method: list every session of a small protocol
#
# An HCMS report has a *place*, that is, a row and a coordinate, and the noisy version $y$ of one sign $w = \pm 1$. In the protocol V5 ({prf:ref}`def-sk-06-public-coin`), the client draws a number $\rho$ from $0, \dots, N - 1$ and commits to the pair $(w, \rho)$. Then the server draws the public coin $\sigma$ from the same numbers. The client reports $y = w$ if $(\rho + \sigma) \bmod N < N_t$, and $y = -w$ otherwise, and proves that it did so. Take $N = 3$ and $N_t = 2$. Which pairs are consistent with which report?

# %%
slots, true_slots = 3, 2  # N and N_t
pairs = [(w, rho) for w in (1, -1) for rho in range(slots)]  # numbered u = 0, ..., 5


def noisy_sign(w, rho, coin):
    if (rho + coin) % slots < true_slots:
        return w
    return -w


def consistent(y, coin):
    """The numbers u of the pairs that the coin turns into y."""
    return [u for u, (w, rho) in enumerate(pairs) if noisy_sign(w, rho, coin) == y]


for y in (1, -1):
    print(f"report {y:+d} after coin 0:", [pairs[u] for u in consistent(y, coin=0)])

# %% [markdown]
# The report $+1$ is consistent with two pairs that have $w = +1$ and with one that has $w = -1$. It therefore doubles the odds of $w = +1$, as it should for $\varepsilon = \ln 2$. But the server also sees the commitment and the proof. Do they reveal more?
#
# We list *all* sessions in a group of order 7 with generators $g$ and $h$. In such a small group everybody can compute logarithms, so the code represents the element $h^x$ by its exponent $x$, and products become sums. The Pedersen commitment to the pair number $u$ is $C = g^u h^s$ with a random $s$.
#
# The client proves that it can open $C$ to one of the consistent numbers $u$. The proof has one *clause* for each of these numbers. A clause consists of a *first message* $T$, a *challenge* $e$ and a *response* $z$, and the server checks that $h^z = T\,(C/g^u)^e$. (The draft standard {cite:p}`orru2026sigma` calls $T$ the commitment.) A client that chooses $e$ and $z$ before $T$ can solve this equation for $T$, whatever $u$ is. Such a clause is *simulated*:

# %%
order, log_g = 7, 3  # g = h^3; an element h^x is represented by x
possible_answers = list(product((0, 1), range(order)))  # a challenge of one bit, and a response


def first_message(C, u, e, z):
    """The T that fits challenge e and response z in the clause of u."""
    return (z - e * (C - log_g * u)) % order


# %% [markdown]
# The client can open $C$ to one number only, and simulates the clauses of the others. In the remaining clause it sends $T = h^k$ with a random $k$. All challenges must add up to the *total challenge*, which is the hash of the session and of all first messages. So the client learns the challenge $e$ of its own clause after it has fixed all first messages, and answers with $z = k + es$. This construction is called *OR composition*.

# %%
def prove(session, clauses, known, s, k, simulated, hash_function):
    """Challenge and response of each clause; C was made with u = known and this s."""
    first_messages = []
    for u in clauses:
        if u == known:
            first_messages.append(k)
        else:
            first_messages.append(first_message(session[0], u, *simulated[u]))
    total = hash_function(session, tuple(first_messages))
    own_challenge = (total - sum(e for e, _ in simulated.values())) % 2
    own_answer = (own_challenge, (k + own_challenge * s) % order)
    return tuple(simulated.get(u, own_answer) for u in clauses)


# %% [markdown]
# The next two functions list all sessions of an honest client, over all its random numbers and all coins, and all sessions that the server accepts:

# %%
def honest_sessions(w, hash_function):
    """How often each session (C, coin, y and proof) occurs if the client has the sign w."""
    sessions = Counter()
    for coin, rho, s, k in product(range(slots), range(slots), range(order), range(order)):
        u = pairs.index((w, rho))
        y = noisy_sign(w, rho, coin)
        session = ((log_g * u + s) % order, coin, y)
        clauses = consistent(y, coin)
        others = [v for v in clauses if v != u]
        for chosen_answers in product(possible_answers, repeat=slots - 1):
            simulated = dict(zip(others, chosen_answers))
            proof = prove(session, clauses, u, s, k, simulated, hash_function)
            sessions[session, proof] += 1
    return sessions


def accepted_sessions(hash_function):
    sessions = set()
    for C, coin, y in product(range(order), range(slots), (1, -1)):
        for proof in product(possible_answers, repeat=slots):
            clauses = zip(consistent(y, coin), proof)
            first_messages = tuple(first_message(C, u, e, z) for u, (e, z) in clauses)
            total = hash_function((C, coin, y), first_messages)
            if sum(e for e, _ in proof) % 2 == total:
                sessions.add(((C, coin, y), proof))
    return sessions


# %% [markdown]
# We try two hash functions: a table of random bits, and a constant, which is as bad as a hash function can be.

# %%
random_bits = np.random.default_rng(7).integers(2, size=(order, slots, 3, order, order, order))


def random_hash(session, first_messages):
    return int(random_bits[session + first_messages])  # y = -1 counts from the end of its axis


hash_functions = {"random": random_hash, "constant": lambda session, first_messages: 0}
accepted = {}
for name, hash_function in hash_functions.items():
    plus = honest_sessions(1, hash_function)
    minus = honest_sessions(-1, hash_function)
    accepted[name] = accepted_sessions(hash_function)
    assert set(plus) == set(minus) == accepted[name]
    for session, proof in plus:
        y = session[2]
        assert Fraction(plus[session, proof], minus[session, proof]) == Fraction(2) ** y

# %% [markdown]
# For both hash functions, the server accepts 57,624<!-- {len(accepted["random"]):,} --> sessions. Each of them is exactly twice as likely if the client has the sign $w = y$ as if it has $w = -y$. The report alone has the same ratio. So the commitment and the proof reveal nothing more, and this holds in general:
#
# ```{prf:theorem} A session reveals only the noisy sign
# :label: thm-sk-06-or
# Let an honest client answer one coin, which the server may choose as it likes. Given $C$, $\sigma$ and $y$, the proof is uniformly distributed on the proofs that the server accepts, whichever clause the client knows. This holds for every hash function. Therefore the whole session is $\ln\frac{N_t}{N - N_t}$-locally differentially private for one sign, even against a server with unlimited time.
# ```
#
# ```{prf:proof}
# Take an accepted proof and a client that knows clause $u$. We count the random numbers for which this client sends this proof. The client draws the challenges and responses of the other clauses, so these draws must be those of the proof. In its own clause the client must draw $k = z_u - e_u s$, because its response is $k + e_u s$. Conversely, if it draws these numbers, then all its first messages are those that the server computes from the proof, so the total challenge is the same. Its own challenge is then $e_u$, and its response is $z_u$. Hence exactly one choice of the random numbers gives the proof, and all choices are equally likely.
#
# Because $s$ is uniform, $C$ is uniform for every pair. So $C$ is independent of $\rho$, and $\rho$ is still uniform after the server has seen $C$ and chosen $\sigma$. Therefore $y = w$ has probability $\frac{N_t}{N}$.
# ```
#
# The uniformity of the proof is called *perfect witness indistinguishability* {cite:p}`cramer1994proofs`. ([Notebook 6](../sketch/06-honest-noise.ipynb) proves it for V6.)
#
# A bad hash function harms the server instead. A cheating client that can predict the total challenge may simulate *all* clauses. How often does such a forgery succeed if the client predicts that the total is 0?

# %%
forgeries = order * slots * 2 * 4 * order**3  # C, coin, y; challenges of sum 0; responses
for name, sessions in accepted.items():
    passed = sum(sum(e for e, _ in proof) % 2 == 0 for _, proof in sessions)
    print(f"{name} hash: {passed / forgeries:.0%} of the forgeries are accepted")

# %% [markdown]
# With the constant hash, a client can "prove" anything. With the random table, the prediction of one bit is right about half of the time. With the 128 bits of our package and a hash that behaves as a random function, it is right with probability $2^{-128}$. **A broken hash function endangers the estimates of the server, but not the privacy of an honest client.**
#
# ## What can a cheating client still choose?
#
# A cheating client that finishes its session cannot choose its noise. The commitment fixes $w$ and $\rho$ before the coin is drawn, and for each $\rho$, the sign is kept for $N_t$ of the $N$ coins.
#
# A client that sends a $y$ that does not follow from its pair and the coin would have to prove that it can open $C$ to a number to which it did not commit. Suppose that, after the same first messages, this client could answer two different total challenges. In some clause $u$ its challenges $e$ and $e'$ would then differ. Write $P = C/g^u$. The two checks $h^z = T P^e$ and $h^{z'} = T P^{e'}$ give $P = h^{(z - z')/(e - e')}$, which opens $C$ to $u$. (*Special soundness* is the name of this property.) This is a second opening of $C$, and two openings give the logarithm of $g$ to the base $h$, which the client cannot compute. Therefore a client that lies can answer at most one total challenge, and must predict it.
#
# Here are two sessions in the real group, of 252 bits, with eight true slots of eleven. In the second session, of V6, the client commits to an item of the shop's list instead of a sign:

# %%
scheme = HadamardCountMeanSketch(slot_epsilon(11, 8), hashes=1024, width=128, seed=6)
protocol = Protocol(scheme, slots=11, true=8)
transcript = report(protocol, "A18", randomness=source(62))
print("V5: bytes of commitment, coin, response", *protocol.sizes, " together", transcript.size)
of_item = Protocol(scheme, slots=11, true=8, domain=list(counts))
committed = report(of_item, "A18", randomness=source(63))
print("V6: bytes of commitment, coin, response", *of_item.sizes, " together", committed.size)

# %% [markdown]
# The [companion](../evidence/research/sketch-verifiable-noise.ipynb) changes each part of the first session in turn, from the commitment to the name of the session. The server refuses every change.
#
# In V5 the first message must also fix the place. If the client could choose the coordinate after it knows $y$, it would take one at which the sign of the target equals $y$, and every report would support the target, as if there were no noise.
#
# ```{evidence} S-B13
# ```
#
# ## What does an attack still gain?
#
# Even with a proof, a cheating client chooses its input: the place and the sign in V5, the item in V6. It may also *abort*, that is, send nothing after it has seen the coin ({numref}`fig-sk-06-gain`).

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What one session of a cheating client gains on HCMS (eight true slots of eleven, m = 128), over all r targets together. The proof of V5 removes the factor 2.2<!-- {lines[\"V0\"][0]:.1f} --> by which a report without noise exceeds an honest one. In V6, which commits to an item first, the gain no longer grows with r. A client that aborts (dashed) regains a part, but the server sees 27%<!-- {aborted[\"V5\"]:.0%} --> of the sessions of V5 aborted, and 57%<!-- {aborted[\"V6\"]:.0%} --> of V6 with eight targets.", "name": "fig-sk-06-gain"}, "image": {"alt": "Lines of the gain in users against the number of targets from 1 to 16, both axes logarithmic. Without a proof the gain rises from 2.2<!-- {lines[\"V0\"][0]:.1f} --> to 35<!-- {lines[\"V0\"][-1]:.0f} -->. With V5 it rises from 1 to 16, with aborting from 1.6<!-- {lines[\"V5 aborting\"][0]:.1f} --> to 26<!-- {lines[\"V5 aborting\"][-1]:.0f} -->. With V6 it stays at 1, with aborting it rises from 1.6<!-- {lines[\"V6 aborting\"][0]:.1f} --> to 4<!-- {lines[\"V6 aborting\"][-1]:.0f} -->."}} tags=["figure"]
r_range = (1, 2, 4, 8, 16)
matrix = {}
for r in r_range:
    matrix[r] = {row.name: row for row in threat_matrix(slot_epsilon(11, 8), r, width=128)}
lines, aborted = {}, {}
for name in ("V0", "V5", "V6"):
    lines[name] = [matrix[r][name].gain_hcms for r in r_range]
    lines[f"{name} aborting"] = [matrix[r][name].aborts for r in r_range]
    aborted[name] = matrix[8][name].unfinished
assert (transcript.size, committed.size) == (sum(protocol.sizes), sum(of_item.sizes))
labels = {"V0": "no proof", "V5": f"V5: proof, {transcript.size} bytes",
          "V6": f"V6: item committed, {committed.size:,} bytes"}  # fmt: skip
colours = {"V0": "orange", "V5": "blue", "V6": "green"}
fig, ax = plots.panels(height=3.9)
for name, values in lines.items():
    variant = name[:2]
    if name == "V0 aborting":  # there is no coin to wait for
        continue
    dashed = name.endswith("aborting")
    style = {"color": plots.COLOURS[colours[variant]], "marker": "o", "ms": 4}
    ax.plot(r_range, values, "--" if dashed else "-", **style)
    text = "    client may abort" if dashed else labels[variant]
    plain = {"fc": "white", "ec": "none", "pad": 1}
    ax.text(17.5, values[-1], text, color=style["color"], va="center", fontsize=9.5, bbox=plain)
ax.set(xscale="log", yscale="log", xlim=(0.93, 105), xlabel="number r of targets")
ax.set_ylabel("gain of one session (users)")
ax.set_xticks(r_range, [str(r) for r in r_range])
ax.set_yticks([1, 2, 5, 10, 20, 40], ["1", "2", "5", "10", "20", "40"])
ax.minorticks_off()
plt.show()

# %% [markdown]
# **Aborting.** Let a client of V5 have one target. The server multiplies each sign by $c = \frac1{2p - 1}$, where $p$ is the probability that the noise keeps a sign, and each estimate by $F = \frac m{m-1}$.
#
# - *HCMS.* The report has one sign, and $p = \frac{e^\varepsilon}{e^\varepsilon + 1}$. A kept sign adds $F(c - \frac1m)$ users to the estimate of the target.
# - *CMS.* The report has a sign, with its own coin, for each cell. Two items differ in two cells, so each sign has the level $\frac\varepsilon2$ and $p = \frac a{a + 1}$ with $a = e^{\varepsilon/2}$. A kept $+1$ in the cell of the target adds $F(\frac{c + 1}2 - \frac1m)$ users.
#
# A negated sign would lower the estimate, so the client aborts.
#
# ```{prf:proposition} The gain of a client that aborts
# :label: prop-sk-06-abort
# With one target, a client of V5 that aborts whenever the noise negates its sign gains on average, for each session,
#
# $$
# \begin{aligned}
# &\frac{e^\varepsilon}{e^\varepsilon - 1} + \frac{2 e^\varepsilon}{(e^{2\varepsilon} - 1)(m - 1)} && \text{(HCMS)}, \\
# &\frac{e^\varepsilon}{e^\varepsilon - 1} + \frac{e^{\varepsilon/2}}{(e^{\varepsilon} - 1)(m - 1)} && \text{(CMS)} .
# \end{aligned}
# $$
# ```
#
# The mean gain is $p$ times what a kept sign adds. Sympy confirms both forms:

# %%
a, m = sp.symbols("a m", positive=True)  # a = e^(ε/2), E = e^ε
E, F = a**2, m / (m - 1)
p_hcms, p_cms = E / (E + 1), a / (a + 1)
hcms = p_hcms * F * (1 / (2 * p_hcms - 1) - 1 / m)
cms = p_cms * F * ((1 / (2 * p_cms - 1) + 1) / 2 - 1 / m)
assert sp.simplify(hcms - E / (E - 1) - 2 * E / ((E**2 - 1) * (m - 1))) == 0
assert sp.simplify(cms - E / (E - 1) - a / ((E - 1) * (m - 1))) == 0
at_128 = {}
for name, gain in (("HCMS", hcms), ("CMS", cms)):
    at_128[name] = float(gain.subs({a: math.exp(1 / 2), m: 128}))

# %% [markdown]
# At $\varepsilon = 1$ and $m = 128$, such a client gains 1.589<!-- {at_128["HCMS"]:.3f} --> users on HCMS and 1.590<!-- {at_128["CMS"]:.3f} --> on CMS. For large $m$ both gains tend to $\frac{e^\varepsilon}{e^\varepsilon - 1} \approx$ 1.582<!-- {math.e / (math.e - 1):.3f} -->. [*Would another mechanism have been safer?*](sketch-another-mechanism.ipynb) proves the common limit for a class of mechanisms that contains both sketches ({prf:ref}`thm-sk-08-abort`), and that *without* cryptography no $\varepsilon$-private mechanism with an unbiased sum keeps the gain of a fake user below this number ({prf:ref}`thm-sk-08-price`). The server sees the aborted sessions: on HCMS they are a share of $1 - p = \frac1{1 + e^\varepsilon}$.
#
# **Committing to the item.** In V6 the client commits to its item before the server draws the place. At a random place, the other targets have random signs, and a client that finishes gains one user in total on average over the hash functions, for any number of targets ({prf:ref}`thm-sk-07-value`). Real hash functions are fixed and public, so a client can choose the target that shares most cells with other targets. With our sketch and the eight most popular items as targets, this target gains 1.008<!-- {item_gains.max():.3f} --> users.

# %% jupyter={"source_hidden": true} tags=["set-up"]
eight = sorted(counts, key=counts.get)[-8:]
positions = scheme.family.positions(eight)  # cells in each of the 1,024 rows
sharing = [(positions == own_cells).sum(axis=0).mean() for own_cells in positions]
item_gains = 128 / 127 * (np.array(sharing) - 8 / 128)  # other signs cancel over coordinates


# %% [markdown]
# ```{evidence} S-B14 S-B15
# ```
#
# ## What does it cost?
#
# In the paper, the server reads each of the $m$ signs of a CMS report by one oblivious transfer, and an HCMS report needs only one transfer. The paper proposes HCMS for this reason. Does it also hold for proofs? (The transfers alone do not enforce the noise.)

# %% jupyter={"source_hidden": true} tags=["set-up"]
def protocol_with(scheme_class, slots, true):
    level = slot_epsilon(slots, true, bits=scheme_class.sensitivity)
    scheme_of_slots = scheme_class(level, hashes=1024, width=128, seed=6)
    return Protocol(scheme_of_slots, slots=slots, true=true)


rows = []
for scheme_class in (CountMeanSketch, HadamardCountMeanSketch):
    scheme_at_1 = scheme_class(1.0, hashes=1024, width=128, seed=6)
    sent = transfer.oblivious_report(scheme_at_1, "A18", order="known", randomness=source(64))
    rows.append([f"transfers, {scheme_at_1.name}", sum(sent.sent), *sent.exponentiations])
protocols = {
    "CMS, 5 of 8 slots": protocol_with(CountMeanSketch, 8, 5),
    "HCMS, 8 of 11": protocol,
    "HCMS, 19 of 26": protocol_with(HadamardCountMeanSketch, 26, 19),
    "HCMS, 8 of 11, item": of_item,
}

# %% tags=["nbval-ignore-output"]
measured = {}
for name, used_protocol in protocols.items():
    session = report(used_protocol, "A18", randomness=source(65))
    measured[name] = session
    rows.append([f"proof, {name}", session.size, *session.exponentiations])
    print(f"{name}: {1000 * sum(session.seconds):.1f} ms for both sides")

# %%
names = ("report", "bytes", "exponentiations, client", "exponentiations, server")
caption = "One report, m = 128: the paper's transfers (ε = 1, without the place), and proofs."
table(dict(zip(names, zip(*rows))), formats=dict.fromkeys(names[1:], ",d"), caption=caption)

# %% [markdown]
# A CMS report with proof has 94<!-- {measured["CMS, 5 of 8 slots"].size / transcript.size:.0f} --> times as many bytes as an HCMS report with proof, and the client needs 95<!-- {measured["CMS, 5 of 8 slots"].exponentiations[0] / transcript.exponentiations[0]:.0f} --> times as many exponentiations. So the paper's reason holds for proofs, too.
#
# A clause has 48 bytes: 16 for its challenge and 32 for its response. The rest of an HCMS report has 43 bytes. An HCMS report therefore has $43 + 48N$ bytes, and a CMS report $8 + m(35 + 48N)$. More slots bring $\frac{N_t}N$ closer to the intended $p$, which lowers the variance ({numref}`fig-sk-06-cost`).

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Bytes of a report with proof against its extra variance: with N slots the privacy level lies below the intended \u03b5 = 1, so the noise is larger than necessary. Labels: true slots of all slots. On HCMS eleven slots add 3.4%<!-- {cost[8, 11][1]:.1%} --> of variance at 571<!-- {cost[8, 11][0]} --> bytes, 26 slots 0.25%<!-- {cost[19, 26][1]:.2%} --> at 1,291<!-- {cost[19, 26][0]:,} --> bytes.", "name": "fig-sk-06-cost"}, "image": {"alt": "Bytes per report from 300 to a million against the extra variance, both axes logarithmic. The HCMS points lie about two orders of magnitude below the CMS points."}} tags=["figure"]
curves = {
    "HCMS": (slots_for(1.0, 100, bits=1)[1:], lambda number: 43 + 48 * number),
    "CMS": (slots_for(1.0, 100, bits=2), lambda number: 8 + 128 * (35 + 48 * number)),
}
looks = {"HCMS": ("green", "o"), "CMS": ("orange", "s")}
cost = {}
for choice in curves["HCMS"][0]:
    cost[choice.true, choice.slots] = 43 + 48 * choice.slots, choice.variance_cost
assert cost[8, 11][0] == transcript.size and cost[19, 26][0] == measured["HCMS, 19 of 26"].size
assert measured["CMS, 5 of 8 slots"].size == 8 + 128 * (35 + 48 * 8)
fig, ax = plots.panels(height=3.5)
for name, (choices, size) in curves.items():
    colour, marker = looks[name]
    x = [choice.variance_cost for choice in choices]
    y = [size(choice.slots) for choice in choices]
    ax.plot(x, y, label=name, color=plots.COLOURS[colour], marker=marker, ms=5, lw=1)
    for choice, x_, y_ in list(zip(choices, x, y))[:4]:
        ax.annotate(f"{choice.true}/{choice.slots}", (x_, y_), (0, 7), ha="center",
                    fontsize=9, textcoords="offset points")  # fmt: skip
ax.set(xscale="log", yscale="log", ylim=(200, 3e6), xlabel="extra variance of the noise")
ax.set_ylabel("bytes of one report")
ax.set_xticks([0.001, 0.01, 0.1, 1], ["0.1%", "1%", "10%", "100%"])
ax.minorticks_off()
ax.legend(loc="upper right")
plt.show()

# %% [markdown]
# ```{evidence} S-4.23 S-4.27 S-1.7 S-1.8
# ```
#
# ## What if the server uses the wrong constant?
#
# With slots, the probability $p = \frac{N_t}N$ is a rational number. The server must multiply signs by the constant that belongs to this $p$, which is $c_N = \frac{N}{2N_t - N}$. Suppose that it uses the constant $c$ of the intended $\varepsilon$ instead. Then each corrected sign is too large by the factor $\lambda = c/c_N$. The [companion](../evidence/research/sketch-verifiable-noise.ipynb) derives the mean estimate of an item that $f$ of the $n$ users have:
#
# $$ \lambda f - \frac{(\lambda - 1)(m - 2)}{2(m - 1)}\,n \;\text{ (CMS)}, \qquad
#    \lambda f + \frac{\lambda - 1}{m - 1}\,n \;\text{ (HCMS)}. $$
#
# On CMS, nearly $\frac{\lambda - 1}2$ of *all* users are subtracted. For example, take 5 true slots of 8 on CMS, where $\varepsilon_N \approx$ 1.02<!-- {from_slots.epsilon:.2f} --> and $\lambda - 1 \approx$ 2.07%<!-- {ratio - 1:.2%} -->. In the shop with its 49,742<!-- {users:,} --> users, this takes 512<!-- {lost:.0f} --> users from *every* item ({numref}`fig-sk-06-constant`).

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Error of the 43 estimates if the noise of CMS comes from 5 true slots of 8. With the constant of \u03b5 = 1 (squares) every item loses hundreds of users; with the constant of the slots (circles) the errors lie around 0. Lines: the formulas. Points: a simulated shop with a hundred thousand users for each real one, so that the noise is small. The remaining scatter is mostly due to collisions of the fixed hash functions.", "name": "fig-sk-06-constant"}, "image": {"alt": "Error in users against the number of users of an item. Circles for the right constant lie around 0. Squares for the wrong one lie around a rising line, at about minus 512<!-- {lost:.0f} --> on its left."}} tags=["figure"]
at_epsilon_1 = CountMeanSketch(1.0, hashes=1024, width=128, seed=6)
from_slots = CountMeanSketch(slot_epsilon(8, 5, bits=2), hashes=1024, width=128, seed=6)
scale = 10**5
sketch = from_slots.simulate({d: scale * f_d for d, f_d in counts.items()}, np.random.default_rng(61))
wrong_constant = Sketch(at_epsilon_1, sketch.signed, sketch.counts)
ratio = (1 / math.tanh(1 / 4)) / 4  # c at ε = 1 over the c of 5 of 8 slots, which is 4
lost = float((ratio - 1) * 126 / 254 * users)
truth = np.array(list(counts.values()))
fig, ax = plots.panels(height=3.2)
for name, estimated, colour, marker in (("constant of the slots", sketch, "green", "o"),
                                        ("constant of ε = 1", wrong_constant, "orange", "s")):  # fmt: skip
    errors = estimated.estimate(list(counts)) / scale - truth
    ax.plot(truth, errors, marker, color=plots.COLOURS[colour], ms=4, ls="", label=name)
ends = np.array([0, truth.max()])
ax.plot(ends, 0 * ends, color=plots.COLOURS["green"], lw=1, ls="-")
ax.plot(ends, (ratio - 1) * ends - lost, color=plots.COLOURS["orange"], lw=1, ls="-")
ax.set(xlabel="users of the item", ylabel="error of the estimate (users)", ylim=(-600, 100))
ax.legend(loc="center right")
plt.show()

# %% [markdown]
# With $c_N$ the estimates are unbiased.
#
# ```{evidence} S-B12
# ```
#
# ## What it rests on
#
# - **Privacy** rests on the client's own random numbers only. It depends neither on the hash function, nor on the discrete logarithm, nor on the server's coin.
# - **Soundness** rests on the discrete logarithm and on a hash that behaves as a random function. The group operations are those of libsodium.
# - **Proofs.** The theorem holds for all $N$. The enumeration covers two hash functions; the companion adds a third one and challenges from the whole group. The gains of aborting are exact, for one target; notebook 7 treats several on HCMS.
#
# ## Limits
#
# - **One session for each identity.** A person with a thousand identities has a thousand honestly randomised reports. Several servers must share one record of the sessions that have received a coin. If a session breaks off after the coin, an honest client may send the same answer again, but it must not answer a second coin (notebook 7).
# - **Any input.** The item to which a client commits may be a lie.
# - **One report.** A client that reports every day reveals a little each day.
# - **Aborting stays possible.** It would end if a client could not see the outcome before it answers, as in the variant V4, a transfer with a proof, which we did not build.
# - **Study code.** The package has not been reviewed for use, Python does not guarantee constant running times, and the encodings are not those of the draft standard. We did not try shorter proofs, whose size grows as $\log N$.
#
# ## What others had
#
# {cite:t}`biswas2023interactive` combine private and public coins when a curator publishes counts. {cite:t}`sun2025vddp` (abstract only) treat randomised response. The proof of one of many and its witness indistinguishability are those of {cite:t}`cramer1994proofs`. {cite:t}`bontekoe2025efficient` (abstract only) also authenticate the input, with clients that need up to two seconds. {cite:t}`chowdhury2025verity` (abstract only) prevent poisoning even where no third party knows the truth. According to a summary by others, their clients compute under encryption and do not see whether their bits were flipped, which would also end selective aborting. That the party that sees a coin first can stop is the classical weakness of coin tossing. {cite:t}`cheu2021manipulation` (abstract only) bound what no local protocol can prevent.
#
# We believe that the following are ours: the protocol for the two sketches with its complete enumeration, the value of aborting, the gain with a committed item, and the bias from the wrong constant. Our searches found no such numbers.
#
# **Next:** [*Can a poisoned report hide?*](sketch-hiding-and-defending.ipynb)
#
# ## Exercises
#
# ```{exercise-start} Two coins for one commitment
# :label: ex-sk-06-two
# ```
# **Warm-up.** A careless client answers *two* different coins for one commitment, with eight true slots of eleven, and its two answers differ. By which factor, at most, do the two answers change the odds of the client's sign?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("sk-06-two", ...)


# %% [markdown]
# ```{solution-start} ex-sk-06-two
# :class: dropdown
# ```
# By the factor 1<!-- {odds_factor} -->, that is, not at all. If the answers differ, exactly one of the two coins negates the sign. Each coin negates the sign for three of the eleven numbers $\rho$. Hence as many numbers $\rho$ give the answers $(w, -w)$ as give $(-w, w)$. Two *equal* answers, however, may reveal the sign with certainty, for example for the coins 0 and 3. Therefore the package refuses to answer a second coin.

# %%
def reports(w, coin):
    return [protocol.apply(w, rho, coin=coin) for rho in range(11)]


two_answers = {}
for w in (1, -1):
    two_answers[w] = Counter(zip(reports(w, 0), reports(w, 3)))  # coins 0 and 3
odds_factor = Fraction(two_answers[1][1, -1], two_answers[-1][1, -1])
assert two_answers[-1][1, 1] == 0 < two_answers[1][1, 1]
check("sk-06-two", odds_factor)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A lazy server
# :label: ex-sk-06-lazy
# ```
# **Standard.** A lazy server always sends the coin $\sigma = 0$. Does this harm the privacy of an honest client, or the estimates?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-06-lazy", ...)

# %% [markdown]
# ```{solution-start} ex-sk-06-lazy
# :class: dropdown
# ```
# It harms the estimates. The number $\rho$ of an honest client is uniform, and its privacy needs nothing else. But a cheating client that knows the coin in advance commits to a $\rho$ that keeps the sign, and all its proofs are valid. The client's random number protects the client, and the coin protects the server.

# %%
kept = [protocol.apply(1, rho, coin=0) == 1 for rho in range(11)]
assert sum(kept) == 8  # the honest client is as private as before
assert kept[0]  # the cheating client takes rho = 0
harmed = "estimates" if sum(kept) == 8 and kept[0] else "client"
check("sk-06-lazy", harmed)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Aborting with many coins
# :label: ex-sk-06-wide
# ```
# **Research.** On CMS, a cheating client of V5 writes $+1$ into the cells of eight targets. Each cell has a coin of its own, but the client can only send the whole report or abort. What does a client that may abort gain for each session at $\varepsilon = 1$ on a wide CMS sketch ($m \to \infty$), and what does it gain on HCMS?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-06-wide", ...)

# %% [markdown]
# ```{solution-start} ex-sk-06-wide
# :class: dropdown
# ```
# Let $a = e^{\varepsilon/2}$. A kept $+1$ adds $\frac a{a - 1}$ users and a negated one $-\frac1{a - 1}$. If the noise keeps $K$ of $r$ signs, the report adds $\frac{(a + 1)K - r}{a - 1}$ users, where $K$ is binomial with $p = \frac a{a + 1}$. The client sends the report if this number is positive. On CMS the mean gain is 8.19<!-- {wide_gain:.2f} -->. On HCMS one coin decides for all targets, and the gain is $8\,\frac e{e - 1} \approx$ 12.66<!-- {8 * math.e / (math.e - 1):.2f} -->. Aborting gains little on CMS because good and bad coins average out within a report.

# %%
root, wide_gain = math.exp(1 / 2), 0
for K in range(9):
    chance = math.comb(8, K) * root**K / (root + 1) ** 8
    wide_gain += chance * max(((root + 1) * K - 8) / (root - 1), 0)
assert 1 < wide_gain / 8 < math.e / (math.e - 1)  # a target: below the least gain of one
check("sk-06-wide", (wide_gain, 8 * math.e / (math.e - 1)))

# %% [markdown]
# ```{solution-end}
# ```
