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
# # Evidence: Who learns what, from which release?
#
# Both claims here go beyond the paper, and the ledger names their sources. Nothing is hidden. The story is told in [the research note of the same name](../../research/location-attackers-and-mechanisms.ipynb).

# %%
import math
from collections import defaultdict
from functools import cache
from itertools import product

import numpy as np
import sympy as sp

from privlib.location import bridge_histogram, max_gain, mechanism, private_histogram
from privlib.notebook import claim, derivation

P = np.array([[6, 3, 1], [2, 6, 2], [1, 3, 6]]) / 10
crowd = (3, 3, 3)
inputs = mechanism.histograms(9, 3)
number = {tuple(x): k for k, x in enumerate(inputs.tolist())}
bound = math.e * (1 + 1e-9)  # a gain that is above e by rounding only counts as e

# %% [markdown]
# ## All movements by name
#
# Nine named people have $3^9$ movements. Their probabilities give the distribution of the histogram, and the gains from the truth. Person $3i$ is one of those who were in place $i$.

# %%
homes = np.repeat(np.arange(3), 3)
moves = np.array(list(product(range(3), repeat=9)))
weight = P[homes, moves].prod(axis=1)
label = []
for move in moves.tolist():
    label.append(number[move.count(0), move.count(1), move.count(2)])

p = np.bincount(label, weight)
truth_gains = np.zeros((55, 3, 3))
for i, j in product(range(3), repeat=2):
    with_move = np.bincount(label, weight * (moves[:, 3 * i] == j))
    truth_gains[:, i, j] = with_move / p / P[i, j]
worst = truth_gains.max(axis=(1, 2)).round(9)

# %% [markdown]
# ## M-B21 (truth or fresh draw)
#
# *To publish the truth if it is good, and otherwise a fresh draw from the distribution of good histograms, gives an attacker who knows this the gain $G\, g_{ij}(o) + b_{ij}$ from $o$.* Here $G$ is the probability of a good histogram, and $b_{ij}$ that of a bad one given the move.
#
# *Proof, other than in the note.* Let $p$ be the probability of $o$, and $g$ its gain. The truth is $o$, another good histogram, or a bad one. Given the move, these have the probabilities $pg$, $1 - pg - b$ and $b$; without it, $p$, $G - p$ and $1 - G$. The output is then $o$ with probability 1, 0 and $p/G$.

# %%
probability, g, b, G = sp.symbols("p g b G", positive=True)
published = [1, 0, probability / G]
given_move = [probability * g, 1 - probability * g - b, b]
without = [probability, G - probability, 1 - G]
output_given_move = sum(map(sp.Mul, given_move, published))
output = sum(map(sp.Mul, without, published))
chain = (
    derivation(output_given_move / output, of=r"\frac{\Pr(o \mid i \to j)}{\Pr(o)}")
    .equal(output_given_move / (probability / G), "the truth or a draw: $p/G$ in all")
    .equal(G * g + b, "cancel $p$")
)
chain


# %% [markdown]
# For the nine people we follow every movement through the channel, without the formula.

# %%
def fresh_draw_channel(chance, good):
    channel = np.eye(len(chance))[:, good]
    channel[~good] = chance[good] / chance[good].sum()
    return channel


good = worst <= 2.81
channel = fresh_draw_channel(p, good)
published = channel[label]  # row: a movement, column: an output
by_name = np.zeros((good.sum(), 3, 3))
formula = np.zeros((good.sum(), 3, 3))
for i, j in product(range(3), repeat=2):
    joint = (weight * (moves[:, 3 * i] == j)) @ published
    by_name[:, i, j] = joint / (weight @ published) / P[i, j]
    bad_given_move = sum(p[~good] * truth_gains[~good, i, j])
    formula[:, i, j] = p[good].sum() * truth_gains[good, i, j] + bad_given_move
by_package = mechanism.mechanism_gain(crowd, P, channel=channel)
with claim("M-B21") as c:
    c.decisive("proved").derived(chain, output_given_move / output, G * g + b)
    text = f"nine people: all gains of {good.sum()} outputs, from {len(moves):,} movements"
    c.close(by_name, formula, text)
    c.close(by_package, formula, "and by the package")


# %% [markdown]
# ## The eleven releases
#
# A release is a function of the previous histogram. It returns its outputs and its channel. After a mirrored histogram, the release is mirrored, because places 1 and 3 are alike.

