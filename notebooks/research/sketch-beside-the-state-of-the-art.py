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
# # How much of a fake user's gain do the known defences remove?
#
# **Question.** One fake user of a sketch can count as several honest users. How much of this gain do the known defences remove, if the attacker knows the defence?
#
# **What is known.** The paper {cite:p}`shimizu` strengthens the Count Mean Sketch (CMS) by a Hadamard matrix (HCMS) and oblivious transfer, and tests no defence of plain reports. Others clean the estimates {cite:p}`wang2020consistency`, subtract the fakes {cite:p}`sun2024ldprecover`, filter reports {cite:p}`li2025mitigating`, or shuffle them {cite:p}`feldman2021clones`. {cite:t}`liao2025range` found that cleaning can strengthen attacks on range queries.
#
# **Answer.** Against an attacker who knows the defence, only weaker noise reduces the gain. At $\varepsilon = 1$ on CMS, a fake user gains 2.55<!-- {raw["CMS"]:.2f} --> users for one item. Cleaning the estimates raises this to 4.01<!-- {after_norm_sub["CMS"]:.2f} -->, close to the bound of 4.04<!-- {bound(oracles[3]):.2f} --> that we prove. Subtracting a model of the fakes raises it further, to 4.38<!-- {after_recover["CMS"]:.2f} -->. A filter by weight, with 1% false alarms, finds at most 1.0%<!-- {found:.1%} --> of the same fakes. A shuffler permits weaker noise, and then a fake gains only 1.09<!-- {with_weaker_noise["CMS"]:.2f} --> users; but each report alone has $\varepsilon =$ 5.0<!-- {report_level:.1f} -->.
#
# **Why it matters.** A defence that works against other attacks may help an attacker who knows it.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** what four published defences do to the gain of one fake, when cleaning helps the attacker and by how much at most, and what a shuffler can and cannot do.
# **You need** the gains of [notebook 3](../sketch/03-poisoning.ipynb), and the binomial distribution.
# **Time:** 20 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attacker** controls $n'$ of $n + n'$ users. It knows the mechanism, the items and the defence, and sends any report that an honest user might send. It wants the published count of one target item to be large. **The server** is honest but curious. A **shuffler**, if there is one, permutes the reports and works neither for the attacker nor for the server. **Protected:** each report, up to $e^{\varepsilon}$. **Not protected:** the estimates.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
import math
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from scipy import optimize

from privlib.notebook import plots
from privlib.research.frequency_oracles import Oracle, frequency_gain, grr, olh, oue
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch, defences, poisoning
from privlib.sketch.data import shop_counts

plots.use()
rng = np.random.default_rng(2026)
counts = shop_counts()
items, target = list(counts), "A2"
true_counts = np.array(list(counts.values()))
n, target_index = int(true_counts.sum()), items.index(target)
n_fake = poisoning.n_fake_users(n, 0.01)
cms = CountMeanSketch(1.0, hashes=1024, width=128, seed=2024)
hcms = HadamardCountMeanSketch(1.0, hashes=1024, width=128, seed=2024)


def honest_shops(name, P, Q):
    """Raw estimates of the 43 items from honest users, one simulated shop a row."""
    if name in ("CMS", "HCMS"):
        scheme = cms if name == "CMS" else hcms
        return np.array([scheme.simulate(counts, rng).estimate(items) for _ in range(100)])
    supports = rng.binomial(true_counts, P, (100, 43)) + rng.binomial(n - true_counts, Q, (100, 43))
    return (supports - n * Q) / (P - Q)


# %% [markdown]
# ## A fake among four items
#
# Take a CMS with one row, four cells, one item in each cell and $e^{\varepsilon/2} = 3$. Twelve honest users and one fake user, a *fake* for short, send reports. The fake sends $+1$ for its own item and $-1$ for the three others. This adds $\frac53$ to the estimate of its own item and $-1$ to each other estimate.
#
# Estimates are often cleaned before they are published. The method *norm-sub* {cite:p}`wang2020consistency` subtracts one number from all estimates and replaces negative results by zero. It chooses the number such that the results add up to the number of reports:

