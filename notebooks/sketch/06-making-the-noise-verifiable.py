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
# The transfers of the last notebook fail at one point: nobody looks into the slots. So let us drop the
# transfer and keep the slots. The client locks its sign and a random number into a box, the server tosses a
# coin *in public*, and the rules of the game turn the two into a noisy sign. The client then proves that
# what it sends is what the box and the coin give, without opening the box. Half a kilobyte and two
# milliseconds a report are enough. What is left to a cheat is small, and this notebook measures it.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** which noise can be proved at all and what the estimator has to know about it, how a
# commitment, a public coin and a proof of "one of these" make noise that the server can check and cannot
# see through, what a client gains that walks away from a bad coin, and what all of it costs on CMS and on
# HCMS.
# **You need** the slots and the threat matrix of [notebook 5](05-oblivious-transfer.ipynb); exponents
# modulo a prime. No elliptic curves: the package calls a library for them.
# **Time:** 30 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The server** wants the item of an honest client. It may choose its coins as it likes, adaptively, and it
# has unlimited time. **Fake clients** want to raise the estimates of $r$ target items. They may compute what
# they like, but no discrete logarithms. They send any message, or none. **Protected:** the item of an honest
# client, up to $e^{\varepsilon}$; the noise of every report that is accepted. **Not protected:** estimates
# against somebody with many identities; the item of a client that takes part twice.
# ```

# %%
import math
from collections import Counter
from fractions import Fraction
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from myst_nb import glue

from privlib.kit import claim, plots
from privlib.sketch import (
    CountMeanSketch,
    HadamardCountMeanSketch,
    Sketch,
    transfer,
    verifiable,
)
from privlib.sketch.data import shop_counts
from privlib.sketch.hadamard import hadamard_matrix
from privlib.sketch.slots import slot_constant, slot_epsilon, slots_for, threat_matrix

plots.use()
counts = shop_counts()
n, m, k = sum(counts.values()), 128, 1024
glue("n", f"{n:,}", display=False)

# %% [markdown]
# ## Which noise can be counted out in slots?
#
# ```{prf:definition} The paper's two transfers (section 4.2)
# :label: def-sk-06-transfers
# In OT-CMS the server takes the true sign with probability $p = e^{\varepsilon/2}/(1 + e^{\varepsilon/2})$,
# once for each of the $m$ signs. In OT-HCMS $p = e^{\varepsilon}/(1 + e^{\varepsilon})$, and one transfer
# (紛失通信) for one sign is enough.
# ```
#
# A server that draws its slot uniformly gets the true sign in $T$ of $N$ cases. So $p$ is a fraction, and
# $\varepsilon$ takes the values $\varepsilon_N = \ln\frac{T}{N-T}$ (twice that for CMS, where two items differ
# in two signs) with the constant $c_N = \frac{N}{2T - N}$. How close does that come to $\varepsilon = 1$
# without exceeding it, and what does the remaining gap cost?

# %%
for name, bits in (("HCMS", 1), ("CMS", 2)):
    for s in slots_for(1.0, 50, bits=bits)[1:]:
        print(
            f"{name:5s}{s.true:3d} of {s.slots:2d} slots   ε = {s.epsilon:.4f}"
            f"   noise variance {s.variance_cost:+.2%}"
        )

# %% [markdown]
# Eleven slots are good enough for HCMS. The paper's number of transfers holds as printed; we run them and
# count bytes.

# %%
E = sp.symbols("E", positive=True)  # e^ε
p_cms, p_hcms = sp.sqrt(E) / (1 + sp.sqrt(E)), E / (1 + E)


def nearest(p, most=100):
    """Distance from p to the nearest fraction with at most so many slots."""
    return min(abs(p - t / s) for s in range(2, most + 1) for t in range(s))


def transfers(kind, width):
    """A transcript of the paper's scheme: two slots, order known, real transfers."""
    scheme = kind(1.0, hashes=4, width=width, seed=1)
    source = np.random.default_rng(width).bytes
    return transfer.oblivious_report(scheme, "A18", order="known", randomness=source)


wide = {width: transfers(CountMeanSketch, width) for width in (8, 16, 32, 64)}
single = {
    width: transfers(HadamardCountMeanSketch, width) for width in (8, 16, 32, 64)
}

# %%
with claim("S-4.23") as c:
    c.exact(sp.simplify((p_cms / (1 - p_cms)) ** 2), E, "two signs at p give e^ε")
    gap = nearest(math.sqrt(math.e) / (1 + math.sqrt(math.e)))
    c.holds(gap > 0, f"slots, ε = 1: T/N with N up to 100 is {gap:.1e} away at best")
    c.close(slot_epsilon(8, 5, bits=2), 2 * math.log(5 / 3), "5 of 8", rtol=1e-12)
    c.exact([t.signs.size for t in wide.values()], [8, 16, 32, 64], "m transfers")
with claim("S-4.27") as c:
    c.exact(sp.simplify(p_hcms / (1 - p_hcms)), E, "one sign at p gives e^ε")
    gap = nearest(math.e / (1 + math.e))
    c.holds(gap > 0, f"slots, ε = 1: T/N with N up to 100 is {gap:.1e} away at best")
    c.close(slot_epsilon(11, 8), math.log(8 / 3), "8 of 11", rtol=1e-12)
    c.exact({t.signs.size for t in single.values()}, {1}, "one transfer for every m")
