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
# # Does oblivious transfer stop the poisoning?
#
# The strongest attack on a sketch skips the noise: the fake user sends what helps most, and the server
# takes it for a noisy report. So let the *server* toss the coin, without learning what it tossed about.
# Oblivious transfer is the classical tool for such a thing, and the paper's proposal is to use it. The idea
# is right and the tool is not quite the right one: a transfer keeps secret *which* envelope was opened, but
# nobody has looked into the envelopes.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** what an oblivious transfer promises and what it does not, what the server learns when
# it chooses the noise, why the order of two slots decides about all privacy, how a client with equal slots
# keeps the full gain, and how eight variants of the idea compare.
# **You need** CMS and HCMS ([notebook 1](01-count-mean-sketch.ipynb), [notebook 2](02-hadamard.ipynb)) and
# the attacks of [notebook 3](03-poisoning.ipynb).
# **Time:** 35 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Two adversaries at once.** *The server* wants the item of an honest user; it follows the protocol and
# thinks about what it saw, or chooses freely wherever the protocol lets it choose. *Fake users* (不正ユーザ)
# want to raise the estimates of $r$ target items; by the paper's section 3.2 they may change the scheme and
# send arbitrary data. **Protected, if the protocol is good:** the item, up to $e^{\varepsilon}$, and the
# estimates, up to one vote a user. **Not protected by anything here:** estimates against somebody who has
# many identities.
# ```

# %%
import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from myst_nb import glue
from scipy.stats import chi2

from privlib.kit import claim, plots
from privlib.sketch import (
    CountMeanSketch,
    HadamardCountMeanSketch,
    poisoning,
    transfer,
)
from privlib.sketch.data import shop_counts
from privlib.sketch.hadamard import hadamard_matrix
from privlib.sketch.slots import slot_constant, slot_epsilon, threat_matrix

plots.use()
defaults = {"hashes": 1024, "width": 128, "seed": 2024}  # k, m
cms = CountMeanSketch(1.0, **defaults)
hcms = HadamardCountMeanSketch(1.0, **defaults)
counts = shop_counts()  # clicks on the 43 models of the paper's data
rng = np.random.default_rng(1985)

# %% [markdown]
# The text counts rows, columns and slots from 1, as the paper does, and the code from 0. Secrets of the
# transfers come from `rng` so that the page can be run again; a real client takes them from the operating
# system.
#
# ## What is it that the attacker skips?
#
# The Maximal Gain Attack (MGA) replaces the report *after* the regular perturbation, says section 4.2, so
# that what is sent was never perturbed (摂動). Compare a fake's report with the vector that the fake wants
# to send, and an honest report with the vector of its item.

# %%
target, many = "A18", 2000
columns = np.arange(cms.width)
negated = {}
for kind in ("mga", "ria"):  # intended output, honest perturbation of the same input
    reports = poisoning.fake_reports(
        cms, kind, targets=[target], n_fake=many, rng=rng
    )
    rows, signs = cms.unpack(reports)
    wanted = np.where(columns == cms.family.positions([target])[0][rows, None], 1, -1)
    negated[kind] = int((signs != wanted).sum())
cells = many * cms.width
print(
    f"negated signs of {cells:,}:  fake {negated['mga']},  honest {negated['ria']:,}"
)

glue(
    "sk-05-mga",
    round(poisoning.frequency_gain(cms, "mga", n_fake=1, targets=1), 6),
    display=False,
)
with claim("S-4.19") as c:
    c.exact(negated["mga"], 0, "MGA on CMS: no sign was perturbed")
    stderr = math.sqrt(cms.flip * cms.keep / cells)
    label = "an honest report of the same item: share of negated signs is q"
    c.sampled(negated["ria"] / cells, cms.flip, label, stderr=stderr)
    fake = hcms.unpack(
        poisoning.fake_reports(hcms, "mga", targets=[target], n_fake=many, rng=rng)
    )
    c.exact(set(fake[2].tolist()), {1}, "MGA on HCMS: always the intended sign")

# %% [markdown]
# What is missing is the noise. If the server could put it in without seeing the item, the attack would
# shrink to an honest report of the target, the Random Item Attack (RIA), which gains one vote a fake instead
# of {glue:text}`sk-05-mga:.2f`. For that there is a tool.
#
# ## What does a transfer promise?
#
# ```{prf:definition} 1-out-of-2 oblivious transfer (section 3.1)
# :label: def-sk-05-ot
# In an oblivious transfer (紛失通信) a sender has two messages and a receiver chooses one of them. The receiver
# learns the chosen message and nothing about the other one; the sender does not learn which was chosen.
# ```
#
# The construction that the package uses is one line of exponents
# ({cite:p}`chou2015simplest`; the paper refers to the older {cite:p}`even1985signing`). In a group with
# generator $g$ the sender publishes $A = g^a$. The receiver sends $B = g^b$ to choose slot 1, or $B = A g^b$
# to choose slot 2. The slots are encrypted with keys made from $B^a$ and $(B/A)^a$. The receiver can compute
# $A^b$.

# %%
a, b = sp.symbols("a b")
for choice, B in enumerate((b, a + b)):  # exponents of g
    keys = [sp.expand(a * (B - slot * a)) for slot in (0, 1)]
    off = [sp.expand(key - a * b) for key in keys]  # against what the receiver has
    print(f"slot {choice + 1} chosen: key exponents minus ab = {off}")

# %% [markdown]
# One key is the receiver's, the other is off by $g^{\pm a^2}$, and to find that from $g^a$ is a square
# Diffie-Hellman problem. The other direction needs no hardness at all. The smallest group in which it can be
# seen has eleven elements, the powers of 2 modulo 23: whatever the receiver chooses, the sender sees every
# element equally often.

# %%
g, prime, order = 2, 23, 11
assert pow(g, order, prime) == 1
seen = {}
for secret in range(1, order):
    A = pow(g, secret, prime)
    for choice in (0, 1):
        B = [pow(A, choice, prime) * pow(g, s, prime) % prime for s in range(order)]
        seen[secret, choice] = Counter(B)
print("what the sender may see:", *sorted(seen[1, 0]))

# %%
letters = [b"left envelope   ", b"right envelope  "]  # 16 bytes each
opened, wire = [], []
for choice in (0, 1):
    sender = transfer.Sender(randomness=rng.bytes)
    receiver = transfer.Receiver(sender.first, 0, choice=choice, randomness=rng.bytes)
    offers = sender.offer(receiver.second, 0, messages=letters)
    opened.append(receiver.open(offers))
    wire.append(len(sender.first + receiver.second + offers))

sender = transfer.Sender(randomness=rng.bytes)
receiver = transfer.Receiver(sender.first, 0, choice=0, randomness=rng.bytes)
masked = sender.offer(receiver.second, 0, messages=letters)
swapped = masked[16:] + masked[:16]  # its one key, tried on the other envelope
other = receiver.open(swapped)
print("opened:", *(letter.decode().strip() for letter in opened), sep="\n   ")
print("the other envelope with the same key is readable:", other == letters[1])
print("bytes of one transfer:", *set(wire))

# %% [markdown]
# That was a real transfer, in the 252-bit group of libsodium. Now its two promises.

# %% tags=["hide-input"]
with claim("S-3.22") as c:
    c.exact(opened, letters, "real transfers: the receiver reads what it chose")
    for choice, B in enumerate((b, a + b)):
        keys = [sp.expand(a * (B - slot * a)) for slot in (0, 1)]
        label = f"slot {choice + 1}: the chosen key is the receiver's"
        c.exact(keys[choice], a * b, label)
        gap = sp.expand((keys[1 - choice] - a * b) ** 2)
        c.exact(gap, a**4, "the other key is off by a² or −a²")
    c.holds(other != letters[1], "real transfer: the other message stays masked")
    for secret in range(1, order):
        same = seen[secret, 0] == seen[secret, 1]
        c.holds(same, f"order 11, a = {secret}: what the sender sees has one law")
