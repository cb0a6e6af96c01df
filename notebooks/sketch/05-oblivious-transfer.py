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
# # What does oblivious transfer enforce?
#
# A shop counts with a sketch how many users look at each item. Fifteen fake users omit the noise that honest users add, and
# raise the estimate of item A18 by 38<!-- {15 * without_noise:.0f} --> users. Could the shop's *server* draw the noise instead, without seeing the item?
#
# **The paper** changes the Count Mean Sketch (CMS) and its Hadamard variant (HCMS): the user prepares two values, a sign and its negative, and the server reads one of them. The user does not learn which (*oblivious transfer*). The paper claims that malicious users then cannot send what they intend.
# **We find** that nobody checks the two values. Fake users who prepare the same sign twice still gain 38<!-- {with_equal["CMS"].sum():.0f} --> users.
# The much smaller gains that the paper prints are close to those of fake users who prepare two different signs, as the protocol asks.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** what oblivious transfer guarantees, why privacy requires that the server does not know which value is the true one, how a
# fake user keeps the full gain of the attack, and what Table 7 of the paper measures.
# **You need** CMS ([notebook 1](01-count-mean-sketch.ipynb)) and HCMS ([notebook 2](02-hadamard.ipynb)), the attacks of
# [notebook 3](03-poisoning.ipynb), and powers modulo a prime.
# **Time:** 25 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **There are two attackers.** *The server* wants to know the item of an honest user. It follows the protocol and analyses all that it sees.
# *Fake users* (不正ユーザ) want to raise the estimates of target items. As section 3.2 of the paper assumes, they may
# change their program and send any data. **Goals:** the server learns the item of one report only up to a factor
# $e^{\varepsilon}$ in the odds, and each fake user raises an estimate by at most one user on average.
# **Not a goal:** to stop somebody who controls many identities. They still add one user for each.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
import math
from collections import Counter
from fractions import Fraction
from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import chi2

from privlib.notebook import plots, table
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch, transfer
from privlib.sketch.data import shop_counts

plots.use()
cms = CountMeanSketch(1.0, hashes=1024, width=128, seed=2024)  # the paper's defaults
hcms = HadamardCountMeanSketch(1.0, hashes=1024, width=128, seed=2024)
counts = shop_counts()  # users of each of the 43 items
rng = np.random.default_rng(1985)
shares = [Fraction(share) for share in ("0.01", "0.02", "0.04", "0.08", "0.1")]
table_7 = {  # of the paper: gains, for these shares of fake users
    "CMS": [38.30, 76.61, 158.33, 331.97, 423.90],
    "OT-CMS": [18.56, 30.59, 59.70, 129.44, 156.07],
    "HCMS": [32.6, 65.19, 134.73, 282.51, 360.74],
    "OT-HCMS": [17.15, 38.75, 65.34, 135.75, 148.91],
}

# %% [markdown]
# ## The attack omits the noise
#
# An honest user of CMS keeps each sign of the item's vector with probability $p$ and negates it otherwise. The server corrects for this with a constant $c$.

# %%
m, epsilon = 128, 1.0  # columns of the sketch, privacy budget
p = math.exp(epsilon / 2) / (1 + math.exp(epsilon / 2))
c = 1 / (2 * p - 1)


def contribution(sign):
    """What one sign in the cell of an item adds to the item's estimate."""
    return m / (m - 1) * ((c * sign + 1) / 2 - 1 / m)


honest = p * contribution(1) + (1 - p) * contribution(-1)
without_noise = contribution(1)
print(f"honest user: {honest:.2f} on average;", end=" ")
print(f"fake user without noise: {without_noise:.2f}")

# %% [markdown]
# The mean of an honest sign is $2p - 1 = 1/c$, so an honest user of the item adds $\frac{m}{m-1}\bigl(1 - \frac1m\bigr) = 1$ on average. A fake user in the Maximal Gain Attack (MGA, notebook 3) sends $+1$ with certainty and adds 2.55<!-- {without_noise:.2f} -->.
# Fifteen of them gain 38.30<!-- {15 * without_noise:.2f} --> users, as in the first row of Table 7.
#
# If the noise (摂動) were enforced, the best that these fake users could do would be to report A18 honestly. This is the Random Item Attack (RIA), which gains one user for each fake user.
#
# ```{evidence} S-4.19
# ```
#
# ## What does oblivious transfer hide?
#
# ```{prf:definition} 1-out-of-2 oblivious transfer (section 3.1; 紛失通信)
# :label: def-sk-05-ot
# A *sender* has two messages, in two *slots*. A *receiver* chooses one slot. The receiver learns the message in it
# and nothing about the other message. The sender does not learn which slot was chosen.
# ```
#
# In the paper the user is the sender and the server is the receiver. Here is the protocol of {cite:t}`chou2015simplest`, in a group so small that we can look at every case: the eleven powers of 2 modulo 23.

