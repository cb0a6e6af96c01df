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
# **Question.** A program claims to be $\varepsilon$-differentially private. Sometimes you can run it; sometimes you can only read how accurate it is. Which faults can you detect in each case?
#
# **Answer.** If you can run it, you can detect too little noise, but not too much: of nine mechanisms that claim $\varepsilon = 0.7$, two statistical tests detect all five that leak more, and neither test objects to a mechanism whose noise is a hundred times too large. The accuracy shows that fault: if objective perturbation does not divide its noise by the number $n$ of records, then for five features and $\varepsilon = 1$ its expected accuracy on new records is below 59.3%<!-- {np.ceil(1000*limit)/1000:.1%} --> for all data and every $n$, and a well-known library that had this fault stayed at 47%<!-- {theirs["0.6.5"][1]:.0%} --> where 92%<!-- {theirs["0.6.6"][1]:.0%} --> was possible.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** why noise that is not divided by $n$ limits the accuracy for every $n$, how to test a claimed $\varepsilon$, and what such a test cannot see.
# **You need** objective perturbation ([notebook 4](../laplace/04-learning-with-privacy.ipynb)), the discrete Laplace distribution ([notebook 5](../laplace/05-when-the-noise-leaks.ipynb)) and `audit` ([*Which noise is best?*](laplace-which-noise-is-best.ipynb)).
# **Time:** 20 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** databases of $n$ records that differ in the value of one record. **The auditor** can run a program on two neighbours as often as they like, but does not see its code. **The reader** sees published accuracies only. **Protected:** the record, up to the factor $e^{\varepsilon}$, if the program does what it claims. **Not considered:** what the low bits of floating-point noise tell.
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
# where $b$ is random, with a density proportional to $e^{-\beta\|b\|}$, $\beta = \varepsilon'/(2L)$. The noise term is divided by $n$ because the loss is a mean. If the loss is a *sum*, the same algorithm has the noise term $b^{\mathsf T} w$. What happens if a program takes the mean, but does not divide the noise?
#
# Let all $n$ records be equal: one feature, $x = 1$, with the label 1. Suppose that the noise happens to be $b = 2$.

# %%
b = np.array([2.0])
for n in (10, 100, 1000):
    data = np.ones((n, 1)), np.ones(n)
    options = {"loss": "huber", "regularization": 0.1}
    with_division = erm.minimise(*data, **options, linear=b / n).weights[0]
    without = erm.minimise(*data, **options, linear=b).weights[0]
    print(f"n = {n:4}: weight {with_division:.2f} with division, {without:.2f} without")

# %% [markdown]
# The prediction is the sign of $wx$. With division the weight is positive, so the classifier is right. Without division the weight is -10<!-- {without:.0f} --> for every $n$: a thousand records agree on the label 1, and the classifier still predicts $-1$.
#
# A real program had this fault. The library diffprivlib adds its noise to the logistic loss of scikit-learn. That loss was a sum, and the noise without division was right. In version 1.4 of scikit-learn the loss became a mean; diffprivlib did not divide its noise up to version 0.6.5. In February 2025 a user ran the example notebook again and saw an accuracy that did not depend on $\varepsilon$. Within two weeks the authors offered a repair ([issue 97](https://github.com/IBM/differential-privacy-library/issues/97)) {cite:p}`diffprivlib98`, which version 0.6.6 contains. The program had added *more* noise than it needed, so it kept its promise of privacy. A test of that promise has nothing to detect.
#
# To see the effect, we need only our own algorithm, with and without the division. There are five features, $\varepsilon = 1$ and $\Lambda = 0.01$. The accuracy is measured on 10,000 other records.

# %%
Lambda = 0.01
sizes = [100, 300, 1000, 3000, 10_000]


def accuracy(n, seed, divisor):
    """Accuracy on new records after learning from n; the noise is divided by the divisor."""
    left = 1 - 2 * np.log(1 + 0.25 / (n * Lambda))  # ε' of notebook 4, with c = 1/4
    b = erm.spherical_laplace(5, scale=2 / left, rng=seed)
    model = erm.minimise(X[:n], y[:n], regularization=Lambda, linear=b / divisor)
    return np.mean(np.sign(X_new @ model.weights) == y_new)


