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
# # What does an attacker learn from an answer?
#
# Twenty customers of a lender have an adverse entry at the credit bureau, such as a default. The lender asks them whether they ever paid late, and
# announces: *people with an entry are significantly more likely to have paid late than people in general.* G is one of the twenty, and was late. Has the announcement violated G's privacy?
#
# **The note**, a Japanese study note that this part follows, describes attackers, defines differential privacy and asks this question about G. It says that the secrecy of an answer is what English papers call *sensitivity* (how far one record can move it).
# **We find** that sensitivity and secrecy are different things, and that the definition of differential privacy must speak of *sets* of outputs. An exact announcement can prove that G was late. In the
# private one that we build, G's record can at most double or halve the odds of any conclusion (its probability of being true, divided by that of being false).
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to describe an attacker, how to measure what an answer gives away, what differential
# privacy promises, and what it does not promise.
# **You need** probability and Python.
# **Time:** 28 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two databases of the same size that differ in the value of one record. **The attacker**
# sees what is published, knows the query and the distribution of the noise, has unlimited time, and may know every other
# record. **Protected:** the value of the one record. **Not protected:** what is true of people
# in general, whether or not this record was used.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from itertools import product
from math import comb

import matplotlib.pyplot as plt
import numpy as np
import plotly.graph_objects as go
import sympy as sp

from privlib.laplace import laplace_mechanism
from privlib.notebook import interactive, plots, table

plots.use()

# %% [markdown]
# ## An exact count can reveal one record with certainty
#
# Take only four customers, and write 1 for a customer who was late. The lender publishes the exact count. An attacker lists every database that has this count and agrees
# with the known records.

# %%
databases = list(product((0, 1), repeat=4))  # all 16 possible databases


def consistent(count, known):
    """Databases with this count that agree with the known records."""
    remaining = []
    for x in databases:
        agrees = all(x[i] == value for i, value in known.items())
        if agrees and sum(x) == count:
            remaining.append(x)
    return remaining


# %% [markdown]
# Suppose that the count is 3, and the attacker knows no record, one or two:

# %%
for known in ({}, {0: 1}, {0: 1, 1: 0}):
    remaining = consistent(3, known)
    late = sum(x[3] for x in remaining)
    print(f"{len(known)} known: the last customer is late in {late} of {len(remaining)} databases")

# %% [markdown]
# For the third attacker only one database is left: the exact count has proved that the last customer was late.
# Whether an exact count keeps a secret depends on the attacker. The note therefore begins there.
#
# ```{prf:definition} Attacker model (chapter 6; 攻撃者モデル)
# :label: def-lap-01-attacker
# An attacker sees the answer $y = f(x)$ and wants to infer the secret $x$. The attacker is described by three things: the
# computing resources, the background information, and the algorithm.
# ```
#
# ## Which helps an attacker: knowledge, computing time or the algorithm?
#
# Let us play a game with twelve customers. The lender publishes thirty counts, each of a different random group of the customers and each with a random error between $-2$ and 2.
# The attacker guesses every unknown record. All three things vary:
#
# - *Background information:* the attacker knows nobody, or six of the twelve.
# - *Computing resources:* the attacker has time to try 64 databases, or all that agree with the known records.
# - *Algorithm:* the *naive* one takes the database whose counts are closest to the published ones. The *Bayesian* one keeps all databases that fit (no published count is off by more than 2) and decides each record by their majority.

# %%
people, counts, error = 12, 30, 2
groups = np.random.default_rng(2003).integers(2, size=(counts, people))
every = np.array(list(product((0, 1), repeat=people)))  # all 4,096 databases
every_count = every @ groups.T


def naive(tried, published, rng):
    """The database with the closest counts."""
    gap = every_count[tried] - published
    return every[tried[(gap**2).sum(axis=1).argmin()]]


# %%
def bayesian(tried, published, rng):
    """The majority among the databases that fit, for each record."""
    gap = every_count[tried] - published
    fit = every[tried[(abs(gap) <= error).all(axis=1)]]
    if len(fit) == 0:
        return rng.integers(2, size=people)  # blind guessing
    return fit.mean(axis=0) + rng.uniform(-1e-9, 1e-9, people) > 0.5  # a coin breaks ties


def play(known, budget, algorithm, rng):
    """Share of the unknown records guessed right in one game; budget: databases to try."""
    x = rng.integers(2, size=people)
    published = groups @ x + rng.integers(-error, error + 1, size=counts)
    agrees = (every[:, :known] == x[:known]).all(axis=1)
    tried = rng.permutation(np.flatnonzero(agrees))[:budget]
    guess = algorithm(tried, published, rng)
    return (guess == x)[known:].mean()


