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
# **Question.** A fake user gains by leaving out the noise that honest users add. Can a client prove that it drew its noise as agreed, although the server must not learn what the noise was?
#
# **Answer.** Yes: on the Hadamard sketch HCMS, a report with its proof has 571<!-- {transcript.size} --> bytes and reveals nothing about the item beyond its noisy sign, even to a server with unlimited time and whatever the hash function of the proof. A cheating client then gains one user for each target instead of 2.2<!-- {lines["V0"][0]:.1f} --> if it finishes its sessions, and 1.6<!-- {lines["V5 aborting"][0]:.1f} --> if it aborts the unfavourable ones, which the server can count.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** why a proof that the noise is honest reveals nothing more than the report itself, what a broken hash function endangers, what aborting is worth on both sketches, what all of this costs, and which constant the server must use.
# **You need** the commitment, the public coin and the proof of one of many ([notebook 5](../sketch/05-oblivious-transfer.ipynb)), and the variants V5 and V6 ([notebook 6](../sketch/06-every-variant.ipynb)).
# **Time:** 21 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **There are two attackers.** *The server* wants the item of an honest client. It may choose its coins as it likes and has unlimited time. *Fake users* run *cheating clients* to raise the estimates of $r$ target items. Such a client may send anything, or nothing, but it can neither compute discrete logarithms nor predict the hash. **Protected:** the item of one report, up to $e^{\varepsilon}$ in the odds. **Not protected:** the estimates against somebody with many identities; a client that reports twice; a client whose session somebody else opens.
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
# ## Method: every session of a small protocol
#
# In the protocol V5 ({prf:ref}`def-sk-06-public-coin`), a client with the sign $w$ draws a number $\rho$ from $0, \dots, N - 1$ and commits to the pair $(w, \rho)$. Then the server draws the public coin $\sigma$. The report is $y = w$ if $(\rho + \sigma) \bmod N < N_t$, and $y = -w$ otherwise. Take $N = 3$ and $N_t = 2$. Which pairs lead to which report?

# %%
slots, true = 3, 2  # N and N_t
pairs = [(w, rho) for w in (1, -1) for rho in range(slots)]  # numbered u = 0, ..., 5


def noisy_sign(w, rho, coin):
    return w if (rho + coin) % slots < true else -w


def consistent(y, coin):
    """The numbers u of the pairs that the coin turns into y."""
    return [u for u, (w, rho) in enumerate(pairs) if noisy_sign(w, rho, coin) == y]


for y in (1, -1):
    print(f"report {y:+d} after coin 0:", [pairs[u] for u in consistent(y, coin=0)])

# %% [markdown]
# A report $+1$ fits two pairs with $w = +1$ and one with $w = -1$. So it doubles the odds of $w = +1$, as it should for $\varepsilon = \ln 2$. But the server also sees a commitment and a proof. Do these tell more?
#
# We go through *all* sessions, in a group of order 7 with generators $g$ and $h$. In so small a group everybody can compute logarithms. Therefore we simply write an element $h^x$ as its exponent $x$, and products become sums. The Pedersen commitment to the pair number $u$ is $C = g^u h^s$. The proof has one *clause* for each consistent $u$, with a *challenge* $e$ and a *response* $z$. Its first message $T$ (called the *commitment* in the draft standard {cite:p}`orru2026sigma`) must satisfy $h^z = T\,(C/g^u)^e$. Whoever chooses $e$ and $z$ first can compute a matching $T$:

# %%
order, log_g = 7, 3  # g = h^3; an element h^x is written as its exponent x
answers = list(product((0, 1), range(order)))  # a challenge of one bit, and a response


def first_message(C, u, e, z):
    """The T that fits challenge e and response z in the clause "C holds u"."""
    return (z - e * (C - log_g * u)) % order


# %% [markdown]
# The client knows the opening of one clause only. It simulates the others in this way. The hash of the session and of all first messages is the *total* challenge. This total fixes the challenge of the clause that the client knows, because all challenges must add up to the total (*OR composition*).

