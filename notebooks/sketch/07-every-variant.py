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
# # Every variant, and what a cheating client can still gain
#
# A fake user wants to raise the estimated counts of eight items in a shop that uses the Hadamard sketch HCMS. Without noise, one report raises the eight estimates by
# 17.7<!-- {threats["V3"].gain_hcms:.1f} --> users in total (at $\varepsilon = \ln\frac83$). Suppose that a proof enforces the noise. How much does the fake user still gain?
#
# **The paper** lets the server choose the noisy signs by oblivious transfer, and claims that malicious users then cannot send what they intend.
# **We find** that with enforced noise (variant V5, a coin with a proof) one report still gains 8<!-- {threats["V5"].gain_hcms:.0f} --> users, one for each of the eight items, and 12.9<!-- {threats["V5"].aborts:.1f} --> if the fake user breaks off whenever the coin is unfavourable. If the fake user must commit to an *item* before the server draws the row and the coordinate of the report (V6, a committed item), these gains fall to
# 1<!-- {threats["V6"].gain_hcms:.0f} --> and 3.0<!-- {threats["V6"].aborts:.1f} --> users on average over the hash functions. An honest client may send its answer again, but it must never answer a second coin.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** which variants of the protocol there are, what an attacker can still do when the noise is enforced, how to compute the value of aborting a session, and what an interrupted session costs an honest user.
# **You need** [notebook 2](02-hadamard.ipynb) (HCMS), [notebook 5](05-oblivious-transfer.ipynb) (slots), and the protocol of [notebook 6](06-honest-noise.ipynb).
# **Time:** 24 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **There are two attackers.** *The server* wants the item of an honest user. It has unlimited time, may choose its coins as it likes, and may lie about the result of a check.
# *A fake user*, whose program is the *cheating client*, wants to raise the sum of the estimates of $r$ *target* items. This client knows the hash functions
# and may send anything, or nothing, but it can neither compute discrete logarithms nor predict the hash in a proof.
# **Protected:** the item of one report, up to $e^{\varepsilon}$ in the odds. **Not protected:** the estimates, against somebody with many identities.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
import math
from collections import Counter
from fractions import Fraction
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import plotly.graph_objects as go
import sympy as sp

from privlib.notebook import interactive, plots, table
from privlib.research.verifiable_noise import Client, ProofError, Protocol, Server
from privlib.sketch import HadamardCountMeanSketch
from privlib.sketch.data import shop_counts
from privlib.sketch.hadamard import hadamard_matrix
from privlib.sketch.slots import slot_epsilon
from privlib.sketch.threat_model import threat_matrix

plots.use()
counts = shop_counts()  # users of each of the 43 items
hcms = HadamardCountMeanSketch(slot_epsilon(11, 8), hashes=1024, width=128, seed=2024)
names = {
    "V0": "V0, plain HCMS",
    "V1": "V1, two slots in a known order",
    "V1'": "V1′, in the clear",
    "V2": "V2, two shuffled slots",
    "V3": "V3, N shuffled slots",
    "V4": "V4, slots with a proof",
    "V5": "V5, a coin with a proof",
    "V5'": "V5′, a drawn place",
    "V6": "V6, a committed item",
}

# %% [markdown]
# ## The variants
#
# An HCMS report consists of a noisy sign and of its *place*, that is, a *row* (a hash function) and a *coordinate*. This table lists all variants of this part. In each of them, a sign is kept with probability $p = \frac{N_t}N$, except in V2, where $p = \frac12$.
#
# | variant | who draws the noise | what is sent | what is proved |
# | --- | --- | --- | --- |
# | V0, plain HCMS | the client | the place and the noisy sign | nothing |
# | V1, two slots in a known order | the server, which chooses one of two slots and knows their order | the place and two slots | nothing |
# | V1′, in the clear | the server | the place and the sign without noise | nothing |
# | V2, two shuffled slots | both: the client shuffles two slots, the server opens one | the place and two slots | nothing |
# | V3, $N$ shuffled slots | both: the client shuffles $N$ slots, the server opens one | the place and $N$ slots | nothing |
# | V4, slots with a proof | both, as in V3 | the place and $N$ slots | $N_t$ slots hold one sign, the others its negative, and the server can read every slot |
# | V5, a coin with a proof | both: the client commits to $\rho$, then the server draws a coin | first the place and a commitment to sign and $\rho$; after the coin, the noisy sign | the noisy sign follows from sign, $\rho$ and coin |
# | V5′, a drawn place | both, as in V5 | as in V5, but the server draws the place first | as in V5 |
# | V6, a committed item | both, as in V5 | first commitments to an *item* and to $\rho$; after the server has drawn place and coin, the noisy sign | the noisy sign follows from item, place, $\rho$ and coin |
#
# V1, V2 and V3 are three readings of the paper's proposal (notebook 5), and V5 is the protocol of [notebook 6](06-honest-noise.ipynb). Two questions are open. What does a client still gain if its noise is enforced (V4 to V6)? And what does it gain if it stops in the middle? One run of the protocol is called a *session*. A client *finishes* a session if it sends its last message, and *aborts* it if it does not.
#
# ## Enforced noise leaves one user for each target
#
# In the row of a report, each item has a hash value $x$. At the coordinate $\ell$, the item has the sign $H_{\ell,x}$, an entry of the $m \times m$ Hadamard matrix. Here are three targets in a small sketch with $m = 4$:

