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
# # What does a release tell an attacker who knows how it was made?
#
# A minute ago six people stood in each of three stations. Now the operator publishes the numbers 3.87<!-- {published[0]:.2f} -->, 8.01<!-- {published[1]:.2f} --> and 6.12<!-- {published[2]:.2f} --> (these are exact, not rounded). Nobody can count 3.87<!-- {published[0]:.2f} --> people, so the true numbers were altered. An attacker who knows *how* can compute them in ten lines: 2, 9 and 7.
#
# **The paper** {cite:p}`kawamoto` publishes a mixture of the true histogram and a forecast (Algorithm 1). It names three classes of attackers, and concludes that its releases are private for each of them: no guess about where a person is becomes more than $e^\varepsilon$ times as probable.
# **We find** that an attacker who also knows its algorithm can compute the true histogram from nearly every release that contains a share of the truth. If the release is rounded to whole people, this computation fails, but the attacker still learns more than the bound $e^\varepsilon$ allows. The bound fails even for the three classes. Over a day, the factors of all releases multiply.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to undo a deterministic release, what a forecast reveals, what rounding stops and what it does not, and how much a day of releases reveals about one path.
# **You need** Bayes' rule, Algorithm 1 ([notebook 3](03-publishing-a-histogram.ipynb)) and the exact gain ([notebook 1](01-adversarial-privacy.ipynb)).
# **Time:** 27 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attacker** knows the transition probabilities, the previous histogram, Algorithm 1, its step and how its output is rounded. None of this is secret in the paper, but none of its classes of attackers knows all of it. (The paper says itself that it does not protect against arbitrary knowledge.)
# **Protected:** no guess about where a person is may become more than $e^\varepsilon$ times as probable. **Not considered:** a release that is drawn at random ([notebook 5](05-the-idea-done-right.ipynb)).
# **Two other settings:** The fifth section returns to the paper's three classes, who take the published histogram for the true one. The last section asks how gains grow over a day. There, for simplicity, the true histograms are published.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from functools import partial
from itertools import permutations, product

import matplotlib.pyplot as plt
import numpy as np
from scipy import optimize, stats

from privlib.location import bridge_histogram, gain_table, max_gain, private_histogram
from privlib.location.mechanism import histograms
from privlib.notebook import plots

plots.use()

# %% [markdown]
# ## The decimals give the truth away
#
# In a minute, a person goes from station $i$ to $j$ with probability $P_{ij}$, as everybody knows. The operator runs Algorithm 1:

# %%
P = np.array([[6, 3, 1], [2, 6, 2], [1, 3, 6]]) / 10  # row: from, column: to
before, step = np.array([6, 6, 6]), 0.05
release = private_histogram(before, [2, 9, 7], transition=P, epsilon=1, step=step)
published = release.histogram
print(published.round(2))


# %% [markdown]
# We write $\pi$ for the previous histogram, $x$ for the true one, $N$ for the number of people, and $\tilde\pi = \pi P$ for the forecast. Algorithm 1 mixes the forecast into the truth. It raises the weight $\alpha$ of the forecast in steps of $s$ until the mixture passes a test of privacy, and publishes
#
# $$ \pi^* = (1 - \alpha)\,x + \alpha\,\tilde\pi . $$
#
# The attacker does not know $\alpha$. But if the release contains a share of the truth, $\alpha$ is below 1, and only 20<!-- {round(1 / step)} --> values are possible. For each of them, the attacker solves the equation for $x$, and keeps the solutions that are whole numbers of people:

# %%
def candidates(before, published, P, step):
    """Every histogram in whole people that some weight mixes to the release."""
    forecast, whole = before @ P, []
    for k in range(round(1 / step)):  # a weight of 1 would hide the truth
        weight = k * step
        x = (published - weight * forecast) / (1 - weight)
        if abs(x - x.round()).max() < 1e-6 and x.min() > -1e-6:
            whole.append(x.round().astype(int).tolist())
    return whole