# %%
right, standard_error = {}, {}
for setting in product((0, 6), (64, 4096), (naive, bayesian)):
    games = [play(*setting, np.random.default_rng(game)) for game in range(200)]
    right[setting] = np.mean(games)
    standard_error[setting] = np.std(games) / np.sqrt(len(games))

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Each of the three things can help. Share of the unknown records that the attacker guesses right, on average over 200 games. Blind guessing gives one half (dotted). Right: the lines are flat, because only 64 databases agree with the six known records, so both budgets allow the attacker to try all of them.", "name": "fig-lap-01-game"}, "image": {"alt": "Two panels, for an attacker who knows nobody and one who knows six of twelve. Left: from 64 to 4096 databases both algorithms improve, the Bayesian one from about one half to the highest value. Right: both algorithms stand on the same high level with 64 and with 4096."}} tags=["figure"]
fig, axes = plots.panels(1, 2, height=3.2, width=8.5, sharey=True)
titles = ("knows nobody", "knows six of twelve")
for ax, known, title in zip(axes, (0, 6), titles):
    for algorithm, marker, name in ((naive, "s", "naive"), (bayesian, "o", "Bayesian")):
        values = [right[known, budget, algorithm] for budget in (64, 4096)]
        ax.plot([0, 1], values, marker=marker, label=name)
    ax.axhline(0.5, color="#555555", lw=1, ls=":")
    ax.set(title=title, xticks=[0, 1], xlim=(-0.3, 1.3), ylim=(0.45, 1))
    ax.set_xticklabels(["64 databases", "all databases"])
axes[0].set_ylabel("records guessed right (share)")
axes[0].legend()
plt.show()


# %% [markdown]
# With the Bayesian algorithm and time for all databases, knowing six customers raises the share of correct guesses from 91%<!-- {right[0, 4096, bayesian]:.0%} --> to 95%<!-- {right[6, 4096, bayesian]:.0%} -->. If the attacker knows nobody and
# has time for only 64 databases, the Bayesian algorithm gets 53%<!-- {right[0, 64, bayesian]:.0%} -->, because in most games none of the 64 fits. The naive algorithm is then better: it gets 71%<!-- {right[0, 64, naive]:.0%} -->. (The standard errors are
# at most 1.2<!-- {100 * max(standard_error.values()):.1f} --> percentage points.) The lines on the right are flat because six known records leave only $2^6 = 64$ databases to try.
#
# The algorithm of {cite:t}`dinur2003revealing` can replace both time and knowledge. It recovers almost a whole database from many counts with small errors, without trying all databases.
# The publisher cannot know which attacker will come, but can control how much *one record* changes the answer.
#
# ```{evidence} N-1
# ```
#
# ## How far can one record move the answer?
#
# If one of four customers had paid on time instead of late, the count would change by 1 and the mean by 1/4. The largest change that one record can make is called *sensitivity*.
#
# ```{prf:definition} $L_1$ sensitivity (appendix; 敏感度)
# :label: def-lap-01-sensitivity
# Let $d(D, D')$ be the number of records in which two databases of the same size differ. They are *neighbours*, $D \sim D'$,
# if $d(D, D') = 1$. The $L_1$ sensitivity of a query $q$ is
# $\Delta_{1,q} = \max_{D \sim D'} \lVert q(D) - q(D') \rVert_1$.
# ```

# %%
def distance(x, z):
    return sum(a != b for a, b in zip(x, z))


neighbours = [(x, z) for x in databases for z in databases if distance(x, z) == 1]


def l1_sensitivity(query):
    """Largest 1-norm between the answers of two neighbours."""
    largest = 0
    for x, z in neighbours:
        largest = max(largest, np.abs(np.subtract(query(x), query(z))).sum())
    return largest


# %%
queries = {
    "count": sum,
    "mean": lambda x: sum(x) / 4,
    "twice the count": lambda x: 2 * sum(x),
    "histogram": lambda x: (4 - sum(x), sum(x)),
}
for name, query in queries.items():
    print(f"{name}: {l1_sensitivity(query):g}")


# %% [markdown]
# One record moves the histogram by two, because it leaves one bin and enters the other.
#
# ```{evidence} N-24 N-27
# ```
#
# ## Sensitivity is not secrecy
#
# The note calls *secrecy of* $f$ (秘匿性) how hard it is to infer $x$ from $f(x)$, and says that English papers call this *sensitivity*. If that were so, two answers to the same query
# would be equally secret, however much noise each of them has.
#
# Let us add *two-sided geometric noise* to the count. It is an integer, and takes the value $k$ with probability $\frac{1-\alpha}{1+\alpha}\,\alpha^{|k|}$, where $0 < \alpha < 1$. A result below 0 is published as 0, and one above the
# largest possible answer as that answer. So each end collects a tail of the noise. For $k \ge 0$, the geometric series gives $\alpha^k/(1+\alpha)$ as the probability that the noise is $k$ or more.

# %%
def noisy(answer, alpha, top):
    """Distribution of an answer with geometric noise, cut off at 0 and at top."""
    p = np.array([alpha ** abs(y - answer) for y in range(top + 1)])
    p[1:-1] *= 1 - alpha  # but not at the ends, which collect a tail
    return p / (1 + alpha)


half = Fraction(1, 2)
two, three = noisy(2, half, 4), noisy(3, half, 4)
print("count 2:", *two)
print("count 3:", *three)
print("ratio:  ", *three / two)


# %% [markdown]
# Two neighbours can have the counts 2 and 3. Every output is at most twice as probable under one of them as under the other. The largest such ratio over all outputs and all pairs of neighbours is
# the *worst ratio*. It shows how strongly an output can speak for one database and against its neighbour.