divided = np.array([[accuracy(n, seed, n) for seed in range(20)] for n in sizes])
not_divided = np.array([[accuracy(n, seed, 1) for seed in range(20)] for n in sizes])

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Accuracy of a private classifier with \u03b5 = 1 on new records. If the noise is divided by n, the accuracy rises. If it is not, the accuracy stays below a limit (grey line) that holds for every n and all data. Diamonds: diffprivlib before its repair (0.6.5) and after (0.6.6). Bars: two standard errors, twenty seeds.", "name": "fig-lap-06-accuracy"}, "image": {"alt": "Accuracy against the number of records from one hundred to ten thousand, on a logarithmic axis. One curve rises from about three quarters to above nine tenths. The other is flat near one half, below a horizontal line at 0.59<!-- {limit:.2f} -->. Two diamonds lie on the upper curve and two a little below the flat one."}} tags=["figure"]
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
without_noise = erm.minimise(X[:10_000], y[:10_000], regularization=Lambda).weights
best = np.mean(np.sign(X_new @ without_noise) == y_new)
assert 0.7 < divided[0].mean() < 0.8 and divided[-1].mean() > 0.9  # the alt text
assert np.all(np.diff(divided.mean(axis=1))[:3] > 0)
assert abs(best - divided[-1].mean()) < 0.002
assert np.allclose(theirs["0.6.6"], divided.mean(axis=1)[[2, 4]], atol=0.005)
assert max(theirs["0.6.5"]) < not_divided.mean() and not_divided.mean(axis=1).max() < limit
assert abs(not_divided.mean() - 0.5) < 0.05
plt.show()

# %% [markdown]
# If the noise is divided, the accuracy at 10,000 records is 91.8%<!-- {divided[-1].mean():.1%} -->; without any noise it is 91.8%<!-- {best:.1%} -->. If it is not divided, the accuracy is 50.7%<!-- {not_divided[2].mean():.1%} --> at 1,000 records and 50.7%<!-- {not_divided[4].mean():.1%} --> at 10,000. It does not even rise slowly.
#
# ## Why more records do not help
#
# At the minimum the gradient is zero. Let $g$ be the mean of the $n$ gradients of the loss. Each of them has a length of at most $L$, because the slope of the loss is at most $L$ and $\|x\| \le 1$. So $\|g\| \le L$, and
#
# $$ \begin{aligned} \Lambda w + g + \tfrac1n b &= 0 && \text{with division}, \\ \Lambda w + g + b &= 0 && \text{without}. \end{aligned} $$
#
# The records enter through $g$ alone. With division they outweigh the noise as $n$ grows. Without division, the length of $g$ is still at most $L$, while the mean length of $b$ is $2Ld/\varepsilon'$ for every $n$. With five features and $\varepsilon = 1$ this is at least $10L$.
#
# ```{prf:proposition} Noise that is not divided
# :label: prop-lap-06-ceiling
# Let $l$ be convex and differentiable in the score, with slope between $-L$ and $L$, let $\|x_i\| \le 1$, and let $w$ minimise $\frac1n\sum_i l(y_i, w^{\mathsf T}x_i) + \frac\Lambda2\|w\|^2 + b^{\mathsf T}w$. Then $\|\Lambda w + b\| \le L$ for every $n$ and all data. A record $(x, y)$ that is independent of $b$ is classified correctly with probability
# $\Pr(y\,w^{\mathsf T}x > 0) \le \Pr(\xi < L)$, where $\xi$ is one coordinate of $b$. With the Huber hinge and $n$ equal records, equality holds for every $n$.
# ```
#
# ```{prf:proof}
# The first statement is the second equation, with $\|g\| \le L$. Multiply that equation by $y\,x^{\mathsf T}$:
#
# $$ \Lambda\, y\,w^{\mathsf T}x = -y\,b^{\mathsf T}x - y\,g^{\mathsf T}x \le -y\,b^{\mathsf T}x + L\|x\| . $$
#
# If the record is classified correctly, the left side is positive, so $y\,b^{\mathsf T}x < L\|x\|$. All directions of $b$ are equally likely. Therefore $y\,b^{\mathsf T}x/\|x\|$ has the distribution of one coordinate.
#
# For equality, let every record have $x = (1, 0, \dots, 0)$ and $y = 1$. Then the objective depends on the first weight through $l(1, w_1) + \frac\Lambda2 w_1^2 + b_1 w_1$. The hinge has the slope $-L$ at 0, so this function has the slope $b_1 - L$ there. Its minimum is at a positive $w_1$ if and only if $b_1 < L$.
# ```
#
# How large is $\Pr(\xi < L)$? Take $L = 1$ and five features. Up to a constant, the density of $\xi$ at $x > 0$ is the integral of $e^{-\beta\|b\|}$ over the other four coordinates. In these four dimensions, the points with $\|b\| = r$ form a sphere of radius $\rho = \sqrt{r^2 - x^2}$. Its area is proportional to $\rho^3$. Since $\rho\,d\rho = r\,dr$, the density is proportional to $\int_x^\infty r\,(r^2 - x^2)\,e^{-\beta r}\,dr$.

