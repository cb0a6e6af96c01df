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
# **Question.** In the [Gaussian model](../correlated/03-gaussian-correlation-model.ipynb), the noise depends on the weights of the links and on the prior precision (the *prior*). In practice both are estimates. How much noise is enough for *all* values in given intervals? Can it be computed, with a guarantee, for a million people?
#
# **What is known.** The paper {cite:p}`yangkanren` takes weights and prior as given, and its largest network has 4,039 people. Pufferfish {cite:p}`kifer2014pufferfish` defines protection under a set of distributions. We found no computation of the noise for intervals of weights and priors.
#
# **Answer.** If no weight is negative and all people have the same prior, the largest weights with the smallest prior are the worst case. We take a random network of a million people, with errors of up to one half in the weights and up to a factor of two in the prior. It needs 2.94<!-- {noise_factor:.2f} --> times the noise that the estimates give. Both leakages are enclosed to nine digits, rounding errors included.
#
# **Why it matters.** Noise that is computed from estimates can be too small, and a search over all possible weights is not needed.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** what noise is enough if weights and priors are known only within intervals, how to enclose the largest leakage in a very large network, and how to estimate the leakage of everybody.
# **You need** [notebook 5](../correlated/05-who-leaks-most.ipynb): leakage with one common prior, and what a link adds to it.
# **Time:** 14 minutes.
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
# ## The largest weights and the smallest prior are the worst case
#
# Zachary's karate club has 34 members and 78 friendships. Suppose that each weight is known to lie between $\frac12$ and $\frac32$, and the common prior between $\frac12$ and 2. By Theorem 5.2 of the paper ([notebook 4](../correlated/04-all-adversaries.ipynb)), the largest leakage is that to an attacker who knows no tuple. By {prf:ref}`prp-05-variance` of [notebook 5](../correlated/05-who-leaks-most.ipynb), the leakage coefficient $\ell_i$ of this attacker, with the target $x_i$, satisfies $1 + \ell_i = 1/(\tau V_{ii})$. Here $V = P^{-1}$ is the covariance matrix, the inverse of the precision matrix $P = L + \tau I$. We compare 2,000 random choices of the weights and the prior with one extreme choice:

# %%
club = nx.to_numpy_array(nx.karate_club_graph(), weight=None)


def coefficients(weights, prior):
    """Leakage coefficients of the attackers who know no tuple, one for each target."""
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
# At the *corner*, all weights have their largest value and the prior its smallest. For every member of the club, all draws give smaller coefficients than the corner ({numref}`fig-07-corner`). This is always so:

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
# By {prf:ref}`thm-04-forgetting` of notebook 4, an attacker who knows some tuples learns no more than the attacker who knows none. So it is enough to consider attackers who know no tuple. By {prf:ref}`thm-05-rayleigh` of notebook 5, none of their coefficients falls if a weight rises. By {prf:ref}`prp-05-prior` of notebook 5, none of them falls if $\tau$ falls.
# ```
#
# So the lower ends of the intervals of the weights and the upper end of the interval of the prior do not matter.
#
# The theorem needs a *common* prior. Suppose that three tuples have the priors 1, $\frac1{10}$ and 100. The first two are linked, and we add a link between the last two. For any priors, the coefficient of the first tuple is given by $1 + \ell_0 = (V \mathbf 1)_0 / V_{00}$ ([notebook 3](../correlated/03-gaussian-correlation-model.ipynb)).

# %%
priors = np.diag([1, 0.1, 100])
one_link = priors + [[1, -1, 0], [-1, 1, 0], [0, 0, 0]]
two_links = one_link + [[0, 0, 0], [0, 1, -1], [0, -1, 1]]
for links, P in (("one link", one_link), ("two links", two_links)):
    V = np.linalg.inv(P)
    print(f"{links}: l = {V[0].sum() / V[0, 0] - 1:.3f}")

