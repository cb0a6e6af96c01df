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
# **What is known.** The paper {cite:p}`shimizu` strengthens the Count Mean Sketch (CMS) by a Hadamard matrix (HCMS) and oblivious transfer, and tests no defence of plain reports. Others clean the estimates {cite:p}`wang2020consistency`, subtract the fakes {cite:p}`sun2024ldprecover`, filter suspicious reports {cite:p}`li2025mitigating`, or shuffle the reports {cite:p}`feldman2021clones`. {cite:t}`liao2025range` found that cleaning can strengthen attacks on range queries (abstract and beginning).
#
# **Answer.** At $\varepsilon = 1$ on CMS, a fake user gains 2.55<!-- {raw["CMS"]:.2f} --> users for one item. Cleaning raises this to 4.01<!-- {cleaned["CMS"]:.2f} -->, close to the bound of 4.04<!-- {bound(oracles[3]):.2f} --> that we prove. Subtracting the fakes leaves 4.37<!-- {subtracted["CMS"]:.2f} -->. The best filter by weight, with 1% false alarms, finds 1.2%<!-- {caught:.1%} --> of careful fakes. A shuffler permits weaker noise, and then a fake gains only 1.09<!-- {weaker["CMS"]:.2f} -->; but each report alone has $\varepsilon =$ 5.0<!-- {spent:.1f} -->.
#
# **Why it matters.** A defence that works against other attacks may help an attacker who knows it.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** what four published defences do to the gain of one fake, when cleaning helps the attacker and by how much at most, and what a shuffler can and cannot do.
# **You need** the gains of [notebook 3](../sketch/03-poisoning.ipynb), convex functions, and the binomial distribution.
# **Time:** 21 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attacker** controls $n'$ of $n + n'$ users. It knows the mechanism and the defence, and sends any report that an honest user might send. It wants the published count of one target item to be large. **The server** is honest but curious. A **shuffler**, if there is one, permutes the reports and works neither for the attacker nor for the server. **Protected:** each report, up to $e^{\varepsilon}$. **Not protected:** the estimates.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
import math
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from scipy import optimize, stats

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
# As in [notebook 3](../sketch/03-poisoning.ipynb), take a CMS with one row, four cells, one item in each cell and $e^{\varepsilon/2} = 3$. Twelve honest users and one fake user, a *fake* for short, send reports. The fake sends $+1$ for its own item and $-1$ for the three others. This adds $\frac53$ to the estimate of its own item and $-1$ to each other estimate.
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
# The fake gains $\frac53$ in the raw estimate of its item, but $\frac94$ in the published count. The reason is that the fake raises the number of reports by 1 and lowers the sum of the estimates by $\frac43$. To correct the sum, norm-sub adds $\frac73$ to the four items, and the target receives a quarter of that.
#
# ## Method: five mechanisms and four defences
#
# We compare five mechanisms. A report of each *supports* some items. An honest report supports its user's own item with probability $P$, and each other item with probability $Q < P$. A report that supports $s$ of $r$ target items adds
#
# $$ \frac{s - rQ}{P - Q} $$
#
# to the sum of their estimates. The attacker makes $s$ as large as possible. A report of GRR names one item, so $s \le 1$. A report of OUE may mark any subset of the items. A report of OLH supports all items with one value of its user's hash function {cite:p}`wang2017locally`. Averaged over the hash functions, both sketches have this form, too:

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
# **Subtract the fakes.** *LDPRecover* {cite:p}`sun2024ldprecover` models the poisoned estimates as the sum of genuine and malicious ones. The server guesses the number $\hat\eta$ of fakes for each honest user. If it does not know the attack, it assumes that each fake supports one of the $D$ items; by the formula above, with $s = 1$ and $r = D$, such a fake adds $(1 - QD)/(P - Q)$ in total. The server spreads this total evenly over the items with a positive estimate, subtracts it, and applies norm-sub:

# %%
def recovered(estimates, guess, P, Q):
    """Shares among honest users; guess: the guessed number of fakes for each of them."""
    positive = estimates > 0
    modelled_fakes = (1 - Q * estimates.size) / (P - Q) * positive / positive.sum()
    genuine = (1 + guess) * estimates - guess * modelled_fakes
    return defences.norm_sub(genuine, 1)


# %% [markdown]
# **Filter the reports.** A CMS report has 128 signs. We call the number of its $+1$ the *weight*. The fake of our example has weight 1, which is unlikely for an honest report, so a server could remove it. But a careful attacker sends *padded* fakes: $+1$ in the target's cell, and honest noise in all other cells.
#
# By the lemma of Neyman and Pearson, the best test of the weight uses the ratio of its two distributions. It increases with the weight, because a padded fake always has the $+1$ of the target. So the best test raises an alarm above a certain weight:

# %%
p = cms.keep  # probability that a sign is sent unchanged
elsewhere = stats.binom.pmf(np.arange(129), 127, 1 - p)  # number of +1 in 127 other cells
padded_weight = np.append(0, elsewhere[:-1])
honest_weight = p * padded_weight + (1 - p) * elsewhere
false_alarms = honest_weight[::-1].cumsum()
caught = float(np.interp(0.01, false_alarms, padded_weight[::-1].cumsum()))
print(f"with 1% false alarms, the best test finds {caught:.2%} of the padded fakes")


# %% [markdown]
# **Shuffle the reports.** A shuffler hides who sent which report, so the level against the server is smaller than that of a single report. {cite:t}`feldman2021clones` prove an upper bound. Its closed form in their program is valid for $\varepsilon \le \ln \frac{n}{16 \ln (4/\delta)}$:

# %%
def shuffled(level, users, delta):
    """Upper bound of the level after the shuffler, from the level of each report."""
    E = math.exp(level)
    lift = 8 * math.sqrt(E * math.log(4 / delta) / users) + 8 * E / users
    return math.log(1 + (1 - 1 / E) / (1 + 1 / (E * (1 + lift))) * lift)


spent = optimize.brentq(lambda level: shuffled(level, n, 1e-6) - 1, 1, 5.3)
print(f"ε = 1 for each report becomes {shuffled(1, n, 1e-6):.3f} after the shuffler")
print(f"ε = {spent:.2f} for each report becomes 1 after the shuffler")

# %% [markdown]
# ```{evidence} S-B29
# ```
#
# ## Result: only weaker noise reduces the gain
#
# We let 502<!-- {n_fake} --> fakes promote the item A2 among the 49,742<!-- {n:,} --> users of the shop. On CMS they use the paper's attack, which sends the report of our small example: $+1$ for the target and $-1$ everywhere else. On HCMS, norm-sub undoes the paper's attack. There we choose, among the reports that support the target, those that lower the other items most (`best_pairs`).

# %%
rivals = [item for item in items if item != target]
attacks = {
    "CMS": poisoning.fake_reports(cms, "mga", targets=[target], n_fake=n_fake, rng=rng),
    "HCMS": poisoning.best_pairs(hcms, [target], others=rivals, n_fake=n_fake),
}


# %%
def published_gains(oracle, added):
    """Gain of one fake after norm-sub, and after LDPRecover with the right guess."""
    P, Q = float(oracle.own), float(oracle.other)
    shops = honest_shops(oracle.name, P, Q)
    before = defences.norm_sub(shops, n)[:, target_index]
    after = defences.norm_sub(shops + added, n + n_fake)[:, target_index]
    repaired = []
    for estimates in shops + added:
        shares = recovered(estimates / (n + n_fake), n_fake / n, P, Q)
        repaired.append(n * shares[target_index])
    return (after - before).mean() / n_fake, (repaired - before).mean() / n_fake


# %% [markdown]
# The gains after norm-sub and LDPRecover are means over 100 simulated shops, that is, sets of honest reports. In the last row of {numref}`fig-sk-10-defences`, the server requires $\varepsilon = 1$ for the shuffled reports only, so each report may have $\varepsilon =$ 5.0<!-- {spent:.1f} -->:

# %%
raw, cleaned, subtracted, weaker = {}, {}, {}, {}
for scheme, oracle in ((cms, oracles[3]), (hcms, oracles[4])):
    name = scheme.name
    added = scheme.aggregate(attacks[name]).estimate(items)  # by all fakes, to all items
    raw[name] = added[target_index] / n_fake
    cleaned[name], subtracted[name] = published_gains(oracle, added)
    less_noise = type(scheme)(spent, hashes=1024, width=128, seed=2024)
    weaker[name] = poisoning.frequency_gain(less_noise, "mga", n_fake=1, targets=1)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What one fake gains for one item at \u03b5 = 1 with each defence, in users. The dotted line is the gain of one honest user. Cleaning and subtracting help the attacker. A filter and a shuffler alone change almost nothing. Only weaker noise brings the gain near one user. (The filter by weight does not apply to HCMS, whose reports have one sign.)", "name": "fig-sk-10-defences"}, "image": {"alt": "Six rows with a dot for CMS and a square for HCMS. No defence 2.6<!-- {raw[\"CMS\"]:.1f} --> and 2.2<!-- {raw[\"HCMS\"]:.1f} -->; norm-sub 4.0<!-- {cleaned[\"CMS\"]:.1f} --> and 3.1<!-- {cleaned[\"HCMS\"]:.1f} -->; subtracting 4.4<!-- {subtracted[\"CMS\"]:.1f} --> and 3.2<!-- {subtracted[\"HCMS\"]:.1f} -->; filter and shuffler as no defence; weaker noise 1.1<!-- {weaker[\"CMS\"]:.1f} --> and 1.0<!-- {weaker[\"HCMS\"]:.1f} -->."}} tags=["figure"]
filtered = {"CMS": (1 - caught) * raw["CMS"]}
defence_rows = {
    "no defence": raw,
    "norm-sub": cleaned,
    "subtract the fakes": subtracted,
    "filter by weight": filtered,
    "shuffler": raw,
    "shuffler, weaker noise": weaker,
}
fig, axis = plots.panels(1, 1, height=3.2, width=6.8)
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
# The next proposition says when norm-sub strengthens an attack on single items, and by how much at most.
#
# ````{prf:proposition} What a fake gains after norm-sub
# :label: thm-sk-10-rate
# Let a fake add $e_d$ to the raw estimate of item $d$, for each of $D$ items. Let $S$ be the set of the items that are positive after norm-sub. Let $s$ be their number, and let the target $t$ be one of them.
# 1. As long as $S$ stays the same, each fake raises the published count of $t$ by $e_t - \frac1s \bigl( \sum_{d \in S} e_d - 1 \bigr)$. This is more than the raw gain $e_t$ if and only if $\sum_{d \in S} e_d < 1$.
# 2. As long as the published count of $t$ is positive, it is a concave function of the number of fakes. So the first fakes gain most.
# 3. Suppose that $e_t - e_d \le g$ for all $d$, with $g \ge 1$. Then $n'$ fakes raise the published count of $t$ by at most $n' \bigl( (1 - \frac1D)\, g + \frac1D \bigr)$.
# ````
#
# *Proof.*
#
# 1. Let $x_d$ be the raw estimates and $N$ the number of reports. Norm-sub subtracts the number $\delta$ with $\sum_{d \in S} (x_d - \delta) = N$. A fake raises $\sum_{d \in S} x_d$ by $\sum_{d \in S} e_d$ and $N$ by 1. Therefore $\delta$ grows by $\frac1s (\sum_{d \in S} e_d - 1)$, and the published count $x_t - \delta$ grows by $e_t$ minus this.
#
# 2. Let $\theta \ge 0$ be the number of fakes, and let $h(\theta, \delta) = \sum_d \max(x_d + \theta e_d - \delta, 0) - \theta$, where $x_d$ and $N$ now belong to the honest reports. The function $h$ is convex and does not increase with $\delta$. Norm-sub uses the smallest $\delta$ with $h(\theta, \delta) \le N$; call it $\delta(\theta)$. The pairs $(\theta, \delta)$ with $h \le N$ form a convex set, because $h$ is convex. So the lower boundary $\delta(\theta)$ of this set is a convex function, and $x_t + \theta e_t - \delta(\theta)$ is concave.
#
# 3. Let $a = e_t$, and let $b$ be the mean of $e_d$ over the other $s - 1$ items of $S$. The gain of part 1 is a weighted mean of $a - b$ and 1:

# %%
a, b, s = sp.symbols("a b s", positive=True)
gain = a - (a + (s - 1) * b - 1) / s
assert sp.expand(gain - ((1 - 1 / s) * (a - b) + 1 / s)) == 0


# %% [markdown]
# Since $a - b \le g$, $g \ge 1$ and $s \le D$, this gain is at most $(1 - \frac1D) g + \frac1D$. The set $S$ changes only finitely often, and while the published count of the target is zero, fakes gain nothing. $\square$
#
# How large is $g$? A report raises the target by at most $\frac{1 - Q}{P - Q}$, its *promotion gain*. It lowers another item by at most $\frac{Q}{P - Q}$, its *demotion gain*. So $g$ is at most their sum, $\frac1{P - Q}$. So cleaning can add almost the whole demotion gain to the promotion gain. It does so for reports that support the target and nothing else ({numref}`fig-sk-10-cleaning`).

# %%
def bound(oracle):
    """Largest gain of one fake after norm-sub, by the proposition."""
    sum_of_gains = 1 / (oracle.own - oracle.other)  # promotion and demotion
    return float((1 - 1 / 43) * sum_of_gains + 1 / 43)


# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What cleaning does to the strongest attack that we know, at \u03b5 = 1. Open circles are raw gains, filled circles are gains after norm-sub (mean of 100 simulated shops), and bars are the bounds of the proposition. On OUE, OLH and CMS, where a report can support the target alone, the gain comes close to the bound. On HCMS, where every report supports about half of the items, it does not.", "name": "fig-sk-10-cleaning"}, "image": {"alt": "Four rows with arrows to the right. From 3.2<!-- {gains_of[\"OUE\"][0]:.1f} --> to 4.2<!-- {gains_of[\"OUE\"][1]:.1f} --> for OUE, from 3.3<!-- {gains_of[\"OLH\"][0]:.1f} --> to 4.4<!-- {gains_of[\"OLH\"][1]:.1f} --> for OLH and from 2.6<!-- {raw[\"CMS\"]:.1f} --> to 4.0<!-- {cleaned[\"CMS\"]:.1f} --> for CMS, all close to the bar; from 2.2<!-- {raw[\"HCMS\"]:.1f} --> to 3.1<!-- {cleaned[\"HCMS\"]:.1f} --> for HCMS, where the bar stands at 4.3<!-- {bound(oracles[4]):.1f} -->."}} tags=["figure"]
gains_of = {}
for oracle in oracles[1:3]:
    up, down = (frequency_gain(oracle, kind, n_fake=1, targets=1) for kind in ("mga", "demotion"))
    effect = np.where(np.arange(43) == target_index, float(up), float(down))
    gains_of[oracle.name] = (float(up), published_gains(oracle, n_fake * effect)[0])