# %%
def prove(session, numbers, known, s, k, simulated, hashed):
    """Challenge and response for each clause; C was made with u = known and this s."""
    T = []
    for u in numbers:
        T.append(k if u == known else first_message(session[0], u, *simulated[u]))
    total = hashed(session, tuple(T))
    e = (total - sum(other_e for other_e, _ in simulated.values())) % 2
    own = (e, (k + e * s) % order)
    return tuple(simulated.get(u, own) for u in numbers)


# %% [markdown]
# Now we list all sessions of an honest client, over all its random numbers and all coins, and all sessions that the server accepts:

# %%
def honest_sessions(w, hashed):
    """How often the client with the sign w has each session: C, coin, y and proof."""
    sessions = Counter()
    for coin, rho, s, k in product(range(slots), range(slots), range(order), range(order)):
        u, y = pairs.index((w, rho)), noisy_sign(w, rho, coin)
        session = ((log_g * u + s) % order, coin, y)
        numbers = consistent(y, coin)
        others = [v for v in numbers if v != u]
        for drawn in product(answers, repeat=slots - 1):
            simulated = dict(zip(others, drawn))
            sessions[session, prove(session, numbers, u, s, k, simulated, hashed)] += 1
    return sessions


# %%
def accepted_sessions(hashed):
    accepted = set()
    for C, coin, y in product(range(order), range(slots), (1, -1)):
        for proof in product(answers, repeat=slots):
            clauses = zip(consistent(y, coin), proof)
            T = tuple(first_message(C, u, e, z) for u, (e, z) in clauses)
            if sum(e for e, _ in proof) % 2 == hashed((C, coin, y), T):
                accepted.add(((C, coin, y), proof))
    return accepted


# %% [markdown]
# We try two hash functions. One is a random table. The other one is as bad as possible: it is constant.

# %%
bits = np.random.default_rng(7).integers(2, size=(order, slots, 3, order, order, order))
hashes = {"random": lambda session, T: int(bits[session + T]), "constant": lambda session, T: 0}
accepted = {}
for name, hashed in hashes.items():
    plus, minus = honest_sessions(1, hashed), honest_sessions(-1, hashed)
    accepted[name] = accepted_sessions(hashed)
    assert set(plus) == set(minus) == accepted[name]
    ratios = {(session[2], Fraction(plus[session, proof], minus[session, proof]))
              for session, proof in plus}  # fmt: skip
    assert ratios == {(1, 2), (-1, Fraction(1, 2))}

# %% [markdown]
# For both hash functions, each of the 57,624<!-- {len(accepted["random"]):,} --> sessions that the server accepts is exactly twice as likely to come from a client with $w = y$ as from one with $w = -y$. So commitment and proof tell nothing beyond the report. This holds in general:
#
# ```{prf:theorem} A session reveals only the noisy sign
# :label: thm-sk-06-or
# Let an honest client answer one coin, which the server may choose as it likes. Given $C$, $\sigma$ and $y$, the proof is uniformly distributed on the proofs that the server accepts, whichever clause the client knows. This holds for every hash function. So the whole session is $\ln\frac{N_t}{N - N_t}$-locally differentially private for one sign, against unlimited time.
# ```
#
# ```{prf:proof}
# Take an accepted proof and a client that knows clause $u$. The challenges and responses of the other clauses are drawn, so they must be those of the proof. The client's random number $k$ must be $z_u - e_u s$. With these numbers all first messages are those of the proof, and so is the hash. Hence the remaining challenge is $e_u$ and its response is $z_u$. So exactly one draw gives this proof, and all draws are equally likely. Finally, $C$ is uniform for every pair, so $\rho$ is still uniform when the server chooses $\sigma$, and $y = w$ has probability $\frac{N_t}{N}$.
# ```
#
# Cryptographers call the uniformity of the proof *perfect witness indistinguishability* {cite:p}`cramer1994proofs`. [Notebook 6](../sketch/06-every-variant.ipynb) proves it for the nested proofs of V6.
#
# What does a bad hash ruin, then? A cheating client that foresees the total can simulate *all* clauses. We count how often such a forgery for the total 0 is accepted:

# %%
forgeries = order * slots * 2 * 4 * order**3  # C, coin, y; challenges of sum 0; responses
for name, sessions in accepted.items():
    passed = sum(sum(e for e, _ in proof) % 2 == 0 for _, proof in sessions)
    print(f"{name} hash: {passed / forgeries:.0%} of the forgeries are accepted")

# %% [markdown]
# With a constant hash, anything can be "proved". With the random one a guess of one bit succeeds about half the time, and with the 128-bit challenges of our package in a share $2^{-128}$ of all trials. **A broken hash function deceives the server, but it does not betray an honest client.**
#
# ## What can a cheating client still choose?
#
# A cheating client cannot choose its noise. The commitment fixes $w$ and $\rho$ before the coin, and each $\rho$ keeps the sign for $N_t$ of the $N$ coins. Suppose that a client lies about the coin, and that it could answer two different totals after the same first messages. Then some clause $u$ has two challenges $e \ne e'$. With $P = C/g^u$, the equations $h^z = T P^e$ and $h^{z'} = T P^{e'}$ give $P = h^{(z - z')/(e - e')}$ (*special soundness*). So the client knows an opening of $C$ to a consistent number, although it committed to another one. Two openings would give it the logarithm of $g$ to the base $h$. Therefore a client that lies can answer at most one total, and has to guess it in advance.
#
# Here are two sessions in the real group, of 252 bits, with eight of eleven slots. In the second one, of V6, the client commits to an item of the shop's list instead of a sign:

# %%
scheme = HadamardCountMeanSketch(slot_epsilon(11, 8), hashes=1024, width=128, seed=6)
protocol = Protocol(scheme, slots=11, true=8)
transcript = report(protocol, "A18", randomness=source(62))
print("V5: bytes of commitment, coin, response", *protocol.sizes, " together", transcript.size)
of_item = Protocol(scheme, slots=11, true=8, domain=list(counts))
committed = report(of_item, "A18", randomness=source(63))
print("V6: bytes of commitment, coin, response", *of_item.sizes, " together", committed.size)

