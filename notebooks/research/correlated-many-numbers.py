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
# # What does it cost to publish many numbers?
#
# **Question.** The sum of correlated numbers is published with enough noise to protect everybody. How much more noise does each number need if all numbers are published? And how much if the sum is published twice?
#
# **What is known.** The paper {cite:p}`yangkanren` considers one release of one sum. For bits that are *positively affiliated* (large values go with large ones), no mechanism that is $\varepsilon$-differentially private reveals more than a sum with Laplace noise of scale $1/\varepsilon$ {cite:p}`ghosh2017inferential` (abstract only). For several releases, levels need not add up {cite:p}`song2017composition`.
#
# **Answer.** For positively affiliated numbers that are bounded, the table of all noisy numbers leaks exactly what their noisy sum leaks. At $\varepsilon = 1$, noise of scale 3.38<!-- {scales[-1]:.2f} --> is enough for each of thirty steps of a Markov chain, where group privacy asks for 30. Two releases of the same sum, each with $\varepsilon = \frac12$, have together 1.027<!-- {both:.3f} -->, more than 1.
#
# **Why it matters.** A publisher may often release a whole table with the noise of its total, but should not add up the $\varepsilon$ of several totals.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** when a table of noisy numbers leaks no more than their noisy sum, which condition on the data is needed for this, and how much noise a second release of the sum needs.
# **You need** the definition of [Bayesian differential privacy](../correlated/02-bayesian-differential-privacy.ipynb) (notebook 2) and [the exact noise along a chain](correlated-noise-at-equal-epsilon.ipynb).
# **Time:** 13 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two values of one tuple. **The attacker** knows the joint distribution, the mechanism, and any set $x_{\mathcal{K}}$ of other tuples, and sees *all* published numbers. A *weak* attacker knows no tuple. **Released:** several numbers, each plus independent Laplace noise of one scale $\lambda$. **Protected:** the odds between two values of $x_i$. The *level* of a release is its largest leakage over all attackers, which is the smallest $\varepsilon$ for which it is $\varepsilon$-BDP.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from itertools import product

import matplotlib.pyplot as plt
import numpy as np

from privlib.correlated import FiniteDistribution
from privlib.notebook import plots
from privlib.research.markov_chain import MarkovChain

plots.use()

# %% [markdown]
# ## Two bits
#
# Each of two people has a bit, and each bit is 0 or 1 with probability 1/2. In one population the two bits agree with probability 0.98, in another one they differ with probability 0.98. We publish either the sum of the bits or both bits, with noise of scale 1 in each number. What does a weak attacker learn about the first bit?

# %%
PAIR = [[[0, 0], [0, 1]], [[1, 0], [1, 1]]]  # PAIR[x1][x2]: the two published bits


def leakages(agree):
    """What the noisy sum and the two noisy bits leak to a weak attacker."""
    joint = np.array([[agree, 1 - agree], [1 - agree, agree]]) / 2
    leakage_of_sum = FiniteDistribution(joint).leakage(0, scale=1)
    leakage_of_pair = FiniteDistribution(joint, query=PAIR).leakage(0, scale=1)
    return leakage_of_sum, leakage_of_pair


for agree in (0.98, 0.02):
    leakage_of_sum, leakage_of_pair = leakages(agree)
    print(f"bits agree with probability {agree}:", end=" ")
    print(f"sum {leakage_of_sum:.3f}, both bits {leakage_of_pair:.3f}")

# %% [markdown]
# If the bits tend to agree, the two noisy bits leak exactly what their noisy sum leaks. If the bits tend to differ, the sum is nearly always 1 and leaks almost nothing, but the two noisy bits still leak much. {numref}`fig-11-bits` shows all probabilities of agreement.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Leakage of two bits to a weak attacker, with noise of scale 1. If the bits agree with probability at least 1/2 (to the right of the dotted line), the two noisy bits leak exactly what their noisy sum leaks. Otherwise the sum leaks less.", "name": "fig-11-bits"}, "image": {"alt": "Leakage against the probability that two bits agree. The curve of both bits falls from 2 to 1 at one half and rises to 2 again. The curve of the sum rises from 0 to 1 at one half and coincides with the other one from there on."}} tags=["figure"]
chances = np.linspace(0, 1, 101)[1:-1]
sum_curve, pair_curve = np.array([leakages(agree) for agree in chances]).T
fig, axis = plots.panels(1, 1, height=3.2, width=6)
axis.plot(chances, pair_curve, label="both bits")
axis.plot(chances, sum_curve, label="their sum")
axis.axvline(0.5, color="#555555", lw=1, ls=":")
axis.set(xlabel="probability that the two bits agree", ylabel="leakage", ylim=(0, 2.4))
axis.legend()
assert np.allclose(sum_curve[chances >= 0.5], pair_curve[chances >= 0.5])
plt.show()