# %%
H = hadamard_matrix(4).astype(int)
targets = (1, 2, 3)  # their hash values in this row
for coordinate in range(4):
    signs = H[coordinate, targets]
    print(f"coordinate {coordinate}: signs {signs}, sum {signs.sum()}")

# %% [markdown]
# An honest client draws the place at random. The paper leaves this choice to the user, so a cheating client can choose coordinate 0, where all signs are $+1$.
#
# The sign $w$ is kept with probability $p = \frac{N_t}{N}$ and negated with probability $q = 1 - p$. The server multiplies the noisy sign $y$ by $c = 1/(2p - 1)$. Let $S$ be the sum of the targets' signs at the place of the report. By the estimator of notebook 2, the report adds $\frac{m}{m-1}\bigl(c\,y\,S - \frac rm\bigr)$ users to the estimates of all $r$ targets together:

# %%
slots, true = 5, 3  # N and N_t
c = Fraction(slots, 2 * true - slots)


def gain(y, coordinate, targets):
    """Users that the report y adds to the targets in total."""
    m = len(H)
    S = int(H[coordinate, targets].sum())
    return Fraction(m, m - 1) * (c * y * S - Fraction(len(targets), m))


p = Fraction(true, slots)
expected = []
for coordinate, w in product(range(4), (1, -1)):
    mean = p * gain(w, coordinate, targets) + (1 - p) * gain(-w, coordinate, targets)
    expected.append(mean)
print("largest expected gain:", max(expected))

# %% [markdown]
# ```{prf:proposition} Enforced noise with a free choice of place and signs
# :label: thm-sk-07-free
# If the noise is enforced, but the client chooses the place and the signs, the largest expected gain is $r$ users, for CMS and for HCMS.
# ```
#
# *Proof.* The mean of $c\,y$ is the sign $w$ before the noise, because $c\,(p - q) = 1$. In HCMS, let $v$ be the product of $w$ and a target's sign. In CMS, let $v$ be the sign that the client puts into the target's cell. Then this target gains, on average, $\frac{m}{m-1}\bigl(v - \frac1m\bigr)$ in HCMS and $\frac{m}{m-1}\bigl(\frac{v+1}{2} - \frac1m\bigr)$ in CMS. Both are at most 1, and equal 1 if $v = 1$.
# HCMS reaches this for all targets at coordinate 0, and CMS with $+1$ in all their cells. ∎

# %%
m, r, v = sp.symbols("m r v", positive=True)
hcms_mean = m / (m - 1) * (v - 1 / m)
cms_mean = m / (m - 1) * ((v + 1) / 2 - 1 / m)
assert sp.simplify(hcms_mean.subs(v, 1)) == sp.simplify(cms_mean.subs(v, 1)) == 1

# %% [markdown]
# So a fake user still counts as much as $r$ honest ones, even if the noise is enforced perfectly. If the server drew the place, $S$ would mostly be small:

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What the choice of the coordinate is worth. Sum S of the signs of eight targets at each of the 128 coordinates, in the first row of the shop's sketch. A client that may choose takes coordinate 0, where the sum is 8<!-- {sums[0]} --> (green). At 119<!-- {(abs(sums) <= 4).sum()} --> coordinates the sum is between \u22124 and 4.", "name": "fig-sk-07-coordinates"}, "image": {"alt": "Bars over 128 coordinates. The bar at coordinate 0 is 8<!-- {sums[0]} --> high. The others are even numbers from minus 6<!-- {-sums.min()} --> to 6<!-- {sums[1:].max()} -->, most between minus 4 and 4."}} tags=["figure"]
eight = [f"A{i}" for i in range(36, 44)]
values = hcms.family.positions(eight)[:, 0]
sums = hadamard_matrix(128)[:, values].astype(int).sum(axis=1)
fig, ax = plots.panels(height=2.7)
ax.bar(range(128), sums, width=0.8, color=plots.COLOURS["sky"])
ax.bar([0], [sums[0]], width=1.6, color=plots.COLOURS["green"])
ax.set(xlabel="coordinate ℓ", ylabel="sum of eight signs", xlim=(-2, 128), ylim=(-8.8, 8.8))
plt.show()


# %% [markdown]
# ```{evidence} S-4.21 S-4.26
# ```
#
# ## A client that sees the coin can abort
#
# In V5, a coin with a proof ({prf:ref}`def-sk-06-public-coin`), the client chooses place and sign, and commits to the sign and to $\rho$. Then the server draws the coin. The weak point is the last step, in which the client sends the noisy sign $y$ with a proof. The client already knows $y$, and can abort the session if $y$ harms the targets.
#
# What is this worth? We use *backward induction*, from the last move to the first. At its last move the client takes the better of answering and aborting. Before this move we average over the coin. At its first move the client takes the best sign and place. It is enough to take $\rho = 0$, because another $\rho$ gives the same noisy signs for other coins. In the code, each pair holds the expected gain, which `max` compares first, and the probability that the session is finished.

# %%
def last_move(y, coordinate, targets):
    """The client answers, or aborts if that is better."""
    answer, abort = (gain(y, coordinate, targets), 1), (0, 0)
    return max(answer, abort)