# %% [markdown]
# The [companion](../evidence/research/sketch-verifiable-noise.ipynb) changes each part of the first session in turn: the commitment, the place, the coin, the sign, a challenge, a response and the name. The server refuses all of them. In V5 the client must fix row and coordinate in its first message as well. If it could choose them after it knows $y$, it would take a coordinate where the target's sign is $y$, and the noise would be gone.
#
# ```{evidence} S-B13
# ```
#
# ## What does the proof take away from an attack?
#
# A cheating client still chooses its input: place and signs in V5, its item in V6. And it may *abort* after it has seen the coin. {numref}`fig-sk-06-gain` shows what this is worth.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What one session of a cheating client gains on HCMS (eight of eleven slots, m = 128), over all targets together. The proof of V5 removes the factor 2.2<!-- {lines[\"V0\"][0]:.1f} --> by which a report without noise exceeds an honest one. The committed item of V6 removes the number of targets. A client that aborts (dashed) wins part of it back, but the server sees 27%<!-- {aborted[\"V5\"]:.0%} --> of the sessions of V5 aborted, and 57%<!-- {aborted[\"V6\"]:.0%} --> of V6 with eight targets.", "name": "fig-sk-06-gain"}, "image": {"alt": "Lines of the gain in users against the number of targets from 1 to 16, both axes logarithmic. Without a proof the gain rises from 2.2<!-- {lines[\"V0\"][0]:.1f} --> to 35<!-- {lines[\"V0\"][-1]:.0f} -->. With V5 it rises from 1 to 16, with aborting from 1.6<!-- {lines[\"V5 aborting\"][0]:.1f} --> to 26<!-- {lines[\"V5 aborting\"][-1]:.0f} -->. With V6 it stays at 1, with aborting it rises from 1.6<!-- {lines[\"V6 aborting\"][0]:.1f} --> to 4<!-- {lines[\"V6 aborting\"][-1]:.0f} -->."}} tags=["figure"]
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
# **Aborting.** Let a client of V5 have one target, and let $F = \frac m{m-1}$. On HCMS a report whose sign is kept is worth $F(c - \frac1m)$, and comes with probability $p = \frac{e^\varepsilon}{e^\varepsilon + 1}$. On CMS the target's cell has its own coin, made for $\frac\varepsilon2$. A kept $+1$ is worth $F(\frac{c + 1}2 - \frac1m)$, with probability $p = \frac a{a + 1}$, where $a = e^{\varepsilon/2}$. In both cases $c = \frac1{2p - 1}$. If the coin negates the sign, the client aborts.
#
# ```{prf:proposition} Aborting is worth the same on both sketches
# :label: prop-sk-06-abort
# With one target, a client of V5 that aborts after every unfavourable coin gains, for each session,
#
# $$
# \begin{aligned}
# &\frac{e^\varepsilon}{e^\varepsilon - 1} + \frac{2 e^\varepsilon}{(e^{2\varepsilon} - 1)(m - 1)} && \text{(HCMS)}, \\
# &\frac{e^\varepsilon}{e^\varepsilon - 1} + \frac{e^{\varepsilon/2}}{(e^{\varepsilon} - 1)(m - 1)} && \text{(CMS)} .
# \end{aligned}
# $$
# ```
#
# The gain is the product of the probability and the worth. Sympy confirms both forms:

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
# At $\varepsilon = 1$ and $m = 128$ this is 1.589<!-- {at_128["HCMS"]:.3f} --> users on HCMS and 1.590<!-- {at_128["CMS"]:.3f} --> on CMS, and 1.582<!-- {math.e / (math.e - 1):.3f} --> on a wide sketch. That the two limits agree is no accident: [*Would another mechanism have been safer?*](sketch-another-mechanism.ipynb) proves it for all mechanisms whose item multiplies the odds of its support by the full $e^\varepsilon$ ({prf:ref}`thm-sk-08-abort`). It also proves that *without* cryptography no $\varepsilon$-private mechanism with an unbiased sum keeps a fake user below this number ({prf:ref}`thm-sk-08-price`). On HCMS, a share $q = \frac1{1 + e^\varepsilon}$ of the sessions is aborted, which the server sees.
#
# **Committing to the item.** In V6 the client commits to its item before the server draws the place. The targets' other signs are then random, and a client that finishes gains one user on average over the hash functions, for any number of targets ({prf:ref}`thm-sk-05-stop`). The hash functions of a sketch are fixed, however, and public. With those of our sketch, the best of the eight most popular items gains a little more. (A target in the same cell always has the same sign; the others cancel over the coordinates.)

# %%
eight = sorted(counts, key=counts.get)[-8:]
positions = scheme.family.positions(eight)  # cells in each of the 1,024 rows
in_same_cell = [(positions == own).sum(axis=0).mean() for own in positions]
gains = 128 / 127 * (np.array(in_same_cell) - 8 / 128)
print(f"eight items, V6, finishing: mean {gains.mean():.3f}, best {gains.max():.3f} users")


# %% [markdown]
# ```{evidence} S-B14 S-B15
# ```
#
# ## What does it cost?
#
# **The paper** has another proposal: the server takes each sign by an oblivious transfer, with $p = \frac{e^{\varepsilon/2}}{1 + e^{\varepsilon/2}}$ for each of the $m$ signs of CMS, and with $p = \frac{e^{\varepsilon}}{1 + e^{\varepsilon}}$ for the one sign of HCMS. It argues that HCMS makes the cryptography affordable. We count real sessions of both kinds. (The transfers enforce nothing, see notebook 5. They serve as a scale.)

# %%
def agree(kind, slots, true):
    level = slot_epsilon(slots, true, bits=kind.sensitivity)
    sketch = kind(level, hashes=1024, width=128, seed=6)
    return Protocol(sketch, slots=slots, true=true)


rows = []
for kind in (CountMeanSketch, HadamardCountMeanSketch):
    sketch = kind(1.0, hashes=1024, width=128, seed=6)
    sent = transfer.oblivious_report(sketch, "A18", order="known", randomness=source(64))
    rows.append([f"transfers, {sketch.name}", sum(sent.sent), *sent.exponentiations])