print(candidates(before, published, P, step))

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The attack on the opening example. Grey points are whole numbers of people in stations 1 and 2 (the rest are in station 3). The truth must lie on the ray from the forecast through the release. Each cross is the solution for one weight. (There are 15<!-- {len(tried)} --> crosses; the other weights give negative numbers.) Only one cross is a grey point.", "name": "fig-lo-04-ray"}, "image": {"alt": "A grid of grey points. A straight line leads from a star at 5.4<!-- {forecast[0]:.1f} --> and 7.2<!-- {forecast[1]:.1f} --> through a diamond at 3.87<!-- {published[0]:.2f} --> and 8.01<!-- {published[1]:.2f} --> up to the left edge of the grid. Crosses lie on the line from the diamond on. One of them coincides with a grid point at 2 and 9, which is circled."}} tags=["figure"]
forecast = before @ P
fig, ax = plots.panels(height=3.6, width=6.4)
grid = np.array(list(product(range(8), range(6, 13))))
ax.plot(*grid.T, "o", ls="", ms=4, color="#bbbbbb")
tried = [(published - w * forecast) / (1 - w) for w in np.arange(20) * step]
tried = np.array([x for x in tried if x.min() > -1e-6])
ax.plot(*np.array([forecast, tried[-1]])[:, :2].T, color="black", lw=1, ls="-")
ax.plot(*tried[:, :2].T, "x", ls="", color=plots.COLOURS["blue"], label="solutions")
ax.plot(*forecast[:2], "*", ls="", ms=12, color=plots.COLOURS["green"], label="forecast")
ax.plot(*published[:2], "D", ls="", ms=7, color=plots.COLOURS["orange"], label="release")
ax.plot(2, 9, "o", ls="", ms=14, mfc="none", mec=plots.COLOURS["orange"], mew=2, label="truth")
ax.set(xlabel="people in station 1", ylabel="people in station 2")
ax.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
plt.show()

# %% [markdown]
# ```{prf:proposition} Inversion
# :label: thm-lo-04-invert
# Let $\pi^*$ be an unrounded release of Algorithm 1 with $\alpha < 1$. Let the attacker know $P$ and $\pi$. If the attacker knows the step $s$, at most $\lceil 1/s \rceil$ histograms $x$ are possible. If not, at most $N + 1$ are.
# ```
#
# ```{prf:proof}
# If the step is known, $\alpha$ is one of $0, s, 2s, \dots$ below 1, and each of these weights gives one $x$.
#
# If the step is not known, there are two cases. If $\pi^* = \tilde\pi$, then $x = \tilde\pi$. Otherwise $x$ lies on the ray from $\tilde\pi$ through $\pi^*$. Take a station in which the two differ. Along the ray, the number of people in this station only rises or only falls. It must be one of the $N + 1$ whole numbers from 0 to $N$, and each of them belongs to one point of the ray.
# ```
#
# Usually only *one* histogram is left. To see why, write the release as $\pi^* = \tilde\pi + (1 - \alpha)(x - \tilde\pi)$. An attacker who solves for $x$ with a wrong weight $\beta$ gets
#
# $$ \frac{\pi^* - \beta\,\tilde\pi}{1 - \beta} = \tilde\pi + \frac{1 - \alpha}{1 - \beta}\,(x - \tilde\pi) . $$
#
# This is the forecast plus the difference between truth and forecast, stretched by a wrong factor. The attacker rejects it unless every station gets a whole number of people. If the forecast has many decimals, that would be a coincidence.
#
# With few people and round probabilities, the coincidence can happen. Ten people stand at each of two stations, and each person stays with probability 0.8. A minute later the numbers are 8 and 12:

# %%
round_P = np.array([[8, 2], [2, 8]]) / 10
algorithm = partial(private_histogram, [10, 10], transition=round_P, epsilon=1, step=step)
coincidence = candidates(np.array([10, 10]), algorithm([8, 12]).histogram, round_P, step)
for x in coincidence:
    print(x, "is published as", algorithm(x).histogram)

# %% [markdown]
# Now 4<!-- {len(coincidence)} --> histograms are left. The attacker can run Algorithm 1 on each of them, and drops the first, because its release would be different. The other three lead to the published release.
#
# Next we test the attack on a crowd of the size of the paper's suburb: 683 people and 14 stations. We do not have the paper's data, so the matrix is random.
#
# So far, "the previous histogram" could mean two things. Algorithm 1 starts its forecast from the *published* one, which everybody knows. An operator could start from the *true* one instead. Then the attacker must know the true one, as the paper's class NPK does (it knows where everybody was a minute ago). We simulate 80 minutes of each variant. (For speed, `unit="infinitesimal"` replaces the test of Algorithm 1 by a faster approximation, from an exercise of [notebook 3](03-publishing-a-histogram.ipynb). Algorithm 1 may then stop at another weight. The attack does not depend on where it stops.)

# %%
rng = np.random.default_rng(14)
stations, people, duration = 14, 683, 80
matrix = 0.7 * np.eye(stations) + 0.3 * rng.dirichlet(np.full(stations, 0.3), stations)
matrix = 0.99 * matrix + 0.01 / stations
publish = partial(private_histogram, transition=matrix, epsilon=1, step=step, unit="infinitesimal")


def simulate(start_from):
    """For each minute: start of the forecast, previous truth, present truth, release."""
    rng, log = np.random.default_rng(15), []
    now = shown = rng.multinomial(people, np.full(stations, 1 / stations))
    for _ in range(duration):
        previous, now = now, sum(rng.multinomial(n, row) for n, row in zip(now, matrix))
        origin = previous if start_from == "true" else shown
        release = publish(origin, now)
        shown = release.histogram
        log.append((origin, previous, now, release))
    return log


