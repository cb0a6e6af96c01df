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
# # Which faults does an audit find, and which does only the accuracy show?
#
# **Question.** A program claims to be $\varepsilon$-differentially private. Which faults can you detect by a test of privacy, and which only by the accuracy of its results?
#
# **What is known.** {cite:t}`ding2018detecting` and {cite:t}`jagielski2020auditing` run a program on two neighbouring inputs and compute a lower bound for $\varepsilon$. This detects too *little* noise. The library diffprivlib once added too *much*: it did not divide the noise of objective perturbation by the number $n$ of records. The report and the repair {cite:p}`diffprivlib98` give no limit for the accuracy.
#
# **Answer.** Its expected accuracy was below 59.3%<!-- {np.ceil(1000*limit)/1000:.1%} -->, for five features, $\varepsilon = 1$, *all* data and every $n$. The library stayed at 47%<!-- {theirs["0.6.5"][1]:.0%} --> where 92%<!-- {theirs["0.6.6"][1]:.0%} --> was possible. Privacy tests do not see this fault: of nine mechanisms that claim $\varepsilon = 0.7$, two tests detect all five that leak more, and neither objects to noise that is a hundred times too large.
#
# **Why it matters.** A program can pass every test of privacy and still be useless. One plot of accuracy against $n$ shows it.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** why noise that is not divided by $n$ limits the accuracy for every $n$, how to test a claimed $\varepsilon$, and what such a test cannot see.
# **You need** objective perturbation ([notebook 4](../laplace/04-learning-with-privacy.ipynb)), the discrete Laplace distribution ([notebook 5](../laplace/05-when-the-noise-leaks.ipynb)) and `audit` ([*Which noise is best?*](laplace-which-noise-is-best.ipynb)).
# **Time:** 22 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** databases of $n$ records that differ in the value of one record. **The auditor** can run a program on two neighbours any number of times, but does not see its code. **The reader** sees published accuracies only. **Protected:** the record; if the program does what it claims, an output moves the odds between two neighbours by at most the factor $e^{\varepsilon}$. **Not considered:** leaks through the low bits of floating-point noise.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from math import ceil

import matplotlib.pyplot as plt
import numpy as np
import opendp.prelude as dp
import pandas as pd
import sympy as sp
from scipy import optimize, stats

from privlib.laplace import discrete, erm, histogram
from privlib.notebook import plots
from privlib.research.auditing import audit

plots.use()
dp.enable_features("contrib")

source = np.random.default_rng(3)  # five features, labels from a plane with some noise
X = source.normal(size=(20_000, 5))
X /= np.maximum(1, np.linalg.norm(X, axis=1))[:, None]
y = np.where(X @ [2.0, -1, 1, 0, 0] + source.normal(size=20_000) / 3 > 0, 1, -1)
X_new, y_new = X[10_000:], y[10_000:]

# What diffprivlib answered for n = 1,000 and 10,000, in environments of its own;
# tests/outside/numbers.yml has versions and command.
theirs = {
    "0.6.5": [0.469660, 0.469710],
    "0.6.6": [0.914335, 0.917730],
}

# %% [markdown]
# ## Does the accuracy rise with n?
#
# Objective perturbation ({prf:ref}`alg-lap-03-objective`) publishes the weights $w$ that minimise
#
# $$ \frac1n \sum_{i=1}^n l(y_i, w^{\mathsf T} x_i) + \frac\Lambda2 \|w\|^2 + \frac1n\, b^{\mathsf T} w , $$
#
# where $b$ is random, with a density proportional to $e^{-\beta\|b\|}$, $\beta = \varepsilon'/(2L)$. The noise term is divided by $n$ because the loss is a mean. If the loss is a *sum*, the same algorithm has the noise term $b^{\mathsf T} w$. What happens if a program takes the mean of the losses, but does not divide the noise?
#
# Here is the smallest example. Let all $n$ records be equal: one feature, $x = 1$, with the label 1. Suppose that the noise happens to be $b = 2$.