# %%
def worst_ratio(query, alpha, top):
    """Largest ratio of the probabilities of one output under two neighbours."""
    largest = 0
    for x, z in neighbours:
        ratios = noisy(query(x), alpha, top) / noisy(query(z), alpha, top)
        largest = max(largest, *ratios)
    return largest


for name, alpha, top in (("count", half, 4), ("count", half**2, 4), ("twice the count", half, 8)):
    size = l1_sensitivity(queries[name])
    ratio = worst_ratio(queries[name], alpha, top)
    print(f"{name}, alpha = {alpha}: sensitivity {size}, worst ratio {ratio}")


# %% [markdown]
# The first two lines have the same sensitivity and different ratios; the last two have the same ratio and different sensitivities. Sensitivity (敏感度 in the note's later chapters) belongs to the *query*.
# Secrecy belongs to the *mechanism*, that is, to the query together with its noise.
#
# ```{evidence} N-2 N-30
# ```
#
# ## How hard is it to tell two distributions apart?
#
# ```{prf:definition} Indistinguishability (chapter 6; 識別不可能性)
# :label: def-lap-01-indistinguishability
# Let the output of $f$ be random, and $x \ne x'$. *Indistinguishability* is the difficulty of telling the
# distributions of the outputs $f(x)$ and $f(x')$ apart. For differential privacy (差分プライバシー), $x$ and $x'$ are databases that differ in one record.
# ```
#
# Let a fair coin select $x$ or $x'$. The attacker sees the output and says which one it was. Let $p$ and $p'$ be the two distributions. The best guess at an output $y$ is the
# input under which $y$ is more probable, so the attacker is right with probability $\frac12 \sum_y \max(p(y), p'(y))$:

# %%
def best_guess(p, other):
    """Probability that the best guess between two distributions is right."""
    return np.maximum(p, other).sum() / 2


for alpha in (Fraction(7, 8), half, Fraction(1, 8)):
    success = best_guess(noisy(2, alpha, 4), noisy(3, alpha, 4))
    print(f"worst ratio {1 / alpha}: right with probability {success}")

# %% [markdown]
# The note says that indistinguishability characterises the secrecy of a random answer. Indeed, with a worst ratio near 1, the attacker can do little better than toss a coin. But the probability of a right guess can hide something. Compare the noisy
# count with a mechanism that publishes the exact count, but only with probability 1/3:

# %%
third = Fraction(1, 3)
exact_two = np.array([third, 0, 1 - third])  # publishes 2, publishes 3, publishes nothing
exact_three = np.array([0, third, 1 - third])
print(best_guess(two, three), best_guess(exact_two, exact_three))

# %% [markdown]
# Both attackers are right equally often ({numref}`fig-lap-01-proof`). Yet the second mechanism *proves* the count in one release out of three, while after any output of the first, neither count is more than twice as probable as the other.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Two mechanisms with the same probability of a right guess, 2/3<!-- {best_guess(two, three)} -->. Left: with geometric noise, every number can be published for both counts. Right: the count is published exactly, but only with probability 1/3<!-- {third} -->. Where a number has a single bar, it proves the count.", "name": "fig-lap-01-proof"}, "image": {"alt": "Left, pairs of bars at 0 to 4. The bar for count 2 is twice as high at 0, 1 and 2, the bar for count 3 at 3 and 4. Right, a single bar of height 1/3<!-- {third} --> at 2 for count 2, a single bar at 3 for count 3, and two equal bars at nothing."}} tags=["figure"]
fig, (guarded, exact) = plots.panels(1, 2, height=2.9, width=8.5, sharey=True)
for ax, pair in ((guarded, (two, three)), (exact, (exact_two, exact_three))):
    for shift, colour, hatch, which in ((-0.2, "blue", "", 0), (0.2, "orange", "///", 1)):
        heights = pair[which].astype(float)
        ax.bar(np.arange(len(heights)) + shift, heights, width=0.38, hatch=hatch,
               color=plots.COLOURS[colour], edgecolor="white", label=f"count {which + 2}")  # fmt: skip
assert best_guess(two, three) == best_guess(exact_two, exact_three)
guarded.set(title="geometric noise", xlabel="published number", ylabel="probability")
exact.set(title="exact, one time in three", xlabel="published number")
exact.set(xticks=range(3), xticklabels=["2", "3", "nothing"])
guarded.legend()
plt.show()


# %% [markdown]
# Bayes' rule explains the difference. The odds of $x$ against $x'$ are the probability of $x$ divided by that of $x'$. An output $y$ multiplies these odds by $p(y)/p'(y)$, whatever they were before. A promise for every
# attacker and every release should therefore limit this ratio, not only the average success.
#
# ```{evidence} N-4 N-31 N-32
# ```
#
# ## Differential privacy limits every guess
#
# ```{prf:definition} $\varepsilon$-differential privacy (appendix; 差分プライバシー)
# :label: def-lap-01-dp
# A mechanism $m$ (メカニズム) is *$\varepsilon$-differentially private* for a query $q$ if
#
# $$ \Pr(m(q, D) \in S) \le e^{\varepsilon} \Pr(m(q, D') \in S) $$
#
# for all neighbours $D \sim D'$ and every (measurable) set $S$ of outputs.
# ```

