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
# # How can a client prove that it added the noise?
#
# Every user of a shop has a secret sign, $+1$ or $-1$. Each user's program, the *client*, is supposed to keep the sign with probability 2/3<!-- {Fraction(true, slots)} --> and to negate it otherwise. A fake user runs another program, which never negates the sign. The server sees a single sign from each client, so it cannot tell the two programs apart. Could it demand a proof?
#
# **The paper** uses oblivious transfer: the client prepares two values, the server reads one, and the client does not learn which. But nobody checks the two values ([notebook 5](05-oblivious-transfer.ipynb)), and the paper proposes no other check.
# **We find**, as others have since 2004 {cite:p}`ambainis2004cryptographic`, that such a proof is possible. We build one step by step, and draw the random numbers as {cite:t}`biswas2023interactive` do. The client hides a random number in a *commitment*, the server adds a random number of its own, and the client proves that its report follows from both. The client can then no longer choose its noise. It can still stop when it does not like the noise; [the next notebook](07-every-variant.ipynb) computes what it gains by stopping.
# The server learns nothing but the report. **We test** this by going through all cases of a small example. The largest test is that of the proof in the next notebook. There the server accepts 67,228<!-- {len(accepted):,} --> different proofs, and three clients with different secrets send each of them with the same probability.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how a client fixes a number without showing it, how two parties draw noise that neither of them can choose, how to prove that one knows a number without revealing it,
# and how to combine such proofs with *or* and *and*.
# **You need** the question of [notebook 5](05-oblivious-transfer.ipynb), and powers modulo a prime. No cryptography is assumed.
# **Time:** 27 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **There are two attackers.** *The server* wants to know the sign of an honest client. It has unlimited time and may choose its random numbers as it likes.
# *A cheating client* wants to choose its noise. It may send anything or nothing. But it can neither compute *discrete logarithms* (defined below) nor predict the output of a cryptographic hash function.
# **Protected:** the secret sign, up to the factor $e^{\varepsilon}$ in the odds, and the server's random number, which a client cannot influence. A client can only break off after it has seen this number, so the *finished* reports may contain less noise.
# **Not protected:** the truth of the sign. A client may use any sign.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
import hashlib
from collections import Counter
from fractions import Fraction
from itertools import product

import matplotlib.pyplot as plt
import numpy as np

from privlib.notebook import plots

plots.use()
rng = np.random.default_rng(6)

# %% [markdown]
# ## A commitment fixes a number and hides it
#
# If the client alone drew the noise, it could choose the noise. If the server alone drew it, the server could undo it. So both must contribute a random number. The client must fix its number first, because otherwise it could adapt it to the server's. But it must not show its number, because the server could then undo the noise.
#
# A *commitment* (コミットメント) is a message that works like a sealed envelope. It *hides* the number inside, and it *binds* the client, who can no longer change the number.
#
# All our examples use one small group, the seven powers of $h = 16$ modulo 29. Because $16^7 = 1$ modulo 29, an exponent matters only modulo 7. The element $g = 7$ belongs to the group, too. In *Pedersen's commitment*, a client that wants to fix a number $u$ draws a random $s$ from $0, \dots, 6$ and sends $C = g^u h^s$. To *open* $C$ to $u$ means to show $u$ together with an $s$ that satisfies this equation.

# %%
h, g, prime, order = 16, 7, 29, 7


def commit(u, s):
    return pow(g, u, prime) * pow(h, s, prime) % prime


C = commit(2, 3)
openings = [(u, s) for u, s in product(range(order), repeat=2) if commit(u, s) == C]
print(f"C = {C} can be opened to (u, s) =", openings)

# %% [markdown]
# For every $C$, such a list contains every $u$ exactly once ({numref}`fig-sk-06-commitment`). Because $s$ is uniform, each $C$ is therefore equally likely, whatever $u$ is. So the commitment hides $u$ perfectly, however much the server computes.
#
# Why does the commitment bind the client, although $C$ can be opened to every $u$? Because the client cannot find a second opening. Suppose that it knows two openings $(u, s)$ and $(v, t)$ of the same $C$. Then $g^u h^s = g^v h^t$, and therefore $g = h^x$ with $x = (t - s)/(u - v)$, where division is modulo 7:

# %%
(u, s), (v, t) = openings[:2]
x = (t - s) * pow(u - v, -1, order) % order
assert pow(h, x, prime) == g