# %%
b = np.array([2.0])
for n in (10, 100, 1000):
    data = np.ones((n, 1)), np.ones(n)
    options = {"loss": "huber", "regularization": 0.1}
    with_division = erm.minimise(*data, **options, linear=b / n).weights[0]
    without = erm.minimise(*data, **options, linear=b).weights[0]
    print(f"n = {n:4}: weight {with_division:.2f} with division, {without:.2f} without")

# %% [markdown]
# The prediction is the sign of $wx$. With division the weight is positive, so the classifier predicts the label 1, which is right. Without division the weight is -10<!-- {without:.0f} --> for every $n$: a thousand records agree on the label 1, and the classifier still predicts $-1$.
#
# The library diffprivlib had this fault. It adds its noise to the logistic loss of scikit-learn. As long as that loss was a sum, noise without division was right. In version 1.4 of scikit-learn the loss became a mean, but diffprivlib did not divide its noise before version 0.6.6. In February 2025 a user ran the library's example notebook and saw an accuracy that did not depend on $\varepsilon$. Within two weeks the authors offered a repair ([issue 97](https://github.com/IBM/differential-privacy-library/issues/97)) {cite:p}`diffprivlib98`. The faulty program had added *more* noise than it needed, so it kept its promise of privacy, and a test of privacy has nothing to detect.
#
# We reproduce the effect with our own implementation of the algorithm, with and without the division. There are five features, $\varepsilon = 1$ and $\Lambda = 0.01$. The accuracy is measured on 10,000 records that were not used for learning.

# %%
Lambda = 0.01
sizes = [100, 300, 1000, 3000, 10_000]


def accuracy(n, seed, divisor):
    """Accuracy on new records after learning from n; the noise is divided by the divisor."""
    remaining = 1 - 2 * np.log(1 + 0.25 / (n * Lambda))  # ε' of notebook 4, with c = 1/4
    b = erm.spherical_laplace(5, scale=2 / remaining, rng=seed)
    model = erm.minimise(X[:n], y[:n], regularization=Lambda, linear=b / divisor)
    return np.mean(np.sign(X_new @ model.weights) == y_new)


divided = np.array([[accuracy(n, seed, n) for seed in range(20)] for n in sizes])
not_divided = np.array([[accuracy(n, seed, 1) for seed in range(20)] for n in sizes])

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Accuracy of a private classifier with \u03b5 = 1 on new records. If the noise is divided by n, the accuracy rises. If it is not, the expected accuracy stays below a limit (grey line) that holds for every n and all data. Diamonds: diffprivlib before its repair (0.6.5) and after (0.6.6). Bars: two standard errors, twenty seeds.", "name": "fig-lap-06-accuracy"}, "image": {"alt": "Accuracy against the number of records from one hundred to ten thousand, on a logarithmic axis. One curve rises from about three quarters to above nine tenths. The other is flat near one half, below a horizontal line at 0.59<!-- {limit:.2f} -->. Two diamonds lie on the upper curve and two a little below the flat one."}} tags=["figure"]
beta = 0.5  # ε'/2L is at most ε/2
limit = 1 - (beta**2 + 5 * beta + 8) * np.exp(-beta) / 16  # derived in the next section
fig, ax = plots.panels(1, 1, height=3.6, width=6.4)
for values, marker, name in ((divided, "o", "divided by n"), (not_divided, "s", "not divided")):
    error = values.std(axis=1, ddof=1) / np.sqrt(20)
    ax.errorbar(sizes, values.mean(axis=1), 2 * error, marker=marker, label=name)
ax.axhline(limit, color=plots.COLOURS["grey"], lw=1, ls="-")
ax.text(105, limit + 0.012, "limit without division", color="#555555", fontsize=9)
for release, colour in (("0.6.6", "green"), ("0.6.5", "purple")):
    style = {"color": plots.COLOURS[colour], "ms": 7, "mfc": "none", "zorder": 5}
    ax.plot([1000, 10_000], theirs[release], "D", label=f"diffprivlib {release}", **style)