with claim("S-1.7") as c:
    sizes = [sum(t.sent) for t in wide.values()]
    c.exact(
        sizes, [32 + 64 * w for w in wide], "bytes: one key, then 64 for each cell"
    )
    powers = [sum(t.exponentiations) for t in wide.values()]
    c.exact(powers, [2 + 4 * w for w in wide], "exponentiations: four for each cell")
with claim("S-1.8") as c:
    c.exact({sum(t.sent) for t in single.values()}, {96}, "96 bytes for every m")
    c.exact(
        {sum(t.exponentiations) for t in single.values()}, {6}, "6 exponentiations"
    )

# %% [markdown]
# What if the noise comes from slots and the estimator keeps the constant of the $\varepsilon$ it was
# meant for? Take CMS, 5 of 8 slots, $\varepsilon = 1$. Each cell is then multiplied by $\lambda = c/c_N$ too much.
# The count of the item itself grows by that factor; but a cell of CMS holds mostly $-1$, and those grow too:
#
# ```{prf:proposition} Slot noise, read with another constant
# :label: thm-sk-06-bias
# Let $\lambda = c/c_N$. Over random hash functions
#
# $$ \begin{aligned}
# \text{CMS: } & \E \tilde f = \lambda f - (\lambda - 1)\,\tfrac{m-2}{2(m-1)}\, n, \\
# \text{HCMS: } & \E \tilde f = \lambda f + (\lambda - 1)\,\tfrac{1}{m-1}\, n.
# \end{aligned} $$
# ```

# %%
f, size, width, lam = sp.symbols("f n m lambda", positive=True)
F = width / (width - 1)
matches = f + (size - f) / width  # users whose cell is that of the item
cms_mean = F * (lam * matches + (1 - lam) * size / 2 - size / width)
hcms_mean = F * (lam * matches - size / width)
offset = (width - 2) / (2 * (width - 1))
assert sp.simplify(cms_mean - (lam * f - (lam - 1) * offset * size)) == 0
assert sp.simplify(hcms_mean - (lam * f + (lam - 1) * size / (width - 1))) == 0

meant = CountMeanSketch(1.0, hashes=k, width=m, seed=6)
drawn = CountMeanSketch(slot_epsilon(8, 5, bits=2), hashes=k, width=m, seed=6)
ratio = meant.constant / float(slot_constant(8, 5))
rng = np.random.default_rng(61)
users = {d: 10**5 * f_d for d, f_d in counts.items()}  # many users: little noise
sketch = drawn.simulate(users, rng)
errors = sketch.estimate(list(users)) - list(users.values())
assert (np.abs(errors) < 5 * np.sqrt(drawn.variances(users))).all()  # read rightly
misread = Sketch(meant, sketch.signed, sketch.counts)
slope, level = np.polyfit(
    sketch.estimate(list(users)), misread.estimate(list(users)), 1
)
loss = level / sum(users.values()) * n  # back to the shop's own size

with claim("S-B12") as c:
    c.close(
        ratio, 1 / math.tanh(1 / 4) / 4, "CMS, 5 of 8 slots, ε = 1: c/c_N", rtol=1e-12
    )
    c.close(
        ratio - 1, 0.0207, f"each count is read {ratio - 1:+.2%}", atol=5e-5, rtol=0
    )
    c.close(slope, ratio, "slope of misread estimates", rtol=1e-9)
    c.close(
        level / sum(users.values()), -(ratio - 1) * 63 / 127, "offset/n", rtol=1e-6
    )
glue("slope", round(float(100 * (ratio - 1)), 6), display=False)
glue("loss", round(float(-loss), 4), display=False)

# %% [markdown]
# A factor of {glue:text}`slope:.2f` % looks harmless. The offset is not: in the shop with its
# {glue:text}`n` clicks **every** item loses {glue:text}`loss:.0f`. So: slots, and the constant of the slots.
#
# ## How can a coin be public and the noise private?
#
# A proof of what $N$ slots hold is possible, but it needs $N$ boxes, $N$ proofs, and a transfer on top
# {cite:p}`ambainis2004cryptographic`. One box is enough if the client brings half of the randomness and the
# server the other half. Let a group have prime order $L$ and two generators $g$, $h$ such that nobody knows
# $\log_h g$.
#
# ```{prf:definition} Commitment
# :label: def-sk-06-commitment
# A commitment (コミットメント) to a number $u$ is $C = g^u h^s$ with $s$ uniform in $\mathbb{Z}_L$.
# ```
#
# Two facts, both visible in a group that is small enough to list, the squares modulo 23 with $L = 11$: for
# every $u$ the commitment is uniform, so it *hides* $u$ from any computer; and two ways to open the same $C$
# give away $\log_h g$, so it *binds* whoever cannot compute that.

# %%
L, P23, g, h = 11, 23, 3, 2
laws = {
    u: Counter(pow(g, u, P23) * pow(h, s, P23) % P23 for s in range(L))
    for u in range(L)
}
assert all(law == laws[0] and set(law.values()) == {1} for law in laws.values())

log_g = next(x for x in range(L) if pow(h, x, P23) == g)
openings = product(range(L), repeat=4)
same = [
    (u, s, v, t)
    for u, s, v, t in openings
    if u != v and (log_g * (u - v) + s - t) % L == 0
]
assert {(t - s) * pow(u - v, -1, L) % L for u, s, v, t in same} == {log_g}
print(f"{len(same)} pairs of different openings, each of which gives log g = {log_g}")

