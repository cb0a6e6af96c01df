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
# **Question.** A noisy sum of correlated numbers protects everybody at some level. How much more noise does each number need if all of them are published, or if the same sum is published twice?
#
# **Answer.** If the numbers are *positively affiliated*, none: along a chain of thirty steps, noise of scale 3.38<!-- {scales[-1]:.2f} --> protects each of thirty published numbers as well as their sum, where group privacy asks for 30. Without this condition it fails, and the same sum twice needs more noise than the levels suggest: two releases of level $\frac12$ have level 1.027<!-- {both:.3f} --> together.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** when a table of noisy numbers leaks no more than their noisy sum, why large values must go with large ones for this, and what a second release of the sum costs.
# **You need** the definition of [Bayesian differential privacy](../correlated/02-bayesian-differential-privacy.ipynb) (notebook 2) and [the exact noise along a chain](correlated-noise-at-equal-epsilon.ipynb).
# **Time:** 11 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two values of one tuple. **The attacker** knows the joint distribution, the mechanism, and any set $x_{\mathcal{K}}$ of other tuples, and sees *all* published numbers. A *weak* attacker knows no tuple. **Released:** several numbers, each plus independent Laplace noise of one scale $\lambda$. **Protected:** the odds between two values of $x_i$.
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
# Two people each have a bit. In one population the two bits agree with probability 0.98, in the other one they differ with probability 0.98. We publish either the sum of the bits or both bits, with noise of scale 1 in each number. What does a weak attacker learn about the first bit?

# %%
BOTH = [[[0, 0], [0, 1]], [[1, 0], [1, 1]]]  # BOTH[x1][x2] is what is published


def leakages(agree):
    """What the noisy sum and the two noisy bits leak to a weak attacker."""
    table = np.array([[agree, 1 - agree], [1 - agree, agree]]) / 2
    of_sum = FiniteDistribution(table).leakage(0, scale=1)
    return of_sum, FiniteDistribution(table, query=BOTH).leakage(0, scale=1)


for agree in (0.98, 0.02):
    of_sum, of_both = leakages(agree)
    print(f"they agree with probability {agree}: sum {of_sum:.3f}, both bits {of_both:.3f}")

# %% [markdown]
# If the bits tend to agree, the two numbers leak exactly what their sum leaks. If they tend to differ, the sum is nearly always 1 and says almost nothing, but the two bits still tell a lot. {numref}`fig-11-bits` shows all cases.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Leakage of two bits to a weak attacker, with noise of scale 1. If the bits agree with probability at least 1/2, both noisy bits leak what their noisy sum leaks. Otherwise the sum hides them, and the two bits do not.", "name": "fig-11-bits"}, "image": {"alt": "Leakage against the probability that two bits agree. The curve of both bits falls from 2 to 1 at one half and rises to 2 again. The curve of the sum rises from 0 to 1 at one half and coincides with the other one from there on."}} tags=["figure"]
chances = np.linspace(0, 1, 101)[1:-1]
of_sums, of_boths = np.array([leakages(agree) for agree in chances]).T
fig, axis = plots.panels(1, 1, height=3.2, width=6)
axis.plot(chances, of_boths, label="both bits")
axis.plot(chances, of_sums, label="their sum")
axis.axvline(0.5, color="#555555", lw=1, ls=":")
axis.set(xlabel="probability that the two bits agree", ylabel="leakage", ylim=(0, 2.4))
axis.legend()
assert np.allclose(of_sums[chances >= 0.5], of_boths[chances >= 0.5])
plt.show()


# %% [markdown]
# ## A table for the price of its total
#
# The right half of the figure is an example of *positive affiliation*: large values go with large ones {cite:p}`karlin1980classes`. A distribution $p$ of $n$ numbers is positively affiliated if $p(x \vee y)\, p(x \wedge y) \ge p(x)\, p(y)$ for all $x$ and $y$, where $\vee$ and $\wedge$ take the larger and the smaller number in each place.

# %%
def affiliated(joint):
    """Whether p(x ∨ y) p(x ∧ y) >= p(x) p(y) for all x and y."""
    for x, y in product(np.ndindex(joint.shape), repeat=2):
        high = joint[tuple(np.maximum(x, y))]
        low = joint[tuple(np.minimum(x, y))]
        if high * low < joint[x] * joint[y] * (1 - 1e-12):
            return False
    return True


