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
# # Who learns what, from which release?
#
# **Question.** The pages of this part test each release against one attacker. Which releases keep their promise if the attacker *believes* the output, *knows* the mechanism, or knows it and *waits* for the next release?
#
# **Answer.** Of eleven releases for nine people at $\varepsilon = 1$, 5<!-- {len(kept["believes"])} --> keep all gains at most $e$ against the attacker who believes, 7<!-- {len(kept["knows"])} --> against the one who knows, 4<!-- {len(both)} --> against both, and 1<!-- {len(kept["waits"])} --> against the one who waits: the best event-level release, with a mean error of 2.22<!-- {error["best event-level"]:.2f} -->. Against an attacker who knows the mechanism and sees one release, a simple rule that needs no solver has an error of 0.566<!-- {error["truth or fresh draw"]:.3f} -->, where the best possible release has 0.165<!-- {error["best one-sided"]:.3f} -->.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** to ask against whom a promise is made, to compute what three attackers gain from the same release, why a harmless release can give away the previous minute, and how to publish "the truth or a fresh draw".
# **You need** Algorithm 1 and the bridge walk ([notebook 3](../location/03-publishing-a-histogram.ipynb)), and channels, gains and the best releases ([notebook 5](../location/05-the-idea-done-right.ipynb)).
# **Time:** 20 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attackers** know the transition matrix and where everybody was a minute ago (class NPK of the paper). They differ in what else they know and see. **Protected:** the guess where a person is now. It may become at most $e^\varepsilon$ times as probable. **Not considered:** attackers with another matrix ([another note](location-wrong-matrix.ipynb)), and more than two releases.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
import math
from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import product

import matplotlib.pyplot as plt
import numpy as np

from privlib.location import bridge_histogram, max_gain, mechanism, private_histogram
from privlib.notebook import plots

plots.use()

# %% [markdown]
# ## Four people and two attackers
#
# Four people are in one place. Each of them stays with probability $\frac12$. An operator wants to publish how many stayed, from 0 to 4. If nobody stayed, then everybody knows where Ann is: the guess "Ann left" becomes twice as probable. The operator allows only a factor of $\frac32$. So the counts 0 and 4 are replaced by 1 and 3:

# %%
rule = {0: 1, 1: 1, 2: 2, 3: 3, 4: 3}  # people who stayed: what is published
moves = list(product((0, 1), repeat=4))  # 1: this person stayed; Ann is the first
for published in (1, 2, 3):
    believed = Fraction(published, 4)  # probability that Ann stayed
    possible = [move for move in moves if rule[sum(move)] == published]
    known = Fraction(sum(move[0] for move in possible), len(possible))
    gains = [2 * max(chance, 1 - chance) for chance in (believed, known)]
    print(f"{published} published: gain {gains[0]} if believed, {gains[1]} if the rule is known")

# %% [markdown]
# An attacker who believes the number 1 thinks that one of four people stayed. So "Ann left" has the probability $\frac34$, and the gain is $\frac32$, as allowed. An attacker who knows the rule also considers that nobody stayed. This makes "Ann left" more probable, and the gain is $\frac85$. The rule keeps its promise against the first attacker and breaks it against the second.
#
# The opposite happens, too. If the operator published 4 whenever 0 or 4 people stayed, a believer would gain 2 from the number 4. An attacker who knows the rule would gain nothing: both cases are equally likely.
#
# ## Method: one formula for all attackers
#
# Let $x$ be the true histogram, $p(x)$ its probability, and $g_{ij}(x)$ the gain of the guess that a person from $i$ is now at $j$, if $x$ itself is published. Whatever an attacker sees, it tells something about the people only because it tells something about $x$:
#
# ````{prf:proposition} Every gain is an average of the gains from the truth
# :label: thm-lo-08-average
# Let $s$ be what an attacker sees. Suppose that, given $x$, it does not depend on who is where. Then the guess that a person from $i$ is at $j$ gains $\sum_x \Pr(x \mid s)\, g_{ij}(x)$.
# ````
#
# *Proof.* Let $u$ be the person. Then $\Pr(u \text{ at } j \mid s) = \sum_x \Pr(x \mid s) \Pr(u \text{ at } j \mid x, s)$. By assumption the last factor is $\Pr(u \text{ at } j \mid x) = P_{ij}\, g_{ij}(x)$. Divide by the prior probability $P_{ij}$. $\square$
#
# The attackers differ only in the weights $\Pr(x \mid s)$:
#
# | attacker | sees | weight of the histogram $x$ |
# |---|---|---|
# | *believes* | the output $o$ | 1 for $x = o$, otherwise 0 |
# | *knows* the mechanism | the output $o$ | proportional to $p(x)\, Q(o \mid x)$ |
# | knows it and *waits* | $o$ and the next output $o'$ | proportional to $p(x)\, Q(o \mid x)\, Q'(o' \mid x)$ |
#
# Here $Q(o \mid x)$ is the channel. A minute later, the operator uses the channel that was designed for $x$ as the previous histogram; $Q'(o' \mid x)$ is its average over the next true histogram. The proposition covers the attacker who waits, because people in the same place move alike. So the next histogram depends on the people only through $x$.
#
# Our example is that of notebook 5: nine people, three in each of three places.