for name in ("CMS", "HCMS"):
    gains_of[name] = (raw[name], cleaned[name])
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
# On CMS, one fake of the paper's attack lowers the sum of all estimates by 62<!-- {-cms.aggregate(attacks['CMS']).estimate(items).sum()/n_fake:.0f} --> users, and norm-sub adds these users to the items that stay positive. On GRR, cleaning cannot help a fake that names the target, because its report adds at least 1 to the sum over $S$.
#
# The bound depends only on the sum of the promotion gain $g^+$ and the demotion gain $g^-$. The note [*Would another mechanism have been safer?*](sketch-another-mechanism.ipynb) shows that in the limit of many items, every mechanism satisfies $e^\varepsilon/g^+ + 1/g^- \le e^\varepsilon - 1$.
#
# ````{prf:proposition} The least sum of both gains
# :label: thm-sk-10-least
# If $e^\varepsilon/g^+ + 1/g^- \le e^\varepsilon - 1$, then $g^+ + g^- \ge (e^{\varepsilon/2} + 1)/(e^{\varepsilon/2} - 1)$. Symmetric unary encoding attains this value, and CMS has $m/(m-1)$ times this value.
# ````
#
# *Proof.* Let $A = e^{\varepsilon/2}$. Then $(g^+ + g^-)\bigl(\frac{A^2}{g^+} + \frac1{g^-}\bigr) = (A + 1)^2 + \frac{(g^+ - A g^-)^2}{g^+ g^-} \ge (A + 1)^2$. The second factor is at most $A^2 - 1$; divide by it. Equality needs $g^+ = A g^-$. Symmetric unary encoding marks a user's own item with probability $P = \frac A{A + 1}$ and each other item with probability $Q = \frac1{A + 1}$, so it has this ratio. For CMS, $P - Q = \frac{m - 1}m \cdot \frac{A - 1}{A + 1}$. $\square$
#
# So in the limit of many items, the sum of both gains of CMS is within the factor $m/(m-1) =$ 1.008<!-- {128 / 127:.3f} --> of the smallest possible sum.
#
# ```{evidence} S-B30 S-B31
# ```
#
# ## Why does subtracting the fakes remove so little?
#
# Without knowledge of the attack, LDPRecover does little more than norm-sub:
#
# ````{prf:proposition} LDPRecover is norm-sub to a smaller total
# :label: thm-sk-10-recover
# Let $N$ reports give the estimates $x_d$ of $D$ items, and let $QD \ge 1$. Suppose that all estimates are positive, or that the positive ones add up to at least $\hat n = N/(1 + \hat\eta)$, the guessed number of honest reports. Then LDPRecover gives the same shares as norm-sub with the total $\hat n$. If the modelled fakes are spread over *all* items, no such condition is needed.
# ````
#
# *Proof.* Multiply all shares by $\hat n$. Then LDPRecover subtracts the modelled fakes from the $x_d$ and applies norm-sub with the total $\hat n$. Norm-sub gives the same result if one number is added to all estimates. This proves the case that the fakes are spread over all items, and the case that all estimates are positive.
#
# In the remaining case, the modelled total of the fakes is not positive, since $QD \ge 1$. Subtracting it therefore raises all positive estimates by the same $c \ge 0$. The positive estimates add up to at least $\hat n$. So without this change, norm-sub subtracts some $\delta \ge 0$, and all items that are not positive become 0. With the change it subtracts $\delta + c$, which gives the same result. $\square$
#
# Under this condition, the method only distributes a smaller total. This removes random reports, which raise all items alike. But a fake that pretends to hold the target and adds honest noise keeps $1 - \frac1s$ of its gain of 1, where $s$ is the number of positive items.
#
# The paper's attack on CMS makes so many estimates negative that the condition fails in every shop. Then the modelled fakes raise the positive items further, and the gain becomes larger than after norm-sub. If the modelled fakes are spread over all items, the gain is a little smaller than after norm-sub.
#
# ```{evidence} S-B32
# ```
#
# ## Why does a filter miss careful fakes?
#
# We also consider *matched* fakes, whose weight is drawn from the honest distribution.
#
# ````{prf:proposition} What the weight of a report reveals
# :label: thm-sk-10-weight
# Let $p$ be the probability that CMS sends a sign unchanged, and $q = 1 - p$. Let a test of the weight raise an alarm for a share $\alpha$ of the honest reports. Then it raises an alarm for at most a share $\alpha/p$ of the padded fakes, and for at most a share $\alpha/(1 - q p^{m-1})$ of the matched fakes. Both kinds of fakes have the full raw gain.
# ````
#
# *Proof.* With probability $p$, the sign of an honest user's own cell is sent unchanged, as $+1$. In this case the weight of the report has the same distribution as the weight of a padded fake. Hence for honest reports, each set of weights has at least $p$ times its probability for padded fakes. A matched fake has weight 1 or more, because of its target. An honest report has weight 0 with probability $q p^{m-1}$, so excluding this weight multiplies the other probabilities by $1/(1 - q p^{m-1})$. The raw gain depends on the target's cell only. $\square$
#
# At $\varepsilon = 1$, with 1% false alarms, the bound for padded fakes is 1.61%<!-- {0.01 / p:.2%} -->, and the best test finds 1.17%<!-- {caught:.2%} --> of them.
#
# *Diffstats* {cite:p}`li2025mitigating` looks for weights that are too frequent. Then it accuses a few items, and removes the reports that have such a weight and support an accused item. We ran the rule of its program on CMS in 20 simulated shops.
#
# - If all fakes have the mean honest weight, the rule accuses the target in some shops. There it also removes honest supporters, and the estimate of the target becomes far too low.
# - If all fakes have weight 1, as in the paper's attack, it accuses the target in no shop. With two of its steps corrected, it does so in all shops.
# - Of padded and matched fakes, it removes hardly more than of the honest reports.
#
# The note [*Can a poisoned report hide?*](sketch-hiding-and-defending.ipynb) studies a test that uses all estimates together.
#
# ```{evidence} S-B33 S-B34 S-B37
# ```
#
# ## What does a shuffler buy?
#
# A sketch adds up the reports, so a shuffler alone changes no estimate and no gain. But it improves privacy, and so permits weaker noise. With weaker noise a fake gains less, because the estimator corrects for noise that the fake does not add.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Largest gain of one fake on one item, against the privacy level of the release to the server. Solid lines are plain reports. Dashed lines are shuffled reports of 49,742<!-- {n:,} --> users with \u03b4 = 1e-6, with the weakest noise that the bound allows. They end where the closed form is no longer valid.", "name": "fig-sk-10-shuffle"}, "image": {"alt": "Two solid curves fall from 20.7<!-- {largest_gain[\"CMS\"](0.1):.1f} --> and 20.2<!-- {largest_gain[\"HCMS\"](0.1):.1f} --> at a level of 0.1 to 1.2<!-- {largest_gain[\"CMS\"](4):.1f} --> and 1.0<!-- {largest_gain[\"HCMS\"](4):.1f} --> at 4; HCMS lies below CMS. Two dashed curves fall from 2.6<!-- {largest_gain[\"CMS\"](of_reports[drawn][0]):.1f} --> and 2.2<!-- {largest_gain[\"HCMS\"](of_reports[drawn][0]):.1f} --> to 1.1<!-- {largest_gain[\"CMS\"](of_reports[-1]):.1f} --> and 1.0<!-- {largest_gain[\"HCMS\"](of_reports[-1]):.1f} --> at a level of 1.1<!-- {after_shuffler[-1]:.1f} -->, where they end. A dotted horizontal line at 1."}} tags=["figure"]
levels = np.linspace(0.1, 4, 200)
of_reports = np.linspace(0.05, 5.3, 200)
after_shuffler = np.array([shuffled(level, n, 1e-6) for level in of_reports])
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
# At $\varepsilon = 1$ against the server, a fake on HCMS then gains 1.01<!-- {weaker["HCMS"]:.2f} --> users for one item. It can still gain as much for *each* of several targets. There is also a price. If the shuffler colludes with the server, each report is protected with $\varepsilon =$ 5.0<!-- {spent:.1f} --> only. Fakes, and people whose reports the server knows, do not count among the $n$ users of the bound.
#
# *Augmented* shufflers {cite:p}`murakami2025augmented` add the noise themselves. Users send their true item, encrypted for the server. The shuffler keeps each report with probability $\beta$. For each item, it adds a geometric number of dummy reports, with ratio $\rho$. One person more or less changes the probability of a count by a factor between $1 - \beta$ and $1 - \beta + \beta/\rho$. The following choice makes these factors $1/E$ and $E$ with $E = e^\varepsilon$, so that no $\delta$ is needed:

# %%
E = sp.Symbol("E", positive=True)
beta, rho = 1 - 1 / E, 1 / (E + 1)
assert sp.simplify(1 - beta - 1 / E) == sp.simplify(1 - beta + beta / rho - E) == 0

# %% [markdown]
# A fake can send only one item, and its report is kept as often as an honest one, so it gains exactly 1. But a shuffler and a server that collude learn every item.
#
# ```{evidence} S-B35 S-B36
# ```
#
# ## Does less variance mean less gain? No.
#
# CMS flips $+1$ and $-1$ with the same probability. More generally, let a sign be $+1$ with probability $P$ in the user's own cell and $Q$ in each other cell. Privacy requires $\frac P{1 - P} = E\, \frac Q{1 - Q}$ with $E = e^\varepsilon$. If a share $f$ of the users is in a cell, the variance of its count is smallest for $\frac Q{1 - Q} = \sqrt{A/B}$, with $A = 1 + f(E - 1)$ and $B = E(E - f(E - 1))$. For $f = 0$ this is OUE, for $f = \frac12$ CMS. The largest share in the shop is 6.1%<!-- {share:.1%} -->:

# %%
E, share = math.e, true_counts.max() / n
A, B = 1 + share * (E - 1), E * (E - share * (E - 1))
odds = math.sqrt(A / B)  # Q/(1 - Q)
tuned_variance = 2 * (E + math.sqrt(A * B)) / (E - 1) ** 2  # for each user
tuned_gain = (1 + E * odds) / ((E - 1) * odds)  # (1 - Q)/(P - Q)
odds_cms = math.sqrt(E)  # P/(1 - P) on CMS
variance_cms = odds_cms / (odds_cms - 1) ** 2
gain_cms = odds_cms / (odds_cms - 1)
print(f"variance: {1 - tuned_variance / variance_cms:.1%} less than CMS")
print(f"gain of a fake: {tuned_gain / gain_cms - 1:.0%} more than CMS")