def average(pairs):
    return tuple(Fraction(sum(column)) / len(pairs) for column in zip(*pairs))


def before_coin(w, coordinate, targets):
    """Average over the coin, for rho = 0."""
    noisy_signs = [w if coin < true else -w for coin in range(slots)]
    return average([last_move(y, coordinate, targets) for y in noisy_signs])


# %%
first_moves = product((1, -1), range(4))
v5 = max(before_coin(w, coordinate, targets) for w, coordinate in first_moves)
assert v5 == (p * Fraction(4, 3) * (3 * c - Fraction(3, 4)), p)
print(f"V5: {v5[0]} users in a session, {1 - v5[1]} of the sessions aborted")

# %% [markdown]
# ```{prf:theorem} Aborting in V5
# :label: thm-sk-07-abort
# On HCMS, let every wrong answer be rejected. The largest expected gain of a client that may abort is $p\,\frac{m}{m-1}\bigl(c\,r - \frac rm\bigr)$ for each session. This client aborts a share $q$ of its sessions.
# ```
#
# *Proof.* The report $y = \pm1$ whose sign is that of $S$ is worth $\frac{m}{m-1}\bigl(c\,|S| - \frac rm\bigr)$. The other report is worth $\frac{m}{m-1}\bigl(-c\,|S| - \frac rm\bigr)$. This is not positive, so the client aborts. If the client commits to the sign of $S$, the first report comes up with probability $p$, otherwise only with probability $q < p$. The gain increases with $|S|$, and coordinate 0 has the largest possible value, $|S| = r$.
# A client that chooses at random gains an average of such values, and therefore no more. ∎
#
# On a wide sketch ($m \to \infty$) the gain tends to $p\,c$ users for each target. With $p = \frac{e^{\varepsilon}}{e^{\varepsilon} + 1}$ this is $\frac{e^{\varepsilon}}{e^{\varepsilon} - 1}$:

# %%
odds = sp.Symbol("odds", positive=True)  # e^ε = p/q
keep = odds / (odds + 1)
assert sp.simplify(keep / (2 * keep - 1) - odds / (odds - 1)) == 0
pc = Fraction(8, 11) * Fraction(11, 5)  # eight of eleven slots

# %% [markdown]
# At $\varepsilon = \ln \frac83$ (eight of eleven slots) each target gains 8/5<!-- {pc} --> users instead of 1. For eight targets and $m = 128$ the gain is 12.9<!-- {threats["V5"].aborts:.1f} --> users in total, and 27%<!-- {threats["V5"].unfinished:.0%} --> of the sessions are aborted. The server
# sees how many.
#
# ## A committed item leaves one user if the client finishes
#
# The server could draw the place first, as in *V5′* (a drawn place). The client then still chooses its sign $w$. *V6* (a committed item) goes further: the client must decide on an item before it knows the place. {cite:t}`bontekoe2025efficient` similarly fix the input before the noise is drawn.
#
# ```{prf:algorithm} Committed item (V6)
# :label: def-sk-07-item
# 1. The client draws $\rho$ and sends one commitment to its item $d$ and one to $\rho$.
# 2. The server draws the place and a coin $\sigma$, and publishes them.
# 3. The client sends $y$, and a proof that $d$ and $\rho$ give $y$. The server checks it as before.
# ```

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Who fixes what, and when (time runs from left to right). Blue: the client. Orange: the server. In V6 the client has committed to an item before it knows the place. In all three variants it sees the coin before its last move.", "name": "fig-sk-07-order"}, "image": {"alt": "Three rows of boxes. V5, client fixes place, sign and rho; server draws the coin; client answers or aborts. V5 prime, server draws the place; client fixes sign and rho; server draws the coin; client answers or aborts. V6, client fixes item and rho; server draws place and coin; client answers or aborts."}} tags=["figure"]
last = ("client", "answers\nor aborts")
moves = {
    "V5": [("client", "place,\nsign, ρ"), ("server", "coin σ"), last],
    "V5′": [("server", "place"), ("client", "sign, ρ"), ("server", "coin σ"), last],
    "V6": [("client", "item, ρ"), ("server", "place,\ncoin σ"), last],
}
fig, ax = plots.panels(height=2.9, width=7.5)
for y, (name, steps) in zip((2, 1, 0), moves.items()):
    ax.text(-0.15, y, name, ha="right", va="center", weight="bold")
    for position, (actor, text) in enumerate(steps, start=4 - len(steps)):
        colour = plots.COLOURS["sky" if actor == "client" else "gold"]
        ax.add_patch(plt.Rectangle((position, y - 0.36), 0.82, 0.72, fc=colour))
        ax.text(position + 0.41, y, text, ha="center", va="center", fontsize=10)
        if position < 3:
            arrow = {"arrowstyle": "-|>", "lw": 1.4, "shrinkA": 0, "shrinkB": 0}
            ax.annotate("", (position + 1, y), (position + 0.82, y), arrowprops=arrow)
ax.set(xlim=(-0.6, 3.9), ylim=(-0.5, 2.5))
ax.axis("off")
plt.show()