proved = {"CMS, 5 of 8 slots": agree(CountMeanSketch, 8, 5), "HCMS, 8 of 11": protocol,
          "HCMS, 19 of 26": agree(HadamardCountMeanSketch, 26, 19),
          "HCMS, 8 of 11, item": of_item}  # fmt: skip

# %% tags=["nbval-ignore-output"]
sessions = {name: report(agreed, "A18", randomness=source(65)) for name, agreed in proved.items()}
for name, session in sessions.items():
    rows.append([f"proof, {name}", session.size, *session.exponentiations])
    print(f"{name}: {1000 * sum(session.seconds):.1f} ms for both sides")

# %%
names = ("report", "bytes", "exponentiations, client", "exponentiations, server")
caption = "One report, m = 128: the paper's transfers (ε = 1, without the place), and proofs."
table(dict(zip(names, zip(*rows))), formats=dict.fromkeys(names[1:], ",d"), caption=caption)

# %% [markdown]
# A proved CMS report has 94<!-- {sessions["CMS, 5 of 8 slots"].size / transcript.size:.0f} --> times as many bytes as one of HCMS, and needs 95<!-- {sessions["CMS, 5 of 8 slots"].exponentiations[0] / transcript.exponentiations[0]:.0f} --> times as many exponentiations of the client. So the paper's reason for HCMS holds for proofs as well. A clause has 48 bytes, 16 for its challenge and 32 for its response. Therefore an HCMS report has $43 + 48N$ bytes, and a CMS report $8 + m(35 + 48N)$. With more slots, $\frac{N_t}N$ comes closer to the $p$ that is wanted, so that less variance is lost:

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Bytes of a proved report against the variance that is lost because slots miss \u03b5 = 1 from below (labels: true slots of all slots). On HCMS eleven slots lose 3.4%<!-- {cost[8, 11][1]:.1%} --> in 571<!-- {cost[8, 11][0]} --> bytes, 26 slots 0.25%<!-- {cost[19, 26][1]:.2%} --> in 1,291<!-- {cost[19, 26][0]:,} --> bytes.", "name": "fig-sk-06-cost"}, "image": {"alt": "Bytes per report from 300 to a million against the extra variance, both axes logarithmic. The HCMS points lie about two orders of magnitude below the CMS points."}} tags=["figure"]
curves = {
    "HCMS": (slots_for(1.0, 100, bits=1)[1:], lambda number: 43 + 48 * number),
    "CMS": (slots_for(1.0, 100, bits=2), lambda number: 8 + 128 * (35 + 48 * number)),
}
looks = {"HCMS": ("green", "o"), "CMS": ("orange", "s")}
cost = {}
for choice in curves["HCMS"][0]:
    cost[choice.true, choice.slots] = 43 + 48 * choice.slots, choice.variance_cost
assert cost[8, 11][0] == transcript.size and cost[19, 26][0] == sessions["HCMS, 19 of 26"].size
assert sessions["CMS, 5 of 8 slots"].size == 8 + 128 * (35 + 48 * 8)
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
# Slots realise only rational $p$. Suppose that the server corrects the signs with the constant $c$ of the intended $\varepsilon$, although $N$ slots need $c_N = \frac{N}{2N_t - N}$. Then each corrected sign is too large by the factor $\lambda = c/c_N$. On CMS a user is counted as $\frac{\lambda + 1}2$ on average if the user's item lies in the cell, and as $\frac{1 - \lambda}2$ if it does not. On HCMS the two numbers are $\lambda$ and 0. In both sketches the cell holds $f$ users of the item and, on average, a share $\frac1m$ of the others:

# %%
f, n, lam = sp.symbols("f n lambda", positive=True)
in_cell = f + (n - f) / m
mean_cms = F * ((lam + 1) / 2 * in_cell + (1 - lam) / 2 * (n - in_cell) - n / m)
mean_hcms = F * (lam * in_cell - n / m)
assert sp.simplify(mean_cms - (lam * f - (lam - 1) * (m - 2) / (2 * (m - 1)) * n)) == 0
assert sp.simplify(mean_hcms - (lam * f + (lam - 1) / (m - 1) * n)) == 0