# %% [markdown]
# (Both numbers are for a sketch so wide that no two items share a cell.)
#
# ```{evidence} S-B38
# ```
#
# ## What it rests on
#
# The numbers are for one shop with 43 items, $m = 128$, $k = 1024$ and one family of hash functions. The level after shuffling rests on the bound of {cite:t}`feldman2021clones`, which we checked on tiny cases and by a second computation for $n$ users.
#
# ## Limits
#
# - We did not study combined defences, attacks on several items after cleaning, or a server that guesses the number of fakes wrongly.
# - On HCMS, the chosen reports are the best for norm-sub as long as all items stay positive. We do not know the best attack otherwise.
# - {prf:ref}`thm-sk-10-least` holds in the limit of many items. With 43 items, subset selection has a smaller sum of both gains.
# - Diffstats was made for OUE, OLH and a mechanism with random signs. We did not test it there.
# - The shuffler is assumed to be honest. Defences that enforce the noise are the subject of [notebook 5](../sketch/05-oblivious-transfer.ipynb).
#
# ## What others had
#
# The gains on GRR, OUE and OLH are those of {cite:t}`cao2021poisoning`; for OLH they state the value of $e^\varepsilon + 1$ buckets. {cite:t}`liao2025range` found that norm-sub strengthens attacks. The condition, the bound and the comparison of mechanisms we found in nothing that we read, and believe that they are ours; the elementary step may be known.
#
# Of {cite:t}`sun2024ldprecover` we read abstract and beginning. Its formulas we have from the program of {cite:t}`li2025mitigating`, whose comments name the positive items and whose code divides by the number of all. The equality of LDPRecover and norm-sub with a smaller total is ours, as far as we know. Matched fakes are the adaptive attack of {cite:t}`li2025mitigating` (abstract and beginning) on another mechanism.
#
# Of {cite:t}`feldman2021clones` we read the abstract and used the authors' program. {cite:t}`murakami2025augmented` (abstract, beginning and a summary) say that shuffled protocols are easier to poison if the level is smaller; the parameters above may be those of their third protocol.