# %%
beta, r, x = sp.symbols("beta r x", positive=True)
weight = sp.integrate(r * (r**2 - x**2) * sp.exp(-beta * r), (r, x, sp.oo))
density = weight / (2 * sp.integrate(weight, (x, 0, sp.oo)))  # of one coordinate
formula = sp.Rational(1, 2) + sp.integrate(density, (x, 0, 1))
assert sp.simplify(formula - (1 - (beta**2 + 5 * beta + 8) * sp.exp(-beta) / 16)) == 0
assert np.isclose(float(formula.subs(beta, 0.5)), limit)  # the grey line of the figure


# %% [markdown]
# Thus $\Pr(\xi < 1) = 1 - \frac{1}{16}(\beta^2 + 5\beta + 8)\,e^{-\beta}$. The limit rises with $\beta = \varepsilon'/2$, and $\varepsilon' \le \varepsilon$. So at $\varepsilon = 1$ it is below 0.593<!-- {np.ceil(1000*limit)/1000:.3f} -->. With five features, only a larger $\varepsilon$ can lift it. With division, $w$ differs from the weights without noise by at most $\|b\|/(n\Lambda)$ {cite:p}`chaudhuri2011erm`, which tends to 0.
#
# So the first question to a paper or a program is not about privacy: *does the accuracy rise with $n$, and to the accuracy without noise?*
#
# ```{evidence} N-B12
# ```
#
# ## A test of the claimed level
#
# For the opposite fault, too little noise, we run the program. `audit` returns a lower bound for its $\varepsilon$: half of the runs choose an event, and the other half count how often it occurs on each of two neighbours. The older method of {cite:t}`ding2018detecting`, in their program StatDP, tests a hypothesis: is $p_x \le e^{\varepsilon} p_y$, where $p_x$ and $p_y$ are the probabilities of an event $S$ for two neighbouring inputs $x$ and $y$?
#
# Suppose that $S$ occurs $A$ times in $n$ runs on $x$, and $B$ times in $n$ runs on $y$. We call these runs *hits*. Fisher's exact test compares two probabilities that are *equal* under the hypothesis. Here they may differ by the factor $e^{\varepsilon}$. Therefore StatDP first takes a subsample: it keeps each of the $A$ hits with probability $e^{-\varepsilon}$.
#
# ```{prf:proposition} Subsampling (Ding et al.)
# :label: prop-lap-06-thinning
# If $p_x = e^{\varepsilon} p_y$, the number of kept hits has the distribution of $B$. So Fisher's exact test of the kept hits against $B$ keeps its level: a test at the level 5% rejects with probability at most 5%. If $p_x$ is smaller, it rejects at most as often.
# ```
#
# ```{prf:proof}
# A run on $x$ gives a kept hit with probability $e^{-\varepsilon} p_x$, independently of the other runs. So the number of kept hits is binomial with $n$ and $e^{-\varepsilon} p_x = p_y$, as $B$ is. A smaller $p_x$ means fewer kept hits. This cannot lower the p-value. It is the probability that at least so many of all hits fall on the first side. If one hit is taken away, "so many" falls by one, and the number on the first side falls by at most one.
# ```
#
# For example, let there be $A = 50$ and $B = 15$ hits in 100 runs each, and test $\varepsilon = 0.7$ on five subsamples:

# %%
def p_value(kept, B, n):
    """Fisher's exact test: at least so many of all hits on the first side, if both are alike."""
    return stats.hypergeom.sf(kept - 1, 2 * n, n, kept + B)


rng = np.random.default_rng(6)
print(p_value(rng.binomial(50, np.exp(-0.7), size=5), 15, 100).round(3))

# %% [markdown]
# A single subsample makes the result random. StatDP therefore takes 200 subsamples and averages their p-values. We average over 49 quantiles of the number of kept hits. The test also gives a lower bound for $\varepsilon$, the largest level that it rejects:

# %%
quantiles = (np.arange(49) + 0.5) / 49


def mean_p_value(A, B, n, epsilon):
    """Mean p-value of the hypothesis p_x <= e^ε p_y, over numbers of kept hits."""
    kept = stats.binom.ppf(quantiles, A, np.exp(-epsilon))
    return p_value(kept, B, n).mean()


def largest_rejected_level(A, B, n, alpha=0.05):
    if mean_p_value(A, B, n, 0) > alpha:
        return 0.0
    return optimize.brentq(lambda level: mean_p_value(A, B, n, level) - alpha, 0, 12, xtol=1e-4)


# %% [markdown]
# What does averaging cost? A mean of p-values need not be a valid p-value; twice the mean always is {cite:p}`vovk2020averaging`. For small $n$ we can add up the probabilities of all counts $A$ and $B$. We do so for a mechanism that just keeps its promise, $p_x = e^{\varepsilon} p_y$. A test at the level 5% should reject it in at most 5% of all cases. The arrays `A` and `B` now hold the distributions of the two counts:

# %%
n, alpha = 200, 0.05
counts = np.arange(n + 1)
single = p_value(counts[:, None], counts, n)  # kept hits by row, B by column
kept = stats.binom.pmf(counts, counts[:, None], np.exp(-0.7))  # distribution for each A
mean = kept @ single
once, averaged = [], []
for p_x in np.linspace(0.01, 0.99, 99):
    A = stats.binom.pmf(counts, n, p_x)
    B = stats.binom.pmf(counts, n, p_x * np.exp(-0.7))
    once.append(A @ kept @ (single <= alpha) @ B)
    averaged.append(A @ (mean <= alpha) @ B)

# %% [markdown]
# With 200 runs on each side, the largest probability to reject, over 99 values of $p_x$, is 4.1%<!-- {max(once):.1%} --> with one subsample and 0.9%<!-- {max(averaged):.1%} --> with the mean. So the averaged test is cautious: its result no longer depends on a subsample, and in return it detects less.
#
# ```{evidence} N-B13
# ```
#
# ## Nine mechanisms, two tests
#
# All nine mechanisms claim $\varepsilon = 0.7$. Three of them are right:

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
# The others have faults that are easily made. Some need a function of their own:

# %%
def two_cells(cells, rng):
    """A replaced record changes two cells, and the noise is made for one."""
    noisy = laplace(1 / claimed)(cells, rng)
    return np.minimum(noisy[:, 1] - 1, -noisy[:, 0])  # what an attacker computes from both


def empty_stays_empty(counts, rng):
    return np.where(counts == 0, 0, laplace(1 / claimed)(counts, rng))


def sign_lost(counts, rng):
    return counts + abs(rng.laplace(0, 1 / claimed, counts.shape))