# %%
P = np.array([[6, 3, 1], [2, 6, 2], [1, 3, 6]]) / 10  # row: from, column: to
crowd = (3, 3, 3)
inputs = mechanism.histograms(9, 3)
number = {tuple(x): k for k, x in enumerate(inputs.tolist())}


@cache
def chances_and_gains(before):
    """p(x) for each next histogram x, and the gains g[x, i, j] from the truth."""
    p = mechanism.output_distribution(before, P)
    g = mechanism.mechanism_gain(before, P, channel=np.eye(len(p)))
    return p, np.nan_to_num(g)


# %%
def largest_gains(before, channel):
    """Probability and largest gain of every output, if the channel is known."""
    p, g = chances_and_gains(before)
    joint = p[:, None] * channel
    chance = joint.sum(axis=0)
    weights = joint[:, chance > 0] / chance[chance > 0]
    return chance[chance > 0], np.tensordot(weights.T, g, axes=1).max(axis=(1, 2))


def believed_gain(before, output):
    """Largest gain of an attacker who takes the output for the truth."""
    nearest = tuple(output.round().astype(int).tolist())
    if np.allclose(output, nearest, rtol=0, atol=1e-9):
        return chances_and_gains(before)[1][number[nearest]].max()
    return max_gain(before, output, transition=P, definition="bridge")


# %% [markdown]
# Some releases publish fractions of people. No histogram of nine people agrees with such an output. For a believer we then take the bridge gain of notebook 3, which is the gain in a very large crowd.
#
# ## Eleven releases
#
# Five releases are deterministic rules: the *truth*; *Algorithm 1* with the smallest weight of the forecast that passes the test; Algorithm 1 *as printed*, whose misprint publishes the full forecast as soon as the truth fails the test; the *bridge walk*; and the *forecast* $\pi P$ itself, whatever happens. Algorithm 1 and the bridge walk are also *rounded* to whole people. The largest fractions are rounded up, so that the total stays nine.

# %%
@cache
def algorithm_1(before):
    unit = "person" if min(np.array(before) @ P) >= 1 else "infinitesimal"
    settings = {"transition": P, "epsilon": 1, "unit": unit}
    return np.array([private_histogram(before, x, **settings).histogram for x in inputs])


@cache
def bridge_walk(before):
    settings = {"transition": P, "epsilon": 1, "certify": False}
    return np.array([bridge_histogram(before, x, **settings).histogram for x in inputs])


def forecast(before):
    return np.tile(np.array(before) @ P, (len(inputs), 1))


def as_printed(before):
    passes = (algorithm_1(before) == inputs).all(axis=1)  # the truth is published
    return np.where(passes[:, None], inputs, forecast(before))


# %% [markdown]
# (The test takes away a whole person. Where less than one person is expected, this is undefined, and the marginal gain stands in.)
#
# Four releases are random: the *best one-sided*, *best two-sided* and *best event-level* release of notebook 5, which linear programmes compute, and *truth or fresh draw*, our own, explained below. The best event-level release is designed once, for the previous histogram (3, 3, 3), and used in every minute. All others are designed anew for each previous histogram:

# %% jupyter={"source_hidden": true} tags=["set-up"]
def rounded(releases):
    """Whole people; the largest fractions are rounded up, and the total is kept."""
    low = np.floor(releases + 1e-9)
    fractions = (releases - low).round(9)
    missing = np.rint(fractions.sum(axis=1))
    rank = np.argsort(np.argsort(-fractions, axis=1, kind="stable"), axis=1)
    return low + (rank < missing[:, None])