# %% [markdown]
# ```{prf:algorithm} Verifiable randomised response
# :label: def-sk-06-protocol
# Public: $N$ slots, $T$ of them true. The client's sign is $w = (-1)^b$ in row $j$, coordinate $\ell$.
#
# 1. **Client:** draws $\rho$ in $\mathbb{Z}_N$ and sends $j$, $\ell$ and $C = g^u h^s$ with $u = 1 + bN + \rho$.
# 2. **Server:** marks the session as spent and sends $\sigma$, uniform in $\mathbb{Z}_N$.
# 3. **Client:** sends $y = w$ if $(\rho + \sigma) \bmod N < T$, else $y = -w$, and a proof that $C$ holds one
#    of the $N$ numbers $u$ that $\sigma$ turns into $y$.
# 4. **Server:** checks the proof, files $(y, j, \ell)$, and estimates with $c_N$.
# ```

# %%
epsilon = slot_epsilon(11, 8)
scheme = HadamardCountMeanSketch(epsilon, hashes=k, width=m, seed=6)
protocol = verifiable.Protocol(scheme, slots=11, true=8)
source = np.random.default_rng(62).bytes  # repeatable pages; never in production
transcript = verifiable.report(protocol, "A18", randomness=source)
messages = [
    len(x) for x in (transcript.commitment, transcript.coin, transcript.response)
]
assert messages == [40, 2, 529]
print("bytes of the three messages:", messages, "together", transcript.size)
print("exponentiations of client and server:", transcript.exponentiations)
glue("bytes", transcript.size, display=False)

# %% mystnb={"figure": {"caption": "One report. The box is closed before the coin falls, so the client cannot choose its noise; the box is never opened, so the server does not learn which noise fell. After the coin the session is spent, whether it ends or not.", "name": "fig-sk-06-sequence"}, "image": {"alt": "Sequence diagram with two vertical lines, client and server. First arrow from client to server, box with row and coordinate, 40 bytes. Second arrow back, the coin, 2 bytes, with a mark that the session is now spent. Third arrow to the server, noisy sign and proof, 529 bytes."}}
fig, ax = plots.panels(height=3.9)
ax.axis("off")
ax.set(xlim=(0, 10), ylim=(0, 6.3))
blue, orange, green = (plots.COLOURS[x] for x in ("blue", "orange", "green"))
for x, who in ((1.9, "client"), (8.1, "server")):
    ax.plot([x, x], [0.2, 5.6], color="0.6", lw=1.2, ls="-")
    ax.text(x, 5.8, who, ha="center", weight="bold", fontsize=12)
arrows = [
    (4.85, blue, 1, r"1   row, coordinate, box  $C = g^u h^s$", messages[0]),
    (3.15, orange, -1, r"2   public coin  $\sigma$", messages[1]),
    (1.35, green, 1, r"3   noisy sign  $y$  and proof", messages[2]),
]
for y, colour, way, text, count in arrows:
    ends = (2.0, 8.0)[::way]
    style = {"arrowstyle": "-|>", "color": colour, "lw": 2}
    ax.annotate("", (ends[1], y), (ends[0], y), arrowprops=style)
    ax.text(5, y + 0.17, text, ha="center", color=colour)
    ax.text(5, y - 0.42, f"{count} bytes", ha="center", color="0.4", fontsize=9)
for x, y, text, side in (
    (1.75, 4.6, "locks its sign\nand its number ρ", "right"),
    (8.25, 2.75, "session\nis spent", "left"),
    (1.75, 1.1, "sees its luck:\nanswers or stops", "right"),
    (8.25, 0.85, "checks, adds y\nto the sketch", "left"),
):
    ax.text(x, y, text, ha=side, fontsize=9)
plt.show()

# %% [markdown]
# ## What does the server learn?
#
# The server picks $\sigma$ when it has seen $C$, which tells it nothing. So for every $\sigma$, whatever its
# reason, $\rho + \sigma$ is uniform. We list all cases.

# %%
N, T = protocol.slots, protocol.true
kept = {
    Fraction(sum(protocol.apply(w, rho, coin=coin) == w for rho in range(N)), N)
    for w in (1, -1)
    for coin in range(N)
}
assert kept == {Fraction(8, 11)}
ratio_one = max(kept) / (1 - max(kept))
assert ratio_one == Fraction(8, 3)


def law_of_answers(w, coins):
    """How many of the N numbers give which answers."""
    answers = (
        tuple(protocol.apply(w, rho, coin=x) for x in coins) for rho in range(N)
    )
    return Counter(answers)


up, down = law_of_answers(1, (0, 3)), law_of_answers(-1, (0, 3))
print("answers to two coins   if w = 1   if w = -1     (of 11)")
for pair in sorted(up | down, reverse=True):
    print(f"{pair!s:22s} {up[pair]:8d} {down[pair]:11d}")