# %%
def norm_sub(estimates, total):
    """Subtract one number and replace negative results by 0, such that the sum is total."""
    values = sorted(estimates, reverse=True)
    for size in range(1, len(values) + 1):
        shift = Fraction(sum(values[:size]) - total) / size
        if size == len(values) or values[size] <= shift:
            break
    return [max(value - shift, Fraction(0)) for value in estimates]


honest = [6, 3, 2, 1]  # their sum is 12, so norm-sub does not change them
fake = [Fraction(5, 3), -1, -1, -1]
poisoned = [estimate + added for estimate, added in zip(honest, fake)]
published = norm_sub(poisoned, 13)
print("raw:      ", *poisoned)
print("published:", *published)
assert published[0] - honest[0] == Fraction(9, 4) > fake[0]


# %% [markdown]
# The fake gains $\frac53$ in the raw estimate of its item, but $\frac94$ in the published count. It raises the number of reports by 1 and lowers the sum of the estimates by $\frac43$. To correct the sum, norm-sub adds $\frac73$ to the four items, and the target receives a quarter of that.
#
# ## Method: five mechanisms and four defences
#
# We compare five mechanisms: generalised randomised response (GRR), optimised unary encoding (OUE), optimised local hashing (OLH) {cite:p}`wang2017locally`, CMS and HCMS. A report of each *supports* some items. An honest report supports its user's own item with probability $P$, and each other item with probability $Q < P$. A report that supports $j$ of $r$ target items adds
#
# $$ \frac{j - rQ}{P - Q} $$
#
# to the sum of their estimates. The attacker makes $j$ as large as possible. A report of GRR names one item. A report of OUE may mark any subset of the items. A report of OLH supports all items with one value of its user's hash function. Averaged over the hash functions, both sketches have this form, too:

# %%
def as_oracle(scheme, elsewhere):
    """P and Q of a sketch, if an item in another cell is supported with probability elsewhere."""
    Q = scheme.keep / scheme.width + (1 - 1 / scheme.width) * elsewhere
    return Oracle(scheme.name, scheme.keep, Q, 0.5)


oracles = [grr(math.e, items=43), oue(math.e), olh(math.e)]
oracles += [as_oracle(cms, 1 - cms.keep), as_oracle(hcms, 0.5)]
for oracle in oracles:
    one_target = frequency_gain(oracle, "mga", n_fake=1, targets=1)
    ten_targets = frequency_gain(oracle, "mga", n_fake=1, targets=10)
    print(f"{oracle.name:5} one target: {one_target:5.2f}, ten targets: {ten_targets:5.2f}")


# %% [markdown]
# These are the largest gains of one fake, in users. They are smallest on HCMS for one target, and on GRR for ten.
#
# **Clean the estimates.** We use norm-sub from above.
#
# **Subtract the fakes.** *LDPRecover* {cite:p}`sun2024ldprecover` models the poisoned estimates as the sum of genuine and malicious ones. The server guesses the number $\hat\eta$ of fakes for each honest user. If it does not know the attack, it assumes that each fake supports one of the $D$ items. By the formula above, with $j = 1$ and $r = D$, such a fake adds $(1 - QD)/(P - Q)$ in total. The server spreads this total evenly over the items with a positive estimate, subtracts it, and applies norm-sub:

# %%
def recovered(estimates, guess, P, Q):
    """Shares among honest users; guess: the guessed number of fakes for each of them."""
    positive = estimates > 0
    modelled_fakes = (1 - Q * estimates.size) / (P - Q) * positive / positive.sum()
    genuine = (1 + guess) * estimates - guess * modelled_fakes
    return defences.norm_sub(genuine, 1)


# %% [markdown]
# **Filter the reports.** A CMS report has 128 signs. We call the number of its $+1$ the *weight*. The fake of our example has weight 1. This is so rare among honest reports that a server could remove such reports. A careful attacker therefore draws the weight of each fake from the honest distribution. We call such fakes *matched*. In each row, at least 85 cells contain no item, and the estimates do not read them. The attacker puts $+1$ into the target's cell, and the remaining $+1$ into such empty cells:

# %%
P = cms.keep  # probability that a sign is sent unchanged
cells = cms.family.positions(items)  # of each item, in each row
rows = rng.integers(1024, size=n_fake)
weights = rng.binomial(1, P, n_fake) + rng.binomial(127, 1 - P, n_fake)  # honest
weight_one = np.full((n_fake, 128), -1)
weight_one[np.arange(n_fake), cells[target_index, rows]] = 1
matched = weight_one.copy()
for signs, row, weight in zip(matched, rows, weights):
    empty = np.setdiff1d(np.arange(128), cells[:, row])
    signs[rng.choice(empty, weight - 1, replace=False)] = 1

added_by = {}
for name, signs in (("weight 1", weight_one), ("matched", matched)):
    added_by[name] = cms.aggregate(cms.pack(rows, signs)).estimate(items)
    print(f"{name:8}: mean weight {(signs == 1).sum(axis=1).mean():5.2f}, raw gain", end=" ")
    print(f"{added_by[name][target_index] / n_fake:.2f}")
assert np.array_equal(added_by["weight 1"], added_by["matched"])


# %% [markdown]
# Both kinds of fakes change all estimates in the same way. So all gains without a filter hold for both.
#
# **Shuffle the reports.** A shuffler hides who sent which report, so the level against the server is smaller than that of a single report. {cite:t}`feldman2021clones` prove an upper bound for *$(\varepsilon, \delta)$-differential privacy*: if one person changes the item, the probability of every event is at most $e^\varepsilon$ times as large as before, plus $\delta$. Elsewhere in this note $\delta = 0$, which is a stronger promise. The closed form in their program is valid for $\varepsilon \le \ln \frac{n}{16 \ln (4/\delta)}$:

# %%
def level_after_shuffler(level, users, delta):
    """Upper bound of the level after the shuffler, from the level of each report."""
    E = math.exp(level)
    deviation = 8 * math.sqrt(E * math.log(4 / delta) / users) + 8 * E / users
    return math.log(1 + (1 - 1 / E) / (1 + 1 / (E * (1 + deviation))) * deviation)


def excess(level):
    """Level after the shuffler, minus 1."""
    return level_after_shuffler(level, n, 1e-6) - 1


report_level = optimize.brentq(excess, 1, 5.3)
print(f"ε = 1 for each report becomes {excess(1) + 1:.3f} after the shuffler")
print(f"ε = {report_level:.2f} for each report becomes 1 after the shuffler")

# %% [markdown]
# ```{evidence} S-B29
# ```
#
# ## Result: only weaker noise reduces the gain
#
# We let 502<!-- {n_fake} --> fakes promote the item A2 among the 49,742<!-- {n:,} --> users of the shop. On CMS they are the matched fakes from above. On HCMS, where norm-sub undoes the paper's attack, they are the reports that support the target and lower the other items most (`best_pairs`).

# %%
rivals = [item for item in items if item != target]
best_pairs = poisoning.best_pairs(hcms, [target], others=rivals, n_fake=n_fake)
added_by_fakes = {
    "CMS": added_by["matched"],
    "HCMS": hcms.aggregate(best_pairs).estimate(items),
}


# %%
def published_gains(oracle, added):
    """Gain of one fake after norm-sub, and after LDPRecover with the right guess."""
    P, Q = float(oracle.own), float(oracle.other)
    shops = honest_shops(oracle.name, P, Q)
    before = defences.norm_sub(shops, n)[:, target_index]
    after = defences.norm_sub(shops + added, n + n_fake)[:, target_index]
    recovered_counts = []
    for estimates in shops + added:
        shares = recovered(estimates / (n + n_fake), n_fake / n, P, Q)
        recovered_counts.append(n * shares[target_index])
    return (after - before).mean() / n_fake, (recovered_counts - before).mean() / n_fake


# %% [markdown]
# The gains after norm-sub and LDPRecover are means over 100 simulated shops. In the last row of {numref}`fig-sk-10-defences`, the server requires $\varepsilon = 1$ (with $\delta = 10^{-6}$) for the shuffled reports only, so each report may have $\varepsilon =$ 5.0<!-- {report_level:.1f} -->:

# %%
raw, after_norm_sub, after_recover, with_weaker_noise = {}, {}, {}, {}
for scheme, oracle in ((cms, oracles[3]), (hcms, oracles[4])):
    name = scheme.name
    raw[name] = added_by_fakes[name][target_index] / n_fake
    after_norm_sub[name], after_recover[name] = published_gains(oracle, added_by_fakes[name])
    less_noise = type(scheme)(report_level, hashes=1024, width=128, seed=2024)
    with_weaker_noise[name] = poisoning.frequency_gain(less_noise, "mga", n_fake=1, targets=1)
found = 0.01 / (1 - (1 - P) * P**127)  # share of the matched fakes, with 1% false alarms

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What one fake gains for one item at \u03b5 = 1 with each defence, in users. The dotted line is the gain of one honest user. All rows of CMS but the last are for the same matched fakes. Only weaker noise brings the gain near one user. (The filter does not apply to HCMS, whose reports have one sign.)", "name": "fig-sk-10-defences"}, "image": {"alt": "Seven rows with a dot for CMS and a square for HCMS. No defence 2.6<!-- {raw[\"CMS\"]:.1f} --> and 2.2<!-- {raw[\"HCMS\"]:.1f} -->; norm-sub 4.0<!-- {after_norm_sub[\"CMS\"]:.1f} --> and 3.1<!-- {after_norm_sub[\"HCMS\"]:.1f} -->; subtracting 4.4<!-- {after_recover[\"CMS\"]:.1f} --> and 3.2<!-- {after_recover[\"HCMS\"]:.1f} -->; filter 2.5<!-- {filtered[\"CMS\"]:.1f} --> and filter with norm-sub 4.0<!-- {filtered_and_cleaned[\"CMS\"]:.1f} --> for CMS only; shuffler as no defence; weaker noise 1.1<!-- {with_weaker_noise[\"CMS\"]:.1f} --> and 1.0<!-- {with_weaker_noise[\"HCMS\"]:.1f} -->."}} tags=["figure"]
filtered = {"CMS": (1 - found) * raw["CMS"]}
filtered_and_cleaned = {"CMS": (1 - found) * after_norm_sub["CMS"]}
defence_rows = {
    "no defence": raw,
    "norm-sub": after_norm_sub,
    "subtract the fakes": after_recover,
    "filter by weight": filtered,
    "filter, then norm-sub": filtered_and_cleaned,
    "shuffler": raw,
    "shuffler, weaker noise": with_weaker_noise,
}
fig, axis = plots.panels(1, 1, height=3.4, width=6.8)
for name, colour, marker in (("CMS", "blue", "o"), ("HCMS", "orange", "s")):
    places, values = [], []
    for place, gains in enumerate(defence_rows.values()):
        if name in gains:
            places.append(-place)
            values.append(gains[name])
    axis.plot(values, places, marker, color=plots.COLOURS[colour], label=name, ms=7)
axis.axvline(1, color="#555555", lw=1, ls=":")
axis.set_yticks([-place for place in range(len(defence_rows))], list(defence_rows))
axis.set(xlabel="gain of one fake (users)", xlim=(0, 4.8))
axis.legend(loc="lower right")
plt.show()