# %%
runs = {"published": simulate("published"), "true": simulate("true")}
mixtures, forecasts, truths_found = {}, {}, {}
for start_from, log in runs.items():
    mixtures[start_from] = [minute for minute in log if minute[3].alpha < 1]
    forecasts[start_from] = [minute for minute in log if minute[3].alpha == 1]
    truths_found[start_from] = 0
    for origin, _, now, release in mixtures[start_from]:
        only_truth = candidates(origin, release.histogram, matrix, step) == [now.tolist()]
        truths_found[start_from] += only_truth
    print(f"forecasts from the {start_from} histogram: the truth, and nothing else, from",
          truths_found[start_from], "of", len(mixtures[start_from]), "releases with weight below 1")

# %% [markdown]
# Whenever the release contains a share of the truth, the attacker finds the truth: in 4<!-- {truths_found["published"]} --> of 4<!-- {len(mixtures["published"])} --> releases of Algorithm 1, and in 47<!-- {truths_found["true"]} --> of 47<!-- {len(mixtures["true"])} --> if forecasts start from the true histogram.
#
# The other 109<!-- {len(forecasts["published"]) + len(forecasts["true"])} --> of the 160<!-- {2 * duration} --> releases have $\alpha = 1$. They are *pure forecasts*.
#
# ```{evidence} M-B7
# ```
#
# ## A forecast gives away the previous minute
#
# A pure forecast does not contain the present histogram. But it is $\pi P$, and everybody knows $P$. If $P$ can be inverted, $\pi$ is the solution of a system of linear equations:

# %%
recovered = {}
for start_from, log in forecasts.items():
    recovered[start_from] = 0
    for _, previous, _, release in log:
        solved = np.linalg.solve(matrix.T, release.histogram)
        recovered[start_from] += np.allclose(solved, previous, atol=1e-6)
    print(start_from, "histogram:", recovered[start_from], "of", len(log), "recovered")

# %% [markdown]
# If forecasts start from the true histogram, all 33<!-- {recovered["true"]} --> of them reveal the true histogram of the previous minute. An operator who published nothing but such forecasts would publish everything, one minute late.
#
# If forecasts start from the published histogram, the solution is only what everybody has already seen. But once the published histogram differs from the truth, the next forecast is wrong, too. In 76<!-- {len(forecasts["published"])} --> of the 80<!-- {duration} --> minutes no weight below 1 passes the test. Then the operator publishes a forecast that was made from an earlier forecast. Such a release no longer follows the population.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "People in one of the 14 stations. If forecasts start from the true previous histogram (left), the releases follow the truth. If they start from the published one (right), the releases soon settle at a level and no longer follow the truth.", "name": "fig-lo-04-follow"}, "image": {"alt": "Two panels of counts over 80 minutes with the same fluctuating true curve. Left, the release stays close to it. Right, the release is almost a level line while the true curve moves up and down."}} tags=["figure"]
truths = np.array([minute[2] for minute in runs["true"]])
station, clock = truths.var(axis=0).argmax(), np.arange(1, duration + 1)
fig, axes = plots.panels(1, 2, height=3.2, width=8.5, sharey=True)
for ax, start_from in zip(axes, ("true", "published")):
    releases = np.array([minute[3].histogram for minute in runs[start_from]])
    ax.plot(clock, truths[:, station], color="#555555", ls="-", lw=1, label="truth")
    ax.plot(clock, releases[:, station], color=plots.COLOURS["orange"], ls="-",
            label="release")
    ax.set(title=f"forecasts from the {start_from} histogram", xlabel="minute")
axes[0].set_ylabel("people in the station")
axes[0].legend()
plt.show()


# %% [markdown]
# Algorithm 1 uses a previous histogram twice: in its test and in its forecast. The test may use the true one, because class NPK knows it. The forecast must not use it, because the forecast is published. [Notebook 6](06-paths-and-tokyo.ipynb) shows how well forecasts from the truth score in the paper's experiment.
#
# ```{evidence} M-B16
# ```
#
# ## Rounding to whole people stops the first attack, but hardly the second
#
# Suppose that the operator rounds every number to 0, 1 or 2 decimals. We repeat both attacks.
#
# **Mixtures.** The attacker now tries each weight like this: mix a histogram of $N$ whole people with the forecast at this weight, and round. The weight is possible if some histogram leads to the published numbers. For each weight, every station has a least and a largest number of people that fit:

# %%
def explanations(origin, shown, digits):
    """For each possible weight: least and largest number of people in every station."""
    forecast, half, possible = origin @ matrix, 0.5 * 10.0**-digits + 1e-9, []
    for weight in np.arange(round(1 / step)) * step:
        low = np.ceil((shown - half - weight * forecast) / (1 - weight)).clip(0)
        high = np.floor((shown + half - weight * forecast) / (1 - weight))
        if (low <= high).all() and low.sum() <= people <= high.sum():
            possible.append((low, high))
    return possible


# %%
remaining, still_found = {}, {}
for digits in range(3):
    remaining[digits], still_found[digits] = [], 0
    for origin, _, now, release in mixtures["published"] + mixtures["true"]:
        possible = explanations(origin, release.histogram.round(digits), digits)
        remaining[digits].append(len(possible))
        low, high = possible[0]
        alone = len(possible) == 1 and (low == high).all()
        still_found[digits] += alone and (low == now).all()

# %% [markdown]
# If two decimals are published, the attack still finds the truth, and nothing else, from 51<!-- {still_found[2]} --> of the 51<!-- {len(remaining[2])} --> mixtures. If whole people are published, at least 12<!-- {min(remaining[0])} --> weights remain possible for each mixture, and the attack no longer finds the truth.
#
# **Forecasts from the truth.** We solve the same linear equations as before, and round the solution to whole people:

# %%
errors = {}
for digits in range(3):
    errors[digits] = []
    for _, previous, _, release in forecasts["true"]:
        solved = np.linalg.solve(matrix.T, release.histogram.round(digits))
        errors[digits].append(np.abs(solved - previous))
right = [np.mean(np.array(errors[digits]) < 0.5) for digits in range(3)]

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Left, how many of the 20<!-- {round(1 / step)} --> weights remain possible, on average over the mixtures. Two decimals determine the weight, whole people do not. Right, how many counts of the previous minute the attacker computes exactly from forecasts that start from the truth. Even from whole people, most are right.", "name": "fig-decimals"}, "image": {"alt": "Two panels of bars against the published decimals 0, 1 and 2. Left, the average number of possible weights falls from 16.08<!-- {average[0]:.2f} --> over 1.78<!-- {average[1]:.2f} --> to 1.00<!-- {average[2]:.2f} -->. Right, the share of counts that are found rises from 74%<!-- {right[0]:.0%} --> to 100%<!-- {right[1]:.0%} --> and 100%<!-- {right[2]:.0%} -->."}} tags=["figure"]
average = [np.mean(remaining[digits]) for digits in range(3)]
fig, axes = plots.panels(1, 2, height=3.0, width=8.5)
bars = axes[0].bar(range(3), average, width=0.6, color=plots.COLOURS["blue"])
axes[0].bar_label(bars, fmt="%.2f", fontsize=9)
axes[0].set(title="mixtures", ylabel="possible weights", ylim=(0, 21))
bars = axes[1].bar(range(3), 100 * np.array(right), width=0.6, color=plots.COLOURS["orange"])
axes[1].bar_label(bars, fmt="%.0f%%", fontsize=9)
axes[1].set(title="forecasts from the truth", ylabel="counts found, in %", ylim=(0, 115))
for ax in axes:
    ax.set(xticks=range(3), xlabel="published decimals")
plt.show()

# %% [markdown]
# Even from whole people, this attack gets 74%<!-- {right[0]:.0%} --> of all counts of the previous minute exactly right. No count is wrong by more than one person, because no solution of the equations differs from the truth by more than 0.89<!-- {np.max(errors[0]):.2f} -->. The reason is that most people stay where they are. So $P$ is not far from the identity matrix, and a small change of the forecast changes the solution of the equations only a little.
#
# So rounding stops only the first attack. Moreover, an attacker can learn about a person without computing the true histogram.
#
# ## Rounding does not restore the bound
#
# ```{prf:definition} Attackers and gain (sections 3.1 and 3.2)
# :label: def-lo-04-gain
# All attackers know $P$ and $\pi$. *MK* knows nothing else. *OPK* also knows in which station one person $u$ was a minute ago. *NPK* knows this of everybody.
#
# The *gain* of a guess is its probability after the attacker has seen the histogram $x$, divided by its probability before. If $u$ was in station $i$, we write $\mathrm{Gain}_{\mathsf{OPK}}(x, i, j)$ for the gain of the guess "$u$ is now in $j$". As its probability before we take $P_{ij}$ (see [notebook 1](01-adversarial-privacy.ipynb)). A release is *private* if no gain exceeds $e^\varepsilon$.
# ```
#
# The paper's attackers take the published histogram for $x$. Our attacker knows what NPK knows, and also the rule $R$ by which $x$ is published as $R(x)$. If the output is $o$, this attacker considers all truths with $R(x) = o$, and weighs them by their probabilities. So the gain of the guess becomes
#
# $$
# \frac{\Pr(u \text{ is in } j \mid R(x) = o,\; u \text{ was in } i)}{P_{ij}} .
# $$
#
# With nine people, three in each station, we can list all $3^9 = 19{,}683$ ways to move and add up their probabilities:

# %%
start = np.repeat([0, 1, 2], 3)
moves = np.array(list(product(range(3), repeat=9)))  # where each of the nine goes
probability = P[start, moves].prod(axis=1)
counts = np.stack([(moves == j).sum(axis=1) for j in range(3)], axis=1)


# %%
def attack(R):
    """Largest gain of any output, and probability that the gain exceeds e."""
    outputs, worst, above = {}, 0, 0
    for row, x in enumerate(counts.tolist()):
        outputs.setdefault(R[tuple(x)], []).append(row)
    for rows in outputs.values():
        p = probability[rows]
        gain = 0
        for u, j in product((0, 3, 6), range(3)):  # one person from each station is enough
            after = p[moves[rows, u] == j].sum() / p.sum()
            gain = max(gain, after / P[start[u], j])
        worst, above = max(worst, gain), above + p.sum() * (gain > np.e)
    return worst, above


# %% [markdown]
# We attack three rules, each with and without rounding to whole people. The first publishes the truth. The second is Algorithm 1 without steps: it uses exactly the smallest weight that passes the test ([notebook 3](03-publishing-a-histogram.ipynb)). The third is the *bridge walk* of the same notebook. It repairs Algorithm 1 for attackers who do not know how the release is made. `histograms(9, 3)` lists the 55<!-- {len(histograms(9, 3))} --> ways to spread nine people over three stations:

# %%
options = {"transition": P, "epsilon": 1}
algorithms = {"truth": None, "Algorithm 1": private_histogram, "bridge walk": bridge_histogram}
result, distinct, returns = {}, {}, {}
for name, algorithm in algorithms.items():
    unrounded, rounded = {}, {}
    for x in map(tuple, histograms(9, 3).tolist()):
        shown = np.array(x) if algorithm is None else algorithm([3, 3, 3], x, **options).histogram
        unrounded[x], rounded[x] = tuple(shown.round(9)), tuple(shown.round())
    distinct[name] = len(set(unrounded.values()))
    returns[name] = sum(x == shown for x, shown in rounded.items())  # rounded to the truth
    result[name] = {"unrounded": attack(unrounded), "rounded": attack(rounded)}
    for decimals, (gain, above) in result[name].items():
        print(f"{name}, {decimals}: gains up to {gain:.2f}, above e with probability {above:.4f}")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What an attacker who knows how the release was made gains from it (nine people, \u03b5 = 1). Left, the largest gain; the dashed line is the bound e. Right, how often a gain exceeds the bound. Unrounded, both algorithms are practically as bad as the truth. Rounding helps Algorithm 1 much and the bridge walk less. A rule that kept the bound would have no bar on the right.", "name": "fig-lo-04-rounding"}, "image": {"alt": "Two panels with pairs of bars for the truth, Algorithm 1 and the bridge walk. Left, all unrounded bars stand at 10.00<!-- {result[\"truth\"][\"unrounded\"][0]:.2f} -->, and the rounded ones at 10.00<!-- {result[\"truth\"][\"rounded\"][0]:.2f} -->, 2.99<!-- {result[\"Algorithm 1\"][\"rounded\"][0]:.2f} --> and 5.51<!-- {result[\"bridge walk\"][\"rounded\"][0]:.2f} -->, all above a dashed line at 2.72<!-- {np.e:.2f} -->. Right, the unrounded bars stand at about 0.175<!-- {result[\"Algorithm 1\"][\"unrounded\"][1]:.3f} -->, and the rounded ones at 0.1753<!-- {result[\"truth\"][\"rounded\"][1]:.4f} -->, 0.0045<!-- {result[\"Algorithm 1\"][\"rounded\"][1]:.4f} --> and 0.1365<!-- {result[\"bridge walk\"][\"rounded\"][1]:.4f} -->."}} tags=["figure"]
fig, axes = plots.panels(1, 2, height=3.2, width=9.5)
for ax, part, form in zip(axes, (0, 1), ("%.2f", "%.4f")):
    for shift, decimals, colour in ((-0.2, "unrounded", "blue"), (0.2, "rounded", "orange")):
        heights = [result[name][decimals][part] for name in result]
        bars = ax.bar(np.arange(3) + shift, heights, width=0.36, color=plots.COLOURS[colour],
                      label=decimals)
        ax.bar_label(bars, fmt=form, fontsize=8)
    ax.set_xticks(range(3), list(result))