# %% [markdown]
# One answer moves the odds by at most $\frac83 = e^{\varepsilon_N}$. **Two coins for one box are too many:** two
# equal answers show the sign without any doubt. The client therefore answers once, and the package
# refuses a second time.
#
# The rest is the proof. It must convince and tell nothing. Its atom is Schnorr's: to show that you know $s$
# in $P = h^s$, announce $t = h^\kappa$, get a challenge $c$, answer $z = \kappa + cs$; the check is
# $h^z = t\,P^c$. Its trick is due to Cramer, Damgård and Schoenmakers {cite:p}`cramer1994proofs`: whoever may choose
# $c$ and $z$ first can compute a fitting $t$ *without* $s$. With $N$ clauses
# $P_u = C g^{-u}$ and challenges that must add up to the verifier's, the prover fakes all clauses but the one
# that it knows, and nobody sees which one that was.
#
# ```{prf:theorem} Proof of one of several
# :label: thm-sk-06-or
# For each challenge the transcripts of a prover have the same distribution whichever clause it
# knows, and the distribution of transcripts made without any knowledge (*zero knowledge*,
# ゼロ知識). Two accepted transcripts with the same announcements and different challenges give the logarithm of one of
# the clauses (*special soundness*).
# ```
#
# In the group of eleven elements, with challenges in $\mathbb{Z}_{11}$, both parts can be checked to the last case.

# %%
logs = (4, 7)  # P_0 = h^4, P_1 = h^7; everything below is in exponents of h


def transcripts(knows, challenge):
    """All runs of a prover that knows one clause: (t_0, t_1, c_0, c_1, z_0, z_1)."""
    runs = Counter()
    for nonce, c_fake, z_fake in product(range(L), repeat=3):
        c_real = (challenge - c_fake) % L
        z_real = (nonce + c_real * logs[knows]) % L
        t_fake = (z_fake - c_fake * logs[1 - knows]) % L
        real, fake = (nonce, c_real, z_real), (t_fake, c_fake, z_fake)
        runs[tuple(zip(*((real, fake) if knows == 0 else (fake, real))))] += 1
    return runs


simulated = Counter(
    (
        ((z0 - c0 * logs[0]) % L, (z1 - (5 - c0) * logs[1]) % L),
        (c0, (5 - c0) % L),
        (z0, z1),
    )
    for c0, z0, z1 in product(range(L), repeat=3)
)
assert transcripts(0, 5) == transcripts(1, 5) == simulated

s, kappa, c1, c2 = sp.symbols("s kappa c_1 c_2")
answers = [kappa + c1 * s, kappa + c2 * s]
assert sp.simplify((answers[0] - answers[1]) / (c1 - c2)) == s
pairs = 0
for first, second in product(transcripts(0, 5), transcripts(1, 6)):
    if first[0] != second[0]:  # other announcements
        continue
    found = {
        i: (first[2][i] - second[2][i]) * pow(first[1][i] - second[1][i], -1, L) % L
        for i in (0, 1)
        if first[1][i] != second[1][i]
    }
    assert found
    assert all(logs[i] == x for i, x in found.items())
    pairs += 1
print(f"{len(simulated):,} transcripts agree; {pairs:,} pairs give away a logarithm")


# %% [markdown]
# In earnest the challenge is a hash of everything that was said, so nobody has to send it, and every proof
# is glued to its session.
#
# ## What can a fake client still choose?
#
# Not the noise: $C$ fixes $b$ and $\rho$ before $\sigma$ falls. It can try to lie afterwards. We take one
# finished session and change what can be changed: each byte of the answer, the session, the coin, the row and the
# coordinate, the box.

# %%
def attempt(session=b"s", commitment=None, response=None):
    """Whether the same server, with the same coin, accepts a changed session."""
    server = verifiable.Server(protocol, randomness=np.random.default_rng(7).bytes)
    try:
        server.challenge(session, commitment or box)
        server.accept(session, response or answer)
    except verifiable.ProofError:
        return False
    return True


def replaced(octets, at):
    return octets[:at] + bytes([octets[at] ^ 1]) + octets[at + 1 :]


client = verifiable.Client(protocol, b"s", randomness=np.random.default_rng(8).bytes)
box = client.commit("A18")
server = verifiable.Server(protocol, randomness=np.random.default_rng(7).bytes)
coin = server.challenge(b"s", box)
answer = client.respond(coin)
tampered = [attempt(response=replaced(answer, at)) for at in range(len(answer))]
moved = [attempt(commitment=replaced(box, at)) for at in range(len(box))]
twin = verifiable.Client(protocol, b"s", randomness=np.random.default_rng(8).bytes)
assert twin.commit("A18") == box
other_coin = attempt(response=twin.respond(bytes([(coin[0] + 1) % N, 0])))

# %%
with claim("S-B13") as c:
    c.exact(kept, {Fraction(8, 11)}, "all coins, both signs: Pr[y = w] = 8/11")
    c.exact(ratio_one, Fraction(8, 3), "so ε is ln(8/3), as with shuffled slots")
    c.close(epsilon, slot_epsilon(11, 8), "the same ε as one of 11 slots", rtol=1e-12)
    c.exact(
        transcripts(0, 5), simulated, "group of 11: proofs tell nothing, all cases"
    )
    c.holds(attempt(), "the honest session is accepted", method="exact")
    c.holds(
        not any(tampered), f"{len(tampered)} changed answers refused", method="exact"
    )
    c.holds(
        not any(moved), f"{len(moved)} changed boxes, rows refused", method="exact"
    )
    c.holds(not attempt(session=b"t"), "another session refused", method="exact")
    c.holds(not other_coin, "an answer to another coin refused", method="exact")

# %% [markdown]
# Row and coordinate stand in the first message, and that matters as much as the box. A fake that may choose them
# *after* the coin commits to any sign, looks at $y$, and takes a coordinate where its target has just this sign:
# every report is then worth the full $c_N$ again.