# %%
g, prime, order = 2, 23, 11


def oblivious_transfer(a, b, choice):
    """The receiver's message and key, and the sender's keys for both slots."""
    # The sender draws a and sends A.
    A = pow(g, a, prime)
    # The receiver draws b and sends B.
    B = pow(g, b, prime) * pow(A, choice, prime) % prime
    receiver_key = pow(A, b, prime)
    slot_keys = [pow(B * pow(A, -slot, prime), a, prime) for slot in (0, 1)]
    return B, receiver_key, slot_keys


for choice in (0, 1):
    B, key, slot_keys = oblivious_transfer(a=3, b=5, choice=choice)
    print(f"choice {choice}: B = {B}, receiver's key {key}, sender's keys {slot_keys}")

# %% [markdown]
# The sender combines each message, by exclusive or, with a cryptographic hash of its slot's key. Anyone who has the key can remove this *mask*. (The sketch does not use this hash.) The receiver's key $A^b = g^{ab} = (g^b)^a$ is that of the chosen slot, so the receiver can remove only one of the two masks.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "One sign w of an honest user by oblivious transfer, from top to bottom. The user puts w and \u2212w into the slots, the server chooses a slot, and the user does not learn which.", "name": "fig-sk-05-transfer"}, "image": {"alt": "Two vertical lines, the user on the left and the server on the right. An arrow to the right carries A. An arrow to the left carries B, which hides the choice. An arrow to the right carries two masked messages, w and minus w. The user has the keys of both slots, the server the key of the chosen one."}} tags=["figure"]
fig, ax = plots.panels(height=2.9, width=7.5)
for x, name in ((0, "user (sender)"), (1, "server (receiver)")):
    ax.plot([x, x], [0.1, 3.5], color="#555555", lw=2, ls="-")
    ax.text(x, 3.7, name, ha="center", va="bottom", weight="bold")
steps = [
    (2.9, 0, 1, r"$A = g^a$"),
    (1.8, 1, 0, r"$B = g^b$ for slot 0,  $B = g^b A$ for slot 1"),
    (0.7, 0, 1, "w, masked in slot 0   |   −w, masked in slot 1"),
]
for y, start, end, text in steps:
    arrow = {"arrowstyle": "-|>", "lw": 1.6, "shrinkA": 2, "shrinkB": 2}
    ax.annotate("", xy=(end, y), xytext=(start, y), arrowprops=arrow)
    ax.text(0.5, y + 0.12, text, ha="center", va="bottom")
ax.text(-0.04, 2.9, "draws a", ha="right", va="center")
ax.text(1.04, 1.8, "draws b, chooses a slot", ha="left", va="center")
ax.text(-0.04, 0.7, "keys $B^a$ and $(B/A)^a$", ha="right", va="center")
ax.text(1.04, 0.7, "key $A^b$, removes one mask", ha="left", va="center")
ax.set(xlim=(-0.5, 1.6), ylim=(0, 4.2))
ax.axis("off")
plt.show()

# %% [markdown]
# ```{prf:theorem} The choice is hidden perfectly (section 4.2)
# :label: thm-sk-05-choice
# If $b$ is drawn uniformly, then $B$ is uniform on the group for either choice. The sender learns nothing about the choice, however much it can compute.
# ```
#
# *Proof.* $g^b$ is uniform. The second choice multiplies it by $A$, and multiplication by a fixed element permutes the group. ∎

# %%
for a in range(1, order):
    for choice in (0, 1):
        seen = Counter(oblivious_transfer(a, b, choice)[0] for b in range(order))
        assert len(seen) == order and set(seen.values()) == {1}