# %% [markdown]
# With the second link, the coefficient falls. The third tuple hardly varies, because its prior is large. The new link ties the second tuple to the third, so the second tuple follows the first one less. So with different priors the corner need not be the worst case ({ref}`an exercise of notebook 5 <ex-05-third>`).
#
# ```{evidence} Y-B6
# ```
#
# ## Enclose the largest coefficient without an inverse
#
# For a million people, the inverse $V$ would have $10^{12}$ entries. But we need only one diagonal entry $V_{ii}$. It can be enclosed between two bounds, which are computed from any approximation $v$ of column $i$ of $V$. For example, let two tuples have a link of weight 1 and the prior 1, and guess that the first column of $V$ is about $(0.7, 0.3)$:

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
# Let $P = L + \tau I$ with a Laplacian $L$. Let $e_i$ be column $i$ of the identity matrix. Any vector $v$, with the residual $r = e_i - Pv$, satisfies
#
# $$ 2 v_i - v^{\mathsf T} P v \;\le\; V_{ii} \;\le\; 2 v_i - v^{\mathsf T} P v + \tfrac1\tau\, r^{\mathsf T} r . $$
# ````
#
# ```{prf:proof}
# Let $x = P^{-1} e_i$, so that $x_i = V_{ii} = x^{\mathsf T} P x$ and $v_i = v^{\mathsf T} P x$. Then $V_{ii} - 2 v_i + v^{\mathsf T} P v = (x - v)^{\mathsf T} P (x - v)$. This number is at least 0, and it equals $r^{\mathsf T} P^{-1} r$, because $P(x - v) = r$. All eigenvalues of $P$ are at least $\tau$, so $r^{\mathsf T} P^{-1} r \le r^{\mathsf T} r/\tau$.
# ```
#
# We need not enclose the coefficient of every person. Since $V_{ii} \ge 1/P_{ii}$, the weighted degree bounds the coefficient: $\ell_i \le \frac{1}{\tau} \sum_j w_{ij}$. Suppose that the coefficient of one person is larger than this bound for every other person. Then it is the largest coefficient.
#
# We draw a network of a million people by preferential attachment: each person who joins is linked to up to five earlier people, who are chosen with probability proportional to their degree. Let the estimates be $w = 1$ and $\tau = 1$, with the same intervals as for the club.

# %%
friends = networks.preferential_attachment(1_000_000, 5, rng=5)
degree = friends.sum(axis=0)
hub = int(degree.argmax())  # the person with the most links
ends = sps.triu(friends, 1).nonzero()  # the two people of each link


def column_of_inverse(weight, prior):
    """Approximate column of V for the hub, by conjugate gradients."""
    P = sps.diags_array(weight * degree + prior) - weight * friends
    unit = np.zeros(len(degree))
    unit[hub] = 1
    v, _ = cg(P, unit, rtol=1e-13, M=sps.diags_array(1 / P.diagonal()))
    return sps.csr_array(P), unit, v


# %% [markdown]
# The result has rounding errors, but the proposition allows any $v$. It remains to bound the rounding errors in the two bounds themselves.
#
# - *The quadratic form.* We write $v^{\mathsf T} P v$ as a sum over links and people, $\sum w (v_j - v_k)^2 + \tau \sum_j v_j^2$. All terms are $\ge 0$. Each computed term has a relative error of at most about four times $u = 2^{-53}$, and `fsum` adds the terms with a single rounding.
# - *The residual.* To the absolute value of each entry we add a bound of its rounding error, which grows with the number of links.
# - *The last operations* use interval arithmetic.

# %%
u = 2.0**-53  # largest relative error of one operation