# %% [markdown]
# The proof of step 3 is an *or of ands*, over the possible items and numbers. {prf:ref}`thm-sk-06-ands` (notebook 6) has two consequences:
#
# - *The server* learns only $y$. Since the commitment hides $\rho$, the sign is kept with probability $\frac{N_t}{N}$, whatever place and coin the server chooses. So one report has the level $\ln\frac{N_t}{N - N_t}$.
# - *A cheating client* that sends a wrong $y$ must predict a hash. So it can only send the right $y$ or abort.
#
# How much does a cheating client gain? We use the same backward induction. Now the first move is the choice of an item, and we average over the place and over the hash values:

# %%
def v6(r):
    """The client commits to an item; then the place is drawn. Item r is not a target."""
    values = []
    for item in range(r + 1):
        pairs = []
        # x holds the hash values of all items.
        for coordinate, *x in product(range(4), repeat=r + 2):
            w = H[coordinate, x[item]]
            pairs.append(before_coin(w, coordinate, x[:r]))
        values.append(average(pairs))
    return max(values)


gain_v6, ended = v6(3)
print(f"V6: {gain_v6} users in a session, {1 - ended} of the sessions aborted")

# %% [markdown]
# That is less than in V5, although such a narrow sketch favours the client: coordinate 0, where all signs are $+1$, is drawn with probability $\frac1m$. At every other coordinate, the signs of items with random hash values are fair and independent.
#
# ```{prf:theorem} The value of V6
# :label: thm-sk-07-value
# On HCMS, let every wrong answer be rejected, and let the hash functions be drawn after the item is chosen. Then a client that finishes gains at most one user on average, for any $r$. On a wide sketch ($m \to \infty$), the largest expected gain of a client that may abort is $\frac12\bigl(c \operatorname{E}|S_r| + 1\bigr)$,
# where $S_r$ is the sum of $r$ fair random signs.
# ```
#
# *Proof.* Let $w$ be the sign of the committed item, and let this item be a target. Each target contributes $w$ times its own sign to the product $wS$. The committed item contributes $w \cdot w = 1$. Another target contributes 1 if it has the same hash value, which has probability $\frac1m$, and otherwise 0 on average. So $\operatorname{E}\,wS = 1 + \frac{r-1}m$. The mean of $c\,y$ is $w$, so a client that finishes gains $\frac{m}{m-1}\bigl(1 + \frac{r-1}{m} - \frac rm\bigr) = 1$.
#
# Now let $m \to \infty$, $A = \operatorname{E}\max(wS, 0)$ and $B = \operatorname{E}\max(-wS, 0)$. Then $A + B = \operatorname{E}|S_r|$ and $A - B = \operatorname{E}\,wS = 1$. The report is worth $c\,wS$ if the coin keeps the sign, and $-c\,wS$ if it negates it. A client that answers only when this is positive gains $c\,(pA + qB) = \frac c2 (A + B) + \frac{c\,(p - q)}{2} (A - B)$, and $c\,(p - q) = 1$.
# For an item that is not a target, $A - B = 0$, and both gains are smaller. ∎

# %%
assert sp.simplify(m / (m - 1) * (1 + (r - 1) / m - r / m)) == 1
A, B, p_ = sp.symbols("A B p", positive=True)
answered = (p_ * A + (1 - p_) * B) / (2 * p_ - 1)
assert sp.simplify(answered - ((A + B) / (2 * p_ - 1) + (A - B)) / 2) == 0


def wide_v6(r):
    """Largest gain in V6 on a wide sketch: r targets, eight of eleven slots."""
    mean_size = 0  # E|S_r|
    for plus_ones in range(r + 1):
        mean_size += math.comb(r, plus_ones) / 2**r * abs(2 * plus_ones - r)
    return (11 / 5 * mean_size + 1) / 2


# %% [markdown]
# These are averages over the hash functions. The client of the threat model knows them, and commits to the target for which it gains most. In a sketch with many rows, it gains hardly more than the average:

# %%
hash_values = hcms.family.positions(eight)  # of eight targets in 1,024 rows
same = hash_values[:, None, :] == hash_values[None, :, :]
shared = same.sum(axis=1).mean(axis=1)  # targets with this one's hash value, on average
known_hash = 128 / 127 * (shared.max() - 8 / 128)

# Own sign times the sum S: for each coordinate, committed target and row.
signs = hadamard_matrix(128)[:, hash_values].astype(int)
products = signs * signs.sum(axis=1, keepdims=True)
if_kept = 128 / 127 * (11 / 5 * products - 8 / 128)
if_negated = 128 / 127 * (-11 / 5 * products - 8 / 128)
answered = 8 / 11 * np.maximum(if_kept, 0) + 3 / 11 * np.maximum(if_negated, 0)
known_hash_aborts = answered.mean(axis=(0, 2)).max()
print("a client that knows the shop's hash functions:")
print(f"finishes: {known_hash:.3f} users; may abort: {known_hash_aborts:.3f} users")