# %% [markdown]
# So the estimate is scaled by $\lambda$, and on CMS nearly $\frac{\lambda - 1}2$ of *all* users are subtracted from it. The nearest small fraction for CMS at $\varepsilon = 1$ is 5 of 8 slots, with $\varepsilon_N \approx$ 1.02<!-- {drawn.epsilon:.2f} --> and $\lambda - 1 \approx$ 2.07%<!-- {ratio - 1:.2%} -->. This looks harmless. But in the shop with its 49,742<!-- {users:,} --> users, the second term takes 512<!-- {lost:.0f} --> users from *every* item:

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Error of the 43 estimates if the noise of CMS comes from 5 of 8 slots and the server uses the constant of \u03b5 = 1. Lines: the formulas. Dots: a simulated shop, with a hundred thousand users for each real one, so that the noise is small; what scatters is mostly collisions of the fixed hash functions. With the constant of the slots the errors lie around 0. With the wrong one every item loses hundreds of users.", "name": "fig-sk-06-constant"}, "image": {"alt": "Error in users against the number of users of an item. Dots for the right constant lie on the line 0. Dots for the wrong one lie on a rising line, at about minus 512<!-- {lost:.0f} --> on its left."}} tags=["figure"]
meant = CountMeanSketch(1.0, hashes=1024, width=128, seed=6)
drawn = CountMeanSketch(slot_epsilon(8, 5, bits=2), hashes=1024, width=128, seed=6)
scale = 10**5
sketch = drawn.simulate({d: scale * f_d for d, f_d in counts.items()}, np.random.default_rng(61))
misread = Sketch(meant, sketch.signed, sketch.counts)
ratio = (1 / math.tanh(1 / 4)) / 4  # c at ε = 1 over the c of 5 of 8 slots, which is 4
lost = float((ratio - 1) * 126 / 254 * users)
truth = np.array(list(counts.values()))
fig, ax = plots.panels(height=3.2)
for name, estimated, colour, marker in (("constant of the slots", sketch, "green", "o"),
                                        ("constant of ε = 1", misread, "orange", "s")):  # fmt: skip
    errors = estimated.estimate(list(counts)) / scale - truth
    ax.plot(truth, errors, marker, color=plots.COLOURS[colour], ms=4, ls="", label=name)
ends = np.array([0, truth.max()])
ax.plot(ends, 0 * ends, color=plots.COLOURS["green"], lw=1, ls="-")
ax.plot(ends, (ratio - 1) * ends - lost, color=plots.COLOURS["orange"], lw=1, ls="-")
ax.set(xlabel="users of the item", ylabel="error of the estimate (users)", ylim=(-600, 100))
ax.legend(loc="center right")
plt.show()