axes[0].axhline(np.e, color="#555555", ls="--", lw=1.2)
axes[0].set(ylabel="largest gain", ylim=(0, 13.5))
axes[1].set(ylabel="probability of a gain above e", ylim=(0, 0.24))
axes[0].legend(ncols=2, loc="upper center")
plt.show()

# %% [markdown]
# Unrounded, Algorithm 1 tells this attacker practically as much as the truth does, because the 55<!-- {len(histograms(9, 3))} --> truths have 53<!-- {distinct["Algorithm 1"]} --> different outputs. Rounded to whole people, it still allows a gain of 2.99<!-- {result["Algorithm 1"]["rounded"][0]:.2f} -->, which is above $e$, but gains above $e$ are rare.
#
# The bridge walk fares worse because it changes the histogram less. For 28<!-- {returns["bridge walk"]} --> of the 55<!-- {len(histograms(9, 3))} --> histograms, rounding its output leads back to the truth itself. With Algorithm 1 this happens for 4<!-- {returns["Algorithm 1"]} -->.
#
# From anonymised tables, too, an attacker who knows how they were made can learn more. This is called the *minimality attack* {cite:p}`wong2007minimality`.
#
# ```{evidence} M-B17
# ```
#
# ## The bound fails for the declared attackers, too
#
# The paper's own attackers know less: they take the published histogram for the truth. Section 7 of the paper concludes that the output is private for each class of section 3.2. At the crossing of [notebook 1](01-adversarial-privacy.ipynb) one person in a hundred turns. A hundred people come, and 50 of them turn:

# %%
crossing = [[Fraction(99, 100), Fraction(1, 100)], [0, 1]]
came, turned = (100, 0), (50, 50)
exact = {}
for attacker in ("MK", "OPK", "NPK"):
    options = {"transition": crossing, "adversary": attacker}
    release = private_histogram(came, turned, epsilon=1, **options)
    exact[attacker] = max_gain(came, turned, definition="exact", **options)
    print(f"{attacker}: published {release.histogram}, tested gain {release.gain:.2f},"
          f" exact gain {exact[attacker]}")

# %% [markdown]
# Algorithm 1 publishes the truth for all three classes, because the gain that it tests, the ratio of the paper's equation (3), is 1. But the exact gain, which the paper's definition asks for, is 50<!-- {exact["NPK"]} -->: 50 people turned where 1 was expected. [Notebook 3](03-publishing-a-histogram.ipynb) proves that the test does not bound the exact gain.
#
# ```{evidence} M-Z1 M-Z2 M-Z3
# ```
#
# ## Over a day the gains multiply
#
# The paper's introduction says that with several releases one must consider attacks that use the earlier ones. Its algorithm, however, bounds the gain of every minute on its own. What do all releases together reveal about a person's path?
#
# Three people stand at stations 1, 1 and 3. The true histograms of the next two minutes, $(1, 1, 1)$ and $(0, 2, 1)$, are published. We list all movements that lead to these histograms. For each path of the first person, we divide its probability after the releases by its probability before:

# %%
tenths = [[Fraction(n, 10) for n in row] for row in ([6, 3, 1], [2, 6, 2], [1, 3, 6])]
weights = {}  # path of the first person -> its probability together with the releases
for middle in permutations((0, 1, 2)):
    for end in set(permutations((1, 1, 2))):
        weight = 1
        for a, b, c in zip((0, 0, 2), middle, end):
            weight *= tenths[a][b] * tenths[b][c]
        path = (middle[0], end[0])
        weights[path] = weights.get(path, 0) + weight
path_gains = {}
for (j, k), weight in sorted(weights.items()):
    prior, posterior = tenths[0][j] * tenths[j][k], weight / sum(weights.values())
    path_gains[j, k] = posterior / prior
    print(f"path 1, {j + 1}, {k + 1}: probability before {float(prior):.3f},"
          f" after {float(posterior):.3f}, gain {float(path_gains[j, k]):.2f}")

# %% [markdown]
# Each of these gains is a product of two gains, one for each minute:
#
# ```{prf:theorem} Gains multiply along a path
# :label: thm-lo-04-day
# Let the true histograms $\pi(0), \dots, \pi(T)$ be published. For an attacker who knows where a person was at time 0, the gain of the path $i_0, i_1, \dots, i_T$ of this person is
#
# $$
# \frac{\Pr(i_1, \dots, i_T \mid i_0, \pi(0), \dots, \pi(T))}{\Pr(i_1, \dots, i_T \mid i_0)}
#  = \prod_{t=1}^{T} \mathrm{Gain}_{\mathsf{OPK}}(\pi(t), i_{t-1}, i_t) ,
# $$
#
# where the gain for time $t$ has $\pi(t-1)$ as the previous histogram.
# ```
#
# ```{prf:proof}
# By Bayes' rule the left side is $\Pr(\pi(1), \dots, \pi(T) \mid \text{path}, \pi(0))$ divided by $\Pr(\pi(1), \dots, \pi(T) \mid i_0, \pi(0))$. Given the path, the histogram $\pi(t)$ depends on the earlier ones only through $\pi(t-1)$, and on the path only through $i_{t-1}$ and $i_t$. So the numerator is a product over the minutes, of factors $\Pr(\pi(t) \mid \pi(t-1), i_{t-1}, i_t)$. The denominator is a product of factors $\Pr(\pi(t) \mid \pi(t-1))$, because the distribution of $\pi(t)$ depends on how many people stood where, not on who. For each minute the quotient of the two factors is, again by Bayes' rule, the gain of OPK for the step from $i_{t-1}$ to $i_t$.
# ```
#
# In the example the theorem holds exactly. (`gain_table` gives the exact gains of all guesses; row: from, column: to.)