# %% [markdown]
# By the theorem, a client that may abort gains 2.9<!-- {wide_v6(8):.1f} --> users with eight targets on a wide sketch. This grows with the number of targets, roughly as $\sqrt r$: with 32 targets it is 5.4<!-- {wide_v6(32):.1f} --> users. For eight targets and $m = 128$ the client gains slightly more, 3.0<!-- {threats["V6"].aborts:.1f} --> users on average over the hash functions, because coordinate 0 comes up in one session of 128. It aborts 57%<!-- {threats["V6"].unfinished:.0%} --> of its sessions.
#
# Guess first: what happens to the gain in V6 if the client answers *all* sessions, or only the best ones?

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What a client sees before it decides, with eight targets on HCMS and eight of eleven slots. Bars: gain of the report, and how often it occurs. The client answers in the green cases and aborts in the grey ones. With equal slots and no proof (V3) there is no coin to react to.", "name": "fig-sk-07-cheat"}, "image": {"alt": "Three panels of bars. V3 has one green bar at 17.7<!-- {threats[\"V3\"].gain_hcms:.1f} --> users with probability one. V5 has a green bar at 17.7<!-- {branches(5, 8)[1][0]:.1f} --> with probability 8/11 and a grey one at minus 17.8<!-- {-branches(5, 8)[0][0]:.1f} -->. V6 has 9<!-- {len(branches(6, 8))} --> bars between minus 17.8<!-- {-branches(6, 8)[0][0]:.1f} --> and 17.7<!-- {branches(6, 8)[-1][0]:.1f} -->, largest in the middle, green to the right of zero and grey to the left and at zero."}} tags=["figure"]
width, keep_probability = 128, 8 / 11
constant = 1 / (2 * keep_probability - 1)


def branches(variant, n_targets):
    """What the client sees before it decides: pairs of gain and probability."""

    def users(s):
        return width / (width - 1) * (constant * s - n_targets / width)

    if variant == 3:  # equal slots, no coin to be seen
        return [(users(n_targets), 1.0)]
    if variant == 5:
        return [(users(-n_targets), 1 - keep_probability), (users(n_targets), keep_probability)]
    chance = Counter()  # own sign times the sum: 1, and fair signs of the others
    for plus_ones in range(n_targets):
        s = 2 * plus_ones + 2 - n_targets
        fair = math.comb(n_targets - 1, plus_ones) / 2 ** (n_targets - 1) * (1 - 1 / width)
        first = (plus_ones == n_targets - 1) / width  # coordinate 0: all signs are +1
        chance[s] += (fair + first) * keep_probability
        chance[-s] += (fair + first) * (1 - keep_probability)
    return [(users(s), q) for s, q in sorted(chance.items())]


def gain_and_aborted(cases, threshold):
    """Mean gain and aborted share of a client that answers from this gain on."""
    answered = [(value, q) for value, q in cases if value >= threshold]
    return sum(value * q for value, q in answered), 1 - sum(q for _, q in answered)


fig, axes = plots.panels(1, 3, width=9.0, height=3.2, sharey=True)
for ax, variant in zip(axes, (3, 5, 6)):
    cases = branches(variant, 8)
    users_gained, aborted = gain_and_aborted(cases, 0)
    for value, q in cases:
        ax.bar(value, q, width=2.6, color=plots.COLOURS["green" if value >= 0 else "grey"])
    title = f"{names[f'V{variant}']}\n{users_gained:.1f} users in a session"
    ax.set(title=title, xlim=(-21, 21))
    ax.text(-20, 0.94, f"{aborted:.0%} aborted", fontsize=9.5)
    ax.set_xlabel("gain of the report (users)")
axes[0].set_ylabel("probability")
axes[1].text(15.5, 0.6, "answers", color=plots.COLOURS["green"], ha="right")
axes[1].text(-15.5, 0.16, "aborts", color="0.35")
plt.show()


# %% jupyter={"source_hidden": true} tags=["figure"]
def cheat(variant, n_targets, least):
    """One frame: the branches, what is answered, and where that leads."""
    cases = branches(variant, n_targets)
    threshold = least * n_targets
    values, chances = map(list, zip(*cases))
    answered = [q if value >= threshold else 0 for value, q in cases]
    stopped = [q - a for q, a in zip(chances, answered)]
    thresholds = sorted({-1e9, *(value + 0.01 for value in values)})
    curve = [gain_and_aborted(cases, level) for level in thresholds]
    users_gained, aborted = gain_and_aborted(cases, threshold)
    best_gained, best_aborted = gain_and_aborted(cases, 0)
    sees = "sees no coin" if variant == 3 else "sees the coin and decides"
    note = (
        f"{names[f'V{variant}']}; {n_targets} target{'s' * (n_targets > 1)}: the client {sees}. "
        f"It gains {users_gained:.2f} users in a session and aborts {aborted:.0%}; "
        f"the best client gains {best_gained:.2f} and aborts {best_aborted:.0%}."
    )
    text = f"{users_gained:.2f} users in a session<br>{aborted:.0%} aborted"
    return [
        {"trace": 0, "x": values, "y": answered},
        {"trace": 1, "x": values, "y": stopped},
        {"trace": 2, "x": [threshold, threshold]},
        {"trace": 3, "x": [a for _, a in curve], "y": [g / n_targets for g, _ in curve]},
        {"trace": 4, "x": [aborted], "y": [users_gained / n_targets]},
        {"layout": {"annotations[0].text": text}},
        {"note": note},
    ]


