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
# # How much noise do a million people need if the weights are guesses?
#
# **Question.** The noise of the [Gaussian model](../correlated/03-gaussian-correlation-model.ipynb) protects people under one joint distribution. But weights and priors are estimates. How much noise is enough for *all* weights and priors in given intervals, and can it be computed, with a guarantee, for a network of a million people?
#
# **Answer.** If no weight is negative and all people have the same prior, the largest weights and the smallest prior are the worst case, so no search is needed. On a random network of a million people, whose weights may be wrong by a half and whose prior by a factor of two, this asks for 2.94<!-- {noise_factor:.2f} --> times the noise that the estimates ask for. The exact value is enclosed to nine digits, rounding errors included.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** what noise is enough if weights and priors are known only within intervals, how to enclose the largest leakage of a very large network, and how to estimate everybody's.
# **You need** [notebook 5](../correlated/05-who-leaks-most.ipynb): leakage with one common prior, and what a link adds to it.
# **Time:** 13 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two values of one tuple, at most $M$ apart. **The attacker** knows the true weights and the true prior, and the values of any other tuples, and sees one sum with noise from $\operatorname{Lap}(\lambda)$. **The publisher** knows only intervals for the weights $w_{ij} \ge 0$ and for the common prior precision $\tau > 0$. **Protected:** the odds between two values of $x_i$. **Not considered:** negative weights, other noise, data that are not normal ([*What happens outside the assumptions?*](correlated-outside-the-assumptions.ipynb)).
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from math import fsum

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import scipy.sparse as sps
from mpmath import iv
from scipy.sparse.linalg import cg
from scipy.stats import chi2

from privlib.correlated import networks
from privlib.notebook import plots
from privlib.research.sparse_gaussian import leakage_estimates

plots.use()

# %% [markdown]
# ## The worst case is a corner
#
# Zachary's karate club has 34 members and 78 friendships. Suppose that each weight is known to lie between $\frac12$ and $\frac32$, and the common prior between $\frac12$ and 2. By Theorem 5.2 of the paper ([notebook 4](../correlated/04-all-adversaries.ipynb)), only attackers who know no tuple count, and [notebook 5](../correlated/05-who-leaks-most.ipynb) has their leakage coefficients ({prf:ref}`prp-05-variance`): $1 + \ell_i = 1/(\tau V_{ii})$ with $V = P^{-1}$.

# %%
club = nx.to_numpy_array(nx.karate_club_graph(), weight=None)


def coefficients(weights, prior):
    """Leakage coefficients l of all attackers who know no tuple."""
    P = np.diag(weights.sum(axis=1) + prior) - weights
    V = np.linalg.inv(P)
    return 1 / (prior * V.diagonal()) - 1


rng = np.random.default_rng(8)
drawn = []
for _ in range(2000):
    factor = np.triu(rng.uniform(0.5, 1.5, club.shape), 1)
    drawn.append(coefficients(club * (factor + factor.T), rng.uniform(0.5, 2)))
corner = coefficients(1.5 * club, 0.5)
print(f"largest of 2,000 draws {np.max(drawn):.2f}, at the corner {corner.max():.2f}")

# %% [markdown]
# The *corner* has all weights at their largest value and the prior at its smallest. All draws stay below it, for every member of the club ({numref}`fig-07-corner`).

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Leakage coefficients of the members of the karate club. Bars are the range of 2,000 draws of weights in [1/2, 3/2] and a prior in [1/2, 2]. The largest weights with the smallest prior (dashes) are the worst case for every member.", "name": "fig-07-corner"}, "image": {"alt": "Thirty-four vertical bars, sorted by height. Above each bar is a dash. The highest dash is at 17.3<!-- {corner.max():.1f} -->."}} tags=["figure"]
order = np.argsort(corner, kind="stable")
lowest, highest = np.min(drawn, axis=0), np.max(drawn, axis=0)
assert (highest < corner).all()
fig, axis = plots.panels(height=3.2)
places = np.arange(34)
axis.vlines(places, lowest[order], highest[order], lw=4, color=plots.COLOURS["sky"],
            label="2,000 draws")  # fmt: skip