with claim("S-4.25") as c:
    one_each = Counter(pow(g, e, prime) for e in range(order))
    c.exact(seen[3, 0], one_each, "the user sees each element once for slot 1")
    c.exact(seen[3, 1], one_each, "and for slot 2: it cannot tell which was taken")
    readable = [opened[0] in letters, other in letters]
    c.exact(readable, [True, False], "the receiver's key opens one envelope of two")

# %% [markdown]
# Nothing was said about *what* the sender puts in. Two equal letters would have passed as well. Remember that
# for later; first comes the other side.
#
# ## Who knows the order of the slots?
#
# Here is how the paper builds the transfer into CMS.
#
# ```{prf:algorithm} OT-CMS (section 4.2)
# :label: def-sk-05-ot-cms
# **Input:** the user's vector $v \in \{-1, 1\}^m$ for row $j$; chances $p$ and $q = 1 - p$.
# 1. For each position the user offers the two candidates $v_i$ and $-v_i$ for a transfer.
# 2. The server takes the true one with probability $p$ and the false one with probability $q$.
# 3. The number $j$ is sent as before. OT-HCMS does the same once, for the one sign of HCMS.
# ```
#
# Does the server know which candidate is true? Step 2 sounds as if it did; the text does not say. It also
# says "1-out-of-$1/p$ OT", as if there were more than two slots. So there are three readings, and each is a
# law of what the server sees when a user holds $w = +1$ or $w = -1$. Small enough to enumerate. Take
# $p = 8/11$, which belongs to $\varepsilon = \ln\frac83 = 0.98$ for one sign.

# %%
N, N_t = 11, 8  # slots, true ones
p = Fraction(N_t, N)
orders = [set(true) for true in combinations(range(N), N_t)]


def law(cases):
    """Distribution of the server's view from (view, probability) pairs."""
    total = Counter()
    for view, chance in cases:
        total[view] += chance
    return total


def known_order(w):  # the choice bit is part of the view
    return law([(("true slot", w), p), (("false slot", -w), 1 - p)])


def two_hidden(w):  # the user shuffles two slots, the server opens any
    quarter = Fraction(1, 4)
    cases = product((0, 1), repeat=2)
    return law(((slot, w if slot == true else -w), quarter) for true, slot in cases)


def many_hidden(w):  # N slots, N_t of them true, shuffled by the user
    each = Fraction(1, len(orders) * N)
    cases = product(orders, range(N))
    return law(((slot, w if slot in true else -w), each) for true, slot in cases)


# %% [markdown]
# Three questions to each law: how often is the opened value the true one, how far apart can $w = +1$ and
# $w = -1$ look, and how well can the server guess?

# %%
def kept(view_law):
    """Chance that the opened value is the true one."""
    return sum(chance for view, chance in view_law(1).items() if view[-1] == 1)


def worst_odds(view_law):
    """Largest likelihood ratio of w = 1 against w = −1 over all views."""
    plus, minus = view_law(1), view_law(-1)
    if set(plus) != set(minus):
        return math.inf
    return max(max(plus[v] / minus[v], minus[v] / plus[v]) for v in plus)


def guess(view_law):
    """Chance that the server guesses w right, if both signs are equally likely."""
    plus, minus = view_law(1), view_law(-1)
    return sum(max(plus[v], minus[v]) for v in plus | minus) / 2


print("                     value kept   worst odds   server guesses w")
for name, view_law in (
    ("2 slots, order known", known_order),
    ("2 slots, shuffled", two_hidden),
    (f"{N} slots, shuffled", many_hidden),
):
    odds = worst_odds(view_law)
    print(f"{name:20s} {kept(view_law)!s:>9s} {odds!s:>12s} {guess(view_law)!s:>14s}")

# %% [markdown]
# - **The server knows the order.** Then it can take the true value with probability $p$, and the report has
#   the right noise. But it knows what it chose: a false $-1$ is as good as a true $+1$. The choice bit
#   undoes the noise, and the server knows $w$ for certain.
# - **The user hides the order of two slots.** Then nothing the server does makes a true value more likely
#   than a false one: $p = \frac12$, no privacy lost and nothing learnt.
# - **The user hides the order of more slots.** Then the view is that of randomised response
#   (ランダム回答), and the server knows as much as it would from an ordinary report.
#
# The first reading with real transfers, one HCMS report and one CMS report:

# %%
transcripts = {
    scheme.name: transfer.oblivious_report(
        scheme, "A18", order="known", place=place, randomness=rng.bytes
    )
    for scheme, place in ((hcms, (8, 5)), (cms, (8, 0)))  # row, column
}
inferred = {name: transfer.infer_from_choices(t) for name, t in transcripts.items()}
in_row = cms.family.positions(list(counts))[:, 8]  # of all 43 items
bits = cms.unpack(transcripts["CMS"].report)[1][0]
spot = int(inferred["CMS"].argmax())
found = [item for item, x in zip(counts, in_row) if x == spot]
print(f"opened signs: {int((bits == 1).sum())} of 128 are +1")
print(
    f"after undoing the choices: {int((inferred['CMS'] == 1).sum())}, the item is",
    *found,
)

assert found == ["A18"]
own_sign = hadamard_matrix(128)[5, hcms.family.positions(["A18"])[0, 8]]
assert inferred["HCMS"][0] == own_sign

# %% [markdown]
# One noisy report, and the server has named the item.
#
# The third reading needs a number of slots. As printed, "1-out-of-$1/p$", it is
# $1/p = 1 + e^{-\varepsilon/2}$, which is no whole number.

# %%
eps = sp.Symbol("epsilon", positive=True)
slots_sym, true_sym = sp.symbols("N N_t", positive=True)
p_cms = sp.exp(eps / 2) / (1 + sp.exp(eps / 2))  # as printed
literal = sp.simplify(1 / p_cms)
at_1 = float(literal.subs(eps, 1))
print("1/p =", literal, f"= {at_1:.3f} at ε = 1")

share = true_sym / slots_sym
odds = sp.simplify(share / (1 - share))  # p / q
constant = slots_sym / (2 * true_sym - slots_sym)
assert sp.simplify(1 / (share - (1 - share)) - constant) == 0  # 1 / (p − q)
print("with N_t of N:  p/q =", odds, "   c =", constant)

# %% [markdown]
# ```{prf:theorem} Shuffled slots (ours)
# :label: thm-sk-05-slots
# Let the user put $w$ into $N_t$ of $N$ slots and $-w$ into the others, in a uniformly random order, and
# let the server open one slot, chosen in any way. If the transfer hides the other slots, the server's view
# has exactly the law of randomised response with $p = N_t/N$: it is
# $\varepsilon_N$-locally private with $\varepsilon_N = \ln \frac{N_t}{N - N_t}$ for one sign, and
# $2\varepsilon_N$ for a CMS vector, in which two items differ in two positions. The estimator uses
# $c_N = \frac{N}{2 N_t - N}$ in place of $c_\varepsilon$.
# ```
#
# The proof is the symmetry of the shuffle: each slot is true with probability $N_t/N$, whichever the server
# opens. The enumeration goes through all orders.