def of_rule(releases):
    """Outputs and channel of a rule that publishes releases[k] for the k-th histogram."""
    outputs, label = np.unique(releases.round(9) + 0.0, axis=0, return_inverse=True)
    return outputs, np.eye(len(outputs))[label.reshape(-1)]


def best(before, **options):
    solved = mechanism.optimal_mechanism(before, P, epsilon=1, **options)
    return solved.outputs.astype(float), solved.channel


@cache
def event_level():
    solved = mechanism.event_level_mechanism(crowd, P, epsilon=1)
    return solved.outputs.astype(float), solved.channel


releases = {
    "forecast": lambda before: of_rule(forecast(before)),
    "Algorithm 1 as printed": lambda before: of_rule(as_printed(before)),
    "best event-level": lambda before: event_level(),
    "Algorithm 1": lambda before: of_rule(algorithm_1(before)),
    "Algorithm 1, rounded": lambda before: of_rule(rounded(algorithm_1(before))),
    "truth or fresh draw": lambda before: fresh_draw(before, math.e),
    "best two-sided": lambda before: best(before, two_sided=True),
    "bridge walk": lambda before: of_rule(bridge_walk(before)),
    "best one-sided": best,
    "bridge walk, rounded": lambda before: of_rule(rounded(bridge_walk(before))),
    "truth": lambda before: of_rule(inputs.astype(float)),
}
mirror = [number[tuple(x)] for x in inputs[:, ::-1].tolist()]


# %%
@cache
def design(name, before):
    """Outputs and channel of a release, after the histogram `before`."""
    if before > before[::-1]:  # places 1 and 3 are alike
        outputs, channel = design(name, before[::-1])
        return outputs[:, ::-1], channel[mirror]
    return releases[name](before)


# %% [markdown]
# For the attacker who waits, two outputs are treated as one output of a larger channel, $Q(o \mid x)\, Q'(o' \mid x)$:

# %%
def with_next_release(name, before):
    """Channel from the histogram to a release together with the next one."""
    later = defaultdict(lambda: np.zeros(len(inputs)))
    for x, k in number.items():
        outputs, channel = design(name, x)
        for output, chance in zip(outputs.round(7), chances_and_gains(x)[0] @ channel):
            later[tuple(output)][k] += chance
    later = np.array(list(later.values())).T
    _, now = design(name, before)
    return (now[:, :, None] * later[:, None, :]).reshape(len(inputs), -1)


# %% [markdown]
# ## A promise holds against one attacker, not against all
#
# We still need the last release:
#
# ```{prf:definition} Truth or fresh draw
# :label: def-lo-08-fresh
# Call a histogram *good* if no gain from it exceeds a threshold $\tau$. If the true histogram is good, publish it. If not, draw histograms from $p(x)$ until one is good, and publish that one.
# ```

# %%
def fresh_draw(before, bound):
    """Outputs and channel of truth or fresh draw, with the largest threshold that works."""
    p, g = chances_and_gains(before)
    worst = g.max(axis=(1, 2)).round(9)
    for threshold in sorted(set(worst), reverse=True):
        good = worst <= threshold
        channel = np.eye(len(p))[:, good]
        channel[~good] = p[good] / p[good].sum()
        if largest_gains(before, channel)[1].max() <= bound:
            return inputs[good].astype(float), channel
    raise ValueError("no threshold keeps the bound")


# %% [markdown]
# {numref}`fig-lo-08-map` compares all releases.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Eleven releases for nine people at \u03b5 = 1. Left, the largest gain of three attackers; a promise is kept on the line e and to the left of it. Right, the mean error, in which a misplaced person counts twice. Only the best event-level release has all three marks on the left of the line.", "name": "fig-lo-08-map"}, "image": {"alt": "A row for each release, with three marks for the gains from 1 to 10 and a bar for the error. The marks of the attacker who waits stand far to the right of the line e in all rows but that of the best event-level release."}} tags=["figure"]
attackers = {"believes": ("o", "sky"), "knows": ("s", "blue"), "waits": ("^", "orange")}
p, g = chances_and_gains(crowd)
gain, above, error, outputs_used, whole_chance = {}, {}, {}, {}, {}
for name in releases:
    outputs, channel = design(name, crowd)
    chances = p @ channel
    by_attacker = {
        "believes": (chances, np.array([believed_gain(crowd, output) for output in outputs])),
        "knows": largest_gains(crowd, channel),
        "waits": largest_gains(crowd, with_next_release(name, crowd)),
    }
    for who, (chance, gains_of_outputs) in by_attacker.items():
        gain[name, who] = gains_of_outputs.max()
        above[name, who] = chance[gains_of_outputs > math.e * (1 + 1e-9)].sum()
    apart = np.abs(inputs[:, None] - outputs).sum(axis=2)
    error[name] = p @ (channel * apart).sum(axis=1)
    outputs_used[name] = len(outputs)
    whole_chance[name] = chances[np.isclose(outputs, outputs.round()).all(axis=1)].sum()