# %%
signs = hadamard_matrix(m)[:, scheme.family.positions("A18")[0, 0]].astype(int)
gains = []
for rho, coin_ in product(range(N), repeat=2):
    y = protocol.apply(1, rho, coin=coin_)
    place = int(np.flatnonzero(signs == y)[-1])  # chosen after the coin
    gains.append(slot_constant(N, T) * y * int(signs[place]))
assert set(gains) == {slot_constant(N, T)} == {Fraction(11, 5)}

# %% [markdown]
# What stays free is the *input*: any sign, hence any coordinate where all $r$ targets agree. That is worth
# one vote for each target, as notebook 5 found. And one thing more.
#
# ## What if the client walks away?
#
# The client sees the coin before it answers. A fake that stops whenever $y \ne w$ files lucky reports only. Let
# $\varepsilon$ be that of the slots; per session it has
#
# $$ p\,c = \frac{e^\varepsilon}{1 + e^\varepsilon} \cdot \frac{e^\varepsilon + 1}{e^\varepsilon - 1}
#         = \frac{e^\varepsilon}{e^\varepsilon - 1} $$
#
# instead of $(p - q)\,c = 1$. The price is public: a share $\frac{1}{1 + e^\varepsilon}$ of its sessions
# never ends.

# %%
p, constant = E / (1 + E), (E + 1) / (E - 1)
lucky = Fraction(8, 11) * slot_constant(N, T)

server = verifiable.Server(protocol, randomness=np.random.default_rng(9).bytes)
draw, stopped = np.random.default_rng(10).bytes, 0
for i in range(60):  # sixty real sessions of a fake that stops when unlucky
    fake = verifiable.Client(protocol, b"%d" % i, randomness=draw)
    bad = server.challenge(fake.session, fake.commit_signs([1], row=0, column=0))
    if fake.outcome(bad) == [1]:
        server.accept(fake.session, fake.respond(bad))
    else:
        stopped += 1

rng, runs = np.random.default_rng(11), 10**6
luck = (rng.integers(N, size=runs) + rng.integers(N, size=runs)) % N < T
worth = float(slot_constant(N, T)) * luck
with claim("S-B14") as c:
    c.exact(sp.simplify(p * constant - E / (E - 1)), 0, "lucky reports only: p c")
    c.exact(sp.simplify((2 * p - 1) * constant), 1, "all reports: (p - q) c = 1")
    c.exact(lucky, Fraction(8, 3) / (Fraction(8, 3) - 1), "8 of 11 slots: 8/5")
    c.exact(sp.simplify(1 - p - 1 / (1 + E)), 0, "share of sessions that never end")
    c.sampled(
        worth.mean(), float(lucky), "a million coins", stderr=worth.std() / runs**0.5
    )
    c.exact(
        server.pending, stopped, f"the server counts the {stopped} of 60 that stopped"
    )
    c.exact(server.finished, 60 - stopped, "and files the others")
glue("euler", round(math.e / (math.e - 1), 6), display=False)
glue("euler_stop", round(100 / (1 + math.e), 6), display=False)

# %% [markdown]
# At $\varepsilon = 1$ that would be {glue:text}`euler:.3f` votes instead of one, and
# {glue:text}`euler_stop:.1f` % visible failures among the fakes. Because the session is spent at the coin, and one identity
# has one session, stopping never buys a second throw. Who wants the leak closed altogether needs a transfer with
# proved slots, where the client does not see the outcome; that is the dearer protocol.
#
# ## Can the input be held down as well?
#
# With free input $r$ targets are worth $r$ votes. Suppose the server draws row and coordinate: the client can then still
# choose its sign after the draw, as if it were undecided between items. So it must decide *before*: it commits to the item
# $d$ and to $\rho$, the server draws $(j, \ell, \sigma)$, and the client proves
#
# $$ \bigl( d \in D_+ \text{ and } \sigma \text{ turns } 1 \text{ into } y \bigr) \quad\text{or}\quad
#    \bigl( d \in D_- \text{ and } \sigma \text{ turns } {-1} \text{ into } y \bigr), $$
#
# where $D_\pm$ are the items whose sign $H[\ell, h_j(d)]$ is $\pm 1$. An *and* uses one challenge
# for both parts, an *or* splits it: $|D| + N$ clauses instead of $|D| \cdot N$.

# %%
domain = list(counts)
draws = np.random.default_rng(63).bytes
committing = verifiable.Protocol(scheme, slots=11, true=8, domain=domain)
committed = verifiable.report(committing, "A18", randomness=draws)
assert committed.size == 64 + 10 + 1 + 48 * (len(domain) + N)
print(f"{committed.size} bytes, exponentiations {committed.exponentiations}")


# %% [markdown]
# What is a committed item worth to a coalition with $r$ targets? Its own estimate gains 1, and the other targets gain what
# collisions give, which the $-\frac rm$ takes back. First all cases on a small sketch, as fractions, then the
# shop's sketch with all its rows and coordinates.

# %%
def small_case(width, r, c, p):
    """Mean gain and mean gain of a fake that stops when it would lose: all cases."""
    H, mean, stopping = hadamard_matrix(width).astype(int), Fraction(0), Fraction(0)
    cases = list(product(range(width), repeat=r + 1))
    for column, *spots in cases:
        signs = [int(H[column, x]) for x in spots]
        for luck, chance in ((1, p), (-1, 1 - p)):
            value = c * luck * signs[0] * sum(signs) - Fraction(r, width)
            mean += chance * value / len(cases)
            stopping += chance * max(value, 0) / len(cases)
    return [Fraction(width, width - 1) * x for x in (mean, stopping)]