# %% [markdown]
# This $x$ is called the *discrete logarithm* of $g$ to the base $h$. Here it is 3<!-- {x} -->, as anybody can find out by trying. In a group with about $2^{252}$ elements, such as that of our package, nobody knows how to find it. So there no client knows two openings. (The client must not choose $g$: if it computed $g = h^x$ from an $x$ of its own, it would know $x$.)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "All openings of all commitments: the entry in row u and column C is the number s with which C is opened to u. Every column contains every row, so C does not tell u. The client of the example sends C = 24<!-- {C} --> (framed) and knows one entry of this column.", "name": "fig-sk-06-commitment"}, "image": {"alt": "A grid of seven rows for the number u and seven columns for the commitment C. Each cell contains one number s, and each column contains seven different ones. One column is framed."}} tags=["figure"]
elements = sorted(pow(h, exponent, prime) for exponent in range(order))
fig, ax = plots.panels(height=2.8, width=4.6)
for row, number in product(range(order), repeat=2):
    column = elements.index(commit(row, number))
    ax.text(column, row, number, ha="center", va="center")
ax.add_patch(plt.Rectangle((elements.index(C) - 0.5, -0.5), 1, order, fc="none",
                           ec=plots.COLOURS["orange"], lw=2.5, zorder=3))  # fmt: skip
ax.set(xlim=(-0.5, 6.5), ylim=(6.5, -0.5), xlabel="commitment C", ylabel="number u")
ax.set_xticks(range(order), elements)
ax.set_yticks(range(order))
ax.grid(visible=False)
ax.tick_params(length=0)
plt.show()

# %% [markdown]
# ## A public coin comes after the commitment
#
# Now the server draws its own random number and shows it. Such a number is called a *public coin*.
#
# The probability 2/3<!-- {Fraction(true, slots)} --> is made from $N = 3$ equally likely cases, $N_t = 2$ of which keep the sign. The client draws $\rho$ and the server draws the coin $\sigma$, both uniformly from $0, \dots, N - 1$. The *report* $y$ of a client with the sign $w$ is $w$ if $(\rho + \sigma) \bmod N < N_t$, and $-w$ otherwise:

# %%
slots, true = 3, 2  # N and N_t


def report(w, rho, coin):
    if (rho + coin) % slots < true:
        return w
    return -w


kept = np.zeros((slots, slots), dtype=bool)
for rho, coin in product(range(slots), repeat=2):
    kept[rho, coin] = report(1, rho, coin) == 1
print("kept for each rho:", kept.sum(axis=1), " for each coin:", kept.sum(axis=0))
print("share of all cases:", Fraction(int(kept.sum()), kept.size))

# %% [markdown]
# Whatever $\rho$ a cheating client commits to, two of the three coins keep the sign. Whatever coin a curious server sends, two of the three numbers $\rho$ keep it ({numref}`fig-sk-06-coin`, left). So the noise has the right distribution if at least one of the two parties draws its number uniformly.
#
# The client commits to the *pair* $(w, \rho)$. There are six pairs, which we number $u = 0, \dots, 5$, so our group needs more than five elements. We call the following protocol *verifiable randomised response* or V5 (variant 5 in the [list of the next notebook](07-every-variant.ipynb)). {cite:t}`biswas2023interactive` mix a private and a public random number in this way when they publish counts.
#
# ```{prf:algorithm} Verifiable randomised response (V5)
# :label: def-sk-06-public-coin
# 1. *Commit.* The client has a sign $w$. It draws $\rho$ from $0, \dots, N - 1$ and sends a commitment $C$ to the number $u$ of the pair $(w, \rho)$.
# 2. *Coin.* The server draws $\sigma$ from $0, \dots, N - 1$ and publishes it.
# 3. *Report.* The client sends $y = w$ if $(\rho + \sigma) \bmod N < N_t$, and $y = -w$ otherwise, with a proof that it can open $C$ to a pair that gives this $y$.
# 4. *Check.* The server checks the proof and counts $y$.
#
# In the sketch HCMS ([notebook 2](02-hadamard.ipynb)), the client also sends the *place* of its report, that is, row and coordinate, in step 1.
# ```

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Left: the sign is kept (+) in 2<!-- {kept[0].sum():d} --> of 3<!-- {slots} --> cells of every row and of every column. Right: the messages of verifiable randomised response, from top to bottom. The client is bound to its \u03c1 before it sees the coin.", "name": "fig-sk-06-coin"}, "image": {"alt": "Left, a three by three grid of rho against sigma with plus in six cells and minus in three. Right, two vertical lines for client and server; an arrow to the right carries C, an arrow to the left the coin, an arrow to the right y and the proof."}} tags=["figure"]
fig, axes = plots.panels(1, 2, height=2.6, width=7.5, gridspec_kw={"width_ratios": [1, 1.9]})
ax = axes[0]
ax.imshow(np.where(kept, 0.35, 0.0), cmap="Blues", vmin=0, vmax=1)
for rho, coin in product(range(3), repeat=2):
    ax.text(coin, rho, "+" if kept[rho, coin] else "−", ha="center", va="center", fontsize=13)