# %% [markdown]
# The sender's privacy means that the receiver learns one message only. It rests on two assumptions. First, the receiver cannot compute both of the sender's keys, $B^a$ and $(B/A)^a$. Their quotient is $A^a = g^{a^2}$, so a receiver that knows both keys also knows this number. Computing $g^{a^2}$ from $A = g^a$ is the *square Diffie–Hellman problem*. It is easy here, but believed to be hard in large groups. Second, the hash of a key that the receiver does not know must look random to it. The proof therefore treats the hash as a function whose values are drawn at random; this is called the *random oracle model*. ({cite:t}`genc2020simplest` found a flaw in the published proof that the protocol stays secure as a part of a larger one.)
#
# The definition does not say *what* the sender must put into the slots.
#
# ```{evidence} S-3.22 S-4.25
# ```
#
# ## Who knows the order of the slots?
#
# ```{prf:algorithm} OT-CMS and OT-HCMS (section 4.2)
# :label: def-sk-05-ot-cms
# **Input:** the user's vector $v \in \{-1, 1\}^m$ for row $j$; probabilities $p$ and $q = 1 - p$.
# 1. For each position, the user puts the true value $v_i$ and the false value $-v_i$ into two slots.
# 2. The server takes the true one with probability $p$ and the false one with probability $q$, by oblivious transfer.
# 3. The user sends $j$ as before.
#
# OT-HCMS has only one transfer, for the one sign of HCMS.
# ```
#
# Does the server know which slot holds the true value? The paper does not say. In section 4.2 it speaks of 1-out-of-2 transfer and, a few lines later, of "1-out-of-$1/p$" transfer. But $1/p = 1 + e^{-\varepsilon/2}$ lies between 1 and 2, so it is not a number of slots. If $N_t$ of $N$ slots hold the true value, and the server opens one at random, then $p = N_t/N$. We compare three readings, for a user whose sign is $w$.
#
# The server's *view* is all that it learns from a transfer. If the server knows the order of the slots, its view is the value that it took (true or false), and the sign in it. Otherwise its view is the slot that it opened, and the sign in it. We take $p = \frac8{11}$. A sign that is kept with this probability is $\frac83$ times as likely to be the true one as the false one, so the privacy budget of one sign is $\varepsilon = \ln \frac83 \approx$ 0.98<!-- {math.log(8 / 3):.2f} -->.

# %%
def known_order(w):
    """Eleven equally likely views of a server that knows which value is true.

    It takes the true value in eight cases and the false one in three, so p = 8/11.
    """
    return [("true value", w)] * 8 + [("false value", -w)] * 3


def shuffled(w, slots=11, true=8):
    """Equally likely views if the user shuffles the slots and the server opens any."""
    views = []
    for true_slots in combinations(range(slots), true):
        for opened in range(slots):
            sign = w if opened in true_slots else -w
            views.append((opened, sign))
    return views


# %% [markdown]
# For each reading we compute three numbers: the probability that the opened value is true; the largest ratio between the probabilities of a view under $w = 1$ and under $w = -1$ (its logarithm is $\varepsilon$); and the probability that the server's best guess is right if both signs are equally likely.

# %%
def describe_views(views):
    """True value opened, largest ratio, best guess right."""
    plus, minus = views(1), views(-1)
    opened_true = Fraction(sum(sign == 1 for _, sign in plus), len(plus))
    largest_ratio, right = 0, 0
    for view in set(plus) | set(minus):
        likely, unlikely = sorted((plus.count(view), minus.count(view)), reverse=True)
        ratio = math.inf if unlikely == 0 else Fraction(likely, unlikely)
        largest_ratio = max(largest_ratio, ratio)
        right += Fraction(likely, 2 * len(plus))
    return str(opened_true), str(largest_ratio), str(right)


# %%
readings = {
    "2 slots, order known": known_order,
    "2 slots, shuffled": lambda w: shuffled(w, slots=2, true=1),
    "11 slots, shuffled": shuffled,
}
results = [describe_views(views) for views in readings.values()]
names = ("true value opened", "largest ratio", "best guess right")
columns = {"reading": list(readings)} | dict(zip(names, zip(*results)))
table(columns, caption="Three readings of step 2; all cases enumerated.")

# %% [markdown]
# - *The order is known.* The sign is negated with the intended probability, but the server knows whether it was negated, and can undo this. There is no privacy.
# - *Two shuffled slots.* The server cannot tell which one is true. It opens the true value with probability 1/2<!-- {results[1][0]} --> and learns nothing.
# - *Eleven shuffled slots.* The ratio is at most 8/3<!-- {results[2][1]} -->, as for randomised response (ランダム回答) with $p = \frac8{11}$.
#
# ```{prf:theorem} Shuffled slots
# :label: thm-sk-05-slots
# The user puts $w$ into $N_t$ of $N$ slots and $-w$ into the others, in a uniformly random order, with $N/2 < N_t < N$. The server opens
# one slot of its choice. If the transfer hides the other slots, this transfer of one sign is $\varepsilon_N$-locally differentially private with
# $\varepsilon_N = \ln \frac{N_t}{N - N_t}$: the probabilities of a view under $w = 1$ and under $w = -1$ differ by at most the factor $e^{\varepsilon_N}$. A whole CMS vector takes $m$ such transfers. It is $2\varepsilon_N$-locally differentially private, because the vectors of two items differ in at most two signs.
# ```
#
# *Proof.* Because the order is uniformly random, every slot holds the true value with probability $N_t/N$. Whichever slot the server opens, it reads $w$ with this probability and $-w$ otherwise, as in randomised response with $p = N_t/N$. The ratio of the two probabilities is $N_t/(N - N_t)$. ∎
#
# We now run the first reading with real transfers, for one CMS report. The server undoes its choices: it keeps the signs that it took as true values and negates the others.