kept = {}
for who in attackers:
    kept[who] = [name for name in releases if gain[name, who] <= math.e * (1 + 1e-9)]
both = [name for name in kept["believes"] if name in kept["knows"]]

fig, (left, right) = plots.panels(1, 2, height=4.6, width=8.6, sharey=True,
                                  gridspec_kw={"width_ratios": [2.6, 1]})  # fmt: skip
heights = -np.arange(len(releases))
for shift, (who, (marker, colour)) in zip((0.22, 0, -0.22), attackers.items()):
    left.plot([gain[name, who] for name in releases], heights + shift, marker, ls="", ms=6,
              color=plots.COLOURS[colour], label=who)
left.axvline(math.e, color="#555555", lw=1.2, ls="-")
left.text(math.e * 1.04, -10.5, "e", color="#555555")
for height in heights[:-1] - 0.5:
    left.axhline(height, color="#dddddd", lw=0.6, ls="-")
left.set(xscale="log", xlabel="largest gain", xlim=(0.9, 11.5), ylim=(-10.7, 0.7))
left.set_xticks([1, 2, 5, 10], ["1", "2", "5", "10"])
left.minorticks_off()
left.set_yticks(heights, list(releases))
left.grid(visible=False, axis="y")
left.legend(ncols=3, loc="upper center", bbox_to_anchor=(0.5, 1.18), title="an attacker who …")
bars = right.barh(heights, [error[name] for name in releases], height=0.6,
                  color=plots.COLOURS["green"])
right.bar_label(bars, fmt="%.2f", fontsize=8, padding=2)
right.set(xlabel="mean error", xlim=(0, 3.9))
right.grid(visible=False, axis="y")
plt.show()

# %% [markdown]
# **Belief and knowledge differ, in both directions.** Algorithm 1 keeps its promise against a believer, whose largest gain is 1.61<!-- {gain["Algorithm 1", "believes"]:.2f} -->. But it has 53<!-- {outputs_used["Algorithm 1"]} --> outputs for 55<!-- {len(inputs)} --> histograms. An attacker who knows it can almost always look up the truth, and gains up to 10<!-- {gain["Algorithm 1", "knows"]:.0f} -->, as from the truth itself. The best one-sided release is safe against this attacker and not against a believer, who is misled by its noise. (A believer's gain is a belief. It may be wrong.)
#
# **The bridge walk keeps its promise only in part.** It is made for believers in a very large crowd. Nine people are few: the exact gain of a believer reaches 2.73<!-- {gain["bridge walk", "believes"]:.2f} -->, slightly more than $e$, with probability 0.0135<!-- {above["bridge walk", "believes"]:.4f} -->. If the output is rounded to whole people, the gain reaches 3.19<!-- {gain["bridge walk, rounded", "believes"]:.2f} -->, and exceeds $e$ with probability 0.12<!-- {above["bridge walk, rounded", "believes"]:.2f} -->.
#
# **Four releases are safe against both.** Two of them, the forecast and Algorithm 1 as printed, say almost nothing; here the misprint happens to be safer than the algorithm. The third is Algorithm 1 rounded. It has only 6<!-- {outputs_used["Algorithm 1, rounded"]} --> outputs, and an error of 1.62<!-- {error["Algorithm 1, rounded"]:.2f} -->. This is luck: if each count is rounded on its own, the bound is exceeded ([notebook 4](../location/04-beyond-the-declared-attackers.ipynb)). The fourth is the best event-level release. Its largest gain for an attacker who knows it is only 1.79<!-- {gain["best event-level", "knows"]:.2f} -->.
#
# **No other release keeps the bound once the next one is seen.** With the next release, even the forecast gives a gain of 10<!-- {gain["forecast", "waits"]:.0f} -->. The best event-level release allows 2.40<!-- {gain["best event-level", "waits"]:.2f} -->.