ax.set(xlabel="coin σ of the server", ylabel="number ρ of the client")
ax.set_xticks(range(3))
ax.set_yticks(range(3))
ax.grid(visible=False)
ax.tick_params(length=0)


def messages(ax, left, right, steps):
    """Two vertical lines, and an arrow for each message."""
    for at, name in ((0, left), (1, right)):
        ax.plot([at, at], [0.2, len(steps) + 0.5], color="#555555", lw=2, ls="-")
        ax.text(at, len(steps) + 0.6, name, ha="center", va="bottom", weight="bold")
    for step, (to_the_right, text) in enumerate(steps):
        y = len(steps) - step - 0.35
        ends = ((0, y), (1, y)) if to_the_right else ((1, y), (0, y))
        arrow = {"arrowstyle": "-|>", "lw": 1.6, "shrinkA": 2, "shrinkB": 2}
        ax.annotate("", xy=ends[1], xytext=ends[0], arrowprops=arrow)
        ax.text(0.5, y + 0.08, text, ha="center", va="bottom")
    ax.set(xlim=(-0.25, 1.25), ylim=(0, len(steps) + 1.1))
    ax.axis("off")


steps = [(True, "commitment C"), (False, "coin σ"), (True, "report y, with a proof")]
messages(axes[1], "client", "server", steps)
plt.show()

# %% [markdown]
# What has to be proved in step 3? For each coin and each report, three of the six pairs are possible:

# %%
pairs = [(w, rho) for w in (1, -1) for rho in range(slots)]  # numbered u = 0, ..., 5


def consistent(y, coin):
    """The numbers u of the pairs that give the report y."""
    return [u for u, (w, rho) in enumerate(pairs) if report(w, rho, coin) == y]


print("report +1 after coin 0:", [pairs[u] for u in consistent(1, 0)])


# %% [markdown]
# Two of these three pairs have $w = +1$ and one has $w = -1$. So the report $+1$ doubles the odds of $w = +1$. This is randomised response with $\varepsilon = \ln 2$. If the client opened $C$, the server would see the pair and thereby the sign. So the client must show that it *can* open $C$ to one of the three pairs, but not which.
#
# ## A client can prove that it knows a number
#
# Let us start with one given $u$. Put $P = C/g^u$. The client can open $C$ to $u$ if it knows an $s$ with $P = h^s$. This $s$ is called the *witness*. (Such an $s$ always exists; the point is to know it.)
#
# In Schnorr's *sigma protocol*, the client proves to the server that it knows $s$, with three messages:
#
# 1. The client draws $k$ from $0, \dots, 6$ and sends the *first message* $T = h^k$.
# 2. The server draws a *challenge* $e$. In our example it is one bit, 0 or 1.
# 3. The client sends the *response* $z = k + e s$ modulo 7. The server accepts if $h^z = T\,P^e$.

# %%
def accepts(P, T, e, z):
    return pow(h, z, prime) == T * pow(P, e, prime) % prime


s, k = 5, 3
P, T = pow(h, s, prime), pow(h, k, prime)
for e in (0, 1):
    z = (k + e * s) % order
    right = accepts(P, T, e, z)
    print(f"first message {T}, challenge {e}, response {z}: accepted {right}")


# %% [markdown]
# The three messages together are called a *transcript*. (The draft standard {cite:p}`orru2026sigma` calls the first message a commitment. We use this word only for $C$.)
#
# **Why is this a proof?** A client that can respond to both challenges after the same $T$ knows $s$, because the second response minus the first is $s$: here $1 - 3 = 5$ modulo 7. In general, responses $z$ and $z'$ to two challenges $e$ and $e'$ give $s = (z - z')/(e - e')$. A client that does not know $s$ can therefore respond to at most one of the challenges, and is accepted with probability 1/2 at most. Our package draws challenges of 128 bits, which reduces this probability to $2^{-128}$.
#
# **Why does it not reveal $s$?** Because anybody can *simulate* a transcript without $s$: choose $e$ and $z$ first, and then compute the $T$ that the server accepts with them:

# %%
def first_message(P, e, z):
    """The T that fits challenge e and response z."""
    return pow(h, z, prime) * pow(P, -e, prime) % prime


for e in (0, 1):
    honest = {(pow(h, k, prime), e, (k + e * s) % order) for k in range(order)}
    simulated = {(first_message(P, e, z), e, z) for z in range(order)}
    assert honest == simulated and len(honest) == order

# %% [markdown]
# For each challenge, the seven honest transcripts are the same as the seven simulated ones, and all are equally likely. A transcript therefore tells the server nothing that it could not have written down alone. The proof convinces only because the server saw the *order* in which the numbers came ({numref}`fig-sk-06-sigma`).

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The same transcript, produced in two ways. Arrows show which number is computed from which. A client that knows the witness starts with T and can answer any challenge. A simulator starts with challenge and response and computes T.", "name": "fig-sk-06-sigma"}, "image": {"alt": "Two columns of three boxes, first message, challenge and response, with the same numbers in both columns. On the left, arrows lead from the first message and the challenge down to the response. On the right, arrows lead from challenge and response up to the first message."}} tags=["figure"]
NAMES, HEIGHTS = ("first message T", "challenge e", "response z"), (2, 1, 0)


def transcript(ax, at, numbers, title, simulated):
    """Three boxes in a column, and arrows in the order of computation."""
    frame = {"boxstyle": "round,pad=0.4", "ec": "none"}
    frame["fc"] = plots.COLOURS["gold" if simulated else "sky"]
    ax.text(at, 2.55, title, ha="center", va="bottom")
    for y, number in zip(HEIGHTS, numbers):
        ax.text(at, y, str(number), ha="center", va="center", bbox=frame)
    start, end = (0, 2) if simulated else (2, 0)
    arrow = {"arrowstyle": "-|>", "lw": 1.6, "shrinkA": 13, "shrinkB": 13}
    ax.annotate("", xy=(at, end), xytext=(at, 1), arrowprops=arrow)
    bend = arrow | {"connectionstyle": "arc3,rad=0.5"}
    ax.annotate("", xy=(at, end), xytext=(at, start), arrowprops=bend)


def transcripts(ax, columns):
    for y, name in zip(HEIGHTS, NAMES):
        ax.text(0.1, y, name, ha="right", va="center")
    for position, column in enumerate(columns):
        transcript(ax, 0.8 + 1.5 * position, *column)
    ax.set(xlim=(-1.3, 3.6), ylim=(-0.4, 3.0))
    ax.axis("off")


fig, ax = plots.panels(height=2.6, width=6.0)
shown = (T, 1, (k + s) % order)
assert accepts(P, *shown)
transcripts(ax, [(shown, "witness known", False), (shown, "simulated", True)])
plt.show()


# %% [markdown]
# ## One of several: split the challenge
#
# Now there are several statements of the form "I know the witness $s_i$ of $P_i = h^{s_i}$". The client knows the witness of one of them. The client *simulates* the transcripts of all others, with challenges and responses of its own choice. It sends all first messages. The server answers with one *total challenge*, and the challenges of all statements must add up to it. So the total determines the last challenge, and for this statement the client needs the witness. The construction is due to {cite:t}`cramer1994proofs`.

# %%
def prove_one(P, known, s, k, simulated, ask):
    """A proof of one of the statements P; the client knows the witness s of P[known].

    simulated[i] holds challenge and response of another statement i, and ask(T) is the
    total challenge after the first messages T. The proof consists of T and of a pair
    (challenge, response) for each statement.
    """
    first = {i: first_message(P[i], *answer) for i, answer in simulated.items()}
    first[known] = pow(h, k, prime)
    T = tuple(first[i] for i in range(len(P)))
    e = (ask(T) - sum(e for e, _ in simulated.values())) % 2
    answers = simulated | {known: (e, (k + e * s) % order)}
    return T, tuple(answers[i] for i in range(len(P)))


def accepts_one(P, T, answers, total):
    fits = all(accepts(P_i, T_i, *answer) for P_i, T_i, answer in zip(P, T, answers))
    return fits and sum(e for e, _ in answers) % 2 == total