# %%
sent = transfer.oblivious_report(cms, "A18", order="known", randomness=rng.bytes)
undone = transfer.infer_from_choices(sent)
cells = cms.family.positions(list(counts))  # cells of all items, in every row
row = sent.report["row"][0]
suspects = []
for item, cell in zip(counts, cells[:, row]):
    if undone[cell] == 1:
        suspects.append(item)
assert suspects == ["A18"]
print("signs +1, choices undone:", (undone == 1).sum(), " items in that cell:", suspects)
same_cell = cells == cells[list(counts).index("A18")]
own_cell = np.mean(same_cell.sum(axis=0) == 1)  # share of rows in which A18 is alone

# %% [markdown]
# One noisy report has revealed the item. (In 73%<!-- {own_cell:.0%} --> of the rows, as in this one, no other item shares its cell.) Section 6.6 of the paper concedes that the server is trusted "to some degree" (ある程度). A server that knows the order must be trusted with everything. For such a server a simpler protocol exists: the user sends $v$ in the clear, and the server negates each sign with probability $q$. Apart from the row number, this takes
# 16<!-- {cms.width // 8} --> bytes instead of 8,224<!-- {sum(sent.sent):,} -->, and it does enforce the noise.
#
# ```{evidence} S-4.22 S-4.24 S-B11 S-6.32 S-6.32b
# ```
#
# ## Who fills the slots?
#
# The user does. *Honest slots* hold $w$ and $-w$, as the protocol says. But a fake user who wants the server to read $+1$ can put $+1$ into both slots.
#
# ```{prf:proposition} Equal slots
# :label: thm-sk-05-equal
# If a user fills all slots of a transfer with the sign $s$, the server reads $s$, whatever rule it uses to choose a slot.
# So with transfers alone, a fake user can still send any report. If the server keeps every report, the largest gain is that of the MGA (notebook 3).
# ```

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What a user puts into the slots, and what the server opens (black frame). Top: the paper's two slots; a server that knows the order knows that it opened the false value. Middle: with equal slots the choice makes no difference. Bottom: eleven slots, eight of them true, in an order that only the user knows.", "name": "fig-sk-05-slots"}, "image": {"alt": "Three rows of squares. First row, a square +1 and a framed square \u22121. Second row, two squares +1, one of them framed. Third row, eleven squares in mixed order, eight with +1 and three with \u22121, one framed."}} tags=["figure"]
offers = {
    "honest, order known": ([1, -1], 1, "the server reads −1 and knows that it is false"),
    "equal slots": ([1, 1], 0, "the server reads +1, whatever it opens"),
    "8 of 11, shuffled": ([1, 1, -1, 1, 1, 1, -1, 1, -1, 1, 1], 4, ""),
}
assert offers["8 of 11, shuffled"][0].count(1) == 8
fig, ax = plots.panels(height=2.7)
ax.text(0, -2.7, "the server reads +1 and does not know whether it is true", va="center")
for row, (name, (signs, framed, comment)) in enumerate(offers.items()):
    ax.text(-0.3, -row, name, ha="right", va="center")
    ax.text(2.1, -row, comment, va="center")
    for i, sign in enumerate(signs):
        colour = plots.COLOURS["sky" if sign == 1 else "gold"]
        edge = "black" if i == framed else "white"
        square = plt.Rectangle((i, -row - 0.36), 0.84, 0.72, fc=colour, ec=edge, lw=2.5)
        ax.add_patch(square)
        ax.text(i + 0.42, -row, "+1" if sign == 1 else "−1", ha="center", va="center")
ax.set(xlim=(-3.4, 11), ylim=(-3, 0.5))
ax.axis("off")
plt.show()


# %% [markdown]
# We run real transfers with fifteen fake users. The server knows the order:

# %%
def equal_slots(scheme):
    """Report of a fake user who puts the sign of A18 into both slots."""
    row = int(rng.integers(scheme.hashes))
    column = int(rng.integers(scheme.n_coordinates))  # always 0 for CMS
    signs = scheme.encode("A18", row, column=column)  # without noise
    contents = [[sign, sign] for sign in signs]
    return transfer.oblivious_report(
        scheme,
        "A18",
        order="known",
        contents=contents,
        place=(row, column),
        randomness=rng.bytes,
    )


def honest_slots(scheme):
    """Report of a fake user who puts the true value and the false one into the slots."""
    return transfer.oblivious_report(scheme, "A18", order="known", randomness=rng.bytes)


# %%
def gains(scheme, fake_user, number):
    """What each of several fake users adds to the estimate of A18."""
    reports = [fake_user(scheme).report for _ in range(number)]
    return np.array([scheme.aggregate(report).estimate(["A18"])[0] for report in reports])


n_fake = 15
with_equal = {scheme.name: gains(scheme, equal_slots, n_fake) for scheme in (cms, hcms)}
with_honest = {
    "CMS": gains(cms, honest_slots, 75),
    "HCMS": gains(hcms, honest_slots, 2000),
}

# %%
names = ("printed, MGA", "equal slots", "printed, OT", "honest slots")
rows = {name: [] for name in names}
for name in ("CMS", "HCMS"):
    values = with_honest[name]
    rows["printed, MGA"].append(f"{table_7[name][0]:.2f}")
    rows["equal slots"].append(f"{with_equal[name].sum():.2f}")
    rows["printed, OT"].append(f"{table_7[f'OT-{name}'][0]:.2f}")
    standard_error = n_fake * values.std(ddof=1) / math.sqrt(values.size)
    rows["honest slots"].append(f"{n_fake * values.mean():.1f} ± {standard_error:.1f}")
caption = f"Gain of {n_fake} fake users on A18: Table 7, and ours (± one standard error)."
table({"": ["CMS", "HCMS"], **rows}, caption=caption)

# %% [markdown]
# Equal slots gain exactly what the paper prints for the schemes *without* transfers. Honest slots gain one user for each fake user, within the random error. (To keep this error small, we averaged over 75<!-- {with_honest["CMS"].size} --> CMS reports and over 2,000<!-- {with_honest["HCMS"].size:,} --> HCMS reports, and multiplied the mean gain by 15<!-- {n_fake} -->.)
#
# Could the server notice equal slots? From one HCMS report it cannot, because an honest user may send either sign, at any row and coordinate. Nor can it from shuffled slots, because every report may come from an honest user. On CMS with the order known it can: with the choices undone, an honest vector has exactly one $+1$. Suppose that the
# server rejects all vectors with more than one $+1$ or with none. A fake user can still put $+1$ into both slots of the target's cell, and fill the other slots honestly for $-1$. If the server takes the slot of the true value in the target's cell (probability $p$), this $+1$ stays and the report passes. Otherwise the server undoes its choice, which turns the $+1$ into $-1$, and rejects the report.
# The average gain is $p$ times the full one, 1.59<!-- {p * without_noise:.2f} --> users. The paper proposes no such test.
#
# ```{evidence} S-4.20 S-6.29
# ```
#
# ## What does Table 7 measure?
#
# Table 7 gives the gain of the attack on one item, for five shares $\beta$ of fake users among all users. According to section 6.3 of the paper, the experiment with transfers has ten trials and evaluates the items A18 and A34. The number $n$ of honest users is not given, but we can infer it. Without transfers, each fake user gains the same known amount, so the printed gains give the numbers of fake users. If these are $n\beta/(1-\beta)$, rounded down as in notebook 3, only a few values of $n$ give all five of them.

# %%
p_hcms = math.exp(epsilon) / (1 + math.exp(epsilon))  # notebook 2
c_hcms = 1 / (2 * p_hcms - 1)
per_fake = {"CMS": without_noise, "HCMS": m / (m - 1) * (c_hcms - 1 / m)}
fakes = [round(gain / per_fake["CMS"]) for gain in table_7["CMS"]]
honest_users = []
for n in range(1, 5000):
    if [math.floor(n * share / (1 - share)) for share in shares] == fakes:
        honest_users.append(n)
pairs = []
for pair in combinations(counts, 2):
    if counts[pair[0]] + counts[pair[1]] in honest_users:
        pairs.append(pair)
print("fake users:", fakes, " honest users:", honest_users[0], "to", honest_users[-1])
print("pairs of items with so many users:", pairs)