# %% [markdown]
# ## Why does cleaning help the attacker?
#
# The next proposition says when norm-sub strengthens an attack on single items, and by how much at most. The *promotion gain* $g^+$ of a mechanism is the most that a report can add to the estimate of an item. The *demotion gain* $g^-$ is the most that a report can subtract from it.
#
# ````{prf:proposition} What a fake gains after norm-sub
# :label: thm-sk-10-rate
# Let a fake add $e_d$ to the raw estimate of item $d$, for each of $D$ items. Let $S$ be the set of the items that are positive after norm-sub, and let the target $t$ be one of them.
# 1. As long as $S$ stays the same, each fake raises the published count of $t$ by $e_t - \frac1{|S|} \bigl( \sum_{d \in S} e_d - 1 \bigr)$. This is more than the raw gain $e_t$ if and only if $\sum_{d \in S} e_d < 1$.
# 2. As long as the published count of $t$ is positive, it is a concave function of the number of fakes. So the first fakes gain most.
# 3. If $g^+ + g^- \ge 1$, then $n'$ fakes raise the published count of $t$ by at most $n' \bigl( (1 - \frac1D)(g^+ + g^-) + \frac1D \bigr)$.
# ````
#
# *Proof.*
#
# 1. Let $x_d$ be the raw estimates and $N$ the number of reports. Norm-sub subtracts the number $c$ with $\sum_{d \in S} (x_d - c) = N$. A fake raises $\sum_{d \in S} x_d$ by $\sum_{d \in S} e_d$ and $N$ by 1. Therefore $c$ grows by $\frac1{|S|} (\sum_{d \in S} e_d - 1)$, and the published count $x_t - c$ grows by $e_t$ minus this.
#
# 2. [The companion](../evidence/research/sketch-beside-the-state-of-the-art.ipynb) proves this part.
#
# 3. Let $a = e_t$, and let $b$ be the mean of $e_d$ over the other items of $S$. The gain of part 1 is a weighted mean of $a - b$ and 1:

# %%
a, b, size = sp.symbols("a b size", positive=True)  # size: number of items in S
gain = a - (a + (size - 1) * b - 1) / size
assert sp.expand(gain - ((1 - 1 / size) * (a - b) + 1 / size)) == 0


# %% [markdown]
# Here $a \le g^+$, $b \ge -g^-$ and $|S| \le D$. So this gain is at most $(1 - \frac1D)(g^+ + g^-) + \frac1D$. The set $S$ changes only finitely often, and while the published count of the target is zero, fakes gain nothing. $\square$
#
# For our mechanisms, $g^+ = \frac{1 - Q}{P - Q}$ and $g^- = \frac Q{P - Q}$, so their sum is $\frac1{P - Q}$. Cleaning can therefore add almost the whole demotion gain to the promotion gain. It does so for reports that support the target and no other item ({numref}`fig-sk-10-cleaning`).

# %%
def bound(oracle):
    """Largest gain of one fake after norm-sub, by the proposition."""
    sum_of_gains = 1 / (oracle.own - oracle.other)  # promotion and demotion
    return float((1 - 1 / 43) * sum_of_gains + 1 / 43)


# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What norm-sub does to the strongest attack that we know, at \u03b5 = 1. Open circles are raw gains, filled circles are gains after norm-sub (mean of 100 shops), and bars are the bounds. Where a report can support the target alone, the gain comes close to the bound. On HCMS, every report supports about half of the items.", "name": "fig-sk-10-cleaning"}, "image": {"alt": "Four rows with arrows to the right. From 3.2<!-- {gains_of[\"OUE\"][0]:.1f} --> to 4.2<!-- {gains_of[\"OUE\"][1]:.1f} --> for OUE, from 3.3<!-- {gains_of[\"OLH\"][0]:.1f} --> to 4.4<!-- {gains_of[\"OLH\"][1]:.1f} --> for OLH and from 2.6<!-- {raw[\"CMS\"]:.1f} --> to 4.0<!-- {after_norm_sub[\"CMS\"]:.1f} --> for CMS, all close to the bar; from 2.2<!-- {raw[\"HCMS\"]:.1f} --> to 3.1<!-- {after_norm_sub[\"HCMS\"]:.1f} --> for HCMS, where the bar stands at 4.3<!-- {bound(oracles[4]):.1f} -->."}} tags=["figure"]
gains_of = {}
for oracle in oracles[1:3]:
    up, down = (frequency_gain(oracle, kind, n_fake=1, targets=1) for kind in ("mga", "demotion"))
    effect = np.where(np.arange(43) == target_index, float(up), float(down))
    gains_of[oracle.name] = (float(up), published_gains(oracle, n_fake * effect)[0])
for name in ("CMS", "HCMS"):
    gains_of[name] = (raw[name], after_norm_sub[name])