# %%
with claim("S-B11") as c:
    for slots, true in ((3, 2), (5, 3), (8, 5), (11, 8)):
        hit = Counter()
        for chosen in combinations(range(slots), true):
            hit.update(chosen)
        total = math.comb(slots, true)
        shares = {Fraction(hit[slot], total) for slot in range(slots)}
        label = f"{true} of {slots}: every slot is true in the same share of orders"
        c.exact(shares, {Fraction(true, slots)}, label)
    c.exact(worst_odds(many_hidden), p / (1 - p), "8 of 11, all views: odds 8/3")
    c.exact(odds, true_sym / (slots_sym - true_sym), "p/q = N_t / (N − N_t)")
    plus, minus = many_hidden(1), many_hidden(-1)
    cells = list(product((-1, 1), repeat=2))  # the two positions of a CMS vector
    both = max(
        plus[0, y] * minus[0, z] / (minus[0, y] * plus[0, z]) for y, z in cells
    )
    c.exact(both, (p / (1 - p)) ** 2, "two positions of a CMS vector: odds squared")
    by_package = slot_epsilon(N, N_t), slot_epsilon(N, N_t, bits=2)
    levels = np.log(8 / 3) * np.array([1, 2])
    c.close(
        by_package, levels, "the package: ln(8/3), twice that for CMS", rtol=1e-12
    )
    known = constant.subs({slots_sym: N, true_sym: N_t})
    c.exact(
        sp.Rational(slot_constant(N, N_t)), known, f"c = N / (2 N_t − N) = {known}"
    )

# %%
with claim(
    "S-4.24",
    printed=r"1-out-of-$1/p$ OT",
    corrected=r"1-out-of-$N$ OT with $N_t$ true slots in random order, $p = N_t/N$",
    consequence=(
        f"$p$ becomes rational: 8 of 11 slots give {slot_epsilon(N, N_t):.3f} "
        "for one sign. The estimator takes the constant of that $p$."
    ),
) as c:
    c.fails(at_1 == round(at_1), f"ε = 1: 1/p = {at_1:.3f} slots", method="numeric")
    c.exact(literal, 1 + sp.exp(-eps / 2), "1/p = 1 + exp(−ε/2), between 1 and 2")
    c.exact(kept(many_hidden), Fraction(8, 11), "8 of 11 shuffled slots: p = 8/11")
    c.at_most(slot_epsilon(N, N_t), 1.0, "and ε = ln(8/3), below 1")
with claim("S-4.22") as c:
    c.exact(kept(known_order), p, "order known: the true value comes with p")
    c.exact(guess(known_order), Fraction(1), "but the choice bit gives w away")
    c.exact(kept(two_hidden), Fraction(1, 2), "two shuffled slots: p = 1/2")
    c.exact(worst_odds(two_hidden), Fraction(1), "and nothing is learnt")
    c.exact(kept(many_hidden), p, "11 shuffled slots: p = 8/11 without knowing w")
    c.exact(guess(many_hidden), p, "and the server guesses no better than that")


# %% [markdown]
# ## What does the paper concede?
#
# Section 6.6 is open about the price. Local privacy was made for a server that is not trusted; because in
# OT-CMS and OT-HCMS the server helps to perturb, these models trust it to some degree (ある程度), and which
# model to use should depend on the environment. How much is "some degree"? By the enumeration: *everything*
# if the server knows the order, and no more than with any local report if enough slots are shuffled. And if the server is to be trusted with everything,
# there is a simpler protocol: send $v$ in the clear and let the server flip it.

# %%
def in_clear(w):  # the server adds the noise itself
    return law([((w,), Fraction(1))])