def enclose(weight, prior):
    """An interval that contains the leakage coefficient of the hub."""
    P, unit, v = column_of_inverse(weight, prior)
    squares = [weight * (v[ends[0]] - v[ends[1]]) ** 2, prior * v**2]
    total = fsum(np.concatenate(squares).tolist())
    quadratic_form = iv.mpf(total) * iv.mpf([1 - 8 * u, 1 + 8 * u])
    rounding = 2 * (degree + 6) * u * (abs(P) @ abs(v) + unit)
    residual = abs(unit - P @ v) + rounding  # an upper bound
    slack = fsum((residual**2).tolist()) * (1 + 16 * u) / prior
    variance = 2 * iv.mpf(float(v[hub])) - quadratic_form + iv.mpf([0, slack])
    return 1 / (iv.mpf(prior) * variance) - 1


# %%
second_degree = np.sort(degree)[-2]
enclosed = {}
for name, weight, prior in (("estimates", 1.0, 1.0), ("corner", 1.5, 0.5)):
    interval = enclose(weight, prior)
    low, high = float(interval.a), float(interval.b)
    others = weight * second_degree / prior
    assert others < low  # so the hub has the largest coefficient
    enclosed[name] = low, high
    assert high - low < 1e-9 * low
    print(f"{name}: from {low:.7f} to {high:.7f}, everybody else at most {others:,.0f}")
noise_factor = (1 + enclosed["corner"][1]) / (1 + enclosed["estimates"][0])


# %% [markdown]
# The noise scale is $\frac M\varepsilon (1 + \ell)$ with the largest coefficient $\ell$. The corner needs 2.94<!-- {noise_factor:.2f} --> times the noise of the estimates. This factor is close to 3, because $\ell$ depends only on the ratio $w/\tau$, which is three times as large at the corner.
#
# ## Estimate everybody's coefficient
#
# The largest coefficient determines the noise. To find the other people with a large leakage, one needs all coefficients, and they can be estimated by sampling. First, draw $z \sim N(0, P)$: each person $j$ gets a normal number of variance $\tau$ in $z_j$. For each link, one normal number of variance $w$ is added at one end and subtracted at the other. Second, solve $Px = z$. Then $x$ has the covariance matrix $P^{-1} P P^{-1} = V$. Repeat this $N$ times. The mean of the $N$ squares $x_i^2$ estimates $V_{ii}$, and their sum divided by $V_{ii}$ has a chi-square distribution with $N$ degrees of freedom, which gives an interval.

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
quantiles = chi2.ppf([0.025, 0.975], 400) / 400
low_end = quantiles[0] / (0.2 * V) - 1
high_end = quantiles[1] / (0.2 * V) - 1
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
# On the large network each draw needs one linear system. The package's `leakage_estimates` computes a part of $V_{ii}$ from the links of person $i$ by a formula and samples only the rest. Then far fewer draws are enough:

# %%
P = sps.csr_array(sps.diags_array(degree + 1.0) - friends)
everybody = leakage_estimates(P, samples=4, rng=6)
width = (everybody.high - everybody.low) / (1 + everybody.coefficients)
exposed = (everybody.coefficients > 100).sum()
print(f"median relative width {np.median(width):.2f}; {exposed:,} coefficients above 100")

# %% [markdown]
# Only 0.2%<!-- {exposed / len(degree):.1%} --> of the people have an estimated coefficient above 100. Each interval contains the coefficient of its own person with probability 95%. This is no guarantee for all people, so the intervals should not be used to choose the noise.
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
# - The degree bound is enough for all other people only if one person has a much larger degree. In a network where all people have nearly the same leakage, such as a long cycle, each person needs a linear system.
# - The network is simulated. Real networks of this size may have other hubs.
#
# ## What others had
#
# A stronger link never raises a variance: this is Rayleigh's monotonicity law for electrical networks {cite:p}`doyle1984random`. Its use for leakage is ours. Guarantees for a set of distributions are part of Pufferfish {cite:p}`kifer2014pufferfish`. Enclosures of entries of an inverse by Gauss and Gauss–Radau rules are due to {cite:t}`golub2010matrices`. To sample by adding noise and solving a linear system is known from Bayesian computation. The use of both methods for leakage, and the last step with interval arithmetic, are ours.