green, grey, orange = (plots.COLOURS[name] for name in ("green", "grey", "orange"))
live = go.Figure(
    [
        go.Bar(name="answers", marker={"color": green}, width=1.6),
        go.Bar(name="aborts", marker={"color": grey}, width=1.6),
        go.Scatter(y=[0, 1], name="threshold", mode="lines",
                   line={"color": plots.COLOURS["black"], "width": 1.5, "dash": "dot"}),
        go.Scatter(mode="lines", line={"color": plots.COLOURS["blue"], "width": 2},
                   xaxis="x2", yaxis="y2", showlegend=False),
        go.Scatter(mode="markers", marker={"size": 14, "color": orange}, xaxis="x2",
                   yaxis="y2", showlegend=False),
    ],
    {
        "height": 360,
        "barmode": "stack",
        "legend": {"x": 0.02, "y": 1},
        "annotations": [{"text": "", "xref": "x2 domain", "yref": "y2 domain", "x": 1, "y": 1,
                         "xanchor": "right", "yanchor": "top", "showarrow": False,
                         "align": "right"}],
        "xaxis": {"domain": [0, 0.46], "range": [-42, 42],
                  "title": {"text": "gain of the report (users)", "standoff": 4}},
        "yaxis": {"range": [0, 1.05], "title": {"text": "probability"}},
        "xaxis2": {"domain": [0.58, 1], "anchor": "y2", "range": [-0.04, 1.04],
                   "tickformat": ".0%", "title": {"text": "aborted sessions", "standoff": 4}},
        "yaxis2": {"anchor": "x2", "range": [-0.1, 2.5],
                   "title": {"text": "users for each session and target"}},
    },
)  # fmt: skip
cheat_sliders = [
    interactive.Slider("variant V", [3, 5, 6], "d", start=1),
    interactive.Slider("targets r", [1, 2, 4, 8, 16], "d", start=3),
    interactive.Slider("smallest gain for each target that you answer", [-2.5, -1, 0, 1, 2.5], "g",
                       "users", 2),
]  # fmt: skip
interactive.show(
    "sk-07-cheat",
    live,
    cheat_sliders,
    cheat,
    alt="Left, the gain of a report when the client decides, with its probability, answered "
    "cases and aborted ones apart; right, users for each session and target against the "
    "share of aborted sessions, for all thresholds, with the chosen one.",
)


# %% [markdown]
# The gain falls in both cases. If the client answers all sessions, it also answers those in which the report lowers the targets. If it answers only the best ones, it loses the smaller gains. In the live figure you are the cheating client, and choose the smallest gain at which you answer.
#
# ```{evidence} S-B10a
# ```
#
# ## What a spent session costs an honest user
#
# A session may have one coin only. The server therefore marks the session as *spent* before it draws the coin. Otherwise a cheating client could repeat step 1 until the coin is favourable, and would gain 17.7<!-- {threats["V0"].gain_hcms:.1f} --> users, as if there were no noise. This rule has two costs for honest users.
#
# **Retries.** Suppose that an honest user's connection fails after the coin was drawn. The client may then send the same answer again, to the same coin. This costs no privacy, because a second copy tells the server nothing new. The report is lost only if the client has lost the answer, or if the server says falsely that the answer did not arrive or was wrong.
#
# In these cases a new report would need a second session with a second coin. The server may then have two different reports. How much more likely can these be for one item than for another? In V6 each session has its own place. We take the worst case, two items whose signs differ at both places:

# %%
def largest_ratio(sessions):
    """Items with opposite signs in all sessions, 8 of 11 slots; all coins are 0."""
    views = {1: Counter(), -1: Counter()}
    for w in views:
        for numbers in product(range(11), repeat=sessions):
            noisy_signs = tuple(w if rho < 8 else -w for rho in numbers)
            views[w][noisy_signs] += 1
    return max(Fraction(views[1][view], views[-1][view]) for view in views[1])


print("one session:", largest_ratio(1), " two sessions:", largest_ratio(2))

# %% [markdown]
# Two sessions have the level $2\varepsilon$. So a server that falsely says "your proof is wrong, open a new session" doubles $\varepsilon$. An honest client must therefore never answer a second coin.
#
# **Denial.** Anyone who can open a session in the name of a *victim* spends it. In our package, a session is named after its user:

# %%
protocol = Protocol(hcms, slots=11, true=8, domain=list(counts))
server = Server(protocol)
attacker = Client(protocol, b"victim")  # uses the victim's name
server.challenge(b"victim", attacker.commit("A34"))
victim = Client(protocol, b"victim")
try:
    server.challenge(b"victim", victim.commit("A18"))
except ProofError as error:
    # The message contains the name in hexadecimal.
    print(str(error).replace(b"victim".hex(), "of the victim"))

# %% [markdown]
# The victim's own report is refused. The server must therefore authenticate users before it opens a session, and give each identity one session.
#
# ```{evidence} S-B10b
# ```
#
# ## All variants side by side
#
# We now put numbers to the variants of the first table. In V4, the proof must also show that the server can read whichever slot it opens (the second exercise shows why).

# %%
threats = {row.name: row for row in threat_matrix(slot_epsilon(11, 8), targets=8)}
rows = threats.values()


def entries(values, infinite):
    """Numbers with two decimals, and a text for what is infinite."""
    return [infinite if math.isinf(value) else f"{value:.2f}" for value in values]