small = {
    (w, r): small_case(w, r, slot_constant(N, T), Fraction(T, N))
    for w, r in ((2, 1), (4, 1), (4, 2), (4, 3), (8, 3))
}

targets = sorted(counts, key=counts.get)[:8]
positions = scheme.family.positions(targets)  # (r, k)
signs = hadamard_matrix(m)[:, positions].astype(int)  # (m, r, k)
shop = scheme.factor * ((signs * signs.sum(1, keepdims=True)).mean((0, 2)) - 8 / m)
rows = {t.name: t for t in threat_matrix(epsilon, 8, width=m)}

with claim("S-B15") as c:
    c.exact(
        {gain for gain, _ in small.values()}, {Fraction(1)}, "all cases, r up to 3"
    )
    stderr = math.sqrt(2 * 7 / (8 * m * k))  # 28 pairs of targets meet by chance
    c.sampled(
        shop.mean(), 1.0, "8 of 43 items, all rows and coordinates", stderr=stderr
    )
    c.close(rows["V6"].gain_hcms, 1.0, "threat matrix, 8 targets", rtol=1e-12)
    c.close(rows["V5"].gain_hcms, 8.0, "against 8 with free input", rtol=1e-12)
for (w, r), (_, stopping) in small.items():
    figure = {t.name: t for t in threat_matrix(epsilon, r, width=w)}["V6"].aborts
    assert math.isclose(figure, float(stopping), rel_tol=1e-12)

# %% [markdown]
# One vote, whatever $r$ is. But the fake now sees more before it answers, coin *and* coordinate, and may stop where the
# other targets come out badly. With $S_r$ a sum of $r$ fair signs it keeps, on a wide sketch,
#
# $$ \tfrac12 \bigl( c\, \E\lvert S_r \rvert + 1 \bigr), $$
#
# which is $\frac{e^\varepsilon}{e^\varepsilon - 1}$ for $r = 1$ only and grows like $\sqrt r$ (see
# {ref}`the last exercise <ex-sk-06-item>`). It pays in sessions
# that never end, of which the next cell computes the share.

# %%
r_range = (1, 2, 4, 8, 16)
matrix = {r: {t.name: t for t in threat_matrix(epsilon, r, width=m)} for r in r_range}
lines = {
    "V0 plain report": [matrix[r]["V0"].gain_hcms for r in r_range],
    "V5 stopping": [matrix[r]["V5"].aborts for r in r_range],
    "V5 finishing": [matrix[r]["V5"].gain_hcms for r in r_range],
    "V6 stopping": [matrix[r]["V6"].aborts for r in r_range],
    "V6 finishing": [matrix[r]["V6"].gain_hcms for r in r_range],
}
ends = {}
for r in r_range:  # the report is filed if coin times w S is positive
    signs_of_w = [
        (math.comb(r - 1, i) / 2 ** (r - 1), 2 + 2 * i - r) for i in range(r)
    ]
    ends[r] = sum(
        q * (T / N * (x > 0) + (1 - T / N) * (x < 0)) for q, x in signs_of_w
    )
print("targets         " + "".join(f"{r:8d}" for r in r_range))
for name, values in lines.items():
    print(f"{name:16s}" + "".join(f"{value:8.2f}" for value in values))
print("V6 never ends   " + "".join(f"{1 - ends[r]:8.0%}" for r in r_range))
assert [round(lines[x][3], 1) for x in lines] == [17.7, 12.9, 8.0, 3.0, 1.0]
assert math.isclose(ends[1], T / N)

# %% mystnb={"figure": {"caption": "What one session of one fake client gains on HCMS with 8 of 11 slots, over all targets together. Proof of the noise (V5) takes away the constant, commitment to the item (V6) takes away the number of targets. Stopping gives a part of it back, for everybody to see. At eight targets the five values are 17.7, 12.9, 8.0, 3.0 and 1.0.", "name": "fig-sk-06-gain"}, "image": {"alt": "Lines of the gain per session against the number of targets from 1 to 16, both axes logarithmic. Plain reports rise from 2 to 35. Verifiable noise rises from 1 to 16, with stopping from 1.6 to 26. The committed item stays at 1, with stopping it rises slowly from 1.6 to 4."}}
fig, ax = plots.panels(height=3.9)
looks = [
    ("orange", "-"),
    ("blue", "--"),
    ("blue", "-"),
    ("green", "--"),
    ("green", "-"),
]
for (name, values), (colour, dash) in zip(lines.items(), looks):
    ax.plot(r_range, values, dash, color=plots.COLOURS[colour], marker="o", ms=4)
    ax.text(17, values[-1], name, color=plots.COLOURS[colour], va="center")
ax.set(xscale="log", yscale="log", xlim=(0.93, 42), xlabel="number r of targets")
ax.set_ylabel("gain of one session (users)")
ax.set_xticks(r_range, [str(r) for r in r_range])
ax.set_yticks([1, 2, 5, 10, 20, 40], ["1", "2", "5", "10", "20", "40"])
ax.minorticks_off()
plt.show()


# %% [markdown]
# ## What does it cost?
#
# The paper's reason for HCMS is that one transfer instead of $m$ makes the cryptography affordable. With proofs that point
# holds, and more strongly. Every sign needs $N$ clauses, and CMS has $m$ signs.