# %%
exact_gains = {"transition": tenths, "definition": "exact"}
minute_1 = gain_table((2, 0, 1), (1, 1, 1), **exact_gains)
minute_2 = gain_table((1, 1, 1), (0, 2, 1), **exact_gains)
for (j, k), gain in path_gains.items():
    assert gain == minute_1[0, j] * minute_2[j, k]

# %% [markdown]
# How fast does the product grow? Its logarithm, the *log gain* of the path, is a sum over the minutes. We compute it for the path that each person really took, and average over all people. For a large crowd in which all moves are possible, one release adds about
#
# $$ \frac{L - 1}{2N} $$
#
# to this average, where $L$ is the number of stations. This is easy to remember: the histogram has $L - 1$ free numbers, each of them adds about 1/2, and $N$ people share the sum. (The evidence has the derivation.) We simulate 120 people in three stations for 200 minutes:

# %%
rng = np.random.default_rng(14)
crowd, minutes = 120, 200
places, log_gain = np.repeat([0, 1, 2], 40), np.zeros(crowd)
curves, largest_step = [], 0
for _ in range(minutes):
    moved = (rng.random(crowd)[:, None] > P[places].cumsum(axis=1)).sum(axis=1)
    old, new = np.bincount(places, minlength=3), np.bincount(moved, minlength=3)
    gains = gain_table(old, new, transition=P, definition="exact")
    largest_step = max(largest_step, gains.max())
    log_gain = log_gain + np.log(gains[places, moved])
    places = moved
    curves.append(log_gain)
curves = np.array(curves)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What the true histograms of 200 minutes reveal about the paths of 120 people. The average follows the rule T(L \u2212 1)/(2N). The band runs from the 5th to the 95th percentile. The largest log gain of the 120 ends at 6.05<!-- {log_gain.max():.2f} -->, although no single minute adds more than 0.49<!-- {np.log(largest_step):.2f} -->.", "name": "fig-day"}, "image": {"alt": "Log gain of a path against the number of releases. The average grows near the dashed straight line to 1.6<!-- {log_gain.mean():.1f} -->. The band widens to between -1.1<!-- {low[-1]:.1f} --> and 4.3<!-- {high[-1]:.1f} -->. The curve of the largest of the 120 rises to 6.05<!-- {log_gain.max():.2f} -->."}} tags=["figure"]
minute = np.arange(1, minutes + 1)
low, high = np.percentile(curves, [5, 95], axis=1)
fig, ax = plots.panels(height=3.4)
ax.fill_between(minute, low, high, color=plots.COLOURS["sky"], alpha=0.35, lw=0,
                label="5th to 95th percentile")
ax.plot(minute, curves.mean(axis=1), ls="-", label="average")
ax.plot(minute, minute * (3 - 1) / (2 * crowd), ls="--", label="$T(L-1)/(2N)$")
ax.plot(minute, curves.max(axis=1), ls=":", label="largest of the 120")
ax.set(xlabel="releases T", ylabel="log gain of the path")
ax.legend(loc="upper left")
plt.show()

# %% [markdown]
# No single minute makes a guess about anybody's step more than 1.64<!-- {largest_step:.2f} --> times as probable. Yet after 200 minutes, the path of the most exposed person has become 425<!-- {np.exp(log_gain.max()):.0f} --> times as probable. The paper's day has 1,440 minutes.
#
# ```{evidence} M-I7 M-B8
# ```
#
# ## Exercises
#
# ```{exercise-start} The truth behind a release
# :label: ex-lo-04-third
# ```
# **Warm-up.** There are two stations, the forecast is $(6.6, 3.4)$, and $(3.84, 6.16)$ is published. The step is 0.1. What is the truth?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("lo-04-third", ...)

# %% [markdown]
# ```{solution-start} ex-lo-04-third
# :class: dropdown
# ```
# Only the weight 0.4 gives a whole number of people in station 1, namely $(3.84 - 0.4 \cdot 6.6)/0.6 = 2$. The other 8 people are in station 2.