ax.set(xscale="log", ylim=(0.4, 1), xlabel="number of records n", ylabel="accuracy")
ax.legend(loc="center right", fontsize=8)
weights_without_noise = erm.minimise(X[:10_000], y[:10_000], regularization=Lambda).weights
accuracy_without_noise = np.mean(np.sign(X_new @ weights_without_noise) == y_new)
assert 0.7 < divided[0].mean() < 0.8 and divided[-1].mean() > 0.9  # the alt text
assert np.all(np.diff(divided.mean(axis=1))[:3] > 0)
assert abs(accuracy_without_noise - divided[-1].mean()) < 0.002
assert np.allclose(theirs["0.6.6"], divided.mean(axis=1)[[2, 4]], atol=0.005)
assert max(theirs["0.6.5"]) < not_divided.mean() and not_divided.mean(axis=1).max() < limit
assert abs(not_divided.mean() - 0.5) < 0.05
plt.show()

# %% [markdown]
# If the noise is divided, the accuracy at 10,000 records is 91.8%<!-- {divided[-1].mean():.1%} -->, the same as without any noise (91.8%<!-- {accuracy_without_noise:.1%} -->). If it is not divided, the accuracy is 50.7%<!-- {not_divided[2].mean():.1%} --> at 1,000 records and 50.7%<!-- {not_divided[4].mean():.1%} --> at 10,000. More records do not help.
#
# ## Why more records do not help
#
# At the minimum the gradient of the objective is zero. Let $g$ be the mean of the gradients of the $n$ losses. Each of these gradients has a length of at most $L$, because the slope of the loss is at most $L$ and $\|x\| \le 1$. So $\|g\| \le L$, and
#
# $$ \begin{aligned} \Lambda w + g + \tfrac1n b &= 0 && \text{with division}, \\ \Lambda w + g + b &= 0 && \text{without}. \end{aligned} $$
#
# The records influence the weights through $g$ alone. With division the noise term vanishes as $n$ grows. Without division, the length of $g$ is at most $L$, whereas the mean length of $b$ is $2Ld/\varepsilon'$ for every $n$ if there are $d$ features. With $d = 5$ and $\varepsilon = 1$ this is at least $10L$, so the noise outweighs all records together.
#
# ```{prf:proposition} Noise that is not divided
# :label: prop-lap-06-ceiling
# Let the loss $l$ be convex and differentiable in $w^{\mathsf T}x$, with slope between $-L$ and $L$, let $\|x_i\| \le 1$, and let $w$ minimise $\frac1n\sum_i l(y_i, w^{\mathsf T}x_i) + \frac\Lambda2\|w\|^2 + b^{\mathsf T}w$. Then $\|\Lambda w + b\| \le L$ for every $n$ and all data. A record $(x, y)$ that is independent of $b$ is classified correctly with probability
# $\Pr(y\,w^{\mathsf T}x > 0) \le \Pr(\xi < L)$, where $\xi$ is one coordinate of $b$. For the Huber hinge there are data for which equality holds for every $n$.
# ```
#
# ```{prf:proof}
# The equation without division says $\Lambda w + b = -g$, and $\|g\| \le L$. This is the first statement. Multiply the equation by $y\,x^{\mathsf T}$:
#
# $$ \Lambda\, y\,w^{\mathsf T}x = -y\,b^{\mathsf T}x - y\,g^{\mathsf T}x \le -y\,b^{\mathsf T}x + L\|x\| . $$
#
# If the record is classified correctly, the left side is positive, so $y\,b^{\mathsf T}x < L\|x\|$. All directions of $b$ are equally likely. Therefore $y\,b^{\mathsf T}x/\|x\|$ has the distribution of one coordinate of $b$, which proves the inequality.
#
# For equality, let every record have $x = (1, 0, \dots, 0)$ and $y = 1$. Then the objective depends on the first weight through $l(1, w_1) + \frac\Lambda2 w_1^2 + b_1 w_1$. The Huber hinge has the slope $-L$ at 0, so this function has the slope $b_1 - L$ there. Because it is convex, its minimum is at a positive $w_1$ if and only if $b_1 < L$.
# ```
#
# How large is $\Pr(\xi < L)$? Take $L = 1$ and five features. To get the density of $\xi$ at a value $x > 0$, we integrate the density of $b$ over the other four coordinates. Let $\rho$ be the length of the vector of these four. Then $\|b\| = r$ with $r^2 = x^2 + \rho^2$, and a sphere of radius $\rho$ in four dimensions has an area proportional to $\rho^3$. So the density of $\xi$ is proportional to $\int_0^\infty \rho^3 e^{-\beta r}\,d\rho$. Since $\rho\,d\rho = r\,dr$, this is $\int_x^\infty r\,(r^2 - x^2)\,e^{-\beta r}\,dr$.