# %%
def is_private(p, other, factor):
    """Whether P(S) <= factor * P'(S) for every set S of outputs."""
    for chosen in product((0, 1), repeat=len(p)):
        if np.dot(chosen, p) > factor * np.dot(chosen, other):
            return False
    return True


for factor in (2, Fraction(199, 100)):
    failures = 0
    for x, z in neighbours:
        if not is_private(noisy(sum(x), half, 4), noisy(sum(z), half, 4), factor):
            failures += 1
    print(f"factor {factor}: {failures} of {len(neighbours)} pairs fail")

# %% [markdown]
# The noisy count with $\alpha = \frac12$ is private with $e^{\varepsilon} = 2$. No smaller factor will do, because its worst ratio is 2.
#
# The note prints the ratio $\Pr(m(q, D)) / \Pr(m(q, D'))$ and names no set. If there are finitely many outputs, it is enough to compare single outputs, because the inequality for a set is the sum of those for its members. With continuous noise it is not enough. For example, let the
# noise be uniform between 0 and 1. Every single output then has probability 0, whether the count is 0 or 1, and comparing single outputs gives only $0 \le e^{\varepsilon} \cdot 0$. Yet the output proves the count: the set $S = [0, 1]$ has probability 1 if the count is 0, and probability 0 if it is 1.
#
# ```{prf:theorem} The best guess between two neighbours
# :label: thm-lap-01-guess
# A fair coin selects one of two neighbours, and an attacker sees the output of an $\varepsilon$-differentially private mechanism. Whatever the attacker's resources and algorithm,
# the guess is right with probability at most $e^{\varepsilon} / (1 + e^{\varepsilon})$.
# ```
#
# ```{prf:proof}
# Let $P$ and $P'$ be the distributions of the output under $D$ and $D'$. Let the attacker say $D'$ when the output lies in a set $S$, and $D$ otherwise. The guess is right with probability $s/2$, where $s = P(S^c) + P'(S)$.
# By the definition, $P(S^c) \le e^{\varepsilon} P'(S^c) = e^{\varepsilon}(1 - P'(S))$ and $P'(S) \le e^{\varepsilon} P(S) = e^{\varepsilon}(1 - P(S^c))$. Adding the two gives $s \le e^{\varepsilon} (2 - s)$,
# that is, $s/2 \le e^{\varepsilon}/(1 + e^{\varepsilon})$. An attacker who also uses random numbers chooses the set $S$ at random. The probability of a right guess is then an average over such sets, and the bound holds for every one of them.
# ```
#
# The noisy count attains the bound:

# %%
for alpha in (Fraction(7, 8), half, Fraction(1, 8)):
    factor = 1 / alpha  # the worst ratio, which is the smallest possible e^ε
    assert best_guess(noisy(2, alpha, 4), noisy(3, alpha, 4)) == factor / (1 + factor)


# %% [markdown]
# The figure shows the definition and the theorem. It also uses *Laplace noise of scale* $b = 1/\varepsilon$, which has the density $\frac{1}{2b} e^{-|t|/b}$; the next section computes the dashed curve on the right. On the left, where $\varepsilon = 1$, the band runs from $1/e$ to $e$ times the density for count 2, and the density for count 3 stays within it.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The definition (left) and the theorem (right). Left: Laplace noise with \u03b5 = 1. The shaded band runs from 1/e times to e times the density for count 2, and the density for count 3 never leaves it. Right: how often the best guess between the two counts is right. No \u03b5-private mechanism gets into the shaded region. Geometric noise with \u03b1 = exp(\u2212\u03b5) (points) lies on its border, Laplace noise a little below.", "name": "fig-lap-01-band"}, "image": {"alt": "Left: two Laplace densities with peaks at 2 and 3, the second inside a shaded band around the first, touching its edges beyond the peaks. Right: probability of a right guess against \u03b5 from 0 to 5. The bound rises from one half towards 1 with points of geometric noise on it, the curve of Laplace noise runs below it."}} tags=["figure"]
def density(y, answer, epsilon):
    """Density of an answer with Laplace noise of scale 1/epsilon."""
    return epsilon / 2 * np.exp(-epsilon * np.abs(y - answer))


y = np.linspace(-3, 8, 1101)
fig, (left, right_panel) = plots.panels(1, 2, height=3.4, width=8.5)
p_two, p_three = density(y, 2, 1.0), density(y, 3, 1.0)
left.fill_between(y, p_two / np.e, p_two * np.e,
                  color=plots.COLOURS["sky"], alpha=0.3, lw=0, label="1/e to e times count 2")
left.plot(y, p_two, label="count 2")
left.plot(y, p_three, label="count 3")
left.set(xlabel="published number", ylabel="density", ylim=(0, 1.45))
left.legend(fontsize="small")
levels = np.linspace(0, 5, 201)
limit = np.exp(levels) / (1 + np.exp(levels))
right_panel.fill_between(levels, limit, 1, color=plots.COLOURS["gold"], alpha=0.3, lw=0,
                         label="not ε-private")
right_panel.plot(levels, limit, label="bound of the theorem")
right_panel.plot(levels, 1 - np.exp(-levels / 2) / 2, label="Laplace noise")
noise = [Fraction(7, 8), Fraction(1, 2), Fraction(1, 4), Fraction(1, 8), Fraction(1, 32)]
success = [best_guess(noisy(2, a, 4), noisy(3, a, 4)) for a in noise]
right_panel.plot([np.log(float(1 / a)) for a in noise], [float(v) for v in success], "o",
                 color=plots.COLOURS["black"], label="geometric noise, α = exp(−ε)")