# %% [markdown]
# Of all pairs, only A18 and A34 together have so many users: 1,495<!-- {counts["A18"] + counts["A34"]:,} -->. So the experiment seems to contain only the users of these two items.
#
# Next we need the random error of a gain, which is summed over the fake users and averaged over ten trials. With honest slots, an opened sign of CMS is $\pm 1$ with mean $1/c$, so its variance is $1 - 1/c^2$. The server multiplies it by $\frac{m}{m-1}\,\frac c2$. In HCMS the constant is $c_H = \frac{e^{\varepsilon} + 1}{e^{\varepsilon} - 1}$ instead of $c$. There the variance is $1 - 1/c_H^2$, and the server multiplies the sign by $\frac{m}{m-1}\,c_H$.

# %%
trials = 10
scale = {"CMS": m / (m - 1) * c / 2, "HCMS": m / (m - 1) * c_hcms}
variance = {"CMS": 1 - 1 / c**2, "HCMS": 1 - 1 / c_hcms**2}
errors, deviations, chi_square, p_value = {}, {}, {}, {}
for name in ("CMS", "HCMS"):
    errors[name] = scale[name] * np.sqrt(variance[name] * np.array(fakes) / trials)
    deviations[name] = (np.array(table_7[f"OT-{name}"]) - fakes) / errors[name]
    chi_square[name] = (deviations[name] ** 2).sum()
    p_value[name] = chi2.sf(chi_square[name], len(fakes))  # of a larger value by chance
    print(f"OT-{name}: χ² = {chi_square[name]:.1f}, p = {p_value[name]:.2f}")

# %%
columns = {"β (%)": [int(100 * share) for share in shares], "fake users": fakes}
for name in ("CMS", "HCMS"):
    columns[f"{name}, paper"] = table_7[name]
    columns[f"{name}, ours"] = per_fake[name] * np.array(fakes)
    columns[f"OT-{name}, paper"] = table_7[f"OT-{name}"]
    columns[f"OT-{name}, ours"] = [f"{n}±{e:.1f}" for n, e in zip(fakes, errors[name])]
    assert np.allclose(columns[f"{name}, ours"], table_7[name], rtol=0, atol=0.0051)
formats = {f"{name}, paper": ".2f" for name in table_7}
formats |= {"CMS, ours": ".2f", "HCMS, ours": ".2f"}
caption = "Table 7. Ours: MGA; with transfers, honest slots (± one standard error)."
table(columns, formats=formats, caption=caption)

# %% [markdown]
# The ten numbers without transfers agree to the last digit. The ten numbers with transfers are near one user for each fake user, far below the gain of the MGA. We test each scheme by itself: $\chi^2$ is the sum of the squared deviations, each in standard errors. OT-CMS fits honest slots ($\chi^2 =$ 3.9<!-- {chi_square["CMS"]:.1f} --> on 5<!-- {len(fakes)} --> degrees of freedom, $p$-value 0.57<!-- {p_value["CMS"]:.2f} -->). OT-HCMS fits less well ($\chi^2 =$ 13.5<!-- {chi_square["HCMS"]:.1f} -->, $p$-value 0.02<!-- {p_value["HCMS"]:.2f} -->): 2<!-- {(abs(deviations["HCMS"]) > 2).sum()} --> of its 5<!-- {len(fakes)} --> numbers are more than two standard errors away. One of them, 38.75<!-- {table_7["OT-HCMS"][1]} --> for 30<!-- {fakes[1]} --> fake users, is too large, and the other, 148.91<!-- {table_7["OT-HCMS"][4]} --> for 166<!-- {fakes[4]} -->, is too small. So no other average gain for each fake user would fit both. A misfit of this size occurs by chance in about one of 50<!-- {round(1 / p_value["HCMS"], -1):.0f} --> such columns.
#
# Figures 10 and 11 of the paper, which our copy lacks, draw these gains.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Figures 10 and 11 of the paper, rebuilt from Table 7, with equal slots added. Filled markers: printed gains (bars: two standard errors). Solid lines: MGA. Dashed lines: one user for each fake user; 2<!-- {(abs(deviations[\"HCMS\"]) > 2).sum()} --> bars of OT-HCMS do not reach them. Open diamonds: equal slots in real transfers, on the solid line (for CMS only at the smallest share, because a report needs 128 transfers).", "name": "fig-sk-05-table"}, "image": {"alt": "Two panels, CMS and HCMS, gain in users against the share of fake users. In each, an upper line with the printed gains without transfers, a lower line with the printed gains with transfers, and open diamonds for equal slots on the upper line."}} tags=["figure"]
fig, axes = plots.panels(1, 2, width=8.4, height=3.5, sharey=True)
percents = np.linspace(0, 11, 100)
expected_fakes = (counts["A18"] + counts["A34"]) * percents / (100 - percents)
blue, orange = plots.COLOURS["blue"], plots.COLOURS["orange"]
diamonds = {"CMS": [(1, with_equal["CMS"].sum())], "HCMS": []}
for share, number in zip(shares, fakes):
    diamonds["HCMS"].append((float(100 * share), gains(hcms, equal_slots, number).sum()))