P = np.array([[0.9, 0.1], [0.4, 0.6]])  # from active or not to active or not
days = np.array([0.8, 0.2])
for _ in range(4):
    days = days[..., None] * P
print("five days of a chain:", affiliated(days))
print("two bits that differ:", affiliated(np.array([[0.01, 0.49], [0.49, 0.01]])))


# %% [markdown]
# A chain of two states is positively affiliated if each state is more probable after itself than after the other. So are normal tuples whose precision matrix has no positive entry off the diagonal {cite:p}`karlin1983mmatrices`, as in the [Gaussian model](../correlated/03-gaussian-correlation-model.ipynb) of the paper.
#
# ````{prf:theorem} A table for the price of its total
# :label: thm-11-table
#
# Let the numbers $x_1, \dots, x_n$ be positively affiliated, let $s$ be their sum, and let $\mathrm{E}[e^{|s|/\lambda} \mid x_i, x_{\mathcal{K}}]$ be finite, as it is for bounded or normal numbers. Then the $n$ outputs $x_j + \mathrm{Lap}(\lambda)$, with independent noise, leak to every attacker exactly what the one output $s + \mathrm{Lap}(\lambda)$ leaks. So do the noisy sums of any groups of numbers, if each number is in exactly one group.
# ````
#
# ```{prf:proof}
# Fix $x_{\mathcal{K}}$ and two values $a < b$ of $x_i$. Given $x_{\mathcal{K}}$, the other numbers are still affiliated. Let the groups $G$ have the sums $s_G$ and the outputs $t_G$. Up to a constant, the density of the outputs given all numbers is
#
# $$ \prod_G e^{-|t_G - s_G|/\lambda} = e^{s/\lambda}\, g(x), \qquad g(x) = \prod_G e^{-(|t_G - s_G| + s_G)/\lambda}. $$
#
# The function $g$ does not increase with any $x_j$, because $|t - s| + s$ does not decrease with $s$. Let $\mathrm{E}'$ be the expectation under the distribution that is reweighted by $e^{s/\lambda}$. The ratio of the output densities given $b$ and given $a$ is
#
# $$ \frac{\mathrm{E}[e^{s/\lambda} \mid b]}{\mathrm{E}[e^{s/\lambda} \mid a]} \cdot \frac{\mathrm{E}'[g \mid b]}{\mathrm{E}'[g \mid a]}. $$
#
# The weight is a product of functions of one number each, so the reweighted distribution is affiliated, too. Under such a distribution, the mean of a function that decreases with all numbers does not increase with $x_i$ {cite:p}`karlin1980classes`. Hence the second factor is at most 1. It tends to 1 as all $t_G$ grow, because $|t_G - s_G| + s_G = t_G$ as soon as $t_G \ge s_G$, so that $g$ tends to a constant factor. Therefore the supremum of the ratio is the first factor. It does not depend on the groups, so it is the same for the table and for the total.
#
# For the ratio given $a$ and given $b$, weight by $e^{-s/\lambda}$ instead. Then $g$ has $|t_G - s_G| - s_G$ in its exponent and does not decrease with any $x_j$, and all $t_G$ go to $-\infty$.
# ```
#
# The first factor can be computed without any outputs. For a weak attacker of the five days:

# %%
def first_factor(joint, target, scale):
    """Largest |log E[e^{±s/λ} | b] - log E[e^{±s/λ} | a]| for a weak attacker."""
    total = np.indices(joint.shape).sum(axis=0)
    others = tuple(j for j in range(joint.ndim) if j != target)
    ranges = []
    for sign in (1, -1):
        moments = (joint * np.exp(sign * total / scale)).sum(others) / joint.sum(others)
        ranges.append(np.ptp(np.log(moments)))
    return max(ranges)


# %%
each_day = np.moveaxis(np.indices(days.shape), 0, -1)  # publish all five numbers
sum_of_days, table_of_days = FiniteDistribution(days), FiniteDistribution(days, query=each_day)
factor = first_factor(days, 2, scale=1)
assert np.isclose(sum_of_days.leakage(2, scale=1), factor)
assert np.isclose(table_of_days.leakage(2, scale=1), factor)
print("noise for the sum:", round(sum_of_days.noise_scale(1), 6))
print("noise for each of five numbers:", round(table_of_days.noise_scale(1), 6))