right_panel.set(xlabel="ε", ylabel="best guess is right (probability)", ylim=(0.5, 1))
right_panel.legend(loc="lower right")
plt.show()


# %% [markdown]
# The note adds that $e^{\varepsilon} \approx 1 + \varepsilon$. At $\varepsilon = 0.1$ the factor $e^{\varepsilon}$ is 1.105<!-- {np.exp(0.1):.3f} -->, close to 1.1, but at $\varepsilon = 1$ it is
# 2.72<!-- {np.e:.2f} -->, not 2.
#
# ```{evidence} N-5 N-22 N-23 N-28 N-33
# ```
#
# ## A mechanism is a decorator
#
# The note calls a mechanism a *device* that takes a query and a database and gives a result, like a decorator. Our package has a decorator, `@laplace_mechanism`, which adds Laplace noise of scale $\Delta_{1,q}/\varepsilon$ to the answer of the query below it:

# %%
@laplace_mechanism(epsilon=1.0, sensitivity=1.0)
def late_customers(database):
    """Number of customers who were late."""
    return sum(database)


rng = np.random.default_rng(6)
print([round(late_customers([1, 0, 1, 1], rng=rng), 2) for _ in range(3)])

# %% [markdown]
# [The next notebook](02-laplace-mechanism.ipynb) proves that this is $\varepsilon$-differentially private. Does it hide the last customer from an attacker who knows the
# other three? For this attacker the true count is 2 or 3, and the best guess is the nearer of the two. The guess is wrong when the noise exceeds $\frac12$ in the wrong direction:

# %%
t, eps = sp.symbols("t epsilon", positive=True)
wrong = sp.integrate(eps / 2 * sp.exp(-eps * t), (t, sp.Rational(1, 2), sp.oo))
assert wrong == sp.exp(-eps / 2) / 2


# %% [markdown]
# So at $\varepsilon = 1$ the attacker is right with probability $1 - \frac12 e^{-1/2} \approx$ 0.697<!-- {1 - np.exp(-1 / 2) / 2:.3f} -->. The theorem allows 0.731<!-- {np.e / (1 + np.e):.3f} -->.
#
# Guess first: how large must $\varepsilon$ be before the attacker is right nine times out of ten?

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Two or three? Sixty published counts at \u03b5 = 1, spread vertically so that they can be seen. The attacker says 2 on the left of the line and 3 on the right, and is wrong at the crosses. Numbers beyond the axis are not drawn.", "name": "fig-two-or-three"}, "image": {"alt": "Two rows of points, true count 2 and true count 3, spread widely around a vertical line at 2.5; crosses mark wrong guesses."}} tags=["figure"]
def draw_games(epsilon):
    """Truth, published number and whether the nearer count is right, in 2,000 games."""
    generator = np.random.default_rng(23)
    count = generator.integers(2, 4, size=2000)
    number = count + generator.laplace(0, 1 / epsilon, size=2000)
    height = count + generator.uniform(-0.3, 0.3, size=2000)
    return number, height, (number > 2.5) == (count == 3)


number, height, correct = draw_games(1.0)
fig, ax = plots.panels(height=2.8)
for mark, which, label in (("o", correct, "right"), ("x", ~correct, "wrong")):
    ax.plot(number[:60][which[:60]], height[:60][which[:60]], mark, ls="", label=label)
ax.axvline(2.5, color="#555555", lw=1)
ax.set(xlabel="published number", ylabel="true count", yticks=[2, 3], xlim=(-30, 35))
ax.legend(loc="center right")
plt.show()


# %% jupyter={"source_hidden": true} tags=["figure"]
def two_or_three(epsilon):
    number, height, correct = draw_games(epsilon)
    first, good = slice(60), correct[:60]
    most = np.exp(epsilon) / (1 + np.exp(epsilon))
    note = (
        f"Right in {correct.mean():.1%} of 2,000 games; in the long run "
        f"{1 - np.exp(-epsilon / 2) / 2:.1%}. The bound is {most:.1%}."
    )
    return [
        {"trace": 0, "x": number[first][good], "y": height[first][good]},
        {"trace": 1, "x": number[first][~good], "y": height[first][~good]},
        {"note": note},
    ]


live = go.Figure(
    [
        go.Scatter(mode="markers", marker={"size": 8, "color": plots.COLOURS["blue"]},
                   name="right"),
        go.Scatter(mode="markers", name="wrong",
                   marker={"size": 9, "color": plots.COLOURS["orange"], "symbol": "x"}),
    ],
    {
        "height": 320,
        "xaxis": {"range": [-30, 35], "title": {"text": "published number", "standoff": 4}},
        "yaxis": {"range": [1.5, 3.5], "tickvals": [2, 3], "title": {"text": "true count"}},
        "shapes": [{"type": "line", "x0": 2.5, "x1": 2.5, "y0": 1.5, "y1": 3.5}],
    },
)  # fmt: skip
interactive.show(
    "two-or-three",
    live,
    [interactive.Slider("ε", [0.25, 0.5, 1, 1.5, 2, 3, 4, 5], "g", start=2)],
    two_or_three,
    alt="Sixty published counts at this level, with right and wrong guesses marked.",
)