# %%
def of_rule(published):
    """Outputs and channel of a rule that publishes published[k] for the k-th histogram."""
    outputs, which = np.unique(published.round(9) + 0.0, axis=0, return_inverse=True)
    return outputs, np.eye(len(outputs))[which.reshape(-1)]


def rounded(published):
    """Whole people; the largest fractions are rounded up, and the total is kept."""
    result = []
    for row in published.tolist():
        whole = [math.floor(value + 1e-9) for value in row]
        order = sorted(range(len(row)), key=lambda j: round(whole[j] - row[j], 9))
        for j in order[: round(sum(row)) - sum(whole)]:
            whole[j] += 1
        result.append(whole)
    return np.array(result, dtype=float)


def forecast(before):
    return np.tile(np.array(before) @ P, (55, 1))


@cache
def algorithm_1(before):
    unit = "person"
    if min(np.array(before) @ P) < 1:
        unit = "infinitesimal"
    settings = {"transition": P, "epsilon": 1, "unit": unit}
    return np.array([private_histogram(before, x, **settings).histogram for x in inputs])


def as_printed(before):
    published = forecast(before)
    passes = (algorithm_1(before) == inputs).all(axis=1)
    published[passes] = inputs[passes]
    return published


@cache
def bridge_walk(before):
    settings = {"transition": P, "epsilon": 1, "certify": False}
    return np.array([bridge_histogram(before, x, **settings).histogram for x in inputs])


# %%
def fresh_draw(before):
    """Truth or fresh draw with the largest threshold, from the formula of M-B21."""
    chance = mechanism.output_distribution(before, P)
    gains = np.nan_to_num(mechanism.mechanism_gain(before, P, channel=np.eye(55)))
    largest = gains.max(axis=(1, 2)).round(9)
    for threshold in sorted(set(largest), reverse=True):
        good = largest <= threshold
        bad_given_move = np.tensordot(chance[~good], gains[~good], axes=1)
        if (chance[good].sum() * gains[good] + bad_given_move).max() <= bound:
            return inputs[good].astype(float), fresh_draw_channel(chance, good)
    raise ValueError("no threshold keeps the bound")


def solved(before, **options):
    release = mechanism.optimal_mechanism(before, P, epsilon=1, **options)
    return release.outputs.astype(float), release.channel


@cache
def event_level():
    release = mechanism.event_level_mechanism(crowd, P, epsilon=1)
    return release.outputs.astype(float), release.channel


releases = {
    "truth": lambda before: of_rule(inputs.astype(float)),
    "Algorithm 1 as printed": lambda before: of_rule(as_printed(before)),
    "Algorithm 1": lambda before: of_rule(algorithm_1(before)),
    "Algorithm 1, rounded": lambda before: of_rule(rounded(algorithm_1(before))),
    "bridge walk": lambda before: of_rule(bridge_walk(before)),
    "bridge walk, rounded": lambda before: of_rule(rounded(bridge_walk(before))),
    "forecast": lambda before: of_rule(forecast(before)),
    "truth or fresh draw": fresh_draw,
    "best one-sided": solved,
    "best two-sided": lambda before: solved(before, two_sided=True),
    "best event-level": lambda before: event_level(),
}
mirror = [number[x[::-1]] for x in number]


@cache
def design(name, before):
    if before > before[::-1]:
        outputs, channel = design(name, before[::-1])
        return outputs[:, ::-1], channel[mirror]
    return releases[name](before)


# %% [markdown]
# ## M-B19 (which release is safe against whom)
#
# *For nine people and ε = 1, which releases keep the bound depends on what the attacker does with them: of those compared, as found by the solver, only an event-level release that does not look at the previous histogram keeps it against an attacker who also sees the next release.*
#
# For the attacker who waits, the channel leads to pairs: this output and the next one.

# %%
def pairs(first_channel, after, tables):
    """Channel from the histogram to a pair of outputs; `after` are the histograms, in order."""
    later = defaultdict(lambda: np.zeros(len(after)))
    for k, x in enumerate(after):
        outputs, channel = tables(x)
        for row, chance in zip(outputs.round(7), mechanism.output_distribution(x, P) @ channel):
            later[tuple(row)][k] += chance
    second = np.array(list(later.values())).T
    return (first_channel[:, :, None] * second[:, None, :]).reshape(len(after), -1)


# %% [markdown]
# *Two minutes by name.* First a small case, in which nothing is averaged: three people, one in each place, all movements of both minutes, and every pair of outputs. The releases are the forecast and the best one-sided release.

# %%
few = mechanism.histograms(3, 3)
three = [tuple(x) for x in few.tolist()]