dash = {"ms": 9, "mew": 1.6, "color": plots.COLOURS["black"], "ls": "none"}
axis.plot(places, corner[order], "_", label="the corner", **dash)
axis.set(xlabel="member of the club, sorted", ylabel="leakage coefficient", ylim=(0, None))
axis.legend()
plt.show()

# %% [markdown]
# ````{prf:theorem} The worst case in a box
# :label: thm-07-box
# Let $0 \le w_{ij} \le \overline w_{ij}$ and let the common prior be at least $\underline\tau > 0$. Over all these distributions and all attackers, the leakage is largest at $w = \overline w$ and $\tau = \underline\tau$, for an attacker who knows no tuple.
# ````
#
# ```{prf:proof}
# By {prf:ref}`thm-04-forgetting` of notebook 4, attackers who know tuples learn no more than those who know none. By {prf:ref}`thm-05-rayleigh` of notebook 5, raising a weight never lowers a coefficient of theirs. By {prf:ref}`prp-05-prior` of notebook 5, lowering $\tau$ never lowers one.
# ```
#
# So the lower ends of the weights and the upper end of the prior do not matter. That the prior is *common* does matter. Suppose that three tuples have the priors 1, $\frac1{10}$ and 100. The first two are linked, and we add a link between the last two. For any priors, $1 + \ell_0 = (V \mathbf 1)_0 / V_{00}$ ([notebook 3](../correlated/03-gaussian-correlation-model.ipynb)).

# %%
priors = np.diag([1, 0.1, 100])
one_link = priors + [[1, -1, 0], [-1, 1, 0], [0, 0, 0]]
two_links = one_link + [[0, 0, 0], [0, 1, -1], [0, -1, 1]]
for links, P in (("one link", one_link), ("two links", two_links)):
    V = np.linalg.inv(P)
    print(f"{links}: l = {V[0].sum() / V[0, 0] - 1:.3f}")

# %% [markdown]
# The firm prior of the third tuple holds the second one in place, and the coefficient falls. So with different priors the corner need not be the worst case ({ref}`an exercise of notebook 5 <ex-05-third>`).
#
# ```{evidence} Y-B6
# ```
#
# ## Enclose the largest coefficient without an inverse
#
# For a million people, the inverse $V$ would have $10^{12}$ entries. But one entry $V_{ii}$ can be enclosed from any approximate solution of one linear system. Take two tuples with the weight 1 and the prior 1, and guess that the first column of $V$ is about $(0.7, 0.3)$:

# %%
P = np.array([[2, -1], [-1, 2]])
v = np.array([Fraction(7, 10), Fraction(3, 10)])
residual = np.array([1, 0]) - P @ v
low = 2 * v[0] - v @ P @ v
high = low + residual @ residual  # divided by tau, which is 1
print(f"{low} <= V_11 <= {high}; exact 2/3")
assert low <= Fraction(2, 3) <= high

# %% [markdown]
# ````{prf:proposition} Enclosure of a variance
# :label: prop-07-enclosure
# Let $P = L + \tau I$ with a Laplacian $L$. Any vector $v$, with the residual $r = e_i - Pv$, satisfies
#
# $$ 2 v_i - v^{\mathsf T} P v \;\le\; V_{ii} \;\le\; 2 v_i - v^{\mathsf T} P v + \tfrac1\tau\, r^{\mathsf T} r . $$
# ````
#
# ```{prf:proof}
# Let $x = P^{-1} e_i$, so that $x_i = V_{ii} = x^{\mathsf T} P x$ and $v_i = v^{\mathsf T} P x$. Then $V_{ii} - 2 v_i + v^{\mathsf T} P v = (x - v)^{\mathsf T} P (x - v)$, which is at least 0. It equals $r^{\mathsf T} P^{-1} r$, because $P(x - v) = r$. All eigenvalues of $P$ are at least $\tau$, so it is at most $r^{\mathsf T} r/\tau$.
# ```
#
# Not every person needs a linear system. Since $V_{ii} \ge 1/P_{ii}$, the weighted degree bounds the coefficient: $\ell_i \le \frac{1}{\tau} \sum_j w_{ij}$. If one person's $\ell_i$ exceeds this bound of everybody else, it is the largest.
#
# We draw a network of a million people by preferential attachment: everyone who joins is linked to up to five people, who are chosen with probability proportional to their degree. Let the estimates be $w = 1$ and $\tau = 1$, with the same intervals as for the club.