# %%
def measured(kind, slots, true):
    """Run a real session and return its transcript."""
    epsilon = slot_epsilon(slots, true, bits=kind.sensitivity)
    scheme = kind(epsilon, hashes=k, width=m, seed=6)
    protocol = verifiable.Protocol(scheme, slots=slots, true=true)
    return verifiable.report(
        protocol, "A18", randomness=np.random.default_rng(64).bytes
    )


reports = {
    "HCMS   8 of 11": measured(HadamardCountMeanSketch, 11, 8),
    "HCMS  19 of 26": measured(HadamardCountMeanSketch, 26, 19),
    "CMS    5 of  8": measured(CountMeanSketch, 8, 5),
    "HCMS, item": committed,
}
print(" " * 16 + "   bytes   exp. client   exp. server")
for name, t in reports.items():
    client_, server_ = t.exponentiations
    print(f"{name:16s}{t.size:8,d}{client_:14,d}{server_:14,d}")

one, _, wide_report, _ = reports.values()
assert one.size == 8 + 32 + 2 + 1 + 48 * 11
assert wide_report.size == 8 + 128 * (32 + 2 + 1 + 48 * 8)
assert one.exponentiations == (2 * 11 + 1, 2 * 11)
assert wide_report.exponentiations == (128 * 17, 128 * 16)
glue("wider", round(wide_report.size / one.size, 4), display=False)
glue("wide", f"{wide_report.size:,}", display=False)
heavier = wide_report.exponentiations[0] / one.exponentiations[0]
glue("heavier", round(heavier, 4), display=False)

# %% [markdown]
# The factor between the two is {glue:text}`wider:.0f` in bytes and {glue:text}`heavier:.0f` in exponentiations. One exponentiation
# takes some tens of microseconds in the library, so a report on HCMS costs each side a few milliseconds at most and one on CMS
# some tenths of a second; the [benchmarks page](../../book/benchmarks.md) has the measured times.
#
# More slots come closer to a wanted $\varepsilon$ and cost more in proportion. The two prices meet early:

# %%
hcms_slots = slots_for(1.0, 100, bits=1)[1:]
cms_slots = slots_for(1.0, 100, bits=2)
prices = {
    "HCMS": [(s.slots, s.variance_cost, 43 + 48 * s.slots) for s in hcms_slots],
    "CMS": [
        (s.slots, s.variance_cost, 8 + m * (35 + 48 * s.slots)) for s in cms_slots
    ],
}
assert (11, 571) in [(s, b) for s, _, b in prices["HCMS"]]
assert [b for s, _, b in prices["CMS"] if s == 13] == [8 + 128 * (35 + 48 * 13)]
c_true, c_slot = 1 / math.tanh(0.5), float(slot_constant(11, 8))
eleven = (c_slot / c_true) ** 2 - 1
assert math.isclose(prices["HCMS"][1][1], eleven, rel_tol=1e-9)
glue("eleven", round(100 * eleven, 4), display=False)
for name, row in prices.items():
    for slots, extra, octets in row[:3]:
        print(f"{name:5s}{slots:3d} slots {extra:8.2%} variance {octets:8,d} bytes")

# %% mystnb={"figure": {"caption": "Bytes of a proved report against the noise that is added because slots miss \u03b5 = 1 from below. HCMS with 11 slots has 571 bytes and 3.4 per cent more variance, with 26 slots 1,291 bytes and a quarter of a per cent.", "name": "fig-sk-06-cost"}, "image": {"alt": "Scatter of bytes per report, logarithmic from 300 to a million, against the extra variance, logarithmic. The HCMS points lie two orders of magnitude below the CMS points. Points are labelled with their fractions, 5 of 7, 8 of 11, 19 of 26 for HCMS."}}
fig, ax = plots.panels(height=3.7)
for (name, row), found, colour, shape in zip(
    prices.items(), (hcms_slots, cms_slots), ("green", "orange"), ("o", "s")
):
    cost, octets = ([x[i] for x in row] for i in (1, 2))
    ax.plot(
        cost,
        octets,
        color=plots.COLOURS[colour],
        marker=shape,
        ms=5,
        lw=1,
        label=name,
    )
    for s, x, y in list(zip(found, cost, octets))[:4]:
        ax.annotate(f"{s.true}/{s.slots}", (x, y), (0, 7), textcoords="offset points",
                    ha="center", fontsize=9)  # fmt: skip
ax.set(
    xscale="log", yscale="log", ylim=(200, 3e6), xlabel="extra variance of the noise"
)
ax.set_ylabel("bytes of one report")
ax.set_xticks([0.001, 0.01, 0.1, 1], ["0.1 %", "1 %", "10 %", "100 %"])
ax.minorticks_off()
ax.legend(loc="upper right")
plt.show()

# %% [markdown]
# ## What remains?
#
# *One identity, one report.* Everything above is a gain **per session**. Who has a thousand identities has a thousand votes,
# honestly randomised. *One look.* A client that answers every day with a fresh box gives away a little each day, as with any
# randomised response. *Assumptions.* Privacy of the box is unconditional; of the proof it rests on the hash, as does soundness, which
# also needs the discrete logarithm to be hard. *Time.* The library's group operations do not depend on secrets in time; Python around
# them promises nothing. This code explains a protocol; it has not been reviewed for use.
#
# ## Exercises
#
# ```{exercise-start} Slots for little extra variance
# :label: ex-sk-06-slots
# ```
# **Warm-up.** A server wants $\varepsilon \le 2$ on HCMS and at most one per cent of extra variance. How many slots?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-sk-06-slots
# :class: dropdown
# ```
# The list of best fractions from below answers; $p = e^2/(1 + e^2) = 0.8808$.