# %%
whole = []
for k in range(10):
    weight = Fraction(k, 10)
    people_in_1 = (Fraction("3.84") - weight * Fraction("6.6")) / (1 - weight)
    if people_in_1.denominator == 1 and people_in_1 >= 0:
        whole.append(int(people_in_1))
assert whole == [2]
check("lo-04-third", (whole[0], 10 - whole[0]))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} What do later releases reveal?
# :label: ex-lo-04-later
# ```
# **Standard.** An attacker knows where a person was at time 0 and all histograms, but not where the person is at time 2. Does the histogram at time 2 reveal anything to this attacker about where the person was at time 1 that the earlier histograms do not reveal?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lo-04-later", ...)

# %% [markdown]
# ```{solution-start} ex-lo-04-later
# :class: dropdown
# ```
# No. Given $\pi(1)$, the next histogram $\pi(2)$ does not depend on who stands where. In the example of three people, the probability of each place at time 1 is what it was before $\pi(2)$ was published.

# %%
changed = []
for place in range(3):
    with_both = sum(weight for path, weight in weights.items() if path[0] == place)
    with_both /= sum(weights.values())
    changed.append(with_both != tenths[0][place] * minute_1[0, place])  # the first alone
assert changed == [False, False, False]
check("lo-04-later", "yes" if any(changed) else "no")

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} How many people make a day harmless?
# :label: ex-lo-04-budget
# ```
# **Research.** Call a day harmless if for nobody the log gain of the path really taken exceeds 1. How many people are needed for $L = 14$ stations and 1,440 minutes?
#
# As a first guide, set the average $\mu = T(L-1)/(2N)$ to 1. Then consider the spread. The log gain $Z$ is a sum of many small terms, so it is nearly normal, with mean $\mu$ and some variance $\sigma^2$. By Bayes' rule, $e^{-Z}$ is the probability of the histograms divided by their probability given the path. So, given the path, its mean is 1 (apart from histograms that the path makes impossible). For a normal $Z$ this mean is $e^{-\mu + \sigma^2/2}$, so $\sigma^2 = 2\mu$. How many times as many people does it take until the largest of the $N$ log gains is about 1?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lo-04-budget", ...)


# %% [markdown]
# ```{solution-start} ex-lo-04-budget
# :class: dropdown
# ```
# The first guide gives $N = 1440 \cdot 13/2$, that is 9360<!-- {first_guide:.0f} -->. The largest of $N$ log gains is near $\mu + \sqrt{2\mu}\,z$, where the normal quantile $z$ is exceeded with probability $1/N$. For this to be 1 it takes 43.7<!-- {needed / first_guide:.1f} --> times as many people. The paper's crowds have 2,062 and 683. In the simulation above, the same formula predicts 6.04<!-- {largest_log_gain(120, 200, 3):.2f} --> for the most exposed person, and we saw 6.05<!-- {log_gain.max():.2f} -->.

# %%
def largest_log_gain(people, minutes, stations):
    """Approximate log gain of the path of the most exposed person."""
    mean = minutes * (stations - 1) / (2 * people)
    return mean + np.sqrt(2 * mean) * stats.norm.isf(1 / people)


first_guide = 1440 * 13 / 2
needed = optimize.brentq(lambda n: largest_log_gain(n, 1440, 14) - 1, 10, 1e9)
assert abs(largest_log_gain(crowd, minutes, 3) - log_gain.max()) < 0.2
check("lo-04-budget", (first_guide, needed / first_guide))

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# 1. *What can an attacker who knows Algorithm 1 compute?* From an unrounded mixture, the true histogram, or a few candidates for it. From a forecast that starts from the true histogram, that histogram, one minute late.
# 2. *Does rounding help?* Rounding to whole people stops the first computation, but hardly the second. Rounding to two decimals stops neither. In none of the three cases that we computed is the bound restored, because the attacker can consider all truths that would be rounded to the same output.
# 3. *Is a bound for every minute a bound for the day?* No. The gains of a path multiply exactly. The average log gain grows by about $(L - 1)/(2N)$ a release. That of the most exposed person is far larger, in our simulation 6.05<!-- {log_gain.max():.2f} --> against 1.6<!-- {log_gain.mean():.1f} -->.
#
# **Further reading.** Leakage of repeated releases under temporal correlation {cite:p}`cao2017quantifying`; differential privacy under continual observation {cite:p}`dwork2010continual`; inference from histograms of moving people {cite:p}`sheldon2011collective`; real trajectories recovered from a telephone company's counts {cite:p}`xu2017ash`.
# **Next:** [the best release against an attacker who knows how it was made](05-the-idea-done-right.ipynb).