# %% [markdown]
# Does the proof reveal which witness the client knew? Take two statements and two clients, each of which knows one witness. We go through all their random numbers:

# %%
def constant_challenge(total):
    """A server that sends this total challenge after any first messages."""
    return lambda T: total


P, witness = [pow(h, 2, prime), pow(h, 5, prime)], [2, 5]
for total in (0, 1):
    ask = constant_challenge(total)
    proofs = [Counter(), Counter()]  # one for the client that knows each witness
    for known, k, e, z in product((0, 1), range(order), (0, 1), range(order)):
        proof = prove_one(P, known, witness[known], k, {1 - known: (e, z)}, ask)
        assert accepts_one(P, *proof, total)
        proofs[known][proof] += 1
    assert proofs[0] == proofs[1] == dict.fromkeys(proofs[0], 1)
    number = len(proofs[0])
    print(f"total challenge {total}:", end=" ")
    print(f"both clients send the same {number} proofs, each once")

# %% [markdown]
# So the proof does not reveal which witness was known. In step 3 of V5 the client proves one of three statements in this way, one for each consistent pair. {numref}`fig-sk-06-one` shows one of the proofs.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "One proof of one of two statements. The client knows the witness of the first and simulates the second (gold). The two challenges must add up to the total challenge (modulo 2). From the numbers alone, nobody can tell which column is simulated.", "name": "fig-sk-06-one"}, "image": {"alt": "Two columns of three boxes. In the left one, arrows lead down to the response; in the right one, arrows lead up to the first message. A plus sign stands between the two challenges, and below stands their sum, the total challenge."}} tags=["figure"]
first, answers = prove_one(P, 0, 2, 4, {1: (1, 3)}, constant_challenge(0))
fig, ax = plots.panels(height=3.0, width=6.0)
titles = (("first statement", False), ("second statement", True))
columns = [((T_i, *answer), *title) for T_i, answer, title in zip(first, answers, titles)]
transcripts(ax, columns)
ax.text(1.55, 1, "+", ha="center", va="center", fontsize=14)
(e_0, _), (e_1, _) = answers
total_text = f"{e_0} + {e_1} = {(e_0 + e_1) % 2} modulo 2, the total challenge"
ax.text(1.55, -0.75, total_text, ha="center", va="center")
ax.set_ylim(-1.0, 3.0)
plt.show()

# %% [markdown]
# ## An or splits the challenge, an and copies it
#
# The [next notebook](07-every-variant.ipynb) needs one more step. There the client commits to an item $d$ by $C_d$ and to $\rho$ by another commitment $C_\rho$, *before* it knows which sign belongs to the item. Suppose that item 0 turns out to have the sign $+1$ and item 1 the sign $-1$, and that the coin is 0. Then $\rho = 0$ and $\rho = 1$ keep the sign, and $\rho = 2$ negates it. If the report is $+1$, the client must prove that
#
# $$ \bigl(d = 0 \text{ and } \rho \in \{0, 1\}\bigr) \quad\text{or}\quad \bigl(d = 1 \text{ and } \rho = 2\bigr). $$
#
# This is an *or of ands*. Its two *branches* are ands: each branch has two *parts*, one about $d$ and one about $\rho$, which must both be proved. In the left branch, the part about $\rho$ is itself an or. The smallest pieces are five *clauses*: $d = 0$, $\rho = 0$, $\rho = 1$; $d = 1$, $\rho = 2$. Each clause is a statement like those above, and has a transcript of its own.
#
# The total challenge goes down this tree from the top, by one rule: **an or splits its challenge, and an and copies it** ({numref}`fig-sk-06-tree`). In other words, the challenges below an or add up to its own challenge, and each challenge below an and is equal to its own.

# %%
C_d, C_rho = commit(0, 4), commit(1, 2)
clauses = [(C_d, 0), (C_rho, 0), (C_rho, 1), (C_d, 1), (C_rho, 2)]
P = [C * pow(g, -number, prime) % prime for C, number in clauses]
# A client knows the witnesses of one branch. Here we find all, by trying.
discrete_logarithm = {pow(h, s, prime): s for s in range(order)}
witness = [discrete_logarithm[element] for element in P]


def total_challenge(e):
    """The total of the five challenges; None if they break the rule."""
    if e[0] != (e[1] + e[2]) % 2 or e[3] != e[4]:  # an "and" copies
        return None
    return (e[0] + e[3]) % 2  # an "or" splits


# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "How the total challenge goes down to the five clauses. At an or (blue), the numbers below add up modulo 2 to the one above. At an and (gold), both numbers below are equal to the one above. The numbers are one example.", "name": "fig-sk-06-tree"}, "image": {"alt": "A tree. The root, an or, has the challenge 1 and two branches below it, ands with the challenges 0 and 1. The left branch copies 0 to the clause d = 0 and to an or, which splits it into 1 for rho = 0 and 1 for rho = 1. The right branch copies 1 to the clauses d = 1 and rho = 2."}} tags=["figure"]
example = (0, 1, 1, 1, 1)
assert total_challenge(example) == 1
tree = {  # name: (x, y, text, colour, parent)
    "root": (3.1, 3, "or: 1", "sky", None),
    "left": (1.4, 2, "and: 0", "gold", "root"),
    "right": (5.0, 2, "and: 1", "gold", "root"),
    "or": (2.2, 1, "or: 0", "sky", "left"),
}
places = ((0.3, 1, "left"), (1.5, 0, "or"), (2.9, 0, "or"), (4.3, 1, "right"), (5.7, 1, "right"))
for text, challenge, (x_clause, y, parent) in zip(
    ("d = 0", "ρ = 0", "ρ = 1", "d = 1", "ρ = 2"), example, places
):
    tree[text] = (x_clause, y, f"{text}: {challenge}", "white", parent)
fig, ax = plots.panels(height=2.9, width=7.0)
for x_node, y, text, colour, parent in tree.values():
    if parent:
        ax.plot([tree[parent][0], x_node], [tree[parent][1], y], color="0.5", lw=1.2, ls="-", zorder=1)
    frame = {"boxstyle": "round,pad=0.4", "fc": plots.COLOURS.get(colour, colour), "ec": "0.5"}
    ax.text(x_node, y, text, ha="center", va="center", bbox=frame, zorder=2)
ax.set(xlim=(-0.4, 6.4), ylim=(-0.4, 3.4))
ax.axis("off")
plt.show()


# %% [markdown]
# An honest client can respond in two clauses, one in each part of its branch. It proceeds in four steps:
#
# 1. It draws five preliminary challenges that obey the rule and have the total 0.
# 2. In each of the three clauses whose witnesses it does not use, it draws a response and simulates the transcript with the challenge from step 1. In each of its two clauses it draws a $k$ and computes the first message $h^k$, as in Schnorr's protocol.
# 3. It sends the five first messages and receives the total challenge.
# 4. It adds the total challenge to the challenges of its two clauses. The challenges still obey the rule, because both parts of the branch change by the same amount, and now they have the right total. The client computes the two responses.

# %%
def prove_tree(known, drawn, k, simulated, ask):
    """A proof of the tree, as challenges e and responses z of the five clauses.

    The client knows the witnesses of the clauses in known, and draws a k for each. It has
    drawn the response simulated[i] for every other clause i.
    """
    e, z = list(drawn), [0] * 5
    T = [0] * 5
    for i in range(5):
        if i in known:
            T[i] = pow(h, k[i], prime)
        else:
            z[i] = simulated[i]
            T[i] = first_message(P[i], e[i], z[i])
    total = ask(T)
    for i in known:
        e[i] = (drawn[i] + total) % 2
        z[i] = (k[i] + e[i] * witness[i]) % order
    return tuple(e), tuple(z)


# %% [markdown]
# A dishonest server may let its challenge depend on the five first messages, in order to learn more. So we let the total challenge be an arbitrary function of the first messages, drawn as a random table. We list all proofs that the server accepts, and all proofs of three clients with different witnesses.

# %%
challenges_of_server = {T: int(rng.integers(2)) for T in product(elements, repeat=5)}


def ask(T):
    return challenges_of_server[tuple(T)]


five_challenges = list(product((0, 1), repeat=5))
five_numbers = list(product(range(order), repeat=5))
accepted = set()
for e in five_challenges:
    if total_challenge(e) is not None:
        for z in five_numbers:
            T = [first_message(P[i], e[i], z[i]) for i in range(5)]
            if total_challenge(e) == ask(T):
                accepted.add((e, z))
total_0 = [e for e in five_challenges if total_challenge(e) == 0]
for known in ((0, 1), (0, 2), (3, 4)):  # the two clauses that a client knows
    proofs = Counter()
    for drawn, numbers in product(total_0, five_numbers):
        # Each number is used once: as k in a known clause, as a response elsewhere.
        proofs[prove_tree(known, drawn, numbers, numbers, ask)] += 1
    assert proofs == dict.fromkeys(accepted, 1)