# %% [markdown]
# The two scales agree, against all attackers. So the noise that is enough for a total is enough for every number in it, however many are published. {numref}`fig-11-table` shows this up to thirty numbers. The same holds if each step of the chain is published as it happens, which is the setting of {cite:t}`cao2017quantifying`: at $\lambda = 1$, ten noisy steps leak 3.209<!-- {max(ten.leakage(i, scale=1) for i in range(10)):.3f} --> to the worst weak attacker, like their sum.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Least noise in each number for \u03b5 = 1, if all steps of the chain are published. It is the noise that their sum alone needs, and it soon stops growing. Group privacy grows without end.", "name": "fig-11-table"}, "image": {"alt": "Noise scale against the number of published steps from 1 to 30. The exact scale rises from 1 and flattens at 3.4<!-- {scales[-1]:.1f} -->; group privacy is a straight line up to 30."}} tags=["figure"]
lengths = np.arange(1, 31)
scales = [MarkovChain(P, int(n)).noise_scale(1) for n in lengths]
ten = MarkovChain(P, 10)
fig, axis = plots.panels(1, 1, height=3.2, width=6)
axis.plot(lengths, lengths, label="group privacy", ls=":")
axis.plot(lengths, scales, marker="o", ms=3, label="exact")
axis.set(xlabel="number of published steps", ylabel="noise scale of each number")
axis.legend()
plt.show()

# %% [markdown]
# *Finite moments are needed.* Beside a fair bit, let an independent number be $k$ with probability proportional to $e^{-|k|/2}$. Independent numbers are affiliated, but at $\lambda = 1$ the moment is infinite. The table leaks 1 about the bit. The sum leaks less, because the heavy tails of $k$ hide the bit:

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
# Now publish the sum of thirty steps twice, with independent noise, each release of level $\frac12$. By {prf:ref}`thm-02-merge` of notebook 2, two releases of scale $\lambda$ leak to each attacker exactly what one of scale $\lambda/2$ leaks. So we can compute the level of both:

# %%
chain = MarkovChain(P, 30)
half = chain.noise_scale(0.5)
both = chain.worst_adversary(scale=half / 2).leakage
print(f"each release needs noise {half:.2f}, both together have level {both:.4f}")
assert both > 1

# %% [markdown]
# The levels do not add up, not even for a noisy count on one chain. The excess is small here. To be safe, ask for the level of both together: noise of 6.77<!-- {2 * scales[-1]:.2f} --> in each release, instead of 6.60<!-- {half:.2f} -->.
#
# Noise that is chosen by one quilt does add up. For the Markov quilt mechanism on time series this is a result of {cite:t}`song2017composition`. For {prf:ref}`thm-11-quilt` it follows from the proof: with the same $r$ for $m$ releases, the tuples inside the quilt count $m$ times, but the two values at its ends only once. Together this is $m(\varepsilon - 2\Delta_{r+1}) + 2\Delta_{r+1} \le m\varepsilon$.
#
# ```{evidence} Y-B55
# ```
#
# ## What it rests on
#
# The theorem rests on the two facts of {cite:t}`karlin1980classes` that the proof names. The [evidence](../evidence/research/correlated-many-numbers.ipynb) compares it with the outputs themselves: in fractions for all attackers of four days, for weak attackers of ten days over all 1,024 corners of the outputs, and for forty random affiliated distributions of three numbers. It also computes the level of two releases over pairs of outputs for all attackers of four steps.
#
# ## Limits
#
# - The numbers must be positively affiliated, all noises must have one scale, and each number must be in one group only. For two overlapping sums nothing is promised.
# - The theorem is about leakage. As a way to the *total* the table is poor, because the noise of all its numbers adds up.
# - The excess of the second release is one example. How large it can become along a chain we do not know.
#
# ## What others had
#
# For bits that are positively affiliated, {cite:t}`ghosh2017inferential` show that no mechanism which is differentially private at the level of the noise reveals more than noise on the sum does, as we read their abstract. So their result covers tables of bits. What we add is the step to numbers and subtotals, and that no less is leaked. The proof also shows where the noise enters: of the table it uses only that the logarithm of the output density changes by at most $|\Delta x_j|/\lambda$ with a number. That Pufferfish mechanisms need not compose is due to {cite:t}`song2017composition` and {cite:t}`bai2026composition`, of whom we read abstract and introduction only. {cite:t}`chakrabarti2022optimal` have nearly optimal noise for one release a step on binary chains; we have not compared.
#
# **Next:** [*What happens outside the assumptions?*](correlated-outside-the-assumptions.ipynb)