# %% [markdown]
# A server that uses slots must use $c_N$; then the estimates are unbiased.
#
# ```{evidence} S-B12
# ```
#
# ## What it rests on
#
# - **Privacy** rests on the client's own random numbers only: not on the hash, not on the discrete logarithm, not on the server's coin.
# - **Soundness** rests on the discrete logarithm and on a hash that behaves as a random function. The group operations are those of libsodium.
# - **Proofs.** The theorem holds for all $N$; the enumeration shows two hash functions, and the companion a third one and challenges from the whole group. The gains of aborting are exact, for one target; notebook 6 treats several on HCMS.
#
# ## Limits
#
# - **One identity, one session.** Somebody with a thousand identities has a thousand honestly randomised reports. Several servers must share one record of spent sessions; `Server` locks its own. What a spent session costs honest users is computed in notebook 6.
# - **Any input.** A committed item may be a lie.
# - **One report.** A client that reports every day reveals a little each day, as with any randomised response.
# - **Aborting stays possible.** It would end if the client could not see the outcome before it answers, as in V4, which we did not build.
# - **Study code.** The package has not been reviewed for use. Python promises nothing about running times. It does not follow the encodings of the draft standard. We did not measure other groups, or shorter proofs that grow as $\log N$.
#
# ## What others had
#
# Randomised response from shuffled slots, with a proof that the slots are correct and a transfer, is due to {cite:t}`ambainis2004cryptographic`, and {cite:t}`kato2021preventing` use it for local privacy. {cite:t}`biswas2023interactive` combine private and public coins when a curator publishes counts; {cite:t}`sun2025vddp` (abstract only) treat randomised response. The proof of one of many and its witness indistinguishability are those of {cite:t}`cramer1994proofs`. {cite:t}`bontekoe2025efficient` (abstract only) authenticate the input as well, with clients that need up to two seconds. {cite:t}`chowdhury2025verity` (abstract only) prevent poisoning even where no third party knows the truth; by a summary of others, their client computes under encryption and does not see whether its bit was flipped, which would also end aborting. That whoever sees a coin first can stop is the classical weakness of coin tossing. {cite:t}`cheu2021manipulation` bound what no local protocol can prevent. We believe that the following are ours: the protocol for the two sketches with its complete enumeration, the value of aborting, the gain with a committed item, and the bias from the wrong constant. Our searches found no such numbers.
#
# **Next:** [*Can a poisoned report hide?*](sketch-hiding-and-defending.ipynb)
#
# ## Exercises
#
# ```{exercise-start} Two coins for one commitment
# :label: ex-sk-06-two
# ```
# **Warm-up.** A careless client answers *two* different coins for one commitment, with eight of eleven slots. The two answers differ. By which factor do they move the odds of the client's sign, at most?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("sk-06-two", ...)


# %% [markdown]
# ```{solution-start} ex-sk-06-two
# :class: dropdown
# ```
# By the factor 1<!-- {moved} -->. Different answers mean that exactly one coin negates the sign. Each coin negates it for three of the eleven numbers $\rho$, so $(w, -w)$ and $(-w, w)$ have equally many. Two *equal* answers may reveal the sign with certainty, for example to the coins 0 and 3. Therefore the package refuses a second coin.

# %%
def reports(w, coin):
    return [protocol.apply(w, rho, coin=coin) for rho in range(11)]


seen = {w: Counter(zip(reports(w, 0), reports(w, 3))) for w in (1, -1)}  # coins 0 and 3
moved = Fraction(seen[1][1, -1], seen[-1][1, -1])
assert seen[-1][1, 1] == 0 < seen[1][1, 1]
check("sk-06-two", moved)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A lazy server
# :label: ex-sk-06-lazy
# ```
# **Standard.** A lazy server always sends the coin $\sigma = 0$. Who is harmed, the honest client or the estimates?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-06-lazy", ...)

# %% [markdown]
# ```{solution-start} ex-sk-06-lazy
# :class: dropdown
# ```
# The estimates. The honest client's own $\rho$ is uniform, which is all that its privacy needs. But a cheating client that knows the coin commits to a $\rho$ that keeps the sign, and all its proofs are right. Each half of the randomness protects the party that brings it.

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
# **Research.** On CMS, a cheating client of V5 writes $+1$ into the cells of eight targets. Each cell has a coin of its own, but there is only one report to send or not. What does aborting gain at $\varepsilon = 1$ on a wide sketch, and what on HCMS?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-06-wide", ...)

# %% [markdown]
# ```{solution-start} ex-sk-06-wide
# :class: dropdown
# ```
# With $a = e^{\varepsilon/2}$, a kept $+1$ is worth $\frac a{a - 1}$ and a negated one $-\frac1{a - 1}$. So $K$ kept signs of $r$ are worth $\frac{(a + 1)K - r}{a - 1}$, and $K$ is binomial with $p = \frac a{a + 1}$. On CMS the mean of the positive part is 8.19<!-- {wide_gain:.2f} -->; on HCMS, where one coin decides for all targets, the gain is $8\,\frac e{e - 1} \approx$ 12.66<!-- {8 * math.e / (math.e - 1):.2f} -->. Aborting is worth little where good and bad coins average out.

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