# %%
assert kept["waits"] == ["best event-level"]
assert both == ["forecast", "Algorithm 1 as printed", "best event-level", "Algorithm 1, rounded"]

# %% [markdown]
# ```{evidence} M-B19
# ```
#
# ## Why does the next release tell so much?
#
# Suppose that the true histogram now is $x = (1, 6, 2)$. The forecast for the next minute is $xP$, and everybody knows $P$:

# %%
next_forecast = np.array([1, 6, 2]) @ P
print(next_forecast, "gives away", np.linalg.solve(P.T, next_forecast).round(9))

# %% [markdown]
# So a release that tells nothing today is followed by one that tells everything about today. The other releases have the same weakness in part. They are designed for the true histogram $x$, so the next output depends on $x$ in two ways: through the people's moves, and through the design. The second way is what the attacker exploits.
#
# There are two remedies. The operator can use the *published* histogram as the previous one. Then the test refers to another attacker, one who does not know where everybody was ([notebook 3](../location/03-publishing-a-histogram.ipynb)). Or the operator can use a release that ignores the previous histogram, as the event-level release does. For it, two releases have gains of at most $e^2$ in general, and less here. What such releases tell in the long run is the subject of [another note](location-releases-for-ever.ipynb).
#
# ## Truth or fresh draw needs no solver
#
# How much does an attacker who knows *truth or fresh draw* gain from it?
#
# ````{prf:theorem} Gain of truth or fresh draw
# :label: thm-lo-08-fresh
# Let $G$ be the probability of a good histogram, and $b_{ij}$ the probability of a bad one if a person goes from $i$ to $j$. If $o$ is published, the guess "from $i$ to $j$" of an attacker who knows the mechanism gains $G\, g_{ij}(o) + b_{ij}$.
# ````
#
# *Proof.* The truth is $o$ and is published: this has the probability $p(o)$. Or the truth is a bad histogram $x$, and $o$ is drawn: this has the probability $p(x)\, p(o)/G$. The bad histograms have the total probability $1 - G$, so the output $o$ has the probability $p(o) + (1 - G)\, p(o)/G = p(o)/G$. By division, the attacker gives $o$ the weight $G$, and *every bad histogram exactly its prior probability* $p(x)$. By {prf:ref}`thm-lo-08-average`, the gain is $G\, g_{ij}(o)$ plus the sum of $p(x)\, g_{ij}(x)$ over the bad $x$. Here $p(x)\, g_{ij}(x)$ is the probability of $x$ given the move, so the sum is $b_{ij}$. $\square$
#
# In words: a draw may stand behind every output, so no output names the truth for certain, and large gains shrink by the factor $G$. This has a price: a move that often leads to a bad histogram gains $b_{ij}$ from every output.
#
# Therefore the largest threshold can exceed $e^\varepsilon$. For the nine people it is 2.80<!-- {threshold:.2f} -->: 22<!-- {outputs_used["truth or fresh draw"]} --> of the 55<!-- {len(inputs)} --> histograms are good, and the largest gain is 2.66<!-- {gain["truth or fresh draw", "knows"]:.2f} -->.

# %%
outputs, _ = design("truth or fresh draw", crowd)
threshold = max(believed_gain(crowd, output) for output in outputs)
assert gain["truth or fresh draw", "knows"] <= math.e < threshold


# %% [markdown]
# The nearest mechanism that we know publishes a *blank* in place of a bad histogram; it is called a *watchdog* {cite:p}`sadeghi2020watchdog`. From a good output the gain is then $g_{ij}(o)$ itself. From the blank it is $b_{ij}/(1 - G)$. We let the reader replace the blank by the histogram of least mean error.

# %%
def error_with_blank(before, bound):
    """Mean error of "the truth or a blank", with the largest threshold that works."""
    p, g = chances_and_gains(before)
    worst = g.max(axis=(1, 2)).round(9)
    apart = np.abs(inputs[:, None] - inputs).sum(axis=2)
    for threshold in [*sorted(set(worst), reverse=True), 0]:
        good = worst <= threshold
        channel = np.column_stack([np.eye(len(p))[:, good], ~good])
        if largest_gains(before, channel)[1].max() <= bound:
            return (p[~good] @ apart[~good]).min()
    raise ValueError("not even a constant blank keeps the bound")


# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Mean error of four releases that keep their promise against an attacker who knows them and sees one release, for nine people. Truth or fresh draw lies between the best one-sided release, which needs a solver, and the best event-level release, which protects against more attackers. Neither a fresh draw nor a blank is always better.", "name": "fig-lo-08-levels"}, "image": {"alt": "Four falling curves of the mean error against \u03b5 from 0.25 to 2. The lowest is the best one-sided release, the highest the best event-level release. Between them, the curves of the fresh draw and of the blank cross several times; from 1.25 on the blank is slightly lower."}} tags=["figure"]
levels = [0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1, 1.125, 1.25, 1.5, 1.75, 2]
curves = defaultdict(list)
for level in levels:
    bound = math.exp(level)
    event = mechanism.event_level_mechanism(crowd, P, epsilon=level)
    curves["best event-level"].append(event.loss)
    curves["truth or a blank"].append(error_with_blank(crowd, bound))
    outputs, channel = fresh_draw(crowd, bound)
    apart = np.abs(inputs[:, None] - outputs).sum(axis=2)
    curves["truth or fresh draw"].append(p @ (channel * apart).sum(axis=1))
    every_reading = np.abs(inputs[:, None] - inputs).sum(axis=2) @ (p[:, None] * channel)
    assert np.isclose(every_reading.min(axis=0).sum(), curves["truth or fresh draw"][-1])
    one_sided = mechanism.optimal_mechanism(crowd, P, epsilon=level)
    curves["best one-sided"].append(one_sided.loss)
fig, axis = plots.panels(height=3.6, width=6.8)
for (name, curve), marker in zip(curves.items(), "^vos"):
    axis.plot(levels, curve, marker=marker, ms=4, label=name)
axis.set(xlabel="level ε", ylabel="mean error", ylim=(-0.1, 3.3))
axis.legend()
at_one, at_lenient = levels.index(1), levels.index(1.25)
plt.show()

# %% [markdown]
# {numref}`fig-lo-08-levels` compares them at several levels. At $\varepsilon = 1$ the fresh draw has the error 0.566<!-- {curves["truth or fresh draw"][at_one]:.3f} --> and the blank 0.880<!-- {curves["truth or a blank"][at_one]:.3f} -->, because the blank allows fewer good histograms. At $\varepsilon = 1.25$ both allow the same ones. Now the blank is better, with 0.183<!-- {curves["truth or a blank"][at_lenient]:.3f} --> against 0.221<!-- {curves["truth or fresh draw"][at_lenient]:.3f} -->: a reader who knows that the truth is bad guesses it better than a random good histogram does. (Reading the outputs of the fresh draw in another way does not help at these levels.) At strict levels, neither is near the best one-sided release.
#
# ```{evidence} M-B21
# ```
#
# ## What it rests on
#
# For this population every number comes from an enumeration of all 55<!-- {len(inputs)} --> histograms, in floating-point numbers; the evidence repeats it with all movements of the people by name. The one exception is a believer's gain from fractions of people. With Algorithm 1, the output has fractions with probability 0.90<!-- {1 - whole_chance["Algorithm 1"]:.2f} -->; with the bridge walk, with probability 0.16<!-- {1 - whole_chance["bridge walk"]:.2f} -->.
#
# A linear programme may have several best solutions. All of them have the same error, and all keep their promise against an attacker who knows them. The other gains may depend on the solution. The figure shows those of the solutions that our solver returned.
#
# ## Limits
#
# - One population, one level, one previous histogram (3, 3, 3). Which of the releases is safe against whom can change with all three.
# - *Truth or fresh draw* needs a list of all histograms with their gains. A threshold need not exist: for one person with a fair coin both histograms have the gain 2, so nothing works below $\varepsilon = \ln 2$. If a single histogram has the smallest gain, always publishing this one keeps every promise, but says nothing.
# - It does not protect against an attacker who waits, because it draws from a distribution that starts at the true previous histogram.
# - We considered two releases. If an attacker is told all places after every minute, the gains along a path multiply ([notebook 4](../location/04-beyond-the-declared-attackers.ipynb)).
#
# ## What others had
#
# The minimality attack of {cite:t}`wong2007minimality` on anonymised tables is made by an attacker who knows the algorithm. {cite:t}`gotz2012maskit` release or suppress the state of *one* person who moves by a Markov chain, against attackers who know the system; their random check chooses a probability of suppression for each state (read by abstract and beginning). The watchdog that {cite:t}`sadeghi2020watchdog` study bounds the logarithm of what we call the gain, from above and below. It publishes the values with small gains, and replaces each other value by a random one among those others (abstract and beginning). So the idea to keep the good values is not ours, and our blank is the case in which the other values are merged. That releases from correlated data tell more together than each alone is the subject of {cite:t}`cao2017quantifying`. We believe that three things are ours: the comparison of these releases and attackers, the replacement drawn from the *good* values, and the formula for its gain.
#
# ## Exercises
#
# ```{exercise-start} The harmless forecast
# :label: ex-lo-08-forecast
# ```
# **Warm-up.** The forecast has gain 1 for an attacker who believes it, and for one who knows that it is a forecast. Why does an attacker who waits for the next forecast gain exactly as much as from the truth?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-lo-08-forecast
# :class: dropdown
# ```
# The forecast of now is a constant and says nothing. The next one is $xP$ with the true $x$ of now. The matrix can be inverted, so the attacker who waits knows exactly $x$. The largest gain from the truth is one over the smallest probability in $P$: an output can show for certain that a person made the least probable move.