# %%
beta, r, x = sp.symbols("beta r x", positive=True)
weight = sp.integrate(r * (r**2 - x**2) * sp.exp(-beta * r), (r, x, sp.oo))
density = weight / (2 * sp.integrate(weight, (x, 0, sp.oo)))  # of one coordinate
formula = sp.Rational(1, 2) + sp.integrate(density, (x, 0, 1))
assert sp.simplify(formula - (1 - (beta**2 + 5 * beta + 8) * sp.exp(-beta) / 16)) == 0
assert np.isclose(float(formula.subs(beta, 0.5)), limit)  # the grey line of the figure


# %% [markdown]
# Thus $\Pr(\xi < 1) = 1 - \frac{1}{16}(\beta^2 + 5\beta + 8)\,e^{-\beta}$. This limit increases with $\beta = \varepsilon'/2$. Because $\varepsilon' \le \varepsilon$, at $\varepsilon = 1$ it is below 0.593<!-- {np.ceil(1000*limit)/1000:.3f} -->. With five features, only a larger $\varepsilon$ raises it. With division, in contrast, $w$ differs from the weights without noise by at most $\|b\|/(n\Lambda)$ {cite:p}`chaudhuri2011erm`, which tends to 0.
#
# So the first question about a private classifier is not about privacy: *does its accuracy rise with $n$, and does it approach the accuracy without noise?*
#
# ```{evidence} N-B12
# ```
#
# ## A test of the claimed level
#
# The opposite fault is too little noise. To find it, we run the program. The function `audit` returns a lower bound for its $\varepsilon$: it uses half of the runs to choose an event, and counts in the other half how often the event occurs on each of two neighbours. The program StatDP of {cite:t}`ding2018detecting` tests a hypothesis instead. Let $p_x$ and $p_y$ be the probabilities of an event $S$ for two neighbouring inputs $x$ and $y$. The hypothesis is $p_x \le e^{\varepsilon} p_y$.
#
# Suppose that $S$ occurs in $A$ of $n$ runs on $x$, and in $B$ of $n$ runs on $y$. We call the runs in which it occurs *hits*. Fisher's exact test compares two probabilities that are *equal* under the hypothesis. Here they may differ by the factor $e^{\varepsilon}$. Therefore StatDP first takes a subsample: it keeps each of the $A$ hits with probability $e^{-\varepsilon}$.
#
# ```{prf:proposition} Subsampling (Ding et al.)
# :label: prop-lap-06-thinning
# If $p_x = e^{\varepsilon} p_y$, the number of kept hits has the distribution of $B$. So Fisher's exact test of the kept hits against $B$ keeps its significance level: at 5% it rejects with probability at most 5%. If $p_x < e^{\varepsilon} p_y$, it rejects with at most the same probability.
# ```
#
# ```{prf:proof}
# A run on $x$ gives a kept hit with probability $e^{-\varepsilon} p_x$, independently of the other runs. So the number of kept hits is binomial with $n$ and $e^{-\varepsilon} p_x = p_y$, as $B$ is. A smaller $p_x$ means fewer kept hits. It remains to show that fewer kept hits do not lower the p-value. Let $k$ hits be kept. The p-value is the probability that at least $k$ of all $k + B$ hits fall among the runs on $x$, if they are distributed at random over all $2n$ runs. Now remove one hit. The number among the runs on $x$ falls by at most one, and the number that it must reach, $k$, falls by one. So the probability does not decrease.
# ```
#
# For example, let there be $A = 50$ and $B = 15$ hits in 100 runs each. We test $\varepsilon = 0.7$ on five subsamples:

# %%
def p_value(kept, B, n):
    """Fisher's exact test: probability of at least `kept` hits among the runs on x."""
    return stats.hypergeom.sf(kept - 1, 2 * n, n, kept + B)


rng = np.random.default_rng(6)
print(p_value(rng.binomial(50, np.exp(-0.7), size=5), 15, 100).round(3))

# %% [markdown]
# A single subsample makes the result random. StatDP therefore takes 200 subsamples and averages their p-values. We avoid the random subsamples, and average over 49 quantiles of the number of kept hits. The test also gives a lower bound for $\varepsilon$: the largest $\varepsilon$ that it rejects at 5%.

# %%
quantiles = (np.arange(49) + 0.5) / 49


def mean_p_value(A, B, n, epsilon):
    """Mean p-value of the hypothesis p_x <= e^ε p_y, over numbers of kept hits."""
    kept = stats.binom.ppf(quantiles, A, np.exp(-epsilon))
    return p_value(kept, B, n).mean()


def largest_rejected_epsilon(A, B, n, alpha=0.05):
    """Lower bound for ε: the hypothesis is rejected up to this value."""
    if mean_p_value(A, B, n, 0) > alpha:
        return 0.0
    return optimize.brentq(lambda eps: mean_p_value(A, B, n, eps) - alpha, 0, 12, xtol=1e-4)


# %% [markdown]
# Is the average still a valid test? A mean of p-values need not be a valid p-value; twice the mean always is {cite:p}`vovk2020averaging`. So we compute how often the test rejects a mechanism that just keeps its promise, $p_x = e^{\varepsilon} p_y$. It should do so with probability at most 5%. For small $n$ we can sum over all pairs of counts $A$ and $B$:

# %%
n, alpha = 200, 0.05
counts = np.arange(n + 1)
kept_distribution = stats.binom.pmf(counts, counts[:, None], np.exp(-0.7))  # a row for each A
single_p_values = p_value(counts[:, None], counts, n)  # kept hits by row, B by column
mean_p_values = kept_distribution @ single_p_values  # A by row, B by column
rejected_by_single, rejected_by_mean = [], []
for p_x in np.linspace(0.01, 0.99, 99):
    hits_x = stats.binom.pmf(counts, n, p_x)  # the distribution of A
    hits_y = stats.binom.pmf(counts, n, p_x * np.exp(-0.7))
    kept_hits = hits_x @ kept_distribution
    rejected_by_single.append(kept_hits @ (single_p_values <= alpha) @ hits_y)
    rejected_by_mean.append(hits_x @ (mean_p_values <= alpha) @ hits_y)

# %% [markdown]
# With 200 runs on each neighbour, the largest probability of rejection, over 99 values of $p_x$, is 4.1%<!-- {max(rejected_by_single):.1%} --> with one subsample and 0.9%<!-- {max(rejected_by_mean):.1%} --> with the mean. In these cases the averaged test keeps its significance level, and is even more cautious than it needs to be.
#
# ```{evidence} N-B13
# ```
#
# ## Nine mechanisms, two tests
#
# All nine mechanisms claim $\varepsilon = 0.7$. The first three are right:

# %%
claimed = 0.7


def laplace(scale):
    return lambda answers, rng: answers + rng.laplace(0, scale, answers.shape)


def discrete_laplace(counts, rng):
    stop = 1 - np.exp(-claimed)
    return counts + rng.geometric(stop, counts.shape) - rng.geometric(stop, counts.shape)


def randomised_response(bits, rng):
    truthful = rng.random(bits.shape) < 1 / (1 + np.exp(-claimed))
    return np.where(truthful, bits, 1 - bits)


# %% [markdown]
# The other six have faults that are easily made. Three of them need a function:

# %%
def two_cells(cells, rng):
    """A replaced record changes two cells, but the noise has the scale for one."""
    noisy = laplace(1 / claimed)(cells, rng)
    return np.minimum(noisy[:, 1] - 1, -noisy[:, 0])  # an attacker's statistic of both cells


def empty_stays_empty(counts, rng):
    """No noise is added to a count of zero."""
    return np.where(counts == 0, 0, laplace(1 / claimed)(counts, rng))


def sign_lost(counts, rng):
    """The noise is never negative."""
    return counts + abs(rng.laplace(0, 1 / claimed, counts.shape))


# %% [markdown]
# The last two mechanisms publish means of 100 values between 0 and 1. The right scale of the noise is $1/(100\,\varepsilon)$; one program divides by 100 twice, the other not at all.

# %%
mechanisms = {  # mechanism, two neighbours, true ε
    "Laplace": (laplace(1 / claimed), 0, 1, claimed),
    "discrete Laplace": (discrete_laplace, 0, 1, claimed),
    "randomised response": (randomised_response, 0, 1, claimed),
    "half the scale": (laplace(0.5 / claimed), 0, 1, 2 * claimed),
    "two cells, noise for one": (two_cells, [1, 0], [0, 1], 2 * claimed),
    "empty cell stays empty": (empty_stays_empty, 0, 1, np.inf),
    "sign of the noise lost": (sign_lost, 0, 1, np.inf),
    "mean, divided twice": (laplace(1e-4 / claimed), 0.5, 0.51, 100 * claimed),
    "mean, not divided": (laplace(1 / claimed), 0.5, 0.51, claimed / 100),
}

# %% [markdown]
# Each mechanism runs 100,000 times on each neighbour. `audit` chooses the event with half of these runs. Both tests then use the hits in the other half.

# %%
audit_bounds, test_bounds = {}, {}
for name, (mechanism, first, second, _) in mechanisms.items():
    trials = [audit(mechanism, first, second, rng=rng, draws=100_000) for _ in range(10)]
    audit_bounds[name] = [trial.epsilon for trial in trials]
    test_bounds[name] = [largest_rejected_epsilon(*trial.hits, trial.draws) for trial in trials]

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Nine mechanisms that claim \u03b5 = 0.7 (dotted line). Bar: the true \u03b5. Circle and cross: lower bounds by the audit and by the test with subsamples, mean of ten trials. A leak is detected if a bound lies to the right of the dotted line. The mean whose noise is not divided lies on the left: it is private, but its error is a hundred times too large.", "name": "fig-lap-06-nine"}, "image": {"alt": "Nine rows of marks on an axis of \u03b5 from 0 to infinity. In the first three rows bar, circle and cross lie together just at the dotted line at 0.7. In the next two they lie together at 1.4. In three rows the bar is at 70 or infinity and circle and cross lie near 9<!-- {by_audit[5:8].mean():.0f} -->. In the last row all lie near 0."}} tags=["figure"]
names = list(mechanisms)
truths = np.array([truth for *_, truth in mechanisms.values()])
by_audit = np.array([audit_bounds[name] for name in names])
by_test = np.array([test_bounds[name] for name in names])
rows = np.arange(len(names))
fig, ax = plots.panels(1, 1, height=3.9, width=7.2)
shown = np.where(truths < np.inf, truths, 200)
ax.plot(shown, rows, "|", color=plots.COLOURS["black"], ms=18, mew=2, label="true ε")
ax.plot(by_audit.mean(axis=1), rows, "o", mfc="none", ms=8, label="audit: at least")
ax.plot(by_test.mean(axis=1), rows, "x", ms=7, label="test: at least")
ax.axvline(claimed, color="#555555", lw=1, ls=":")
ax.set_xscale("symlog", linthresh=1)
ax.set_xticks([0, 0.7, 1.4, 9, 70, 200], ["0", "0.7", "1.4", "9", "70", "∞"])
ax.set(yticks=rows, yticklabels=names, xlabel="ε", xlim=(-0.1, 300))
ax.minorticks_off()
ax.invert_yaxis()
ax.legend(loc="upper right", fontsize=8)
for lower in (by_audit, by_test):
    gaps = truths - lower.mean(axis=1)
    assert np.all(gaps > 0) and max(gaps[:3]) < 0.05
    assert lower[3:8].min() > claimed  # in each trial
    assert np.all(abs(lower[5:8].mean(axis=1) - 9) < 0.7) and lower[8].max() < 0.1