clear_bytes = -(-cms.report_bits // 8)
ot_bytes = sum(transcripts["CMS"].sent)
print(
    f"one CMS report: {ot_bytes:,} bytes with transfers, {clear_bytes} in the clear"
)

with claim("S-6.32") as c:
    c.exact(guess(known_order), Fraction(1), "order known: the server knows w")
    c.exact(guess(in_clear), Fraction(1), "v in the clear: it knows no more")
    c.exact(guess(many_hidden), p, "shuffled slots: no more than from a report")
    c.at_most(clear_bytes, ot_bytes, "in the clear costs less")
glue("sk-05-ot-bytes", f"{ot_bytes:,}", display=False)
glue("sk-05-clear-bytes", clear_bytes, display=False)

# %% [markdown]
# The simpler protocol takes {glue:text}`sk-05-clear-bytes` bytes instead of {glue:text}`sk-05-ot-bytes`, has
# the same privacy towards others than the server, *and does enforce the noise*. Which brings us to the
# question that the transfers were introduced for.
#
# ## What is in the slots?
#
# The user fills them. A fake user who wants the server to read $+1$ puts $+1$ into every slot. The server
# opens what it likes and reads $+1$.
#
# ```{prf:proposition} Equal slots (ours)
# :label: thm-sk-05-equal
# Whatever rule the server chooses slots by, known order or not, a client that fills all slots of the $i$-th
# transfer with $s_i$ makes it read $s_i$. So transfers without a proof about their contents do not narrow
# the set of reports that a client can force, and the largest gain remains that of the MGA.
# ```

# %% mystnb={"figure": {"caption": "What a client offers and what the server opens (black frame). Top: the paper's slots, with the order known to the server: it knows which one it opened. Middle: equal slots: the choice makes no difference. Bottom: eleven slots, eight of them true, in an order that only the client knows.", "name": "fig-sk-05-slots"}, "image": {"alt": "Three rows of boxes. First row, a box +1 labelled true and a box \u22121 labelled false, the second one framed. Second row, two boxes +1, one framed. Third row, eleven boxes in mixed order, eight with +1 and three with \u22121, one framed."}} tags=["hide-input"]
offers = {
    "honest, order known": ([1, -1], 1),
    "equal slots": ([1, 1], 0),
    "8 of 11, shuffled": ([1, 1, -1, 1, 1, 1, -1, 1, -1, 1, 1], 4),
}
fig, ax = plots.panels(height=2.5)
for row, (name, (slots, opened)) in enumerate(offers.items()):
    ax.text(-0.3, -row, name, ha="right", va="center")
    for i, sign in enumerate(slots):
        colour = plots.COLOURS["sky" if sign == 1 else "gold"]
        frame = {"ec": "black" if i == opened else "white", "lw": 2.5}
        ax.add_patch(plt.Rectangle((i, -row - 0.36), 0.84, 0.72, fc=colour, **frame))
        text = "+1" if sign == 1 else "−1"
        ax.text(i + 0.42, -row, text, ha="center", va="center")
ax.text(2.1, 0, "the server reads −1 and knows that it is false", va="center")
ax.text(2.1, -1, "the server reads +1 whatever it opens", va="center")
ax.text(0, -2.65, "the server reads +1, which is true with chance 8/11", va="center")
ax.set(xlim=(-3.4, 11), ylim=(-2.9, 0.5))
ax.axis("off")
plt.show()


# %% [markdown]
# Does it work through real transfers? The paper's own experiment is on the users of two items, A18 and A34;
# at a share $\beta = 0.01$ that is 15 fakes. Let them, and then larger numbers, run the printed protocol with
# two slots. Since an estimate is a sum over reports, the gain is the estimate that the fakes' reports give by
# themselves.

# %%
def equal_slots(scheme, items, **options):
    """Report of a fake that puts the wanted sign into every slot."""
    wanted = poisoning.fake_reports(scheme, "mga", targets=items, n_fake=1, rng=rng)
    signs = scheme.unpack(wanted)[-1].reshape(-1, 1)
    place = int(wanted["row"][0]), 0
    filled = np.repeat(signs, options.get("slots", 2), axis=1)
    transcript = transfer.oblivious_report(
        scheme,
        items[0],
        contents=filled,
        place=place,
        randomness=rng.bytes,
        **options,
    )
    return transcript.report, wanted


def honest_slots(scheme, item):
    """Report of a fake that fills the two slots as it should."""
    return transfer.oblivious_report(
        scheme, item, order="known", randomness=rng.bytes
    ).report


def gain_on(item, scheme, reports):
    """What the fakes' reports add to the estimate of an item."""
    return float(scheme.aggregate(reports).estimate([item])[0])


forced, as_wanted, obeyed = {}, [], {}
for scheme, sizes in ((cms, (15,)), (hcms, (15, 30, 62, 130, 166))):
    forced[scheme.name] = {}
    for size in sizes:
        both = [equal_slots(scheme, ["A18"], order="known") for _ in range(size)]
        reports, wanted = map(np.concatenate, zip(*both))
        forced[scheme.name][size] = gain_on("A18", scheme, reports)
        as_wanted.append(np.array_equal(reports, wanted))
for scheme, size in ((cms, 75), (hcms, 1660)):  # five trials at 1 %, ten at 10 %
    reports = np.concatenate([honest_slots(scheme, "A18") for _ in range(size)])
    stderr = math.sqrt(poisoning.gain_variance(scheme, "ria", n_fake=size, targets=1))
    obeyed[scheme.name] = gain_on("A18", scheme, reports) / size, stderr / size
    mean, error = obeyed[scheme.name]
    print(f"OT-{scheme.name:4s} honest slots: {mean:.2f} ± {error:.2f} a fake")
    print(
        f"OT-{scheme.name:4s} equal slots:  {forced[scheme.name][15] / 15:.4f} a fake"
    )

# %% [markdown]
# With $n' = 15$ fakes the equal slots gain exactly what Table 7 prints for the schemes *without* transfers at
# $\beta = 0.01$, 38.30 and 32.6; the printed values with transfers are 18.56 and 17.15. And the server cannot
# notice: to hide the other slot is what a transfer is for.

# %% tags=["hide-input"]
mga = {
    s.name: poisoning.frequency_gain(s, "mga", n_fake=1, targets=1)
    for s in (cms, hcms)
}
least = min(forced["CMS"][15] / 15, forced["HCMS"][15] / 15)

with claim(
    "S-4.20",
    printed="the server takes part in the choice by a transfer; hence no wrongful "
    "perturbation",
    corrected="so it is if the slots hold $w$ and $-w$; that they do needs a proof",
    consequence=(
        "Against the attacker of section 3.2, who fills the slots, the gain of the "
        "MGA is unchanged: $n' F(\\frac{c+1}{2} - \\frac1m)$ a target for CMS and "
        "$n' F(c - \\frac1m)$ for HCMS. Table 7 measures honest slots."
    ),
) as c:
    c.fails(
        not all(as_wanted),
        f"equal slots: all {len(as_wanted)} sets of reports arrive"
        " unperturbed, sign by sign",
    )
    for name, (mean, error) in obeyed.items():
        c.sampled(
            mean, 1.0, f"OT-{name}, honest slots: one vote a fake", stderr=error
        )
with claim(
    "S-1.6",
    printed="oblivious transfer makes CMS more robust against poisoning",
    corrected="oblivious transfer together with a proof about the slots does",
    consequence=(
        f"The largest gain of a fake is that of CMS, {mga['CMS']:.2f} a target at "
        "the defaults. A proof brings it down to 1 a target, a committed item to "
        "1 in all."
    ),
) as c:
    gain = forced["CMS"][15] / 15
    c.fails(
        gain < mga["CMS"] - 1e-9,
        f"equal slots in OT-CMS: {gain:.4f} a fake, as in CMS",
        method="numeric",
    )
    mean, error = obeyed["CMS"]
    c.sampled(mean, 1.0, "honest slots: one vote a fake", stderr=error)
    c.at_most(mean + 4 * error, mga["CMS"], "which is less than CMS allows")
with claim(
    "S-6.29",
    printed="the transfers force the perturbation; malicious users cannot send what "
    "they intend",
    corrected="they can, through equal slots; forcing takes a proof about the slots",
    consequence="The gain of 8 targets is 8 times that of one, in OT-CMS as in CMS.",
) as c:
    for name, sizes in forced.items():
        for size, gain in sizes.items():
            c.close(gain, mga[name] * size, f"OT-{name}, n' = {size}: the full MGA")
    c.fails(
        least <= 1, f"equal slots gain at least {least:.2f} a fake", method="numeric"
    )
    mean, error = obeyed["HCMS"]
    c.sampled(mean, 1.0, "OT-HCMS, honest slots: one vote a fake", stderr=error)

assert round(forced["CMS"][15], 2) == 38.30
assert round(forced["HCMS"][15], 1) == 32.6

# %% [markdown]
# ## Why does Table 7 look so good, then?
#
# Table 7 gives the gain of the attack with and without transfers, for five shares of fake users. How many
# users there are is not stated. It can be read off: without transfers the gain of $n'$ fakes is $n'$ times
# a known number, and $n' = \lfloor n \beta / (1 - \beta) \rfloor$.

# %%
shares = [Fraction(s) for s in ("0.01", "0.02", "0.04", "0.08", "0.1")]
printed = {  # Table 7: gain in users
    "CMS": "38.30 76.61 158.33 331.97 423.90",
    "OT-CMS": "18.56 30.59 59.70 129.44 156.07",
    "HCMS": "32.6 65.19 134.73 282.51 360.74",
    "OT-HCMS": "17.15 38.75 65.34 135.75 148.91",
}
printed = {name: [Fraction(x) for x in row.split()] for name, row in printed.items()}
columns = {name: np.array(row, dtype=float) for name, row in printed.items()}
one = {
    s.name: poisoning.frequency_gain(s, "mga", n_fake=1, targets=1)
    for s in (cms, hcms)
}
n_fake = np.rint(columns["CMS"] / one["CMS"]).astype(int)

fitting = [
    n
    for n in range(1, 5000)
    if [poisoning.fakes(n, share) for share in shares] == n_fake.tolist()
]
users = counts["A18"] + counts["A34"]
print("fakes n':", *n_fake, f"  so n is in {fitting[0]}..{fitting[-1]}")
print(f"A18 and A34: {counts['A18']} + {counts['A34']} = {users}")

with claim("S-6.7") as c:
    c.holds(users in fitting, f"n = {users} gives all five numbers of fakes")
    again = np.rint(columns["HCMS"] / one["HCMS"]).astype(int)
    c.exact(again, n_fake, "CMS and HCMS columns give the same n'")
    c.exact((fitting[0], fitting[-1]), (1495, 1502), "n' admits 1495 to 1502")

# %% [markdown]
# So the experiment has the users of two items and no others, and everything fits to the last digit. Now the
# cells. A transfer with honestly filled slots turns the MGA into an RIA, whose expected gain is $n'$. One
# opened sign is $\pm1$ with mean $1/c$, so a fake adds the variance $F^2 (c^2 - 1)/4$ with CMS and
# $F^2 (c^2 - 1)$ with HCMS; that makes the standard deviation of a mean of ten trials exact as well.

# %% tags=["hide-input"]
trials = 10
theory, deviation = {}, {}
for scheme in (cms, hcms):
    plain, hardened = scheme.name, f"OT-{scheme.name}"
    theory[plain] = one[plain] * n_fake
    variance = [
        poisoning.gain_variance(scheme, "ria", n_fake=n, targets=1)
        for n in n_fake.tolist()
    ]
    theory[hardened] = n_fake.astype(float)
    deviation[hardened] = np.sqrt(np.array(variance) / trials)
    weight = {"CMS": 1 / 4, "HCMS": 1}[plain] * scheme.factor**2
    assert np.allclose(variance, weight * (scheme.constant**2 - 1) * n_fake)

print("scheme    share   printed    theory      z   verdict")
z = {}
assert sum(map(sum, printed.values())) == Fraction("2705.14")  # all cells copied
for name in printed:
    for i, share in enumerate(shares):
        value, expected = columns[name][i], theory[name][i]
        if name in deviation:
            score = (value - expected) / deviation[name][i]
            z[name, share] = score
            note = f"{score:+6.2f}   " + ("within 3 sd" if abs(score) < 3 else "off")
        else:
            off = abs(value - expected) > 0.005
            note = "     -   " + ("off" if off else "to the last digit")
        print(f"{name:8s} {float(share):6.2f} {value:9.2f} {expected:9.2f} {note}")
chi_square = float(sum(score**2 for score in z.values()))
p_value = float(chi2.sf(chi_square, len(z)))
print(f"ten OT cells: chi-square {chi_square:.1f} on {len(z)}, p = {p_value:.3f}")

# %% tags=["hide-input"]
with claim("S-T7.mga") as c:
    for name in ("CMS", "HCMS"):
        label = f"{name}: five cells to the last digit"
        c.close(columns[name], theory[name], label, rtol=0, atol=0.0051)
with claim("S-T7.ot") as c:
    for name in ("OT-CMS", "OT-HCMS"):
        label = f"{name}: gain n' of honest slots"
        c.sampled(columns[name], theory[name], label, stderr=deviation[name])
    label = (
        f"ten cells together: chi-square {chi_square:.1f} on 10, p = {p_value:.3f}"
    )
    c.sampled(chi_square, 10, label, stderr=math.sqrt(20), threshold=3)
glue("sk-05-chi2", round(chi_square, 4), display=False)
glue("sk-05-p", round(p_value, 5), display=False)

# %% [markdown]
# All ten cells without transfers agree to the last digit, and the ten with transfers with the law of honest
# slots ($\chi^2 = $ {glue:text}`sk-05-chi2:.1f` on 10, $p = $ {glue:text}`sk-05-p:.2f`). So the table is a correct
# measurement: *if* every fake fills its slots honestly, what is left is one vote a fake. The text concludes
# that at $\beta = 0.1$ OT-CMS is safer by 267.83 and OT-HCMS by 211.83. Both are differences of printed
# cells; without the noise of ten trials they would be {glue:text}`sk-05-gap-cms:.1f` and
# {glue:text}`sk-05-gap-hcms:.1f`.

# %% tags=["hide-input"]
with claim("S-6.8") as c:
    for name in ("OT-CMS", "OT-HCMS"):
        label = f"{name}: the gain of an RIA, so the slots were filled honestly"
        c.sampled(columns[name], theory[name], label, stderr=deviation[name])
    below = (theory[name[3:]] - columns[name]) / deviation[name]
    assert below[2:].min() > 10  # no cell of a full MGA
with claim("S-6.20") as c:
    for name in ("CMS", "HCMS"):
        fewer = all(x < y for x, y in zip(printed[f"OT-{name}"], printed[name]))
        c.holds(fewer, f"OT-{name} below {name} in all five rows")
with claim("S-6.21") as c:
    gap = printed["CMS"][-1] - printed["OT-CMS"][-1]
    c.exact(gap, Fraction("267.83"), "423.90 − 156.07")
    expected = theory["CMS"][-1] - theory["OT-CMS"][-1]
    label = f"theory with honest slots {expected:.1f}"
    c.sampled(float(gap), expected, label, stderr=deviation["OT-CMS"][-1])
    glue("sk-05-gap-cms", round(float(expected), 4), display=False)
with claim("S-6.22") as c:
    gap = printed["HCMS"][-1] - printed["OT-HCMS"][-1]
    c.exact(gap, Fraction("211.83"), "360.74 − 148.91")
    expected = theory["HCMS"][-1] - theory["OT-HCMS"][-1]
    label = f"theory with honest slots {expected:.1f}"
    c.sampled(float(gap), expected, label, stderr=deviation["OT-HCMS"][-1])
    glue("sk-05-gap-hcms", round(float(expected), 4), display=False)

# %% [markdown]
# The points that are missing from Figures 10 and 11 (which our text does not contain) are those of a fake who does not.

# %% mystnb={"figure": {"caption": "Table 7 and what it leaves out. Printed gains (filled markers, error bars of two standard deviations of a ten-trial mean), theory (lines), and fakes with equal slots in real transfers (open diamonds): they lie on the line of the unprotected scheme.", "name": "fig-sk-05-table"}, "image": {"alt": "Two panels, CMS and HCMS, gain in users against the number of fake users from 15 to 166. In each an upper line with the printed gains without transfers, a lower line of slope one with the printed gains with transfers, and open diamonds for equal slots exactly on the upper line."}} tags=["hide-input"]
fig, axes = plots.panels(1, 2, width=8.4, height=3.5, sharey=True)
reach = np.array([0, 175])
for ax, scheme in zip(axes, (cms, hcms)):
    name, hard = scheme.name, f"OT-{scheme.name}"
    blue, orange = plots.COLOURS["blue"], plots.COLOURS["orange"]
    ax.plot(reach, one[name] * reach, color=blue, lw=1.2, ls="-")
    ax.plot(reach, reach, color=orange, lw=1.2, ls="--")
    ax.plot(n_fake, columns[name], "o", color=blue, label=f"{name}, printed")
    bars = {"fmt": "s", "color": orange, "capsize": 3}
    ax.errorbar(
        n_fake, columns[hard], 2 * deviation[hard], **bars, label=f"{hard}, printed"
    )
    sizes, gains = zip(*forced[name].items())
    hollow = {"mfc": "none", "mec": "black", "ms": 11, "mew": 1.4}
    ax.plot(sizes, gains, "D", **hollow, label=f"{hard}, equal slots")
    ax.set(xlabel="fake users n'", title=name)
    ax.legend(loc="upper left", fontsize=9)
axes[0].set_ylabel("gain of the target (users)")
plt.show()

# %%
with claim("S-Fg10-11") as c:
    c.missing("Figures 10 and 11 are not in the text that we have; Table 7 has data")
with claim("S-1.9") as c:
    c.missing("Figure 1, the overview, is not in the text that we have")

# %% [markdown]
# ## If the noise were enforced, would one vote be left?
#
# Suppose a proof did show that every transfer is filled honestly *for some sign*. Table 7 would then be the
# right description of one target. But the signs need not come from an item. A CMS client may put $+1$ at the
# positions of all $r$ targets, an HCMS client may pick a row and a column in which all targets have one sign.
#
# ```{prf:proposition} Free input (ours)
# :label: thm-sk-05-free
# If every sign is perturbed honestly but the client chooses the signs, the largest expected total gain is $r$
# a fake, for CMS and for HCMS. One vote is the case $r = 1$.
# ```
#
# One target's part is linear in the expectation of the opened sign, and that is $u/c_\varepsilon$ for a
# chosen sign $u$:

# %%
u, c_eps, m_sym, r_sym = sp.symbols("u c m r", positive=True)
F = m_sym / (m_sym - 1)
opened = u / c_eps  # expectation of the opened sign
part_cms = F * ((c_eps * opened + 1) / 2 - 1 / m_sym)
part_hcms = F * (c_eps * opened - 1 / m_sym)
for name, part in (("CMS ", part_cms), ("HCMS", part_hcms)):
    at_one, slope = sp.simplify(part.subs(u, 1)), sp.factor(sp.diff(part, u))
    print(f"{name}: u = 1 gives {at_one}; slope in u is {slope}, positive")

flip = Fraction(3, 8)  # a case small enough for all outcomes: m = 4, p = 5/8


def expected_gain(vector, positions):
    """Exact expected gain of one CMS report with honest flips, m = 4."""
    total = Fraction(0)
    for flips in product((1, -1), repeat=4):
        chance = math.prod(1 - flip if f == 1 else flip for f in flips)
        signs = [s * f for s, f in zip(vector, flips)]
        parts = [(Fraction(4) * signs[x] + 1) / 2 - Fraction(1, 4) for x in positions]
        total += chance * Fraction(4, 3) * sum(parts)  # c = 4, F = 4/3
    return total


every = {v: expected_gain(v, (0, 1)) for v in product((1, -1), repeat=4)}
honest = every[1, -1, -1, -1]
best = max(every.values())
print(f"m = 4, two targets, all 16 inputs: best {best}, the item itself {honest}")

# %% [markdown]
# The vector of one target gains less than 1 here, because its $-1$ counts against the other target.
# On the paper's scale, $n' = 502$ fakes (1 % of 49,742 honest users) and eight targets:

# %%
n = sum(counts.values())
fakes_all = poisoning.fakes(n, "0.01")
targets = [f"A{i}" for i in range(36, 44)]  # eight items
r, runs = len(targets), 100
assert (n, fakes_all) == (49_742, 502)


def gain_of(scheme, reports):
    """Total gain of the targets: what the fakes' own sketch estimates."""
    return scheme.aggregate(reports).estimate(targets).sum()


free = {}
for scheme in (cms, hcms):
    for attack, hidden in (("all_ones", True), ("ria", False)):
        gains = []
        for _ in range(runs):
            reports = poisoning.fake_reports(
                scheme,
                attack,
                targets=targets,
                n_fake=fakes_all,
                rng=rng,
                hidden=hidden,
            )
            gains.append(gain_of(scheme, reports))
        stderr = np.std(gains, ddof=1) / math.sqrt(runs)
        free[scheme.name, attack] = np.mean(gains), stderr

print(f"n' = {fakes_all}, r = {r}         simulated      expected")
for (name, attack), (mean, stderr) in free.items():
    text = "signs of all targets" if attack == "all_ones" else "one target's report"
    goal = fakes_all * (r if attack == "all_ones" else 1)
    print(f"{name:4s} {text:20s} {mean:7.0f} ± {stderr:3.0f} {goal:9d}")

# %% tags=["hide-input"]
with claim("S-4.26") as c:
    zero = [sp.simplify(part.subs(u, 1) - 1) for part in (part_cms, part_hcms)]
    c.exact(zero, [sp.Integer(0)] * 2, "one target at +1: exactly 1, so r targets r")
    slopes = [sp.diff(part, u) for part in (part_cms, part_hcms)]
    expected = [F / 2, F]
    c.exact(slopes, expected, "the gain grows with the sign: nothing beats +1")
    c.exact(best, Fraction(2), "m = 4, two targets, all inputs and flips: r = 2")
    c.exact(honest, Fraction(2, 3), "and the item's own vector gains 2/3")
    for scheme in (cms, hcms):
        mean, stderr = free[scheme.name, "all_ones"]
        label = f"{scheme.name}, drawn, r = {r}: r n' = {r * fakes_all}"
        c.sampled(mean, r * fakes_all, label, stderr=stderr)
        mean, stderr = free[scheme.name, "ria"]
        goal = poisoning.frequency_gain(
            scheme, "ria", n_fake=fakes_all, targets=targets
        )
        label = f"{scheme.name}, drawn, an item's report: near n' = {fakes_all}"
        c.sampled(mean, goal, label, stderr=stderr)

# %% [markdown]
# The row is the client's choice too: the hash number is sent as before, says the paper, and no message of the
# server touches it. If the server drew row and column, HCMS would come down to about $\sqrt{2r/\pi}$ votes
# ({numref}`ex-sk-05-signs`); CMS, whose vector has a place for every target in every row, stays at $r$.

# %% tags=["hide-input"]
with claim("S-4.21") as c:
    for scheme, wished in ((cms, (8, 0)), (hcms, (8, 5))):
        transcript = transcripts[scheme.name]
        c.exact(
            int(transcript.report["row"][0]),
            wished[0],
            f"OT-{scheme.name}: the row is the client's",
        )
        c.exact(
            transcript.choices.size,
            {"CMS": 128, "HCMS": 1}[scheme.name],
            f"OT-{scheme.name}: one choice of the server a sign, none about the row",
        )
        sizes = 32 + 32 * transcript.choices.size, 32 * transcript.choices.size
        c.exact(transcript.sent, sizes, "all bytes are those of the transfers")


# %% [markdown]
# ## All variants in one picture
#
# Every repair so far was a repair on one side. Here are eight protocols, with both sides computed for each.
# To compare them at one $\varepsilon$ we give all of them a rational $p$: 8/11 for HCMS, where one sign
# carries the whole $\varepsilon = \ln\frac83 = 0.981$, and 5/8 for CMS, where
# $\varepsilon = 2\ln\frac53 = 1.022$.
#
# | | protocol |
# | --- | --- |
# | V0 | plain CMS or HCMS |
# | V1 | two slots, the server knows the order |
# | V1' | no transfer: $v$ in the clear, the server flips |
# | V2 | two slots, shuffled by the client |
# | V3 | $N$ slots, $N_t$ true, shuffled by the client |
# | V4 | V3 with a proof that $N_t$ slots hold $w$ and the others $-w$ |
# | V5 | commitment, public coin, proof that the coin was obeyed; no transfer ([notebook 6](06-making-the-noise-verifiable.ipynb)) |
# | V6 | V5 with row and column drawn by the server after a commitment to the *item* |
#
# What the server learns is enumerated. For V5 the client commits to a secret $\rho$, the server sends
# $\sigma$, and the opened sign is $w$ if $\rho + \sigma \bmod N < N_t$; the commitment hides $\rho$ perfectly.

# %%
def public_coin(w):  # V5, V6: the commitment itself has one law for all inputs
    each = Fraction(1, N * N)
    cases = product(range(N), repeat=2)
    return law(
        ((sigma, w if (rho + sigma) % N < N_t else -w), each) for rho, sigma in cases
    )


def plain(w):
    return law([((w,), p), ((-w,), 1 - p)])


views = {
    "V0": plain,
    "V1": known_order,
    "V1'": in_clear,
    "V2": two_hidden,
    "V3": many_hidden,
    "V4": many_hidden,  # the proof has zero knowledge: it adds nothing to the view
    "V5": public_coin,
    "V6": public_coin,
}
learns = {name: worst_odds(view_law) for name, view_law in views.items()}
guesses = {name: guess(view_law) for name, view_law in views.items()}

# %% [markdown]
# The server's own choice (which slot, which $\sigma$) is part of each view, so the worst odds cover a server
# that chooses maliciously as well. What a fake gains is measured, with reports that the
# protocol accepts: through real transfers with equal slots for V1 and V3, by drawing the coins of the other
# variants.

# %%
rational = {
    "CMS": (CountMeanSketch(2 * math.log(5 / 3), **defaults), 8, 5),
    "HCMS": (HadamardCountMeanSketch(math.log(8 / 3), **defaults), 11, 8),
}
number = {"CMS": 6000, "HCMS": 40_000}  # fakes that are drawn
assert [round(s.epsilon, 3) for s, *_ in rational.values()] == [1.022, 0.981]


def server_flips(shape, slots, true):  # V1'
    return np.where(rng.random(shape) < true / slots, 1, -1)


def opened_slot(shape, slots, true):  # V4
    content = np.broadcast_to(np.arange(slots) < true, (*shape, slots))
    return np.where(rng.permuted(content, axis=-1)[..., 0], 1, -1)


def coin_obeyed(shape, slots, true):  # V5, V6; the client fixed rho = 0
    rho, sigma = 0, rng.integers(slots, size=shape)
    return np.where((rho + sigma) % slots < true, 1, -1)


def accepted(name, variant):
    """Reports of fakes that do their best in a variant with enforced noise."""
    scheme, slots, true = rational[name]
    if variant == "V6":  # an item, honestly encoded
        source = type(scheme).with_family(math.inf, scheme.family)
        reports = source.privatize(rng.choice(targets, number[name]), rng)
    else:  # signs of all targets
        source = scheme
        reports = poisoning.fake_reports(
            scheme, "mga", targets=targets, n_fake=number[name], rng=rng
        )
    rows, *columns, signs = source.unpack(reports)
    coins = {"V1'": server_flips, "V4": opened_slot}.get(variant, coin_obeyed)
    where = {"columns": columns[0]} if columns else {}
    return scheme.pack(rows, signs * coins(signs.shape, slots, true), **where)


# %%
def forced_reports(name, variant):
    """Reports of real transfers with equal slots, for all targets."""
    scheme, slots, true = rational[name]
    options = {"order": "known"}
    if variant == "V3":
        options = {"order": "shuffled", "slots": slots, "true": true}
    some = 40 if name == "HCMS" else 4
    pairs = [equal_slots(scheme, targets, **options) for _ in range(some)]
    return np.concatenate([report for report, wanted in pairs])


closed, measured = {}, {}
for name, (scheme, *_) in rational.items():
    most = poisoning.frequency_gain(scheme, "mga", n_fake=1, targets=targets)
    one_item = poisoning.frequency_gain(scheme, "ria", n_fake=1, targets=targets)
    for variant in views:
        if variant == "V2":
            continue  # p = 1/2 has no estimator
        if variant in ("V0", "V1", "V3"):
            closed[variant, name] = most
            if variant == "V0":
                reports = poisoning.fake_reports(
                    scheme, "mga", targets=targets, n_fake=500, rng=rng
                )
            else:
                reports = forced_reports(name, variant)
        else:
            closed[variant, name] = one_item if variant == "V6" else r
            reports = accepted(name, variant)
        parts = np.array_split(reports, 20 if reports.size > 500 else 2)
        gains = [gain_of(scheme, part) / part.size for part in parts]
        stderr = np.std(gains, ddof=1) / math.sqrt(len(parts))
        measured[variant, name] = np.mean(gains), stderr

# %% tags=["hide-input"]
print(f"     server, HCMS sign      gain of a fake, r = {r} targets")
print("     odds     guesses w     CMS, p = 5/8           HCMS, p = 8/11")
print("                            measured    closed     measured    closed")
for variant in views:
    odds, chance = str(learns[variant]), str(guesses[variant])
    row = f"{variant:4s} {odds:>4s} {chance:>13s}   "
    for name in rational:
        if variant == "V2":
            row += "      no estimator, c = ∞ "
            continue
        mean, stderr = measured[variant, name]
        row += f"  {mean:7.2f} ± {stderr:4.2f} {closed[variant, name]:8.2f}"
    print(row)


# %% tags=["hide-input"]
def words(number):
    return "unbounded" if number == math.inf else f"{float(number):.6f}"


with claim("S-B10") as c:
    expected = dict.fromkeys(views, words(Fraction(8, 3)))
    expected |= {"V1": "unbounded", "V1'": "unbounded", "V2": words(1)}
    found = {name: words(odds) for name, odds in learns.items()}
    c.exact(found, expected, "worst odds of the server, all views enumerated")
    expected = dict.fromkeys(views, p) | {"V1": 1, "V1'": 1, "V2": Fraction(1, 2)}
    c.exact(guesses, expected, "chance that the server guesses the sign")
    near = constant.subs(true_sym, slots_sym / 2 + u)
    c.exact(
        sp.limit(near, u, 0, "+"), sp.oo, "V2: half of the slots true, c unbounded"
    )
    for name, (_, slots, true) in rational.items():
        bits = 2 if name == "CMS" else 1
        level = slot_epsilon(slots, true, bits=bits)
        table = {row.name: row for row in threat_matrix(level, r)}
        for variant in views:
            if variant == "V2":
                continue
            goal = table[variant].gain_cms if bits == 2 else table[variant].gain_hcms
            mean, stderr = measured[variant, name]
            label = f"{variant}, {name}, eight targets: {goal:.2f} a fake"
            if variant in ("V0", "V1", "V3"):
                c.close(mean, goal, label + ", in every run")
            else:
                slack = abs(closed[variant, name] - goal)  # this family, all families
                assert slack < 0.05
                c.sampled(mean, closed[variant, name], label, stderr=stderr)

# %% mystnb={"figure": {"caption": "Who can cheat whom (HCMS, eight targets). Across: how well the server guesses one user's sign; 1/2 is a blind guess, 8/11 is what the chosen \u03b5 allows, 1 is certainty. Up: votes of one fake user. Two slots in a known order stand in the worst corner; the good place is on the dashed line as low as possible.", "name": "fig-sk-05-matrix"}, "image": {"alt": "Scatter plot of eight protocols. V1 top right at guess 1 and 17.7 votes; V1 prime right at 8 votes; V0 and V3 at guess 8/11 and 17.7 votes; V4 and V5 at 8/11 and 8 votes; V6 at 8/11 and one vote; V2 at guess 1/2, unbounded, marked with an arrow at the top."}} tags=["hide-input"]
groups = {  # label: (variant, offset of the text in points, horizontal alignment)
    "V0 plain\nV3 shuffled slots": ("V0", (10, -2), "left"),
    "V1 the printed slots,\norder known": ("V1", (-10, -2), "right"),
    "V1' in the clear,\nserver flips": ("V1'", (-10, -2), "right"),
    "V4 slots + proof\nV5 coin + proof": ("V5", (10, -2), "left"),
    "V6 item committed": ("V6", (10, -3), "left"),
}
fig, ax = plots.panels(height=4.0)
ax.axvline(8 / 11, color=plots.COLOURS["grey"], lw=1.2, ls="--")
for text, (variant, offset, side) in groups.items():
    point = float(guesses[variant]), measured[variant, "HCMS"][0]
    good = variant in ("V5", "V6")
    colour = plots.COLOURS["green" if good else "orange"]
    ax.plot(*point, "o" if good else "s", ms=10, color=colour)
    place = {"xytext": offset, "textcoords": "offset points", "ha": side}
    ax.annotate(text, point, va="center", fontsize=9.5, **place)
ax.plot(0.5, 24, "^", ms=10, color=plots.COLOURS["grey"])
ax.text(0.513, 24, "V2 two slots, shuffled: no estimator", va="center", fontsize=9.5)
ax.set(xlim=(0.47, 1.03), ylim=(0.7, 32), yscale="log")
ax.set_yticks([1, 2, 4, 8, 16], ["1", "2", "4", "8", "16"])
ax.set_xticks([1 / 2, 8 / 11, 1], ["1/2", "8/11", "1"])
ax.minorticks_off()
ax.set(xlabel="chance that the server guesses the sign of an honest user")
ax.set_ylabel("gain of one fake user (votes)")
plt.show()

# %% [markdown]
# So two slots in a known order give up the privacy and, without a proof, do not get the robustness: V1' is cheaper and better on
# one side and no worse on the other. Shuffled slots (V3) restore the privacy, a proof of the slots (V4) adds the
# robustness against free noise, and a coin with a proof (V5) does the same without any transfer. The last step,
# from $r$ votes to one, is a commitment to the item. Two parts of the paper's idea survive all this: the
# server's coin belongs into the report, and the Hadamard variant makes that affordable, because it needs one
# coin instead of 128. [Notebook 6](06-making-the-noise-verifiable.ipynb) builds V5 and V6, and
# counts what a fake can still do by stopping when the coin falls badly.
#
# ## Exercises
#
# ```{exercise-start} Three true slots of five
# :label: ex-sk-05-five
# ```
# **Warm-up.** A client shuffles three true and two false slots. What is $\varepsilon$ for one sign, with which
# chance does the server guess the sign, and what is the constant of the estimator?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-sk-05-five
# :class: dropdown
# ```
# $\varepsilon = \ln\frac32 = 0.405$, the chance is $\frac35$ and $c = \frac{5}{6 - 5} = 5$.

# %%
assert math.isclose(slot_epsilon(5, 3), math.log(1.5))
assert slot_constant(5, 3) == 5
posterior = Fraction(3, 5) / (Fraction(3, 5) + Fraction(2, 5))  # prior 1/2
assert posterior == Fraction(3, 5)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} The best slots below a budget
# :label: ex-sk-05-best
# ```
# **Standard.** Slots cost bandwidth. Which $N \le 30$ and $N_t$ come closest to $\varepsilon = 1$ from below
# for one sign? How much variance does that cost against $\varepsilon = 1$, and how much do eleven slots cost?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-sk-05-best
# :class: dropdown
# ```
# $\ln\frac{N_t}{N - N_t} \le 1$ means $N_t < eN/(1 + e)$. Nineteen of 26 slots are best:
# $\varepsilon = 0.9985$. The variance of HCMS goes with $c^2$, so they cost 0.25 % and eleven slots 3.4 %.