for ax, name in zip(axes, ("CMS", "HCMS")):
    gained = [gain for _, gain in diamonds[name]]
    assert np.allclose(gained, per_fake[name] * np.array(fakes[: len(gained)]))
    shown = [float(100 * share) for share in shares]
    ax.plot(percents, per_fake[name] * expected_fakes, color=blue, lw=1.2, ls="-")
    ax.plot(percents, expected_fakes, color=orange, lw=1.2, ls="--")
    ax.plot(shown, table_7[name], "o", color=blue, label=f"{name}, printed")
    style = {"fmt": "s", "color": orange, "capsize": 3, "label": f"OT-{name}, printed"}
    ax.errorbar(shown, table_7[f"OT-{name}"], 2 * errors[name], **style)
    hollow = {"mfc": "none", "mec": "black", "ms": 11, "mew": 1.4}
    ax.plot(*zip(*diamonds[name]), "D", **hollow, label=f"OT-{name}, equal slots")
    ax.set(xlabel="share β of fake users (%)", title=name)
    ax.text(11, 32, "one user for each fake user", color=orange, ha="right", fontsize=9)
    ax.text(6, 150, "MGA", color=blue, fontsize=9)
    ax.legend(loc="upper left", fontsize=9)
axes[0].set_ylabel("gain on A18 (users)")
plt.show()

# %% [markdown]
# ```{evidence} S-6.7 S-6.8 S-T7.mga S-T7.ot S-6.20 S-6.21 S-6.22 S-6.27 S-Fg10-11 S-1.9
# ```
#
# ## What would enforce the noise?
#
# With a transfer the server takes part in choosing the noise, but nobody checks what the user puts into the slots. To enforce the noise, the user would have to *prove* that the slots are honest, without revealing their order. {cite:t}`ambainis2004cryptographic` introduced shuffled slots together with such proofs, and {cite:t}`kato2021preventing` use them in other local protocols.
# With a proof, the transfer is not even needed. The user draws a hidden random number, the server adds a public one, and the user proves that the report follows from both. [The next notebook](06-honest-noise.ipynb) builds this protocol from its parts.
#
# ## Exercises
#
# ```{exercise-start} Three true slots of five
# :label: ex-sk-05-five
# ```
# **Warm-up.** A user shuffles three true slots and two false ones. What is $\varepsilon$ for one sign, with what
# probability does the server guess the sign, and by which constant $c = 1/(2p - 1)$ must the server multiply it?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("sk-05-five", ...)

# %% [markdown]
# ```{solution-start} ex-sk-05-five
# :class: dropdown
# ```
# The ratio is 3/2<!-- {result[1]} -->, so $\varepsilon \approx$ 0.405<!-- {math.log(Fraction(result[1])):.3f} -->. The guess is right with probability 3/5<!-- {result[2]} -->, which is $p$, and $c = 1/(2p - 1) =$ 5<!-- {1 / (2 * Fraction(result[0]) - 1)} -->.

# %%
result = describe_views(lambda w: shuffled(w, slots=5, true=3))
assert result == ("3/5", "3/2", "3/5")
check("sk-05-five", (math.log(3 / 2), Fraction(3, 5), 1 / (2 * Fraction(3, 5) - 1)))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} The best slots below a budget
# :label: ex-sk-05-best
# ```
# **Standard.** Slots cost bandwidth. Which $N \le 30$ and $N_t$ come closest to $\varepsilon = 1$ for one sign
# without exceeding it? Give $(N, N_t)$. The variance of an HCMS estimate is nearly proportional to $c^2$ if most users have other items. By how much does it exceed the variance at $\varepsilon = 1$, and by how much with eight of eleven slots?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-05-best", ...)


# %% [markdown]
# ```{solution-start} ex-sk-05-best
# :class: dropdown
# ```
# The best choice is 19<!-- {best[1]} --> of 26<!-- {best[0]} --> slots. The variance is larger by 0.25%<!-- {excess(26, 19):.2%} -->; with eight of eleven it is larger by 3.4%<!-- {excess(11, 8):.1%} -->.

# %%
def excess(slots, true):
    """Relative excess of the variance over that at ε = 1."""
    return (slots / (2 * true - slots) / c_hcms) ** 2 - 1