# %% [markdown]
# The answer is $\varepsilon = 2 \ln 5 \approx$ 3.22<!-- {2 * np.log(5):.2f} -->, which makes $\frac12 e^{-\varepsilon/2}$ equal to one tenth.
#
# ```{evidence} N-20 N-21 N-29 N-34
# ```
#
# ## What may the lender announce?
#
# In the whole population one customer in five is late. The lender makes the announcement if the number of late customers among the twenty is at least a threshold. If there is no
# link between the entry and paying late, the announcement is a *false alarm*, and must have probability at most 5%. If there is a link, let a customer with an entry be late with probability 1/2. The probability of the announcement is then called its *power*. A private lender uses the noisy count with $\alpha = \frac12$, so that $e^{\varepsilon} = 2$.

# %%
def binomial(n, p):
    """Binomial distribution, in fractions."""
    return np.array([comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)])


def announces(threshold, alpha=None):
    """Probability of the announcement for each true count; alpha=None means no noise."""
    if alpha is None:
        return np.array([Fraction(count >= threshold) for count in range(21)])
    return np.array([noisy(count, alpha, 20)[threshold:].sum() for count in range(21)])


# %%
no_link, link = Fraction(1, 5), Fraction(1, 2)  # probability of being late, with an entry


def smallest_threshold(alpha=None):
    """Smallest threshold with a false alarm in at most 5% of cases."""
    threshold = 0
    while binomial(20, no_link) @ announces(threshold, alpha) > Fraction(5, 100):
        threshold += 1
    return threshold


exact_threshold, private_threshold = smallest_threshold(), smallest_threshold(half)
lenders = [(exact_threshold, None), (exact_threshold, half), (private_threshold, half)]
for threshold, alpha in lenders:
    alarm = float(binomial(20, no_link) @ announces(threshold, alpha))
    power = float(binomial(20, link) @ announces(threshold, alpha))
    print(f"threshold {threshold}, alpha {alpha}: false alarm {alarm:.3f}, power {power:.3f}")

# %% [markdown]
# With noise, a threshold of 8<!-- {exact_threshold} --> gives too many false alarms, and the lender needs a threshold of 9<!-- {private_threshold} -->. The price is power: a link is announced with
# probability 70%<!-- {float(binomial(20, link) @ announces(private_threshold, half)):.0%} --> instead of 87%<!-- {float(binomial(20, link) @ announces(exact_threshold)):.0%} -->. ([*Which noise is best?*](../research/laplace-which-noise-is-best.ipynb) finds the best private test.)
#
# ```{evidence} N-B3a
# ```
#
# ## What does the announcement say about G?
#
# Suppose that, before the announcement, an attacker considers a link and no link equally likely. We compare a survey that uses G's record with one that replaces it by *not late*. A *case* says whether there is a link, how many of
# the other 19 customers were late, and whether G was.

# %%
# joint[link, number of late customers among the other 19, G late]
joint = np.array([np.outer(binomial(19, p), [1 - p, p]) / 2 for p in (no_link, link)])


def after(chance, with_g):
    """Joint probability of each case and the announcement."""
    cases = joint.copy()
    for others, g in product(range(20), (0, 1)):
        count = others + g if with_g else others
        cases[:, others, g] *= chance[count]
    return cases


def g_late(cases):
    """Probability that G was late."""
    if cases.sum() == 0:
        return None  # the announcement is not made
    return cases[..., 1].sum() / cases.sum()


# %% [markdown]
# One attacker knows nobody. Another knows the records of all others: 7<!-- {exact_threshold - 1} --> of the 19 were late, one fewer than the exact threshold.

# %%
exact, private = announces(exact_threshold), announces(private_threshold, half)
rows = {"before": joint}
for with_g in (False, True):
    survey = "with" if with_g else "without"
    rows[f"exact, {survey} G"] = after(exact, with_g)
    rows[f"private, {survey} G"] = after(private, with_g)
probability = {"knows nobody": [], "knows all others": []}
for cases in rows.values():
    for attacker, part in zip(probability, (cases, cases[:, exact_threshold - 1])):
        late = g_late(part)
        probability[attacker].append("no announcement" if late is None else f"{float(late):.3f}")
table({"announcement": list(rows), **probability}, caption="Probability that G was late.")