ratios = [math.exp(row.malicious) for row in rows]
finishing = [row.gain_hcms for row in rows]
aborting = [row.aborts for row in rows]
columns = {
    "variant": [names[row.name] for row in rows],
    "largest ratio": entries(ratios, infinite="∞"),
    "client finishes": entries(finishing, infinite="no estimator"),
    "client may abort": entries(aborting, infinite="no estimator"),
    "aborted": [f"{row.unfinished:.0%}" for row in rows],
}
caption = (
    "HCMS, eight targets, eight of eleven slots: what a malicious server learns about "
    "one sign, and the largest gain in a session (users, mean over hash functions)."
)
table(columns, caption=caption)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Which variant protects whom (HCMS, eight targets, eight of eleven slots). Horizontal: how well the server guesses the sign of an honest user; 1/2 is a blind guess, 8/11 is what \u03b5 allows (dashed), 1 is certainty. Vertical: gain of a client that finishes (filled) and of one that may abort (open). The best place is on the dashed line, as low as possible. The variants on the line are set side by side. In V2, at the top, the server can estimate nothing. V5\u2032 is in the table only.", "name": "fig-sk-07-matrix"}, "image": {"alt": "Chart of the variants. V1 top right at guess 1 and 17.7<!-- {threats[\"V1\"].gain_hcms:.1f} --> users; V1 prime right at 8<!-- {threats[\"V1'\"].gain_hcms:.0f} --> users; V0 and V3 at guess 8/11 and 17.7<!-- {threats[\"V3\"].gain_hcms:.1f} --> users; beside the line at 8/11, V4 a point at 8<!-- {threats[\"V4\"].gain_hcms:.0f} --> users, V5 a bar from 8<!-- {threats[\"V5\"].gain_hcms:.0f} --> to 12.9<!-- {threats[\"V5\"].aborts:.1f} --> users, V6 a bar from 1<!-- {threats[\"V6\"].gain_hcms:.0f} --> to 3.0<!-- {threats[\"V6\"].aborts:.1f} --> users; V2 at guess 1/2, without an estimator, marked with an arrow at the top."}} tags=["figure"]
groups = {  # label: (variant, guess, offset of the text in points, alignment)
    "V0 plain\nV3 shuffled slots": ("V0", 8 / 11, (10, 0), "left"),
    "V1 two slots,\norder known": ("V1", 1, (-10, 0), "right"),
    "V1′ in the clear,\nserver negates": ("V1'", 1, (-10, 0), "right"),
    "V4 slots + proof": ("V4", 8 / 11 - 0.012, (-10, 0), "right"),
    "V5 coin + proof": ("V5", 8 / 11 + 0.012, (10, -2), "left"),
    "V6 item committed": ("V6", 8 / 11 + 0.012, (10, -2), "left"),
}
for name, variant in (("V3", 3), ("V5", 5), ("V6", 6)):  # the figure above agrees
    row = threats[name]
    assert np.allclose(gain_and_aborted(branches(variant, 8), 0), (row.aborts, row.unfinished))
fig, ax = plots.panels(height=4.2)
ax.axvline(8 / 11, color=plots.COLOURS["grey"], lw=1.2, ls="--")
for text, (variant, guess, offset, side) in groups.items():
    row = threats[variant]
    enforced = variant in ("V4", "V5", "V6")
    colour = plots.COLOURS["green" if enforced else "orange"]
    ax.plot(guess, row.gain_hcms, "o" if enforced else "s", ms=9, color=colour)
    if row.unfinished:
        ax.plot([guess] * 2, [row.gain_hcms, row.aborts], "-", color=colour, lw=3)
        ax.plot(guess, row.aborts, "o", ms=9, mfc="white", mec=colour, mew=2)
        aborts = f"may abort: {row.aborts:.1f} ({row.unfinished:.0%} aborted)"
        beside = {"xytext": (10, 0), "textcoords": "offset points", "va": "center"}
        ax.annotate(aborts, (guess, row.aborts), fontsize=9, **beside)
    label = {"xytext": offset, "textcoords": "offset points", "ha": side}
    ax.annotate(text, (guess, row.gain_hcms), va="center", fontsize=9.5, **label)
ax.plot(0.5, 26, "^", ms=10, color=plots.COLOURS["grey"])
ax.text(0.513, 26, "V2 two slots, shuffled:\nno estimator", va="center", fontsize=9.5)
ax.set(xlim=(0.47, 1.03), ylim=(0.7, 34), yscale="log")
ax.set_yticks([1, 2, 4, 8, 16], ["1", "2", "4", "8", "16"])
ax.set_xticks([1 / 2, 8 / 11, 1], ["1/2", "8/11", "1"])
ax.minorticks_off()
ax.set(xlabel="probability that the server guesses an honest user's sign")
ax.set_ylabel("gain in a session (users)")
plt.show()