best = (3, 2)
for slots in range(3, 31):
    for true in range(slots // 2 + 1, slots):
        private = math.log(true / (slots - true)) <= 1
        if private and Fraction(true, slots) > Fraction(best[1], best[0]):
            best = (slots, true)
assert best == (26, 19)
check("sk-05-best", best)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Cut and choose
# :label: ex-sk-05-audit
# ```
# **Standard.** With probability $\alpha$ the server asks for all slots of a report to be opened. It then discards the
# report, and excludes the user if the slots were not honest. What is then the gain of equal slots, for one HCMS report of a fake user with one target? What does the check
# cost an honest user?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-05-audit", ...)


# %% [markdown]
# ```{solution-start} ex-sk-05-audit
# :class: dropdown
# ```
# A fake report survives with probability $1 - \alpha$, so the gain is $(1 - \alpha)\,\frac{m}{m-1}\,(c_N - \frac1m)$ with $c_N = \frac{N}{2N_t - N}$. With eight of eleven slots the server must open 55%<!-- {needed:.0%} --> of all reports to bring the gain down to 1. Honest
# users lose the same share of their reports, unless they may report again. Opened slots also reveal the sign in them. An honest user therefore fills them for a *random* sign $d$. If they stay closed, the user also sends $w\,d$, and the server multiplies the sign that it read by $w\,d$. Then the server learns no more about $w$ than from a report without this check.

# %%
def gain_audited(alpha, N, N_t, m):
    return (1 - alpha) * m / (m - 1) * (N / (2 * N_t - N) - 1 / m)


def blinded(w):
    """Views (opened slot, w d), each with the sign that the server computes from it."""
    views = []
    for d in (1, -1):
        for opened, sign in shuffled(d):
            views.append(((opened, w * d), sign * w * d))
    return views


needed = 1 - 1 / gain_audited(0, 11, 8, 128)
assert math.isclose(gain_audited(needed, 11, 8, 128), 1) and needed > 1 / 2
assert describe_views(blinded) == describe_views(shuffled)
check("sk-05-audit", gain_audited)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Slots that are not all equal
# :label: ex-sk-05-partial
# ```
# **Research.** Somebody proposes a cheaper proof, namely that the $N$ slots are *not all equal*. What is the
# largest gain for one target on a wide HCMS sketch ($m \to \infty$)? What is it if the proof shows that at least $f$ slots differ from the others?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-05-partial", ...)


# %% [markdown]
# ```{solution-start} ex-sk-05-partial
# :class: dropdown
# ```
# The fake user puts $+1$ into $N - f$ slots and $-1$ into $f$ of them, in random order. The server reads $1 - 2f/N$ on average and multiplies it by $c_N = \frac{N}{2N_t - N}$, so the gain is
# $\frac{N - 2f}{2N_t - N}$. For eight of eleven slots and $f = 1$ this is 9/5<!-- {gain_with(11, 8, 1)} --> instead of 11/5<!-- {gain_with(11, 8, 0)} -->. Only $f = N - N_t$ brings it down to 1.

# %%
def gain_with(N, N_t, f):
    return Fraction(N - 2 * f, 2 * N_t - N)


for f in range(4):
    signs = [sign for _, sign in shuffled(1, slots=11, true=11 - f)]
    assert Fraction(sum(signs), len(signs)) * Fraction(11, 5) == gain_with(11, 8, f)
assert [gain_with(11, 8, f) for f in (0, 1, 3)] == [Fraction(11, 5), Fraction(9, 5), 1]
check("sk-05-partial", gain_with)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# 1. *What does oblivious transfer enforce?* That the server reads one slot and the user does not learn which. It enforces nothing about their contents, so equal slots keep the full gain of the attack if the server keeps every report.
# 2. *What does the server learn?* If it knows the order of the slots: everything. If the user shuffles $N$ slots, $N_t$ of them true: no more than from randomised response with $p = N_t/N$.
# 3. *Is Table 7 right?* Without transfers, to the last digit. With transfers, its numbers are close to our computation for fake users who fill their slots honestly: OT-CMS fits, OT-HCMS fits less well. The attackers of section 3.2 need not fill them honestly.
#
# **Further reading.** The paper refers to the oblivious transfer of {cite:t}`even1985signing`. {cite:t}`horigome2023keyvalue` protect key-value data with related tools, and {cite:t}`cheu2021manipulation` show what no enforcement of
# noise can prevent. **Next:** [how can a client prove that it added the noise?](06-honest-noise.ipynb)