# %% [markdown]
# Look first at the attacker who knows nobody. The announcement raises the probability that G was late, *and it does so even without G's record*, because it is evidence about all people with an entry. In the same way, a
# study that links smoking to cancer affects every smoker, whether or not that smoker took part {cite:p}`dwork2014foundations`. Noise that prevented this would also hide the link that the study looks for.
#
# With G's record, the private announcement says slightly more than the exact one. Its noise weakens the evidence, but its higher threshold strengthens it more: an exact announcement with a threshold of 9<!-- {private_threshold} --> would give 0.547<!-- {float(g_late(after(announces(private_threshold), True))):.3f} -->.
#
# The attacker who knows all others starts at 0.405<!-- {float(g_late(joint[:, exact_threshold - 1])):.3f} -->, because 7<!-- {exact_threshold - 1} --> late customers among 19 already speak for a link. From the exact announcement this attacker concludes with certainty that G was late, and *only because of G's record*: without it there would have been no announcement.
# After the private announcement, the probability is 0.577<!-- {float(g_late(after(private, True)[:, exact_threshold - 1])):.3f} -->.
#
# The figure varies the number of the others who were late. With fewer than 7<!-- {exact_threshold - 1} --> there is no exact announcement, because even a late G cannot bring the count to 8<!-- {exact_threshold} -->.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What the announcement tells an attacker who knows the other 19 customers. The grey line rises because more late customers speak for a link. With 7 others late, the exact announcement proves that G was late; with fewer there is none. The private one at most doubles the odds.", "name": "fig-lap-01-memo"}, "image": {"alt": "Probability that G was late against the number of late customers among the other 19. The exact announcement gives probability 1 at 7 and the value before above 7; the private one lies above the value before, by a factor 2 in the odds, as long as at most 8 others were late, and from 12 others on it can no longer be told from the value before."}} tags=["figure"]
others = np.arange(20)
fig, ax = plots.panels(height=3.2)
before = [float(g_late(joint[:, k])) for k in others]
ax.plot(others, before, label="before", color="#555555", ls="-")
for name, chance, marker in (("private", private, "s"), ("exact", exact, "o")):
    cases = after(chance, with_g=True)
    curve = [g_late(cases[:, k]) for k in others]
    drawn = [k for k in others if curve[k] is not None]
    ax.plot(drawn, [float(curve[k]) for k in drawn], marker=marker, label=f"after, {name}")
ax.set(
    xlabel="late customers among the other 19",
    ylabel="probability that G was late",
    xticks=range(20),
    ylim=(0, 1.05),
)
ax.legend(loc="upper right")
assert exact_threshold == 8 and private_threshold == 9  # the numbers of the caption
plt.show()

# %% [markdown]
# How much of a conclusion can be due to G's record? We answer in odds: a conclusion of probability $p$ has odds $p/(1 - p)$.
#
# ```{prf:theorem} With and without one record
# :label: thm-lap-01-record
# Let $a(c)$ and $a_0(c)$ be the probabilities of the announcement in case $c$, with and without G's record, and suppose that $a_0(c) \le a(c) \le e^{\varepsilon} a_0(c)$ in every case. Then G's record multiplies the odds of any conclusion
# drawn from the announcement, about G or about the link, by a factor between $e^{-\varepsilon}$ and $e^{\varepsilon}$.
# ```
#
# ```{prf:proof}
# After the announcement, the odds of a conclusion are the probability that it is true and the announcement is made, divided by the probability that it is false and the announcement is made, because the probability of the announcement itself cancels. Each of the two is a sum over the cases that the attacker thinks possible. G's record multiplies every
# term, and therefore each sum, by a factor between 1 and $e^{\varepsilon}$. The quotient of two such factors lies between $e^{-\varepsilon}$ and $e^{\varepsilon}$.
# ```
#
# The private lender satisfies the condition:

# %%
factors = private[1:] / private[:-1]  # a late G adds one to the count
assert min(factors) >= 1 and max(factors) == 2


# %% [markdown]
# If the lender stays silent, the factors lie between $e^{-\varepsilon}$ and 1, and the same bound follows. We have compared conclusions with and without a record, not before and after the answer. This interpretation of privacy is that of {cite:t}`kasiviswanathan2014semantics`.
#
# Chapter 6 of the note says that, for differential privacy, secrecy is judged by how well the values in $x$ can be estimated from the answer. For the attacker who knows all other records, differential privacy limits this: by Bayes' rule, an answer changes the odds by a factor of at most $e^{\varepsilon}$. From equal odds, this is {prf:ref}`thm-lap-01-guess`. Now take a stricter lender with $e^{\varepsilon} = \frac32$, and the attacker who knows nobody:

# %%
def odds(p):
    return p / (1 - p)


strict = Fraction(2, 3)
cases = after(announces(smallest_threshold(strict), strict), with_g=False)
learned = float(odds(g_late(cases)) / odds(g_late(joint)))

# %% [markdown]
# Without using G's record, the announcement multiplies the odds that G was late by 1.65<!-- {learned:.2f} -->, which is more than $e^{\varepsilon} = 1.5$. So $\varepsilon$ does not bound what this attacker learns about G.
#
# Is G's privacy violated, then? Learning about people *like* G is the purpose of the survey, and differential privacy does not prevent it. Learning from G's *record* is what differential
# privacy limits, and the exact announcement does not. What consent and the rules for credit data require is another question, and no computation answers it.
#
# ```{evidence} N-3 N-19 N-B3
# ```
#
# ## Exercises
#
# ```{exercise-start} Two coins before the answer
# :label: ex-lap-01-coin
# ```
# **Warm-up.** A customer tosses two fair coins. If both show heads, the customer lies; otherwise the customer tells the truth. What is the smallest $\varepsilon$ for which this is $\varepsilon$-differentially private, and with what
# probability is the best guess right?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("lap-01-coin", ...)