# %%
friends = networks.preferential_attachment(1_000_000, 5, rng=5)
degree = friends.sum(axis=0)
hub = int(degree.argmax())
ends = sps.triu(friends, 1).nonzero()  # the two people of each link


def column_of_inverse(weight, prior):
    """Approximate column of V for the hub, by conjugate gradients."""
    P = sps.diags_array(weight * degree + prior) - weight * friends
    unit = np.zeros(len(degree))
    unit[hub] = 1
    v, _ = cg(P, unit, rtol=1e-13, M=sps.diags_array(1 / P.diagonal()))
    return sps.csr_array(P), unit, v


# %% [markdown]
# The result has rounding errors, but the proposition allows any $v$. It remains to evaluate the two bounds safely. We write $v^{\mathsf T} P v = \sum w (v_j - v_k)^2 + \tau \sum_j v_j^2$, where nothing cancels. Each term has a relative error of at most about four times $u = 2^{-53}$, and `fsum` rounds the exact sum once. To the absolute value of each residual we add a bound of its rounding error, which grows with the number of links. Interval arithmetic does the rest:

# %%
u = 2.0**-53  # largest relative error of one operation


def enclose(weight, prior):
    """An interval that contains the leakage coefficient of the hub."""
    P, unit, v = column_of_inverse(weight, prior)
    squares = [weight * (v[ends[0]] - v[ends[1]]) ** 2, prior * v**2]
    energy = iv.mpf(fsum(np.concatenate(squares).tolist())) * iv.mpf([1 - 8 * u, 1 + 8 * u])
    rounding = 2 * (degree + 6) * u * (abs(P) @ abs(v) + unit)
    residual = abs(unit - P @ v) + rounding  # an upper bound
    slack = fsum((residual**2).tolist()) * (1 + 16 * u) / prior
    variance = 2 * iv.mpf(float(v[hub])) - energy + iv.mpf([0, slack])
    return 1 / (iv.mpf(prior) * variance) - 1


# %%
second = np.sort(degree)[-2]
enclosed = {}
for name, weight, prior in (("estimates", 1.0, 1.0), ("corner", 1.5, 0.5)):
    interval = enclose(weight, prior)
    low, high = float(interval.a), float(interval.b)
    others = weight * second / prior
    assert others < low  # so the hub has the largest coefficient
    enclosed[name] = low, high
    assert high - low < 1e-9 * low
    print(f"{name}: from {low:.7f} to {high:.7f}, everybody else at most {others:,.0f}")
noise_factor = (1 + enclosed["corner"][1]) / (1 + enclosed["estimates"][0])


# %% [markdown]
# The noise scale is $\frac M\varepsilon (1 + \ell)$ with the largest coefficient $\ell$. The corner needs 2.94<!-- {noise_factor:.2f} --> times the noise of the estimates. Only the ratio $w/\tau$ matters here, which is three times as large at the corner.
#
# ## Estimate everybody's coefficient
#
# The largest coefficient determines the noise. To see who *else* is exposed, one needs all coefficients, and here sampling helps. Draw $z \sim N(0, P)$ link by link: the difference across a link gets a normal number of variance $w$, with opposite signs at the two ends, and each person one of variance $\tau$. If $Px = z$, then $x$ has the covariance $P^{-1} P P^{-1} = V$. The mean of $x_i^2$ over several draws estimates $V_{ii}$, and the sum of the squares divided by $V_{ii}$ has a chi-square distribution.