# %%
enough = next(s for s in slots_for(2.0, 200) if s.variance_cost <= 0.01)
assert (enough.true, enough.slots) == (22, 25)
assert math.log(22 / 3) <= 2
assert (25 / 19 * math.tanh(1)) ** 2 - 1 <= 0.01

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Two coins for one box
# :label: ex-sk-06-two
# ```
# **Standard.** A server asks a careless client with *two* coins for one box. How much does the worst pair of coins tell
# at 8 of 11 slots if the two answers differ?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-sk-06-two
# :class: dropdown
# ```
# Two different answers mean that exactly one coin flips. Flips are the three numbers $\rho$ that fall on the
# last three slots, and the sets of $\rho$ for two coins are shifts of each other. So $(w, -w)$ and $(-w, w)$ have the same
# number of $\rho$: two different answers tell nothing at all, and two equal answers tell twice as much or everything.

# %%
for second in range(1, N):
    up, down = law_of_answers(1, (0, second)), law_of_answers(-1, (0, second))
    assert up[1, -1] == down[1, -1] == up[-1, 1]
    assert up[1, 1] >= 5 > 2 >= down[1, 1]

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
#
# ```{solution-start} ex-sk-06-lazy
# :class: dropdown
# ```
# The honest client is not: its own $\rho$ is uniform, and that is all that its privacy needs. The estimates are: a fake
# that knows the coin puts a $\rho$ into its box that keeps the sign, and every proof is right. Each half of the
# randomness protects the one who brings it.

# %%
honest = [protocol.apply(1, rho, coin=0) for rho in range(N)]
assert Fraction(honest.count(1), N) == Fraction(8, 11)

server = verifiable.Server(protocol, randomness=bytes)  # all coins are 0
seeds = (np.random.default_rng(i).bytes for i in range(100))
foreseen = (verifiable.Client(protocol, b"x", randomness=draw) for draw in seeds)
boxes = ((fake, fake.commit_signs([1], row=0, column=0)) for fake in foreseen)
fake, box_ = next(pair for pair in boxes if pair[0].outcome(bytes(2)) == [1])
assert server.challenge(b"x", box_) == bytes(2)
filed = server.accept(b"x", fake.respond(bytes(2)))
assert scheme.unpack(filed)[2].tolist() == [1]  # the sign it wanted, for certain


# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A fake that may stop
# :label: ex-sk-06-item
# ```
# **Research.** Derive the gain of a fake that commits to one of $r$ targets and stops whenever its report would lower their sum
# (leave out the terms in $\frac1m$). Then show that for $r = 1$ it is that of {prf:ref}`def-sk-06-protocol` with stopping.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-sk-06-item
# :class: dropdown
# ```
# Let $x = \tau\, w\, S_r$ with $\tau = 1$ if the coin keeps the sign and $-1$ else. As $w$ is one of the $r$ signs,
# $\E[w S_r] = 1$, and $\E\lvert w S_r \rvert = \E\lvert S_r\rvert$. The kept part of $c\,x$ is
# $c\,\frac{\lvert x \rvert + x}{2}$; its mean is $\frac c2 \bigl(\E\lvert S_r\rvert + (p - q) \cdot 1\bigr) =
# \frac12 (c\,\E\lvert S_r \rvert + 1)$.

# %%
def kept_part(r):
    """All signs and coins: mean of the positive part of c τ w S."""
    total = 0
    for signs_ in product((1, -1), repeat=r):
        for tau, chance in ((1, p), (-1, 1 - p)):
            total += max(tau * signs_[0] * sum(signs_), 0) * chance / 2**r
    return sp.simplify(constant * total)


for r in range(1, 6):
    spread = sum(
        sp.Rational(math.comb(r, i), 2**r) * abs(2 * i - r) for i in range(r + 1)
    )
    assert sp.simplify(kept_part(r) - (constant * spread + 1) / 2) == 0
assert sp.simplify(kept_part(1) - E / (E - 1)) == 0

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - Provable noise comes from slots, so $p$ is a fraction. Eight of eleven serve $\varepsilon = 1$ on HCMS with
#   {glue:text}`eleven:.1f` % more variance. The estimator must use the constant of the slots.
# - A box with the sign and a number, a public coin, and a proof of "one of $N$": as private as shuffled slots against any
#   server, and no choice of the noise for any client that finishes. Row and coordinate go into the first message; the client
#   answers one coin.
# - Stopping after a bad coin is worth $\frac{e^\varepsilon}{e^\varepsilon - 1}$ for one target and leaves a trace. A spent session makes it
#   a single try.
# - Committing to the item before row and coordinate are drawn leaves one vote for any number of targets, and about
#   $\sqrt r$ for a fake that stops.
# - HCMS makes this affordable: {glue:text}`bytes` bytes against {glue:text}`wide`. One identity, one report remains an assumption.
#
# **Further reading.** Proofs of partial knowledge: {cite:p}`cramer1994proofs`. Cryptographic randomised response, with
# transfers: {cite:p}`ambainis2004cryptographic`; a recent use in local differential privacy:
# {cite:p}`kato2021preventing`. Limits of any local protocol: {cite:p}`cheu2021manipulation`. **Next:**
# [can a poisoned report hide?](07-hiding-and-defending.ipynb)