fig, axis = plots.panels(1, 1, height=2.4, width=6.4)
for place, oracle in enumerate(oracles[1:]):
    before, after = gains_of[oracle.name]
    colour = plots.COLOURS["orange" if "CMS" in oracle.name else "blue"]
    arrow = {"arrowstyle": "->", "color": colour, "lw": 1.2}
    axis.annotate("", (after, -place), (before, -place), arrowprops=arrow)
    axis.plot(before, -place, "o", color=colour, mfc="white")
    axis.plot(after, -place, "o", color=colour)
    axis.plot([bound(oracle)] * 2, [-place - 0.3, -place + 0.3], "-", color="#333333", lw=2)
axis.set_yticks([0, -1, -2, -3], [oracle.name for oracle in oracles[1:]])
axis.set(xlabel="gain of one fake (users)", xlim=(0, 5))
plt.show()

# %% [markdown]
# On CMS, one fake lowers the sum of all estimates by 62<!-- {-added_by_fakes["CMS"].sum() / n_fake:.0f} --> users, which norm-sub adds to the items that stay positive. On GRR, a report that names the target adds at least 1 to the sum over $S$. By part 1, norm-sub cannot strengthen it.
#
# Would another mechanism have a much smaller bound? By the inequality of the note [*Would another mechanism have been safer?*](sketch-another-mechanism.ipynb), in the limit of many items, $g^+ + g^- \ge (e^{\varepsilon/2} + 1)/(e^{\varepsilon/2} - 1)$, as the companion proves. The sum of CMS is only $m/(m-1) =$ 1.008<!-- {128 / 127:.3f} --> times this value.
#
# ```{evidence} S-B30 S-B31
# ```
#
# ## Why does subtracting the fakes not help?
#
# Without knowledge of the attack, LDPRecover does little more than norm-sub:
#
# ````{prf:proposition} LDPRecover is norm-sub to a smaller total
# :label: thm-sk-10-recover
# Let $N$ reports give the estimates $x_d$ of $D$ items. Let $\hat n = N/(1 + \hat\eta)$ be the guessed number of honest reports. LDPRecover gives the same shares as norm-sub with the total $\hat n$ in each of these cases:
# 1. The modelled fakes are spread over all items.
# 2. All estimates are positive.
# 3. The positive estimates add up to at least $\hat n$, and $QD \ge 1$.
# ````
#
# The reason is that norm-sub gives the same result if one number is first added to all estimates; the companion has the proof.
#
# So in these cases LDPRecover only distributes a smaller total. It cancels random reports, which raise all items equally on average. But a fake that claims to hold the target and adds honest noise has the raw gain 1, and keeps $1 - \frac1{|S|}$ of it.
#
# Our fakes on CMS make so many estimates negative that neither case 2 nor case 3 holds in any shop. Then LDPRecover raises the positive items, among them the target, and the gain becomes larger than after norm-sub. In case 1 it is a little smaller.
#
# ```{evidence} S-B32
# ```
#
# ## Why does a filter miss matched fakes?
#
# The attacker may also send *padded* fakes, with $+1$ in the target's cell and honest noise in all others. Their raw gain is the same.
#
# ````{prf:proposition} What the weight of a report reveals
# :label: thm-sk-10-weight
# Let $P$ be the probability that CMS sends a sign unchanged. Let a test of the weight raise an alarm for a share $\alpha$ of the honest reports. Then it raises an alarm for at most a share $\alpha/P$ of the padded fakes, and for at most a share $\alpha/(1 - (1 - P) P^{m-1})$ of the matched fakes.
# ````
#
# *Proof.* With probability $P$, the sign of an honest user's own cell is sent unchanged, as $+1$. Then the weight of the report is distributed as that of a padded fake. Hence for honest reports, each set of weights has at least $P$ times its probability for padded fakes. A matched fake has weight 1 or more, because of its target. An honest report has weight 0 with probability $(1 - P) P^{m-1}$. Excluding it divides the other probabilities by $1 - (1 - P) P^{m-1}$. $\square$
#
# At $\varepsilon = 1$, with 1% false alarms, the bounds are 1.6%<!-- {0.01 / P:.1%} --> for padded and 1.0%<!-- {found:.1%} --> for matched fakes. A padded fake adds almost nothing to the other items on average, so norm-sub does not strengthen it. A matched fake with its $+1$ in empty cells passes the filter *and* gains the full 4.01<!-- {after_norm_sub["CMS"]:.2f} --> users after norm-sub.
#
# Such fakes do not withstand every test. Together they lower the sum of all estimates by 31,000<!-- {-round(added_by_fakes["CMS"].sum(), -3):,.0f} --> users, which a server that knows all items would notice. The note [*Can a poisoned report hide?*](sketch-hiding-and-defending.ipynb) studies a test that uses all estimates together. The companion also tries *Diffstats* {cite:p}`li2025mitigating`, which removes reports by their weight and the items that they support. It removes hardly more of padded fakes, and of matched fakes with $+1$ in random cells, than of honest reports.
#
# ```{evidence} S-B33 S-B34 S-B37
# ```
#
# ## What does a shuffler buy?
#
# A sketch adds up the reports, so a shuffler alone changes no estimate and no gain. But it improves privacy, and so permits weaker noise. With weaker noise a fake gains less, because the estimator corrects for noise that the fake does not add.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Largest gain of one fake on one item, against the privacy level of the release to the server. Dashed lines are shuffled reports of 49,742<!-- {n:,} --> users with \u03b4 = 1e-6 and the weakest noise that the bound allows. They end where the closed form is no longer valid.", "name": "fig-sk-10-shuffle"}, "image": {"alt": "Two solid curves fall from 20.7<!-- {largest_gain[\"CMS\"](0.1):.1f} --> and 20.2<!-- {largest_gain[\"HCMS\"](0.1):.1f} --> at a level of 0.1 to 1.2<!-- {largest_gain[\"CMS\"](4):.1f} --> and 1.0<!-- {largest_gain[\"HCMS\"](4):.1f} --> at 4; HCMS lies below CMS. Two dashed curves fall from 2.6<!-- {largest_gain[\"CMS\"](of_reports[drawn][0]):.1f} --> and 2.2<!-- {largest_gain[\"HCMS\"](of_reports[drawn][0]):.1f} --> to 1.1<!-- {largest_gain[\"CMS\"](of_reports[-1]):.1f} --> and 1.0<!-- {largest_gain[\"HCMS\"](of_reports[-1]):.1f} --> at a level of 1.1<!-- {after_shuffler[-1]:.1f} -->, where they end. A dotted horizontal line at 1."}} tags=["figure"]
levels = np.linspace(0.1, 4, 200)
of_reports = np.linspace(0.05, 5.3, 200)
after_shuffler = np.array([level_after_shuffler(level, n, 1e-6) for level in of_reports])
assert of_reports[-1] < math.log(n / 16 / math.log(4e6))
drawn = after_shuffler >= 0.1
largest_gain = {
    "CMS": lambda level: 128 / 127 * ((1 / np.tanh(level / 4) + 1) / 2 - 1 / 128),
    "HCMS": lambda level: 128 / 127 * (1 / np.tanh(level / 2) - 1 / 128),
}
fig, axis = plots.panels(1, 1, height=3.2, width=6.4)
for name, colour in (("CMS", "blue"), ("HCMS", "orange")):
    gains, paint = largest_gain[name], plots.COLOURS[colour]
    assert math.isclose(gains(1.0), raw[name], rel_tol=1e-9)
    axis.plot(levels, gains(levels), "-", color=paint, label=f"{name}, plain")
    axis.plot(after_shuffler[drawn], gains(of_reports[drawn]), "--", color=paint,
              label=f"{name}, shuffled, weaker noise")  # fmt: skip