false_alarms = int((by_audit[:3] > claimed).sum() + (by_test[:3] > claimed).sum())
largest_gap = max((truths - lower.mean(axis=1))[:3].max() for lower in (by_audit, by_test))
plt.show()


# %% [markdown]
# For the three correct mechanisms, both bounds are on average at most 0.025<!-- {np.ceil(1000*largest_gap)/1000:.3f} --> below the true $\varepsilon$. Both tests detect all five leaks in each of ten trials. In their 60 trials on correct mechanisms there are 0<!-- {false_alarms} --> false alarms; a confidence of 95% would allow a few. For the last three leaks the bounds are near 9<!-- {by_audit[5:8].mean():.0f} -->, although the true $\varepsilon$ is 70 or infinite. There the event almost never occurs on one of the neighbours, and 50,000 runs cannot show a larger ratio.
#
# Neither test can show that a mechanism is right. And neither objects to the mean whose noise was not divided: its $\varepsilon$ is a hundred times *smaller* than claimed. That fault costs accuracy, and only the accuracy shows it.
#
# ```{evidence} N-B14
# ```
#
# ## The names in a table are answers, too
#
# An audit also finds faults that do not lie in the noise. The function `value_counts` of pandas lists the categories that occur in the data. A publisher who adds noise to the counts, and publishes the names of these categories as they are, reveals exactly which of them occur. In the following example there are ten patients. In one database all of them have the flu; in its neighbour one has HIV.

# %%
def names_from_data(databases, rng):
    """Whether the published table has a line for HIV; the noise on the counts is irrelevant."""
    return ["HIV" in pd.Series(people).value_counts() for people in databases]


def names_given(databases, rng):
    """Whether the noisy counts of given names look as if one patient had HIV."""
    counts = [histogram(d, categories=["flu", "HIV"], epsilon=claimed) for d in databases]
    return [flu <= 9 and hiv >= 1 for flu, hiv in counts]


one_hiv, none = ["flu"] * 9 + ["HIV"], ["flu"] * 10
for mechanism in (names_from_data, names_given):
    result = audit(mechanism, one_hiv, none, draws=4000, confidence=1 - 1e-9)
    print(f"{mechanism.__name__}: more than ε = {claimed}?", result.epsilon > claimed)


# %% [markdown]
# The audit detects the first version, whatever its noise. In the second version the names of the categories are fixed beforehand, and the noise has the scale $2/\varepsilon$, because a replaced record changes two counts. No fault is found.
#
# ## Is a printed accuracy the right one?
#
# Libraries also print an accuracy: "the error is at most $a$ with probability at least $1 - \delta$". A reader can check such a number. For counts the noise is an integer $k$ with the discrete Laplace distribution $\Pr(k) = \frac{1-q}{1+q}\,q^{|k|}$, $q = e^{-1/R}$, of scale $R$.
#
# ```{prf:proposition} Accuracy of discrete Laplace noise
# :label: prop-lap-06-integers
# $\Pr(|k| > a) = \frac{2q^{a+1}}{1+q}$ for every integer $a \ge 0$. For $0 < \delta \le 1$, the least integer $a \ge 0$ with $\Pr(|k| > a) \le \delta$ is $\lceil x \rceil - 1$, where $x = R \ln\frac{2}{(1+q)\,\delta}$.
# ```
#
# ```{prf:proof}
# The geometric series $q^{a+1} + q^{a+2} + \dots$ equals $q^{a+1}/(1-q)$. Multiply it by $2\frac{1-q}{1+q}$ for both signs. Next, $\frac{2q^{a+1}}{1+q} \le \delta$ means $e^{(a+1)/R} \ge \frac{2}{(1+q)\,\delta}$, that is, $a + 1 \ge x$. And $x$ is positive, because $q < 1$.
# ```
#
# OpenDP's function for the accuracy returns a real number. It is our $x$:

# %%
def exact_x(R, delta):
    return R * np.log(2 / ((1 + np.exp(-1 / R)) * delta))


for R, delta in ((0.5, 0.05), (2, 0.05), (2, 0.5), (20, 0.05)):
    x = dp.discrete_laplacian_scale_to_accuracy(float(R), delta)
    assert np.isclose(x, exact_x(R, delta), rtol=1e-12)
    print(f"R = {R:3}, δ = {delta:4}: x = {x:6.3f}, least tolerance {ceil(x) - 1:2}")

# %% [markdown]
# OpenDP's documentation says that the error is *at least* $x$ with probability at most $\delta$, and that $x$ may be rounded down. This is right. But if $x$ is an integer, the least tolerance is $x - 1$, so rounding down gives one more than needed. This case occurs whenever $\delta$ equals $\Pr(|k| > a)$ for an integer $a$: then $x = a + 1$. In floating point, the computed $x$ can lie on either side of this integer, and even $\lceil x \rceil - 1$ can be wrong:

# %%
ties, too_high = 0, 0
for R in (0.5, 1.0, 2.0, 5.0, 20.0):
    for a in range(1, min(61, int(30 * R))):
        delta = float(discrete.error_probability(a, R))
        ties += 1
        too_high += ceil(dp.discrete_laplacian_scale_to_accuracy(R, delta)) - 1 > a
        assert discrete.tolerance_for(delta, R) == a

# %% [markdown]
# Of 222<!-- {ties} --> such cases, $\lceil x \rceil - 1$ is one too large in 16<!-- {too_high} -->. The function `discrete.tolerance_for` of this package also checks the neighbouring integer, and is right in all 222<!-- {ties} -->.
#
# ```{evidence} N-B15
# ```
#
# ## What it rests on
#
# The three propositions are proved above. The rates of rejection are sums over all counts, at 99 values of $p_x$; [the evidence](../evidence/research/laplace-audit-what-you-read.ipynb) repeats them with binomial coefficients. The nine mechanisms are simulated, with two neighbours that were chosen to show the largest leak. The accuracies of diffprivlib were computed once, in environments of their own ([*Checked against others*](../../book/outside.md)).
#
# ## Limits
#
# - The limit is for objective perturbation with a loss of bounded slope. An accuracy that does not rise can have other reasons, for example a model that cannot express the data.
# - An audit needs good neighbours and events. It cannot exclude a leak that occurs too rarely for its number of runs ({ref}`exercise <ex-lap-05-rule>`).
# - The 95% confidence is that of a single audit. An auditor who repeats audits of a correct mechanism until one of them reports a fault will find one sooner or later.
# - Our average over quantiles replaces StatDP's 200 random subsamples. We did not run StatDP, which also searches for the event and for the neighbours. The rates of rejection were computed for $\varepsilon = 0.7$ and up to 200 runs.
#
# ## What others had
#
# Auditing with held-out runs is due to {cite:t}`ding2018detecting` and {cite:t}`jagielski2020auditing`; the subsampling and the average are from the paper and the program of Ding et al. The nine mechanisms and their numbers are ours. That twice a mean of p-values is a p-value we know from the abstract of {cite:t}`vovk2020averaging`. The distance $\|b\|/(n\Lambda)$ is in a proof of {cite:t}`chaudhuri2011erm`. {cite:t}`cebere2026greybox` look inside a program: they run it on two neighbours with the same randomness and compare what reaches the noise with the declared sensitivity (abstract only). Such a comparison can also reveal noise that is too large. The accuracy of discrete noise is a geometric series; OpenDP has it {cite:p}`opendp`. We believe that {prf:ref}`prop-lap-06-ceiling` is ours, as well as the rates of rejection and the treatment of integer $x$; a search found the limit nowhere else.
#
# **Next:** what if other people's records reveal something about yours? [Why differential privacy is not enough](../correlated/01-why-dp-is-not-enough.ipynb).