# %% [markdown]
# - *V1* (two slots in a known order) protects nobody: the server learns the sign, and a fake user gains as much as in V0.
# - In *V2* (two shuffled slots) $p = \frac12$, so $c$ does not exist, and the server cannot estimate anything.
# - *V3* ($N$ shuffled slots) gives the intended privacy and enforces nothing.
# - For a client that finishes, a proof (*V4* for slots, *V5* for a coin) reduces the gain to one user for each target, and a committed item (*V6*) to one user in all, on average over the hash functions.
# - In V4 the client sees no coin and gains nothing by aborting. In *V5*, *V5′* and *V6* it sees the coin, and aborting pays. The server of this page can only count the aborted sessions. Other remedies are conceivable, for example a *timed commitment*, which the server could open by itself after a long computation.
#
# The ratios for V3 and V4 assume a transfer that is secure against a malicious server, and V4 is a model here, not code. Proofs of correct slots were introduced by {cite:t}`ambainis2004cryptographic` and, for other local protocols, by {cite:t}`kato2021preventing`. [A research note](../research/sketch-verifiable-noise.ipynb) builds V5 and V6 and measures their cost.
#
# ```{evidence} S-B10
# ```
#
# ## Exercises
#
# ```{exercise-start} Three sessions
# :label: ex-sk-07-retry
# ```
# **Warm-up.** An honest client answers in three sessions on the same sign, with eight of eleven slots. What is the largest ratio, and which level $\varepsilon$ does it give?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("sk-07-retry", ...)

# %% [markdown]
# ```{solution-start} ex-sk-07-retry
# :class: dropdown
# ```
# The sessions are independent, so the ratio is $\bigl(\frac83\bigr)^3 =$ 512/27<!-- {largest_ratio(3)} -->, and the level is $3 \ln\frac83 \approx$ 2.94<!-- {3 * math.log(8 / 3):.2f} -->.

# %%
assert largest_ratio(3) == Fraction(512, 27)
check("sk-07-retry", (largest_ratio(3), math.log(largest_ratio(3))))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Honest slots, unreadable messages
# :label: ex-sk-07-selective
# ```
# **Standard.** In V4, let the proof show only what the slots hold. A client fills them honestly, but masks those with the negated sign with a wrong key, so that the server reads the true sign or nothing. The client may also choose place and sign. What is its largest expected gain, and what share of the sessions fails? Take three of five slots and the three targets in the sketch with $m = 4$, as above.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-07-selective", ...)

# %% [markdown]
# ```{solution-start} ex-sk-07-selective
# :class: dropdown
# ```
# The server reads $w$ with probability $p$ and otherwise nothing. This is the value of V5 with aborting, and a share $q$ of the sessions fails. Such an attack is called *selective failure*.

# %%
best = (0, 0)
for w, coordinate in product((1, -1), range(4)):
    readable = (gain(w, coordinate, targets), 1)
    opened = [readable] * true + [(0, 0)] * (slots - true)
    best = max(best, average(opened))
assert best == v5
check("sk-07-selective", (best[0], 1 - best[1]))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Enforced noise, free sign
# :label: ex-sk-07-signs
# ```
# **Research.** In V5′ the server draws the place, and the client chooses its sign afterwards. What is the largest expected gain of a client that finishes every session, for $r$ targets with random hash values? Give the number for eight.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-07-signs", ...)

# %% [markdown]
# ```{solution-start} ex-sk-07-signs
# :class: dropdown
# ```
# The best sign is that of the sum $S$, so the gain is $\frac{m}{m-1}\bigl(\operatorname{E}|S| - \frac rm\bigr)$. With probability $\frac1m$ the coordinate is 0 and $|S| = r$. This contributes $\frac rm$, which cancels $-\frac rm$. With probability $\frac{m-1}m$ it is another coordinate, where $S$ is a sum $S_r$ of fair signs. So the gain is exactly $\frac{m}{m-1} \cdot \frac{m-1}{m} \operatorname{E}|S_r| = \operatorname{E}|S_r|$, about $\sqrt{2r/\pi}$. For eight targets it is 35/16<!-- {mean_size} -->.

# %%
mean_size = 0
for plus_ones in range(9):
    mean_size += Fraction(math.comb(8, plus_ones), 2**8) * abs(2 * plus_ones - 8)
assert mean_size == Fraction(35, 16)
assert math.isclose(threats["V5'"].gain_hcms, mean_size)
check("sk-07-signs", mean_size)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# 1. *Which variants are there?* The noise is drawn by the client (V0), by the server (V1, V1′) or by both. Only V4 to V6 prove that it was added.
# 2. *What can an attacker still do when the noise is enforced?* Gain one user for each target, because the client still chooses what it reports. A commitment to the item reduces this to one user in all for a client that finishes, on average over the hash functions.
# 3. *What is aborting worth?* On a wide HCMS sketch $\frac{e^{\varepsilon}}{e^{\varepsilon} - 1}$ users for each target in V5, and $\frac12(c \operatorname{E}|S_r| + 1)$ users in total in V6, which grows roughly as $\sqrt r$. The server sees the aborted sessions.
# 4. *What does an interrupted session cost an honest user?* Nothing, if the client can send the same answer again. Otherwise it costs the report, because answers to two coins have the level $2\varepsilon$. The server must also authenticate its users, or others can spend their sessions.
#
# **Further reading.** {cite:t}`cheu2021manipulation` bound what is left to fake users in any local protocol. **Next:** [can a client prove that its noise is honest?](../research/sketch-verifiable-noise.ipynb)