# %% [markdown]
# ## A table can leak no more than its total
#
# The right half of the figure is an example of *positive affiliation*: large values go with large ones {cite:p}`karlin1980classes`. For two databases $x$ and $y$, let $x \vee y$ contain the larger of the numbers $x_j$ and $y_j$ for each $j$, and let $x \wedge y$ contain the smaller ones. A distribution $p$ of $n$ numbers is positively affiliated if $p(x \vee y)\, p(x \wedge y) \ge p(x)\, p(y)$ for all $x$ and $y$.

# %%
def affiliated(joint):
    """Whether p(x ∨ y) p(x ∧ y) >= p(x) p(y) for all x and y."""
    for x, y in product(np.ndindex(joint.shape), repeat=2):
        high = joint[tuple(np.maximum(x, y))]
        low = joint[tuple(np.minimum(x, y))]
        if high * low < joint[x] * joint[y] * (1 - 1e-12):
            return False
    return True


P = np.array([[0.9, 0.1], [0.4, 0.6]])  # transition matrix of the states 0 and 1
five_steps = np.array([0.8, 0.2])
for _ in range(4):
    five_steps = five_steps[..., None] * P
print("five steps of a chain:", affiliated(five_steps))
print("two bits that differ:", affiliated(np.array([[0.01, 0.49], [0.49, 0.01]])))


# %% [markdown]
# A chain with two states is positively affiliated if each state is more probable after itself than after the other state. Normal tuples are positively affiliated if their precision matrix has no positive entry off the diagonal {cite:p}`karlin1983mmatrices`, as in the [Gaussian model](../correlated/03-gaussian-correlation-model.ipynb) of the paper.
#
# ````{prf:theorem} A table leaks what its total leaks
# :label: thm-11-table
#
# Let the numbers $x_1, \dots, x_n$ be positively affiliated, let $s$ be their sum, and let $\mathrm{E}[e^{|s|/\lambda} \mid x_i, x_{\mathcal{K}}]$ be finite, as it is for bounded or normal numbers. Then the $n$ outputs $x_j + \mathrm{Lap}(\lambda)$, with independent noise, leak to every attacker exactly what the one output $s + \mathrm{Lap}(\lambda)$ leaks. The same holds for the noisy sums of groups of numbers, if each number is in exactly one group.
# ````
#
# ```{prf:proof}
# Fix $x_{\mathcal{K}}$ and two values $a < b$ of $x_i$. Given $x_{\mathcal{K}}$, the other numbers are still positively affiliated {cite:p}`karlin1980classes`. Let the groups $G$ have the sums $s_G$ and the outputs $t_G$. (In the table, each number is a group.) Up to a constant factor, the density of the outputs given all numbers is
#
# $$ \prod_G e^{-|t_G - s_G|/\lambda} = e^{s/\lambda}\, g(x), \qquad g(x) = \prod_G e^{-(|t_G - s_G| + s_G)/\lambda}. $$
#
# The function $g$ does not increase with any $x_j$, because $|t - s| + s$ does not decrease with $s$. Let $\mathrm{E}'$ be the expectation under the distribution that is reweighted by $e^{s/\lambda}$. The ratio of the output densities given $b$ and given $a$ is
#
# $$ \frac{\mathrm{E}[e^{s/\lambda} \mid b]}{\mathrm{E}[e^{s/\lambda} \mid a]} \cdot \frac{\mathrm{E}'[g \mid b]}{\mathrm{E}'[g \mid a]}. $$
#
# The weight $e^{s/\lambda}$ is a product of functions of one number each, so the reweighted distribution is positively affiliated as well. Under such a distribution, the mean of a function that does not increase with any number does not increase with $x_i$ either {cite:p}`karlin1980classes`. Hence the second factor is at most 1. It tends to 1 as all $t_G$ grow: if $t_G \ge s_G$, then $|t_G - s_G| + s_G = t_G$, so $g$ depends less and less on $x$. Therefore the supremum of the ratio is the first factor. It does not depend on the groups, so it is the same for the table and for the total.
#
# For the inverse ratio, reweight by $e^{-s/\lambda}$ instead. Then $g$ contains $|t_G - s_G| - s_G$ in place of $|t_G - s_G| + s_G$, so it does not decrease with any $x_j$. The same argument applies, with $t_G \to -\infty$.
# ```
#
# So the leakage can be computed without any outputs, from the first factor alone. This function does it for a weak attacker:

# %%
def leakage_by_moments(joint, target, scale):
    """Largest |log E[e^{±s/λ} | b] - log E[e^{±s/λ} | a]| for a weak attacker."""
    total = np.indices(joint.shape).sum(axis=0)
    others = tuple(j for j in range(joint.ndim) if j != target)
    ranges = []
    for sign in (1, -1):
        moments = (joint * np.exp(sign * total / scale)).sum(others) / joint.sum(others)
        ranges.append(np.ptp(np.log(moments)))
    return max(ranges)


# %%
all_numbers = np.moveaxis(np.indices(five_steps.shape), 0, -1)  # what the table publishes
sum_release = FiniteDistribution(five_steps)
table_release = FiniteDistribution(five_steps, query=all_numbers)
by_moments = leakage_by_moments(five_steps, 2, scale=1)
assert np.isclose(sum_release.leakage(2, scale=1), by_moments)
assert np.isclose(table_release.leakage(2, scale=1), by_moments)
print("noise scale for the sum, at ε = 1:", round(sum_release.noise_scale(1), 6))
print("for each of the five numbers:", round(table_release.noise_scale(1), 6))

# %% [markdown]
# The two scales, which protect against all attackers, agree. So the noise that is enough for a total is also enough for each number in it if all numbers are published. {numref}`fig-11-table` shows this scale for up to thirty numbers.
#
# The theorem also applies if each step of the chain is published immediately, which is the setting of {cite:t}`cao2017quantifying`. At $\lambda = 1$, ten noisy steps leak at most 3.209<!-- {max(ten.leakage(i, scale=1) for i in range(10)):.3f} --> to a weak attacker, and so does their noisy sum.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The smallest noise scale with \u03b5 = 1 for each number, if all steps of the chain are published. By the theorem, it is the scale that their sum alone needs. It hardly grows after fifteen steps. The scale that group privacy asks for is the number of steps.", "name": "fig-11-table"}, "image": {"alt": "Noise scale against the number of published steps from 1 to 30. The exact scale rises from 1 and flattens at 3.4<!-- {scales[-1]:.1f} -->; group privacy is a straight line up to 30."}} tags=["figure"]
lengths = np.arange(1, 31)
scales = [MarkovChain(P, int(n)).noise_scale(1) for n in lengths]
ten = MarkovChain(P, 10)
fig, axis = plots.panels(1, 1, height=3.2, width=6)
axis.plot(lengths, lengths, label="group privacy", ls=":")
axis.plot(lengths, scales, marker="o", ms=3, label="enough against all attackers")
axis.set(xlabel="number of published steps", ylabel="noise scale of each number")
axis.legend()
assert scales[-1] / scales[14] < 1.02  # the caption
plt.show()

# %% [markdown]
# *Finite moments are needed.* Let $x_1$ be a fair bit, and let $x_2$ be independent of it, with the value $k$ with probability proportional to $e^{-|k|/2}$. Independent numbers are positively affiliated, but at $\lambda = 1$ the moment $\mathrm{E}[e^{|s|/\lambda}]$ is infinite. Of the bit $x_1$ the table leaks 1. The sum leaks less, because the heavy tails of $x_2$ hide the bit:

# %%
k = np.arange(-400, 401)
outputs = np.linspace(-40, 40, 1601)
densities = []
for bit in (0, 1):
    densities.append(np.exp(-abs(outputs[:, None] - k - bit)) @ np.exp(-abs(k) / 2))
print("the sum leaks", round(abs(np.log(densities[0] / densities[1])).max(), 6))

# %% [markdown]
# ```{evidence} Y-B56
# ```
#
# ## The same sum twice
#
# Now publish the sum of thirty steps twice, with independent noise, so that each release has level $\frac12$. By {prf:ref}`thm-02-merge` of notebook 2, two releases with noise of scale $\lambda$ leak to each attacker exactly what one release with scale $\lambda/2$ leaks. So we can compute the level of the two releases together:

# %%
chain = MarkovChain(P, 30)
scale_of_each = chain.noise_scale(0.5)
both = chain.worst_adversary(scale=scale_of_each / 2).leakage
print(f"noise scale of each release {scale_of_each:.2f}, level of both together {both:.4f}")
assert both > 1

# %% [markdown]
# So the level of both together is larger than the sum of the levels, even for a noisy count on one chain. The difference is small here. A publisher who wants level 1 for both together has to choose the noise for both together: the scale 6.77<!-- {2 * scales[-1]:.2f} --> in each release instead of 6.60<!-- {scale_of_each:.2f} -->.
#
# For some ways of choosing the noise, levels do add up. {cite:t}`song2017composition` show this for the Markov quilt mechanism on time series. It also holds for {prf:ref}`thm-11-quilt` of [the note on noise at equal ε](correlated-noise-at-equal-epsilon.ipynb), which splits the leakage of one release into two parts. The tuples at most $r$ steps from the target contribute at most $\varepsilon - 2\Delta_{r+1}$, and the values $r + 1$ steps before and after it at most $2\Delta_{r+1}$. In $m$ releases with the same $r$, the first part counts $m$ times, but the second part only once, because it does not depend on the noise. Together they are at most $m(\varepsilon - 2\Delta_{r+1}) + 2\Delta_{r+1} \le m\varepsilon$.
#
# ```{evidence} Y-B55
# ```
#
# ## What it rests on
#
# The theorem rests on two kinds of facts about positive affiliation that the proof cites: it survives conditioning and reweighting, and it makes means monotone {cite:p}`karlin1980classes`. The [evidence](../evidence/research/correlated-many-numbers.ipynb) compares the theorem with leakages that are computed from the outputs. It does so in fractions for all attackers of four steps; for weak attackers of ten steps, over all 1,024 outputs in which each number is 0 or 1 (where the largest ratios lie); and for forty random affiliated distributions of three numbers. It also computes the level of two releases from pairs of outputs, for all attackers of four steps.
#
# ## Limits
#
# - The numbers must be positively affiliated, all noises must have one scale, and each number must be in one group only. For overlapping sums the theorem does not hold in general: the same sum twice is an example.
# - The theorem is about leakage, not about accuracy. The *total* of a noisy table is inaccurate, because the noise of all its numbers adds up.
# - The level 1.027<!-- {both:.3f} --> of two releases is one example. We do not know how far the level can exceed the sum of the levels along a chain.
#
# ## What others had
#
# *Tables.* For positively affiliated bits, {cite:t}`ghosh2017inferential` show that no mechanism with the differential privacy of the noise reveals more than noise on the sum does. We have read only their abstract. So a table of bits leaks at most what its sum leaks by their result. We add numbers other than bits, subtotals, and equality. The proof above also bounds other mechanisms: it needs only that the log density of the output changes by at most $|\Delta x_j|/\lambda$ when $x_j$ changes by $\Delta x_j$.
#
# *Several releases.* That the levels of Pufferfish mechanisms need not add up is due to {cite:t}`song2017composition` and {cite:t}`bai2026composition` (abstract and introduction only). {cite:t}`chakrabarti2022optimal` have nearly optimal noise for one release per step on binary chains (abstract only); we have not compared it with ours.
#
# **Next:** [*What happens outside the assumptions?*](correlated-outside-the-assumptions.ipynb)