# %%
def sampled_variances(weights, prior, draws, rng):
    """Estimates of all V_ii from solutions of P x = z."""
    first, second = np.triu(weights).nonzero()
    strength = np.sqrt(weights[first, second])
    P = np.diag(weights.sum(axis=1) + prior) - weights
    squares = np.zeros(len(P))
    for _ in range(draws):
        z = np.sqrt(prior) * rng.normal(size=len(P))
        across = strength * rng.normal(size=len(first))
        np.add.at(z, first, across)
        np.subtract.at(z, second, across)
        squares += np.linalg.solve(P, z) ** 2
    return squares / draws


# %%
exact = coefficients(club, 0.2)
V = sampled_variances(club, 0.2, 400, np.random.default_rng(34))
tails = chi2.ppf([0.025, 0.975], 400) / 400
low_end = tails[0] / (0.2 * V) - 1
high_end = tails[1] / (0.2 * V) - 1
inside = (low_end <= exact) & (exact <= high_end)
print(f"{inside.sum()} of 34 intervals contain the exact coefficient")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Karate club, weights 1 and prior 0.2: 95% intervals of the leakage coefficients from 400 draws (bars), and the exact values (dashes).", "name": "fig-estimates"}, "image": {"alt": "Thirty-four vertical bars in order of the exact coefficient, from about 4<!-- {exact.min():.0f} --> to 21<!-- {exact.max():.0f} -->, each with a dash for the exact value; nearly all dashes lie on their bars."}} tags=["figure"]
order = np.argsort(exact.round(9), kind="stable")
fig, axis = plots.panels(height=3.2)
axis.vlines(places, low_end[order], high_end[order], lw=4, color=plots.COLOURS["sky"],
            label="95% interval from 400 draws")  # fmt: skip
axis.plot(places, exact[order], "_", label="exact", **dash)
axis.set(xlabel="member of the club, sorted", ylabel="leakage coefficient")
axis.legend(loc="upper left")
assert inside.mean() > 0.85
plt.show()

# %% [markdown]
# On the large network each draw needs one linear system. The package's `leakage_estimates` samples only the part of $V_{ii}$ that no formula gives, so that far fewer draws are enough:

# %%
P = sps.csr_array(sps.diags_array(degree + 1.0) - friends)
everybody = leakage_estimates(P, samples=4, rng=6)
width = (everybody.high - everybody.low) / (1 + everybody.coefficients)
exposed = (everybody.coefficients > 100).sum()
print(f"median relative width {np.median(width):.2f}; {exposed:,} coefficients above 100")

# %% [markdown]
# Only 0.2%<!-- {exposed / len(degree):.1%} --> of the people have an estimated coefficient above 100. An interval holds for its own person with probability 95%. It is no guarantee, and should not be used to choose the noise.
#
# ```{evidence} Y-B10
# ```
#
# ## What it rests on
#
# The theorem is a consequence of three results of the course pages. The enclosure is a proof for one network: it needs correct rounding of the floating-point operations and the correctness of `mpmath`'s intervals, but no trust in the solver. The [evidence](../evidence/research/correlated-a-million-people.ipynb) checks the effect of a heavier link by an inverse, draws 2,000 distributions from a box, compares the enclosure with the package's own (Gauss and Gauss–Radau rules), and repeats the estimates a hundred times. The package needs a few seconds for a million people ([benchmarks](../../book/benchmarks.md)).
#
# ## Limits
#
# - The theorem is for weights $w_{ij} \ge 0$, one common prior, normal data and Laplace noise.
# - Nothing here says how to choose the intervals. If they were computed from the data to be protected, they would have to be published privately, too.
# - The degree bound settles everybody else only if one person stands out. On a network where all people leak alike, such as a long cycle, each person needs a linear system.
# - The network is simulated. Real networks of this size may have other hubs.
#
# ## What others had
#
# That a stronger link never raises a variance is Rayleigh's monotonicity law for electrical networks {cite:p}`doyle1984random`; its use for leakage is ours. Guarantees for a set of distributions are part of Pufferfish {cite:p}`kifer2014pufferfish`. Enclosures of entries of an inverse by Gauss and Gauss–Radau rules are due to {cite:t}`golub2010matrices`. Sampling by perturbing and solving is known from Bayesian computation. Ours is their use for leakage, and the last step with interval arithmetic.