# %% [markdown]
# ```{solution-start} ex-lap-01-coin
# :class: dropdown
# ```
# The customer tells the truth with probability $\frac34$, so the largest ratio is 3 and $\varepsilon = \ln 3 \approx$ 1.10<!-- {np.log(3):.2f} -->. The best guess believes the answer, and
# is right with probability $\frac34$, which is $e^{\varepsilon}/(1 + e^{\varepsilon})$.

# %%
says_yes = np.array([Fraction(3, 4), Fraction(1, 4)])  # (yes, no) of a customer who was late
says_no = says_yes[::-1]
assert is_private(says_yes, says_no, 3) and not is_private(says_yes, says_no, Fraction(299, 100))
assert best_guess(says_yes, says_no) == Fraction(3, 1 + 3)
check("lap-01-coin", (np.log(float(says_yes[0] / says_no[0])), best_guess(says_yes, says_no)))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} How good is 1 + ε?
# :label: ex-lap-01-small
# ```
# **Standard.** Is $1 + \varepsilon$ larger or smaller than the factor $e^{\varepsilon}$? By how many per cent of the factor, at $\varepsilon = 0.1$ and at $\varepsilon = 1$?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lap-01-small", ...)

# %% [markdown]
# ```{solution-start} ex-lap-01-small
# :class: dropdown
# ```
# It is smaller, because all further terms of the series $e^{\varepsilon} = 1 + \varepsilon + \frac{\varepsilon^2}{2} + \dots$ are positive. At 0.1 it falls short by
# 0.468%<!-- {short[0]:.3%} --> of the factor, at 1 by 26.4%<!-- {short[1]:.1%} -->.

# %%
small = np.array([0.1, 1.0])
short = 1 - (1 + small) / np.exp(small)
assert np.all(np.exp(small) - (1 + small) > small**2 / 2)  # at least the next term of the series
check("lap-01-small", 100 * short)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A family that hides as a whole
# :label: ex-lap-01-group
# ```
# **Standard.** A family of $k$ customers wants to hide all of its records. Which factor replaces
# $e^{\varepsilon}$ if all $k$ records may change? Does a mechanism attain it?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lap-01-group", ...)

# %% [markdown]
# ```{solution-start} ex-lap-01-group
# :class: dropdown
# ```
# Change one record after another. Each of the $k$ steps changes a probability by a factor of at most $e^{\varepsilon}$, and all together by at most $e^{k\varepsilon}$. The
# noisy count attains it when all $k$ records change from 0 to 1.

# %%
for k in range(1, 5):
    ratios = []
    for x, z in product(databases, repeat=2):
        if distance(x, z) == k:
            ratios.append(max(noisy(sum(x), half, 4) / noisy(sum(z), half, 4)))
    assert max(ratios) == 2**k
check("lap-01-group", lambda k, eps: np.exp(eps) ** k)


# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} How far can one record move a conclusion?
# :label: ex-lap-01-parity
# ```
# **Research.** In the lender's survey, G's record multiplies the odds of every conclusion by at most
# $e^{\varepsilon}$. Show that for an arbitrary $\varepsilon$-private mechanism the limit is $e^{2\varepsilon}$,
# and find a mechanism that attains it.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-lap-01-parity
# :class: dropdown
# ```
# In every case the probability of the output with G's record lies between $e^{-\varepsilon}$ and $e^{\varepsilon}$ times that without it. The odds of a conclusion are a quotient of two sums of such terms, so they change by a factor of at most
# $e^{2\varepsilon}$. To attain it, G's record must raise one sum and lower the other, as in a *parity*. Let $w$ be the bit of another customer, and $g$ the bit of G. The mechanism publishes the parity of $w + g$,
# flipped with probability $\frac14$ as in the first exercise, so that $e^{\varepsilon} = 3$. Suppose that 1 is published. Without G ($g = 0$) the odds of $w = 1$ against $w = 0$ are 3. With G ($g = 1$) they are $\frac13$. The quotient is $9 = e^{2\varepsilon}$.

# %%
def odds_of_one(g):
    """Odds of w = 1 against w = 0 when the published parity is 1."""
    published_one = []
    for w in (0, 1):
        parity = (w + g) % 2
        published_one.append(Fraction(3, 4) if parity == 1 else Fraction(1, 4))
    return published_one[1] / published_one[0]


assert odds_of_one(0) == 3 and odds_of_one(1) == Fraction(1, 3)
assert odds_of_one(0) / odds_of_one(1) == 3**2

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# 1. *Is an answer with a small sensitivity secret?* Not by that alone. Sensitivity says how far one record moves a query; secrecy depends on the noise as well.
# 2. *What does $\varepsilon$-differential privacy promise against an attacker who knows everything but one record?* Between two equally likely values of that record, no guess is right with a probability above $e^{\varepsilon}/(1 + e^{\varepsilon})$.
# 3. *What does it not promise?* That a study reveals nothing about people like you. It limits what your *record* adds to the conclusions.
#
# **Further reading.** {cite:t}`dwork2006calibrating` introduced the definition; {cite:t}`wasserman2010statistical` read it as a statistical test; chapter 1 of {cite:t}`dwork2014foundations` discusses what it promises. The note has the title and the
# subjects of Sakuma's Japanese textbook {cite:p}`sakuma2016privacy`. What we say of the note need not hold for the book, which we have not seen. **Next:**
# [how private and how accurate is Laplace noise?](02-laplace-mechanism.ipynb)