axis.axhline(1, color="#555555", ls=":", lw=1)
axis.set(xlabel="level ε against the server", ylabel="gain of one fake (users)")
axis.set(yscale="log", xlim=(0.1, 4), ylim=(0.9, 22))
axis.set_yticks([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20"])
axis.minorticks_off()
axis.legend(fontsize=8.5)
plt.show()

# %% [markdown]
# At $\varepsilon = 1$ against the server, a fake on HCMS then gains 1.01<!-- {with_weaker_noise["HCMS"]:.2f} --> users for one item. It can still gain as much for *each* of several targets. There is also a price. The level against the server has $\delta = 10^{-6}$. If the shuffler colludes with the server, each report is protected with $\varepsilon =$ 5.0<!-- {report_level:.1f} --> only. Fakes, and people whose reports the server knows, do not count among the $n$ users of the bound.
#
# *Augmented* shufflers {cite:p}`murakami2025augmented` receive the true items, encrypted for the server, drop some reports and add dummy reports. A fake then gains exactly 1, because its report names one item and is kept as often as an honest one; but a shuffler and a server that collude learn every item. The companion derives parameters with $\delta = 0$ that give each count the level $\varepsilon$ *for one person more or less*. A person who changes the item changes two counts, so for the level $\varepsilon$ in the sense of this note, each count must have the level $\varepsilon/2$.
#
# ```{evidence} S-B35 S-B36
# ```
#
# ## Does less variance mean less gain? Not in this example.

# %% jupyter={"source_hidden": true} tags=["set-up"]
E, share = math.e, true_counts.max() / n
A, B = 1 + share * (E - 1), E * (E - share * (E - 1))
odds = math.sqrt(A / B)  # Q/(1 - Q) of least variance, for an item of this share
least_variance = 2 * (E + math.sqrt(A * B)) / (E - 1) ** 2  # for each user
gain_at_least_variance = (1 + E * odds) / ((E - 1) * odds)  # (1 - Q)/(P - Q)
odds_cms = math.sqrt(E)  # P/(1 - P) on CMS
variance_cms = odds_cms / (odds_cms - 1) ** 2
gain_cms = odds_cms / (odds_cms - 1)

# %% [markdown]
# CMS flips $+1$ and $-1$ with the same probability. At $\varepsilon = 1$, the unequal probabilities of least variance would make the largest variance of the shop's estimates 4.6%<!-- {1 - least_variance / variance_cms:.1%} --> smaller than on CMS, but the gain of a fake 20%<!-- {gain_at_least_variance / gain_cms - 1:.0%} --> larger. This is one pair of mechanisms at one level, if no two items share a cell; the companion derives the probabilities.
#
# ```{evidence} S-B38
# ```
#
# ## What it rests on
#
# The numbers are for one shop with 43 items, $m = 128$, $k = 1024$ and one family of hash functions. The bound of {cite:t}`feldman2021clones` we checked on tiny cases and by a second computation for $n$ users.
#
# ## Limits
#
# - Of combined defences we studied the filter followed by norm-sub only. Attacks on several items after cleaning, and a server that guesses the number of fakes wrongly, are open.
# - On HCMS, the chosen reports are the best for norm-sub only as long as all items stay positive.
# - The least sum of both gains is that of the limit of many items. With 43 items, a mechanism whose reports name 16 of them (*subset selection*) has a smaller sum.
# - We tested Diffstats on CMS only, and not against matched fakes with $+1$ in empty cells.
# - Defences that enforce the noise are the subject of [notebook 5](../sketch/05-oblivious-transfer.ipynb).
#
# ## What others had
#
# The gains on GRR, OUE and OLH are those of {cite:t}`cao2021poisoning`; for OLH they state the value of $e^\varepsilon + 1$ buckets. Of {cite:t}`liao2025range` we read abstract and beginning. The condition and the bound we found nowhere, and believe that they are ours; the elementary step may be known.
#
# Of {cite:t}`sun2024ldprecover` we read abstract and beginning. Its formulas we have from the program of {cite:t}`li2025mitigating`, whose comments name the positive items and whose code divides by the number of all. That it equals norm-sub with a smaller total is ours, as far as we know. Matched fakes are the adaptive attack of {cite:t}`li2025mitigating` (abstract and beginning) on another mechanism; to use the empty cells is ours.
#
# Of {cite:t}`feldman2021clones` we read the abstract and used the authors' program. The parameters for {cite:t}`murakami2025augmented` (abstract, beginning and a summary) may be those of their third protocol.