# %%
pairs = [(s, t) for s in range(2, 31) for t in range(s // 2 + 1, s)]
private = [(s, t) for s, t in pairs if slot_epsilon(s, t) <= 1]
nearest = max(private, key=lambda pair: (Fraction(pair[1], pair[0]), -pair[0]))
assert nearest == (26, 19)
cost = [
    float(slot_constant(s, t) / hcms.constant) ** 2 - 1 for s, t in (nearest, (11, 8))
]
assert [round(100 * x, 2) for x in cost] == [0.25, 3.36]

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Cut and choose
# :label: ex-sk-05-audit
# ```
# **Standard.** With probability $\alpha$ the server asks for all slots of a report to be
# opened and throws the report away, together with its sender if the slots were not honest. What does this do
# to the gain of equal slots with one HCMS report a fake? What does it cost an honest user?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-sk-05-audit
# :class: dropdown
# ```
# A fake survives with probability $1 - \alpha$, so the gain falls to $(1 - \alpha)F(c_N - 1/m)$ a fake: to
# come down to 1 at eleven slots the server must open more than half of all reports. An opened report shows $w$: an audited
# honest user has no privacy, unless the audited report was about a dummy.

# %%
alpha = sp.Symbol("alpha")
gain = hcms.factor * (Fraction(11, 5) - Fraction(1, 128))
needed = sp.solve(sp.Eq((1 - alpha) * gain, 1), alpha)[0]
assert 0.5 < needed < 0.56
odds_opened = worst_odds(lambda w: law([(("opened", w), Fraction(1))]))
assert odds_opened == math.inf

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Slots that are not all equal
# :label: ex-sk-05-partial
# ```
# **Research.** Somebody proposes a cheaper proof: only that the $N$ slots are *not all equal*. What is the
# largest gain for one target then? And with a proof that at least $f$ slots differ from the rest?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-sk-05-partial
# :class: dropdown
# ```
# A fake makes $N - f$ slots say $+1$ and $f$ say $-1$; the server, whose choice cannot depend on the
# contents, reads $1 - 2f/N$ in the mean, which the estimator multiplies by $c_N = N/(2N_t - N)$:
# $(N - 2f)/(2N_t - N)$. For eleven slots "not all equal" leaves $\frac95$ of a vote instead of $\frac{11}5$; only
# $f = N - N_t$ brings it down to 1.

# %%
f, s, t = sp.symbols("f N N_t", positive=True)
left = sp.simplify((1 - 2 * f / s) * s / (2 * t - s))
assert sp.simplify(left - (s - 2 * f) / (2 * t - s)) == 0
assert left.subs({s: 11, t: 8, f: 1}) == sp.Rational(9, 5)
assert sp.solve(sp.Eq(left, 1), f) == [s - t]
slots = np.where(np.arange(11) < 10, 1, -1)  # ten of eleven say +1
assert Fraction(int(slots.sum()), 11) * Fraction(11, 5) == Fraction(9, 5)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Enforced noise, free sign
# :label: ex-sk-05-signs
# ```
# **Research.** Let the server draw the row and the column of HCMS, with the noise enforced but the sign free.
# What is the largest expected gain for $r$ targets at random positions?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-sk-05-signs
# :class: dropdown
# ```
# The best sign is that of $\sum_t H_{\ell, h_j(t)}$, so the gain is
# $F\bigl(\E\lvert\sum_t H_{\ell, h_j(t)}\rvert - \frac rm\bigr)$. In the first column the sum is $r$; in
# the others the signs of targets at uniform positions are fair coins with sum $S_r$. The first column just
# pays for $\frac rm$, and what is left is $\E\lvert S_r \rvert \approx \sqrt{2r/\pi}$: for eight targets
# $\frac{35}{16}$, between one vote and eight.

# %%
exact = sum(
    Fraction(math.comb(8, heads), 2**8) * abs(2 * heads - 8) for heads in range(9)
)
m = 128
with_first = Fraction(m - 1, m) * exact + Fraction(8, m)
assert Fraction(m, m - 1) * (with_first - Fraction(8, m)) == exact == Fraction(35, 16)
spots = hcms.family.positions(targets)  # (8, k)
sums = np.abs(hadamard_matrix(m)[:, spots].astype(int).sum(axis=1))  # column, row
stderr = sums.mean(axis=0).std() / math.sqrt(hcms.hashes)
assert abs(sums.mean() - float(with_first)) < 4 * stderr

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - An oblivious transfer hides which slot was opened and the content of the other. It promises nothing about
#   what the slots hold. Equal slots pass every transfer and keep the full gain of the MGA.
# - With honestly filled slots the MGA does shrink to an RIA. That is what Table 7 measures, and all its
#   twenty cells fit.
# - If the server knows the order of two slots, its choice bit reveals the value; shuffled, two slots leave
#   no information. $N_t$ of $N$ shuffled slots are as private as randomised response with $p = N_t/N$.
# - Enforcing the noise brings $r$ targets down to $r$ votes, not to one. Only a commitment to the *item*
#   brings them down to one, for a fake that finishes what it began.
#
# **Further reading.** Oblivious transfer: {cite:p}`even1985signing`, {cite:p}`chou2015simplest`. Slots with a
# proof: {cite:p}`ambainis2004cryptographic`; the same question for other local protocols:
# {cite:p}`kato2021preventing`, and for key-value data {cite:p}`horigome2023keyvalue`. What no enforcement can
# prevent: {cite:p}`cheu2021manipulation`. **Next:**
# [can a client prove that its noise is honest?](06-making-the-noise-verifiable.ipynb)