print(f"{len(accepted):,} accepted proofs; each client sends each in exactly one case")


# %% [markdown]
# ```{prf:theorem} An or of ands reveals nothing more
# :label: thm-sk-06-ands
# Let $C_d$, $C_\rho$, the coin and $y$ be given. (a) Whichever branch the client knows, its proof is uniformly distributed on the proofs that the server accepts. This holds however the total challenge depends on the first messages. (b) Valid responses to two different total challenges, after the same first messages, reveal a witness
# for every part of one branch.
# ```
#
# *Proof.* (a) We count the draws with which a given client sends a given accepted proof. The challenges and responses of the clauses that the client simulates are drawn, so they must be those of the proof. The rule with total 0 then fixes the other drawn challenges. In a clause that the client knows, $k$ must be the response minus challenge times witness. With these numbers, all first messages are those of the proof, so the total challenge is the same. The rule then fixes the challenges of the known clauses, and they are those of the proof, too.
# So exactly one draw gives this proof, and all draws are equally likely.
#
# (b) If the totals differ, the challenges of some branch differ, because an *or* splits the total. An *and* copies them, so they differ in every part of this branch and, where a part is an *or*, in at least one of its clauses. In such a clause, two responses after the same first message give the witness, as in Schnorr's protocol. ∎
#
# ```{evidence} S-B15a
# ```
#
# ## A hash takes the server's place
#
# So far, the server must send a challenge in the middle of the proof. In the *Fiat–Shamir transformation* {cite:p}`orru2025fiatshamir`, the client computes the total challenge itself, as a hash of everything that came before it: the commitment, the coin, the report and all first messages (the third exercise shows why). The proof becomes one message.
#
# The theorem allows any rule that computes the total challenge from the first messages, and a hash is such a rule. So the proof still hides the witness. The same holds for the proof in V5, which is such a tree without ands. The coin itself still comes from the server. If it were a hash, too, a client could try commitments until it likes the coin (second exercise). Here are steps 3 and 4 of V5 as a whole:

# %%
def transcript_hash(*transcript):
    """One bit; in practice one takes 128."""
    return hashlib.sha256(repr(transcript).encode()).digest()[0] % 2


def statements(C, coin, y):
    return [C * pow(g, -u, prime) % prime for u in consistent(y, coin)]


def respond(C, w, rho, s, coin):
    """Step 3: the report and its proof."""
    y = report(w, rho, coin)
    known = consistent(y, coin).index(pairs.index((w, rho)))
    others = [i for i in range(slots) if i != known]
    simulated = {}
    for i in others:
        simulated[i] = (int(rng.integers(2)), int(rng.integers(order)))
    k = int(rng.integers(order))

    def ask(T):
        return transcript_hash(C, coin, y, T)

    return y, *prove_one(statements(C, coin, y), known, s, k, simulated, ask)


# %%
def server_accepts(C, coin, y, T, answers):
    """Step 4."""
    total = transcript_hash(C, coin, y, T)
    return accepts_one(statements(C, coin, y), T, answers, total)


for (w, rho), coin, s in product(pairs, range(slots), range(order)):
    envelope = commit(pairs.index((w, rho)), s)
    assert server_accepts(envelope, coin, *respond(envelope, w, rho, s, coin))
y, T, answers = respond(C, 1, 2, 3, coin=0)  # C is the first commitment of this page
print(f"report {y}, first messages {T}, (challenge, response) {answers}")

# %% [markdown]
# What does the server learn? The commitment has the same distribution for every pair, and the proof for every consistent pair. So it learns only $y$. Therefore one report changes the odds of the sign by at most the factor $\frac{N_t}{N - N_t}$; its level is $\varepsilon = \ln\frac{N_t}{N - N_t}$, here $\ln 2$.
#
# What can a client still choose? Because $C$ binds it, the client can open $C$ to one number at most, and this number was fixed before the coin was drawn. Suppose that this number belongs to no pair that gives $y$, or that the client cannot open $C$ at all. If it could respond to two different total challenges, after the same first messages, it could open $C$ to a pair that gives $y$. So it can respond to one total challenge at most, and must predict the hash. Therefore every accepted report follows from the committed pair and the coin. Two ways to cheat remain: the client may choose any sign, and it may stop after it has seen the coin.
#
# ## Exercises
#
# ```{exercise-start} Two responses
# :label: ex-sk-06-witness
# ```
# **Warm-up.** After one first message in our group, a client answers the challenge 0 with the response 3 and the challenge 1 with the response 2. Both are accepted. Which witness does the client know, and which element $P$ is the statement about?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("sk-06-witness", ...)