# %% [markdown]
# The last two are means of 100 values between 0 and 1. The right scale is $1/(100\,\varepsilon)$; one program divides by 100 twice, the other not at all.

# %%
mechanisms = {  # mechanism, two neighbours, true level
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
# Each mechanism runs 100,000 times on each neighbour. Half of the runs choose the event. On the other half both tests see the same hits.

# %%
bounds, levels = {}, {}
for name, (mechanism, first, second, _) in mechanisms.items():
    trials = [audit(mechanism, first, second, rng=rng, draws=100_000) for _ in range(10)]
    bounds[name] = [trial.epsilon for trial in trials]
    levels[name] = [largest_rejected_level(*trial.hits, trial.draws) for trial in trials]

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Nine mechanisms that claim \u03b5 = 0.7 (dotted line). Bar: the true level. Circle and cross: lower bounds by the audit and by the test with subsamples, mean of ten trials. A fault is detected to the right of the dotted line. The mean whose noise is not divided lies on the left: its only fault is its error.", "name": "fig-lap-06-nine"}, "image": {"alt": "Nine rows of marks on an axis of levels from 0 to infinity. In the first three rows bar, circle and cross lie together just at the dotted line at 0.7. In the next two they lie together at 1.4. In three rows the bar is at 70 or infinity and circle and cross lie near 9<!-- {by_audit[5:8].mean():.0f} -->. In the last row all lie near 0."}} tags=["figure"]
names = list(mechanisms)
truths = np.array([truth for *_, truth in mechanisms.values()])
by_audit = np.array([bounds[name] for name in names])
by_test = np.array([levels[name] for name in names])
rows = np.arange(len(names))
fig, ax = plots.panels(1, 1, height=3.9, width=7.2)
shown = np.where(truths < np.inf, truths, 200)
ax.plot(shown, rows, "|", color=plots.COLOURS["black"], ms=18, mew=2, label="true level")
ax.plot(by_audit.mean(axis=1), rows, "o", mfc="none", ms=8, label="audit: at least")
ax.plot(by_test.mean(axis=1), rows, "x", ms=7, label="test: at least")
ax.axvline(claimed, color="#555555", lw=1, ls=":")
ax.set_xscale("symlog", linthresh=1)
ax.set_xticks([0, 0.7, 1.4, 9, 70, 200], ["0", "0.7", "1.4", "9", "70", "∞"])
ax.set(yticks=rows, yticklabels=names, xlabel="level ε", xlim=(-0.1, 300))
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
# On average, both bounds are at most 0.025<!-- {np.ceil(1000*largest_gap)/1000:.3f} --> below the true level of the three correct mechanisms. Both tests detect all five leaks in each of ten trials. Among their 60 verdicts on correct mechanisms there are 0<!-- {false_alarms} --> false alarms; at a confidence of 95% there may be some. For the last three leaks the bounds are near 9<!-- {by_audit[5:8].mean():.0f} -->. The event almost never occurs on one side there, and 50,000 runs cannot show more. Neither test can say that a mechanism is right. And neither objects to the mean that was not divided: its level is a hundred times *smaller* than claimed. That fault costs accuracy, and the accuracy shows it.
#
# ```{evidence} N-B14
# ```
#
# ## The names in a table are answers, too
#
# An audit also finds faults outside the noise. `value_counts` of pandas lists the names that occur in the data, the most frequent first. A publisher who adds noise to the counts and keeps the names publishes exactly who is there. In the following example all ten patients have the flu, or one of them has HIV.

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
# The first version is detected, whatever its noise. In the second version the names are given beforehand, and the noise has the scale $2/\varepsilon$, because a replaced record changes two counts. No fault is found.
#
# ## Is a printed accuracy the right one?
#
# A reader can also compare errors with the accuracy that a library prints: "the error is at most $a$ with probability at least $1 - \delta$". For counts the noise is an integer $k$ with the discrete Laplace distribution $\Pr(k) = \frac{1-q}{1+q}\,q^{|k|}$, $q = e^{-1/R}$, of scale $R$.
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
# OpenDP's function for this number returns a real number. It is our $x$:

# %%
def exact_x(R, delta):
    return R * np.log(2 / ((1 + np.exp(-1 / R)) * delta))


for R, delta in ((0.5, 0.05), (2, 0.05), (2, 0.5), (20, 0.05)):
    x = dp.discrete_laplacian_scale_to_accuracy(float(R), delta)
    assert np.isclose(x, exact_x(R, delta), rtol=1e-12)
    print(f"R = {R:3}, δ = {delta:4}: x = {x:6.3f}, least tolerance {ceil(x) - 1:2}")

# %% [markdown]
# OpenDP's documentation says that the error is *at least* $x$ with probability at most $\delta$, and that $x$ may be rounded down. That is right, but if $x$ is an integer, the result is one more than needed. This happens whenever $\delta$ is itself the probability that the noise exceeds an integer. In floating point, $x$ can then lie on either side of the integer:

# %%
ties, too_high = 0, 0
for R in (0.5, 1.0, 2.0, 5.0, 20.0):
    for a in range(1, min(61, int(30 * R))):
        delta = float(discrete.error_probability(a, R))
        ties += 1
        too_high += ceil(dp.discrete_laplacian_scale_to_accuracy(R, delta)) - 1 > a
        assert discrete.tolerance_for(delta, R) == a

# %% [markdown]
# Of 222<!-- {ties} --> such cases, $\lceil x \rceil - 1$ is one too high in 16<!-- {too_high} -->. `discrete.tolerance_for` compares the two neighbouring integers, and is right in all of them.
#
# ```{evidence} N-B15
# ```
#
# ## What it rests on
#
# The limit without division, subsampling and the accuracy of discrete noise are proved above. The rates of rejection are sums over all counts, at 99 values of $p_x$; [the evidence](../evidence/research/laplace-audit-what-you-read.ipynb) repeats them with binomial coefficients. The nine mechanisms are simulated, with two neighbours that were chosen to show the largest leak. The accuracies of diffprivlib were computed once, in environments of their own ([*Checked against others*](../../book/outside.md)).
#
# ## Limits
#
# - The limit is for objective perturbation with a bounded slope. An accuracy that does not rise can have other reasons, for example a model that cannot express the data.
# - An audit needs good neighbours and events. It cannot exclude a leak that is rarer than its runs show ({ref}`exercise <ex-lap-05-rule>`).
# - Each bound is for one audit with 95% confidence. An auditor who repeats audits until one detects a fault has no confidence left.
# - Our averages over quantiles replace StatDP's 200 random subsamples. We did not run StatDP, which also searches for the event and for the neighbours. The rates of rejection were computed for $\varepsilon = 0.7$ and up to 200 runs.
#
# ## What others had
#
# Auditing with held-out runs is due to {cite:t}`ding2018detecting` and {cite:t}`jagielski2020auditing`; the subsampling and the average are from the former and its program. The nine mechanisms and their numbers are ours. That twice a mean of p-values is a p-value we know from the abstract of {cite:t}`vovk2020averaging`. The fault without division was reported by a user of diffprivlib and repaired by its authors {cite:p}`diffprivlib98`. The distance $\|b\|/(n\Lambda)$ is in a proof of {cite:t}`chaudhuri2011erm`. {cite:t}`cebere2026greybox` look inside a program: they run it on two neighbours with the same randomness and compare what reaches the noise with the declared sensitivity (abstract only). Such a comparison can also reveal noise that is too large. The accuracy of discrete noise is a geometric series; OpenDP has it {cite:p}`opendp`. We believe that {prf:ref}`prop-lap-06-ceiling` is ours, as well as the rates of rejection and the treatment of ties; the report and the repair of diffprivlib do not have the limit, and a search found it nowhere else.
#
# **Next:** what if other people's records speak about yours? [Why differential privacy is not enough](../correlated/01-why-dp-is-not-enough.ipynb).