def three_forecast(before):
    return np.array([before @ P]), np.ones((10, 1))


@cache
def three_best(before):
    release = mechanism.optimal_mechanism(before, P, epsilon=1)
    return release.outputs.astype(float), release.channel


def counted(move):
    return move.count(0), move.count(1), move.count(2)


def by_name_two_minutes(tables):
    """Largest gain about a person's place after the first minute, and how often it exceeds e."""
    total, joint = defaultdict(float), defaultdict(float)
    _, first = tables((1, 1, 1))
    for move in product(range(3), repeat=3):
        chance = math.prod(P[u, j] for u, j in enumerate(move))
        outputs, second = tables(counted(move))
        for then in product(range(3), repeat=3):
            both = chance * math.prod(P[i, j] for i, j in zip(move, then))
            next_row = second[three.index(counted(then))]
            for o, n in product(range(first.shape[1]), range(len(outputs))):
                seen = o, tuple(outputs[n].round(7))
                with_outputs = both * first[three.index(counted(move)), o] * next_row[n]
                total[seen] += with_outputs
                for u, j in enumerate(move):
                    joint[seen, u, j] += with_outputs
    largest = defaultdict(float)
    for (seen, u, j), value in joint.items():
        if total[seen] > 0:
            largest[seen] = max(largest[seen], value / total[seen] / P[u, j])
    above = sum(total[seen] for seen in largest if largest[seen] > bound)
    return max(largest.values()), above


def by_package_summary(before, channel):
    """Largest gain of an attacker who knows the channel, and how often it exceeds e."""
    gains = mechanism.mechanism_gain(before, P, channel=channel)
    largest = np.nan_to_num(gains).max(axis=(1, 2))
    chance = mechanism.output_distribution(before, P) @ channel
    return float(largest.max()), float(chance[largest > bound].sum())


followed, summed = [], []
for tables in (three_forecast, three_best):
    _, first_channel = tables((1, 1, 1))
    followed += by_name_two_minutes(tables)
    summed += by_package_summary((1, 1, 1), pairs(first_channel, three, tables))


# %% [markdown]
# *Nine people.* The gains of an attacker who knows the mechanism are computed twice: by the package from the channel, and as averages of the gains from the truth, which were counted by name above. A believer has the gain from the truth if the output is whole, and otherwise the bridge gain.

# %%
def by_average_summary(channel):
    joint = p[:, None] * channel
    chance = joint.sum(axis=0)
    weights = joint[:, chance > 0] / chance[chance > 0]
    largest = np.tensordot(weights.T, truth_gains, axes=1).max(axis=(1, 2))
    return float(largest.max()), float(chance[chance > 0][largest > bound].sum())


def believed(output):
    whole = tuple(np.rint(output).astype(int).tolist())
    if np.allclose(output, whole, rtol=0, atol=1e-9):
        return truth_gains[number[whole]].max()
    return max_gain(crowd, output, transition=P, definition="bridge")


believes, knows, waits = {}, {}, {}
averages, by_channel = [], []
for name in releases:
    outputs, channel = design(name, crowd)
    both_outputs = pairs(channel, list(number), lambda x, name=name: design(name, x))
    believes[name] = max(believed(row) for row in outputs)
    knows[name], _ = by_average_summary(channel)
    waits[name], _ = by_average_summary(both_outputs)
    averages += by_average_summary(channel)
    averages += by_average_summary(both_outputs)
    by_channel += by_package_summary(crowd, channel)
    by_channel += by_package_summary(crowd, both_outputs)


# %%
def safe(gains):
    return {name for name, gain in gains.items() if gain <= bound}


others = [gain for name, gain in waits.items() if name != "best event-level"]
with claim("M-B19") as c:
    text = "three people, two minutes: gains and frequencies, by name and by the channel of pairs"
    c.close(followed, summed, text)
    text = "nine people: gains and frequencies, by averages and by the package"
    c.close(averages, by_channel, text, rtol=1e-8, atol=1e-11)
    text = "all but the event-level release exceed e if the next release is seen"
    c.decisive("one example").at_most(math.e, others, text)
    text = "the event-level release does not"
    c.decisive("one example").at_most(waits["best event-level"], math.e, text)
    text = "other releases are safe against belief than against knowledge"
    c.decisive("one example").holds(safe(believes) != safe(knows), text, method="numeric")
    expected = {"forecast", "Algorithm 1 as printed", "Algorithm 1, rounded", "best event-level"}
    text = "four of the eleven are safe against both"
    c.holds(safe(believes) & safe(knows) == expected, text, method="numeric")