# %% [markdown]
# ```{solution-start} ex-sk-06-witness
# :class: dropdown
# ```
# The witness is $2 - 3 = -1$, which is 6<!-- {found_witness} --> modulo 7, and $P = h^6 =$ 20<!-- {pow(h, found_witness, prime)} -->.

# %%
found_witness = (2 - 3) % order
assert accepts(pow(h, found_witness, prime), pow(h, 3, prime), 1, 2)
check("sk-06-witness", (found_witness, pow(h, found_witness, prime)))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A coin made by a hash
# :label: ex-sk-06-grind
# ```
# **Standard.** To save a message, somebody replaces the server's coin by a hash of $C$, taken modulo $N$. A cheating client draws commitments until the coin keeps its sign. How many does it draw on average, if the hash behaves like a random function? What share of its reports has noise?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-06-grind", ...)


# %% [markdown]
# ```{solution-start} ex-sk-06-grind
# :class: dropdown
# ```
# Each commitment succeeds with probability $\frac{N_t}{N}$, so the client needs $\frac{N}{N_t}$ on average, which is 1.5<!-- {mean_draws(slots, true)} --> in our example. No report has noise. The same would happen if a client could open a new session after an unfavourable coin.

# %%
def mean_draws(N, N_t):
    return N / N_t


draws, successes = 200_000, 0
for coin in rng.integers(slots, size=draws):
    successes += report(1, 0, coin) == 1
assert abs(draws / successes - mean_draws(slots, true)) < 0.02
check("sk-06-grind", mean_draws)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A commitment that is not hashed
# :label: ex-sk-06-weak
# ```
# **Research.** Let the proof of the single statement "$C$ can be opened to $u$" use a hash of $T$ only. A cheating client chooses $T = g^b h^a$ and obtains the challenge $e \ne 0$. Now it chooses $z$, and then a $C$ for which the server accepts. To which number can it really open this $C$? Give a formula, not reduced modulo the order. What does the server wrongly believe?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-06-weak", ...)


# %% [markdown]
# ```{solution-start} ex-sk-06-weak
# :class: dropdown
# ```
# The server accepts if $h^z = T P^e$, that is, if $P = (h^z / T)^{1/e} = g^{-b/e} h^{(z-a)/e}$. The client therefore sends $C = g^u P = g^{u - b/e} h^{(z - a)/e}$. It can open this to $u - \frac be$, and the server believes that it can open it to $u$. In V5 the client must send $C$ before the coin is drawn, so it would also have to guess the coin, which is hashed.

# %%
def really_opened(u, b, e):
    return u - b / e


for u, a, b, z in product(range(order), repeat=4):  # the challenge is 1
    T = commit(b, a)
    C_late = pow(g, u, prime) * pow(h, z, prime) * pow(T, -1, prime) % prime
    assert accepts(C_late * pow(g, -u, prime) % prime, T, 1, z)
    assert C_late == commit(int(really_opened(u, b, 1)) % order, (z - a) % order)
check("sk-06-weak", really_opened)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# 1. *How does a client fix a number without showing it?* By a commitment $C = g^u h^s$. It hides $u$ perfectly, and it binds the client as long as the client cannot compute a discrete logarithm.
# 2. *How do two parties draw noise that neither can choose?* The client commits to a random number, and then the server draws a public coin. If one of the two numbers is uniform, the sign is kept with probability $\frac{N_t}N$.
# 3. *How does one prove that one knows a number without revealing it?* By first message, challenge and response. Two responses after one first message give the witness, and yet anybody can simulate a transcript without it.
# 4. *How are such proofs combined?* An or splits the challenge, so that all but one of the statements can be simulated. An and copies the challenge, so that each of its parts must be proved. The proof does not show which branch is known.
#
# **Further reading.** Shuffled slots with proofs are due to {cite:t}`ambainis2004cryptographic`; {cite:t}`kato2021preventing` use them in other local protocols. [A research note](../research/sketch-verifiable-noise.ipynb) lists all sessions of V5 and measures what a real proof costs. **Next:** [every variant, and what a cheating client can still gain](07-every-variant.ipynb).