# %%
assert np.linalg.matrix_rank(P) == 3
assert np.allclose(gain["forecast", "waits"], [gain["truth", "knows"], 1 / P.min()])

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A fair coin and two people
# :label: ex-lo-08-coin
# ```
# **Standard.** Each of two people in one place stays or goes with probability $\frac12$. The histogram counts who went: 0, 1 or 2. What is the largest gain from each count? What is the largest gain from *truth or fresh draw* if only the count 1 is good? And if 0 and 1 are good?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("lo-08-coin", ...)

# %% [markdown]
# ```{solution-start} ex-lo-08-coin
# :class: dropdown
# ```
# The counts 0 and 2 have the gain 2 for the right guess. The count 1 has the gain 1 for both guesses. If only 1 is good, the output is always 1, and the gain is $G g + b = \frac12 \cdot 1 + \frac12 = 1$. If 0 and 1 are good, then $G = \frac34$. A person who stays never leads to the bad count 2, so $b = 0$. A person who goes does so with $b = \frac12$.

# %%
G, stays, goes = Fraction(3, 4), Fraction(0), Fraction(1, 2)
table = {(0, "stays"): G * 2 + stays, (1, "stays"): G * 1 + stays,
         (0, "goes"): G * 0 + goes, (1, "goes"): G * 1 + goes}  # fmt: skip
assert max(table.values()) == Fraction(3, 2)
check("lo-08-coin", [2, 1, 2, 1, max(table.values())])

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A mechanism for the day
# :label: ex-lo-08-day
# ```
# **Research.** Design a release for a whole day that keeps a given $\varepsilon$ *for the day* against an attacker who waits, and is more accurate than event-level releases at the level $\varepsilon / 1440$. A start: use the channel of truth or fresh draw that was designed for (3, 3, 3) in every minute, whatever the previous histogram is. What does the next release tell now?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-lo-08-day
# :class: dropdown
# ```
# Open, as far as we know. The start is promising: the largest gain falls from 10<!-- {gain["truth or fresh draw", "waits"]:.0f} --> to 2.79<!-- {fixed:.2f} -->, which is only slightly more than $e$. But this channel is not made for other previous histograms. After some of them its gain exceeds $e$ even without a second release; the largest is 3.1<!-- {elsewhere:.1f} -->.

# %%
releases["the same in every minute"] = lambda before: design("truth or fresh draw", crowd)
fixed = largest_gains(crowd, with_next_release("the same in every minute", crowd))[1].max()
_, channel = design("truth or fresh draw", crowd)
elsewhere = max(largest_gains(before, channel)[1].max() for before in number)
assert math.e < fixed < 3 < elsewhere

# %% [markdown]
# ```{solution-end}
# ```
#
# **Next:** [is the best release really the best, and how do other releases compare?](location-beside-the-state-of-the-art.ipynb)
