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
# A lender asks twenty customers who have an adverse entry (a late payment or a default) at the credit bureau whether they have ever paid late,
# and announces: *people with an entry are significantly more often late.* G is one of the twenty, and was
# late. Has the announcement told the world something about G? The question closes the note that this part
# follows. To answer it we need three things: an attacker, a measure of what an answer gives away, and a
# promise that can be kept.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to state what an attacker has, why the *sensitivity* of a query is not the
# *secrecy* of its answer, what differential privacy promises, and what it does not promise.
# **You need** probabilities, a little calculus and Python.
# **Time:** 23 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two databases of the same size that differ in the value of one record. **The attacker**
# sees one answer, knows the query and the law of the noise, has unlimited time and may know every other
# record. **Protected:** which of two values the one record has. **Not protected:** what is true of people
# in general, whether or not the one record was asked.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from itertools import product
from math import comb

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import sympy as sp
from scipy.optimize import linprog

from privlib.laplace.mechanism import laplace
from privlib.notebook import claim, derivation, increasing, misprints, plots, table

plots.use()

# %% [markdown]
# ## Four customers, one number
#
# ```{prf:definition} Attacker model (chapter 6; 攻撃者モデル)
# :label: def-lap-01-attacker
# An attacker who sees $y = f(x)$ and wants the secret $x$ is described by three things: computing resources,
# background information, and the algorithm.
# ```
#
# Take four customers, $x \in \{0, 1\}^4$ with 1 for *late*, and publish the plain count: three were late.
# Give the attacker unlimited resources and the simplest algorithm: list every $x$ that fits. Only the
# background information is left to vary.

# %%
databases = list(product((0, 1), repeat=4))


def fits(count, known):
    """Databases with this count that agree with the known records."""
    agree = [x for x in databases if all(x[i] == v for i, v in known.items())]
    return [x for x in agree if sum(x) == count]


background = [{}, {0: 1}, {0: 1, 1: 0}, {0: 1, 1: 0, 2: 1}]
left = [fits(3, known) for known in background]

# %% jupyter={"source_hidden": true} tags=["evidence"]
assert {x[3] for x in left[2]} == {1} != {x[3] for x in left[1]}
table(
    {
        "records known": [len(known) for known in background],
        "databases that fit": [len(xs) for xs in left],
        "the last record may be": [
            " or ".join(map(str, sorted({x[3] for x in xs}))) for xs in left
        ],
    },
    caption="What is left of sixteen databases after the count 3.",
)

# %% [markdown]
# The last record is settled as soon as the one who was not late is among the known; the table shows one order
# in which records become known. An exact answer is safe against no attacker in particular; it is
# safe only as long as the attacker happens to know little. Are the other two of the three things as strong?
#
# ## Three things that an attacker has
#
# Twelve customers now, and thirty published counts: how many were late in this group of customers, how
# many in that one, each count off by up to 2. The attacker goes through databases and looks which are
# close to the answers. With *few resources* there is time for 64 of them, with *many* for all that are
# possible. The *naive* algorithm takes the database with the least squared distance; the *Bayesian* one takes a vote
# among all databases that could have given these answers. And the attacker knows nobody, or half of the
# customers. What counts is the share of the unknown records that come out right; blind guessing has one
# half.

# %% jupyter={"source_hidden": true} tags=["set-up"]
people, answers, off, games = 12, 30, 2, 200
drawn = np.random.default_rng(2003)
groups = drawn.integers(2, size=(answers, people), dtype=np.int8)
every = (np.arange(2**people)[:, None] >> np.arange(people) & 1).astype(np.int8)
counts = every @ groups.T


def attack(known, budget, bayes, rng):
    """Play once: share of unknown records that are right, share that was expected."""
    x = rng.integers(2, size=people, dtype=np.int8)
    seen = groups @ x + rng.integers(-off, off + 1, size=answers)
    possible = np.flatnonzero((every[:, :known] == x[:known]).all(axis=1))
    looked_at = rng.permutation(possible)[:budget]
    gap = counts[looked_at] - seen
    if bayes:
        agree = looked_at[(abs(gap) <= off).all(axis=1)]
        belief = every[agree].mean(axis=0) if agree.size else np.full(people, 0.5)
    else:
        belief = every[looked_at[(gap**2).sum(axis=1).argmin()]].astype(float)
    guess = np.where(belief == 0.5, rng.integers(2, size=people), belief > 0.5)
    return (guess == x)[known:].mean(), np.maximum(belief, 1 - belief)[known:].mean()


settings = list(product((0, 6), (64, 2**people), (False, True)))
played = np.array(
    [
        [attack(*setting, np.random.default_rng(game)) for game in range(games)]
        for setting in settings
    ]
)
share = played[..., 0].reshape(2, 2, 2, games)  # information, resources, algorithm
table(
    {
        "background information": ["knows nobody"] * 2 + ["knows half"] * 2,
        "resources": ["64 databases", "all"] * 2,
        "naive": share[:, :, 0].mean(axis=-1).ravel().tolist(),
        "Bayesian": share[:, :, 1].mean(axis=-1).ravel().tolist(),
    },
    caption=f"Share of the unknown records that come out right, in {games} games.",
    formats={"naive": ".2f", "Bayesian": ".2f"},
)

# %% jupyter={"source_hidden": true} tags=["evidence"]
# An illustration: one game cannot decide what attacker models usually consider (N-1).
compared = {
    "background information": (0, (1, 1)),  # with many resources and Bayes
    "resources": (1, (0, 1)),  # knowing nobody, with Bayes
    "algorithm": (2, (0, 1)),  # knowing nobody, with many resources
}
for axis, rest in compared.values():
    less, more = np.moveaxis(share, axis, 0)[:, *rest]
    error = (more - less).std() / np.sqrt(games)
    assert (more - less).mean() > 4 * error
assert np.array_equal(share[1, 0], share[1, 1])  # 64 databases are all there are
assert (people, answers, off, settings[0][1]) == (12, 30, 2, 64)  # the text
assert share[0, 0, 1].mean() < 0.55 < 0.65 < share[0, 0, 0].mean()
right, expected = played[settings.index((0, 2**people, True))].T
stderr = (right - expected).std() / np.sqrt(games)
assert abs(right.mean() - expected.mean()) < 4 * stderr  # as often right as expected

longer, sums = 40, 120
secret = drawn.integers(2, size=longer)
many = drawn.integers(2, size=(sums, longer))
published = many @ secret + drawn.integers(-1, 2, size=sums)
limits = np.concatenate([published + 1, 1 - published])
both_ways = np.concatenate([many, -many])
solved = linprog(np.zeros(longer), A_ub=both_ways, b_ub=limits, bounds=(0, 1))
found = int((np.round(solved.x) == secret).sum())
assert found > 0.9 * longer


# %% [markdown]
# Each of the three matters here while the other two stay. (Bayes needs the means: among 64 of the 4,096 databases there is
# hardly ever one that fits.) And they replace each other: with half of the records
# known, 64 databases are all that is left, and the poor attacker is as good as the rich one. A better algorithm
# can do without both. For 40<!-- {longer} --> customers and 120<!-- {sums} --> counts, each off by up to 1,
# no laptop lists the $2^{40}$ databases; but let each record be a number between 0 and 1, and *all answers are right
# up to 1* becomes a linear programme. It is solved at once, and rounding returns 40<!-- {found} -->
# of the 40<!-- {longer} --> records. That attack is due to Dinur and Nissim {cite:p}`dinur2003revealing`; it
# began the theory that we are heading for.
#
# A publisher does not know which attackers there are. What the publisher does control is how much *one
# record* does to the answer.
#
# ## How far does one record move the answer?
#
# ```{prf:definition} $L_1$ sensitivity (appendix; 敏感度)
# :label: def-lap-01-sensitivity
# Let $d(D, D')$ be the number of records in which two databases of the same size differ, and
# $D \sim D'$ if $d(D, D') = 1$. The $L_1$ sensitivity of a query $q$ is
# $\Delta_{1,q} = \max_{D \sim D'} \lVert q(D) - q(D') \rVert_1$.
# ```
#
# With sixteen databases a maximum is a loop over all ordered pairs of neighbours, which the set-up lists as `neighbours`.


# %% jupyter={"source_hidden": true} tags=["set-up"]
def distance(x, z):
    """Number of records in which two databases differ."""
    return sum(a != b for a, b in zip(x, z))


def replacements(x):
    """Databases that differ from x in the value of one record."""
    return [(*x[:i], 1 - v, *x[i + 1 :]) for i, v in enumerate(x)]


neighbours = [(x, z) for x in databases for z in databases if distance(x, z) == 1]
by_replacement = [(x, z) for x in databases for z in replacements(x)]

# %%
queries = {
    "count": sum,
    "mean": lambda x: Fraction(sum(x), 4),
    "twice the count": lambda x: 2 * sum(x),
    "histogram": lambda x: (4 - sum(x), sum(x)),
    "parity": lambda x: sum(x) % 2,
}


def l1_sensitivity(query, pairs):
    """Largest 1-norm between the answers of neighbours, exactly."""
    answers = [[np.atleast_1d(query(D)) for D in pair] for pair in pairs]
    return max(Fraction(np.abs(a - b).sum()) for a, b in answers)


sizes = [l1_sensitivity(query, neighbours) for query in queries.values()]

# %% jupyter={"source_hidden": true} tags=["set-up"]
table(
    {"query": list(queries), "$L_1$ sensitivity": sizes},
    caption="How far one of four records can move the answer.",
    formats={"$L_1$ sensitivity": "g"},
)

# %% jupyter={"source_hidden": true} tags=["evidence"]
with claim("N-27") as c:
    graph = nx.Graph(by_replacement)  # one edge a replacement
    fewest = dict(nx.all_pairs_shortest_path_length(graph))
    pairs = list(product(databases, repeat=2))
    differing = [distance(x, z) for x, z in pairs]
    label = "256 pairs: records that differ, and fewest replacements in between"
    c.decisive("exhaustive").exact(differing, [fewest[x][z] for x, z in pairs], label)
# The definition (N-24) over the pairs at distance 1 and over every replacement: the same pairs.
again = [
    max(np.sum(abs(np.subtract(q(x), q(z)))) for x, z in by_replacement)
    for q in queries.values()
]
assert sizes == again


# %% [markdown]
# One record in four moves the mean by a quarter, a histogram by two, since it leaves one bin and enters another. Does a small
# sensitivity mean that the answer keeps its secret?
#
# ## Sensitivity is not secrecy
#
# The note introduces *the secrecy of $f$* (秘匿性): how hard it is to infer $x$ from $y = f(x)$. It then says
# that English papers call this *sensitivity*. Then equal sensitivity would mean equal secrecy; let us try, with
# two-sided geometric noise, $\Pr(k) \propto \alpha^{|k|}$ on the integers, and clamp the answer to the
# possible range. The *worst ratio* is the largest ratio of the probabilities of one output under two neighbours.


# %%
def noisy(answer, alpha, top):
    """Law of an integer answer with geometric noise, clamped to 0..top."""
    law = np.array([alpha ** abs(y - answer) for y in range(top + 1)], dtype=object)
    law[1:-1] *= 1 - alpha  # the ends collect all that lies beyond them
    return law / (1 + alpha)


def worst_ratio(query, alpha, top):
    """Largest ratio of the probabilities of one output under neighbours."""
    laws = {x: noisy(query(x), alpha, top) for x in databases}
    return max(max(laws[x] / laws[z]) for x, z in neighbours)


# %% jupyter={"source_hidden": true} tags=["evidence"]
half, quarter = Fraction(1, 2), Fraction(1, 4)
cases = [("count", half, 4), ("count", quarter, 4), ("twice the count", half, 8)]
ratios = [worst_ratio(queries[name], *law) for name, *law in cases]
case_sizes = [l1_sensitivity(queries[name], neighbours) for name, *_ in cases]
assert all(sum(noisy(y, a, 4)) == 1 for y in range(5) for a in (half, quarter))
table(
    {
        "query": [name for name, *_ in cases],
        r"noise $\alpha$": [str(alpha) for _, alpha, _ in cases],
        "sensitivity": case_sizes,
        "worst ratio": ratios,
    },
    caption="Sensitivity of the query and secrecy of the noisy answer.",
    formats={"sensitivity": "g", "worst ratio": "g"},
)


# %% [markdown]
# Rows one and two: the same sensitivity, another ratio; rows two and three: the other way round. Sensitivity (敏感度,
# as the note's later chapters have it) belongs to the *query*, secrecy to the *mechanism*. But if sensitivity does not measure
# secrecy, what does?
#
# ## How hard is it to tell two laws apart?
#
# ```{prf:definition} Indistinguishability (chapter 6; 識別不可能性)
# :label: def-lap-01-indistinguishability
# For a randomised $f$ and two inputs $x \ne x'$: the difficulty of telling the output laws of $f(x)$ and
# $f(x')$ apart. For differential privacy (差分プライバシー) $x$ and $x'$ are databases that differ in one record.
# ```
#
# Make it a game. A fair coin selects $x$ or $x'$, the attacker sees an output and says which. The best
# guess takes the more likely one, so it is right with probability
# $\frac12 \sum_y \max(p(y), p'(y))$. If the laws are similar, this should be near $\frac12$.


# %%
def best_guess(p, other):
    """Probability that the best guess between two laws is right."""
    return np.maximum(p, other).sum() / 2


alphas = [Fraction(k, 8) for k in range(1, 8)]
success = []
for a in alphas:
    laws = [noisy(count, a, 4) for count in range(5)]
    success.append(max(best_guess(laws[sum(x)], laws[sum(z)]) for x, z in neighbours))

# %% jupyter={"source_hidden": true} tags=["set-up"]
table(
    {
        r"worst ratio $1/\alpha$": [1 / a for a in alphas],
        "best guess right": [str(p) for p in success],
        "in decimals": success,
    },
    caption="The game for the noisy count of four records, all neighbouring pairs.",
    formats={r"worst ratio $1/\alpha$": ".2f", "in decimals": ".3f"},
)


# %% [markdown]
# The sequence $\frac89, \frac45, \frac8{11}, \dots$ is $1/(1 + \alpha)$: the smaller the worst ratio, the nearer the
# attacker is to tossing a coin. For continuous noise densities take the place of probabilities. Here are the two laws that an
# attacker faces who knows all records but one.


# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The same promise twice. Left: the output densities of two neighbouring databases with counts 2 and 3 and Laplace noise of scale 1; wherever the output falls, the dashed one stays within the band of factors 1/e to e around the solid one. Right: what it means for an attacker who must decide between them. No test of an answer whose two densities stay within these factors gets into the shaded corner; at equal error rates Laplace noise keeps a little above it.", "name": "fig-lap-01-band"}, "image": {"alt": "Left: two Laplace densities with peaks at 2 and 3, the second inside a shaded band around the first, touching its edges beyond the peaks. Right: miss rate against false-alarm rate for epsilon 1, a falling curve that touches the two edges of a shaded corner and bends between them, below the diagonal of blind guessing."}} tags=["figure"]
def density(y, answer, eps):
    """Density of an answer with Laplace noise of scale 1/eps."""
    return eps / 2 * np.exp(-eps * np.abs(y - answer))


def beyond(cut, answer, eps):
    """Probability that the noisy answer exceeds a cut."""
    tail = np.exp(-eps * np.abs(cut - answer)) / 2
    return np.where(cut > answer, tail, 1 - tail)


y = np.linspace(-2, 7, 901)
fig, (left_panel, right_panel) = plots.panels(1, 2, height=3.4, width=8.5)
p, other = density(y, 2, 1.0), density(y, 3, 1.0)
band = (p / np.e, np.minimum(p * np.e, 0.75))
left_panel.fill_between(y, *band, color=plots.COLOURS["sky"], alpha=0.3, lw=0)
left_panel.plot(y, p, label="count 2")
left_panel.plot(y, other, label="count 3")
left_panel.set(xlabel="published number", ylabel="density", ylim=(0, 0.72))
left_panel.legend()

cut = np.linspace(-60, 65, 5001)
alarm, miss = beyond(cut, 2, 1.0), 1 - beyond(cut, 3, 1.0)
x_axis = np.linspace(0, 1, 201)
corner = np.maximum(1 - np.e * x_axis, (1 - x_axis) / np.e)
right_panel.fill_between(x_axis, corner, color=plots.COLOURS["gold"], alpha=0.3, lw=0)
right_panel.plot([0, 1], [1, 0], color="#555555", lw=1, ls=":")
right_panel.plot(alarm, miss)
right_panel.text(0.03, 0.1, "no test\ngets here", fontsize=9)
right_panel.text(0.55, 0.5, "blind guessing", fontsize=9)
right_panel.text(0.4, 0.33, "Laplace noise", fontsize=9, color=plots.COLOURS["blue"])
right_panel.set(xlabel="false alarms (says 3, is 2)", ylabel="misses (says 2, is 3)")
right_panel.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
plt.show()

# %% jupyter={"source_hidden": true} tags=["evidence"]
assert np.isclose(np.abs(np.log(other / p)).max(), 1)
room = miss - np.maximum(1 - np.e * alarm, (1 - alarm) / np.e)
assert room.min() >= -1e-12  # the curve stays out of the corner, and touches it:
assert np.isclose(room[[np.searchsorted(cut, 0), np.searchsorted(cut, 5)]], 0).all()
equal = np.argmin(np.abs(alarm - miss))
shown_equal = float(alarm[equal])
shown_corner = round(1 / (1 + np.e), 6)
assert np.isclose(alarm[equal], np.exp(-0.5) / 2) and alarm[equal] > 1 / (1 + np.e)

# %% [markdown]
# At equal error rates the attacker errs in 0.303<!-- {shown_equal:.3f} --> of the games, and the tip of the corner is at
# 0.269<!-- {shown_corner:.3f} -->. What do the two panels have in common? A factor that no output exceeds, and no test.
#
# ## The promise, for pairs and sets
#
# ```{prf:definition} $\varepsilon$-differential privacy (appendix; 差分プライバシー)
# :label: def-lap-01-dp
# A mechanism $m$ (メカニズム) is *$\varepsilon$-differentially private* for a query $q$ if for every pair
# $D \sim D'$ and every measurable set $S$ of outputs the probability of
# $m(q, D) \in S$ is at most $e^{\varepsilon}$ times that of $m(q, D') \in S$.
# ```
#
# The note prints a ratio of probabilities of single outputs. With finitely many outputs that says the
# same: if it holds for each output, add up. With continuous noise a single output has probability 0, and a
# ratio of probabilities says nothing. And with every $D$ it holds for *both orders* of a pair, as it must: the laws $(1, 0)$ and
# $(\frac12, \frac12)$ keep the factor 2 in one order and no factor in the other.
#
# Why does a promise about sets bind every attacker who guesses? A rule that says $x'$ for the outputs in a set $S$ raises a
# false alarm with probability $a = \Pr(f(x) \in S)$ and misses with $b = \Pr(f(x') \notin S)$. The promise for
# $S$ and for all other outputs reads $1 - b \le e^{\varepsilon} a$ and $1 - a \le e^{\varepsilon} b$. Add the two:
# $(1 + e^{\varepsilon})(a + b) = 2 + w$, where $w \ge 0$ is what the two leave unused. The rule is right with probability

# %% jupyter={"source_hidden": true} tags=["evidence"]
eps = sp.Symbol("epsilon", positive=True)
w = sp.Symbol("w", nonnegative=True)
errors = (2 + w) / (1 + sp.exp(eps))  # a + b
right = (2 * sp.exp(eps) - w) / (2 * (1 + sp.exp(eps)))
ceiling = sp.exp(eps) / (1 + sp.exp(eps))
letters = {eps: r"\varepsilon"}
guessing = (
    derivation(1 - errors / 2, of=r"1 - \tfrac{a + b}{2}", names=letters)
    .equal(right, "over one denominator")
    .at_most(ceiling, r"$w \ge 0$")
)
guessing


# %% [markdown]
# So no attacker in this game, whatever the resources and the algorithm, is right more often than
# $e^{\varepsilon}/(1 + e^{\varepsilon})$ of the time (a guess that tosses coins is a mixture of such rules). That is the corner of the right
# panel; the view of privacy as a test goes back to Wasserman and Zhou {cite:p}`wasserman2010statistical`. With $e^{\varepsilon} = 1/\alpha$ it is $1/(1 + \alpha)$: the noisy count of our table
# gives away all that its promise allows. How large is a factor $e^{\varepsilon}$? The note adds
# $e^{\varepsilon} \approx 1 + \varepsilon$, for small $\varepsilon$: 0.1 means about 10 %. An exercise asks how far that goes.


# %% jupyter={"source_hidden": true} tags=["evidence"]
def on_sets(p, other):
    """Largest ratio over all sets of outputs (infinite if only one can occur)."""
    members = np.array(list(product((0, 1), repeat=len(p))))[1:]
    pairs = zip(members @ p, members @ other)
    return max(a / b if b else (sp.oo if a else 0) for a, b in pairs)


def every_rule(p, other):
    """Largest chance to be right over all rules that say x' on a set of outputs."""
    says_other = np.array(list(product((0, 1), repeat=len(p))))
    return max(((1 - says_other) @ p + says_other @ other) / 2)


smooth, next_door = noisy(2, half, 4), noisy(3, half, 4)
with claim("N-5") as c:
    label = "no guess between neighbours is right more often than e^ε/(1 + e^ε)"
    c.decisive("proved").derived(guessing, 1 - errors / 2, ceiling, label)
    c.exact(sp.limit(ceiling, eps, 0), sp.Rational(1, 2), "similar laws: a coin toss")
    rules = [every_rule(noisy(2, a, 4), noisy(3, a, 4)) for a in alphas]
    reached = [ceiling.subs(eps, -sp.log(sp.Rational(a))) for a in alphas]
    c.exact(rules, reached, "best of 32 rules, counts 2 and 3, seven α: attained")
with claim("N-23") as c:
    two_terms = sp.series(sp.exp(eps), eps, 0, 2).removeO()
    c.exact(two_terms, 1 + eps, "the series of e^ε, up to ε")
    ratio = sp.limit((sp.exp(eps) - 1 - eps) / eps**2, eps, 0)
    label = "for small ε the error is ε²/2"
    c.decisive("proved").exact(ratio, sp.Rational(1, 2), label)
    c.limit(two_terms.subs(eps, 1), sp.E, "ε = 1, no longer small")


# %% [markdown]
# ## A mechanism is a decorator
#
# Who keeps such a promise? The appendix calls $m$ a device that takes a query and a database and returns a
# result, and compares it to the decorator pattern; in its code a factory takes a class of queries and one of databases and
# returns $m$. That is a good way to program it: fix $\varepsilon$ and the
# sensitivity, and a mechanism takes a query and gives back something that behaves like the query, with noise.


# %%
@laplace(epsilon=1.0, sensitivity=1.0)
def late_customers(database):
    """Number of customers who were late."""
    return np.sum(database)


rng = np.random.default_rng(6)
answers = [late_customers([1, 0, 1, 1], rng=rng) for _ in range(3)]
print("true count 3, three answers:", np.round(answers, 2))

# %% [markdown]
# Does it hide the last customer? Let an attacker who knows the other three play the game of guessing 20,000 times, with the
# midpoint between the two possible counts as the cut.

# %%
games = 20_000
truth = rng.integers(2, size=games)
seen = np.array([late_customers([1, 0, 1, v], rng=rng) for v in truth])
right = np.mean((seen > 2.5) == truth)

# %% jupyter={"source_hidden": true} tags=["evidence"]
error = np.sqrt(right * (1 - right) / games)
exact = 1 - np.exp(-0.5) / 2
assert abs(right - exact) < 4 * error and exact < np.e / (1 + np.e)
in_text = {}
for name, value in (("right", right), ("exact", exact), ("cap", np.e / (1 + np.e))):
    in_text[f"game-{name}"] = round(float(value), 6)
game_error = float(error)

# %% [markdown]
# It is right in 0.703<!-- {in_text['game-right']:.3f} --> ± 0.003<!-- {game_error:.3f} --> of the games. A Laplace tail beyond $\frac12$ has
# probability $\frac12 e^{-\varepsilon/2}$, which gives 0.697<!-- {in_text['game-exact']:.3f} -->; the promise allows
# 0.731<!-- {in_text['game-cap']:.3f} -->. So the tool is there. Can the lender use it?
#
# ## What may the lender announce?
#
# Twenty customers with an entry, $K$ of them late. In the whole population one in five is late;
# the lender announces *significantly more often* if $K$ reaches a threshold that chance alone reaches with at most
# 5<!-- {shown_level} --> %.
# A private lender uses the count with geometric noise, $\alpha = \frac12$ (`half` in the code), so that $e^{\varepsilon} = 2$. May the threshold stay?

# %%
base, raised = Fraction(1, 5), Fraction(1, 2)  # no link, and a link
level = Fraction(5, 100)


def binomial(n, p):
    """Exact binomial law."""
    return np.array([comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)])


def announced(threshold, alpha=None):
    """Probability of the announcement for each count of late customers."""
    if alpha is None:
        return np.array([Fraction(k >= threshold) for k in range(21)])
    return np.array([noisy(k, alpha, 20)[threshold:].sum() for k in range(21)])


# %%
def false_alarm(threshold, alpha=None):
    """Chance of the announcement where there is no link."""
    return binomial(20, base) @ announced(threshold, alpha)


def smallest_threshold(alpha=None):
    return next(k for k in range(21) if false_alarm(k, alpha) <= level)


plain, private = smallest_threshold(), smallest_threshold(half)


# %% jupyter={"source_hidden": true} tags=["evidence"]
def power(threshold, alpha=None):
    """Chance of the announcement where there is a link."""
    return binomial(20, raised) @ announced(threshold, alpha)


lenders = [(plain, None), (plain, half), (private, half)]
assert false_alarm(*lenders[1]) > level >= false_alarm(*lenders[2])
shown_level = int(100 * level)
sevens = plain - 1
table(
    {
        "announcement": ["exact count", "count with noise", "count with noise"],
        "from": [threshold for threshold, _ in lenders],
        "no link: announced (%)": [100 * false_alarm(*lender) for lender in lenders],
        "link: announced (%)": [100 * power(*lender) for lender in lenders],
    },
    caption="How often the lender announces, without and with a link (late with "
    "probability 1/5 and 1/2).",
    formats={"no link: announced (%)": ".2f", "link: announced (%)": ".1f"},
)

# %% [markdown]
# Noise widens the tail. At the old threshold 8<!-- {plain} --> the private lender would announce too often where there is no link, so the threshold must be
# computed from the law of count *plus* noise: it is 9<!-- {private} -->, and the price of privacy is a link that is found less
# often. (The best private test of all does a little better: [notebook 5](05-which-noise-is-best.ipynb).)
#
# Now G. People with an entry are late with probability $\frac15$ or $\frac12$, both
# equally plausible beforehand, and independently given that; G is one such person. We compare with a survey that G stays out
# of: there G's record is replaced by *not late*.

# %%
prior = np.array(  # [link, others who were late, G late]
    [np.outer(binomial(19, p), [1 - p, p]) / 2 for p in (base, raised)]
)


def survey(chance, with_g):
    """Weights of the worlds in which the announcement is made."""
    g_not_late, g_late = chance[:-1], chance[1:] if with_g else chance[:-1]
    return prior * np.stack([g_not_late, g_late], axis=1)


def g_late(world):
    """Probability that G was late, from weights of the worlds."""
    return world[..., 1].sum() / world.sum()


# %% jupyter={"source_hidden": true} tags=["evidence"]
chance = {"exact": announced(plain), "private": announced(private, half)}
seven = np.s_[:, plain - 1]  # the worlds in which 7 of the 19 others were late
after = {
    (kind, with_g, part): g_late(survey(chance[kind], with_g)[cells])
    for kind in chance
    for with_g in (False, True)
    for part, cells in (("nobody", ...), ("others", seven))
    if survey(chance[kind], with_g)[cells].sum()
}
before = {"nobody": g_late(prior), "others": g_late(prior[seven])}
assert ("exact", False, "others") not in after  # no announcement there


def column(part):
    found = [after.get((k, g, part)) for k in chance for g in (False, True)]
    return [f"{float(v):.3f}" if v else "cannot be" for v in (before[part], *found)]


table(
    {
        "probability that G was late": ["before the announcement"]
        + [f"{k}, {g} G" for k in chance for g in ("without", "with")],
        "knows nobody": column("nobody"),
        f"knows the others, {plain - 1} of 19 late": column("others"),
    },
    caption="What the announcement says about G, to two attackers.",
)

# %% [markdown]
# Read the middle column first. The announcement raises everybody's estimate of G, *and it does so without
# G*: it speaks of people with an entry, of whom G is one. Smoking and cancer are the classical case
# {cite:p}`dwork2014foundations`: a study that finds the link hurts the smoker's insurance, whether or not
# that smoker was in the study. No noise can prevent this without preventing the study.
#
# The last column is another matter. Whoever knows that 7<!-- {sevens} --> of the other nineteen were late concludes
# from the exact announcement that G was late, with certainty,
# *because of G's own record*: without it, 7<!-- {sevens} --> late customers are no announcement.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What the announcement tells an attacker who knows the other 19 customers. With 7 others late, the exact announcement is certainty about G. With private noise the odds never move by more than a factor 2.", "name": "fig-lap-01-memo"}, "image": {"alt": "Probability that G was late against the number of late customers among the other 19. The exact announcement gives probability 1 at 7 and the prior above 7; the private one lies above the prior, by a factor 2 in the odds, as long as at most 8 others were late, and from 12 others on it can no longer be told from the prior."}} tags=["figure"]
others = np.arange(20)
known_prior = prior[..., 1].sum(0) / prior.sum((0, 2))
fig, ax = plots.panels(height=3.2)
ax.plot(others, known_prior.astype(float), label="before", color="#555555", ls="-")
curves = {}
for kind, marker in (("private", "s"), ("exact", "o")):
    weight = survey(chance[kind], with_g=True).sum(0)
    possible = weight.sum(1) > 0
    curves[kind] = np.where(possible, 0, None)
    curves[kind][possible] = weight[possible, 1] / weight[possible].sum(1)
    line = curves[kind][possible].astype(float)
    ax.plot(others[possible], line, marker=marker, label=f"after, {kind}")
ax.set(
    xlabel="late customers among the other 19",
    ylabel="probability that G was late",
    xticks=range(20),
    ylim=(0, 1.05),
)
ax.legend(loc="upper right")
plt.show()


# %% jupyter={"source_hidden": true} tags=["evidence"]
def odds(p):
    return p / (1 - p)


moved = [odds(p) / odds(q) for p, q in zip(curves["private"], known_prior)]
assert curves["exact"][plain - 1] == 1  # caption: certainty at 7
assert list(curves["exact"][plain:]) == list(known_prior[plain:])
assert plain - 1 == 7 and private == 9
assert moved[:private] == [2] * private and max(moved) == 2  # factor 2 up to 8 others
nearly = curves["private"] - known_prior
assert max(nearly[12:]) < Fraction(1, 100) < nearly[11] and min(nearly) > 0

# %% [markdown]
# How much of all this is due to G's record? The right words are *odds*: $p/(1 - p)$ for an event of probability $p$. Take
# any conclusion that somebody may draw, about G or about the link. In the survey without G let the announcement have the weight
# $A$ in the worlds where the conclusion is true and $B$ where it is not, so that its odds are $A/B$. With G the
# chance of the announcement grows in each world by some factor between 1 and $e^{\varepsilon}$: a late G adds one to the
# count, and never takes one away. So $A$, a sum over worlds, is multiplied by an average of such factors over its worlds, and $B$ by one over its own, say $e^{\varepsilon} - u$ and
# $1 + v$, with $u, v \ge 0$.

# %% jupyter={"source_hidden": true} tags=["evidence"]
A, B = sp.symbols("A B", positive=True)
u, v = sp.symbols("u v", nonnegative=True)
with_record = A * (sp.exp(eps) - u) / (B * (1 + v))
taking_part = (
    derivation(with_record, of=r"\text{odds with G}", names=letters)
    .at_most(A * sp.exp(eps) / (B * (1 + v)), r"$u \ge 0$", by="coefficients")
    .at_most(A * sp.exp(eps) / B, r"$v \ge 0$", by="sign")
)
taking_part

# %% [markdown]
# For the odds *against* the conclusion the same holds with $A$ and $B$ exchanged, and after silence the factors are between
# $e^{-\varepsilon}$ and 1. So the odds of *every* conclusion differ by at most $e^{\varepsilon}$ between the two surveys. That
# privacy is about with and without, not about before and after, is the reading of Kasiviswanathan and
# Smith {cite:p}`kasiviswanathan2014semantics`. (The factor is $e^{\varepsilon}$ here because one record pushes the
# announcement in one direction only; the last exercise shows that $e^{2\varepsilon}$ is the general limit.)

# %% jupyter={"source_hidden": true} tags=["evidence"]
E = sp.exp(eps)
with claim("N-B3a") as c:
    beyond_noise = [half ** max(j, 1 - j) / (1 + half) for j in range(-20, 21)]
    tails = [b if j > 0 else 1 - b for j, b in zip(range(-20, 21), beyond_noise)]
    routes = [
        (false_alarm(at, half), binomial(20, base) @ tails[at : at + 21][::-1])
        for at in range(1, 21)
    ]
    ours, by_tails = zip(*routes)
    label = "level at thresholds 1 to 20: clamped law, and tail of the noise alone"
    c.decisive("exhaustive").exact(ours, by_tails, label)
    label = "least thresholds for a level of 5 %, exact count and count with noise"
    c.decisive("exhaustive").exact((plain, private), (8, 9), label)
    worlds = 400_000  # the same, drawn
    late = rng.binomial(20, float(base), worlds)
    noise = rng.geometric(0.5, worlds) - rng.geometric(0.5, worlds)
    drawn_level = np.mean(late + noise >= private)
    expected = float(false_alarm(private, half))
    stderr = np.sqrt(expected * (1 - expected) / worlds)
    c.sampled(drawn_level, expected, "drawn without a link", stderr=stderr)
with claim("N-B3") as c:
    up = chance["private"][1:] / chance["private"][:-1]
    down = (1 - chance["private"][1:]) / (1 - chance["private"][:-1])
    label = "G's record multiplies the chance, every number of others:"
    c.decisive("exhaustive").exact((min(up) >= 1, max(up)), (True, 2), f"{label} to 2")
    c.decisive("exhaustive").exact(
        (min(down), max(down) <= 1), (half, True), f"silence, {label} from 1/2"
    )
    label = "odds of any conclusion, with against without G"
    c.decisive("proved").derived(taking_part, with_record, A * E / B, label)
    learnt = after["private", False, "nobody"]
    label = f"learnt without G: {float(before['nobody']):.2f} to {float(learnt):.2f}"
    c.decisive("exhaustive").at_most(before["nobody"] + Fraction(1, 10), learnt, label)

    p = np.where(rng.integers(2, size=worlds), 0.5, 0.2)  # the same, drawn
    late, rest = rng.random(worlds) < p, rng.binomial(19, p)
    hits = late[rest + late + noise >= private]
    stderr = hits.std() / np.sqrt(hits.size)
    expected = float(after["private", True, "nobody"])
    c.sampled(hits.mean(), expected, "G late, private, with G", stderr=stderr)

# %% [markdown]
# The same table answers chapter 6, which says that for differential privacy the secrecy of a query is how well the values in $x$ can
# be estimated from the answer. For the attacker who knows all others that is right: $\varepsilon$ sets how well. For one
# who knows nobody it is not what $\varepsilon$ limits. Let a stricter lender use $\alpha = \frac23$, $e^{\varepsilon} = 1.5$: the announcement moves
# the odds of *G was late* by the factor 1.65<!-- {stricter:.2f} --> even without G's record.

# %% jupyter={"source_hidden": true} tags=["evidence"]
strict = Fraction(2, 3)
told = g_late(survey(announced(smallest_threshold(strict), strict), with_g=False))
without_record = odds(told) / odds(before["nobody"])
stricter = float(without_record)
with claim("N-3") as c:
    label = "knows all others: estimate right with e^ε/(1 + e^ε), seven ε, 64 pairs"
    c.decisive("sampled").exact(success, [1 / (1 + a) for a in alphas], label)
    reached = max(without_record, 1 / strict)
    label = "attacker who knows nobody, e^ε = 3/2, no record of G: G's odds change by"
    c.limit(float(1 / strict), float(reached), label)


# %% [markdown]
# So is G's privacy violated? The mathematics separates two questions. Learning about people *like* G is what
# the survey is for, and differential privacy does not prevent it. Learning from G's *record* is what it limits, and
# "significantly higher", announced without noise, does not. What consent, purpose and the rules for credit
# data demand is a third question, and not one for a computation.
#
# ## Misprints
#
# Three places where a word or a formula and the sentences around it disagree; the second may be the
# converter's. None changes a later result.


# %% jupyter={"source_hidden": true} tags=["evidence"]
def check_word(c):
    one, two, three = ratios
    first, second, third = case_sizes
    label = "count with both noises: equal sensitivity, equal worst ratio"
    c.fails((first == second) == (one == two), label)
    c.decisive("one example").exact(
        ((1 / half) ** int(first), (1 / quarter) ** int(second)),
        (one, two),
        "the worst ratio is (1/α) to the power of the sensitivity",
    )
    c.exact((third != second, three), (True, two), "other sensitivity, equal ratio")


def check_same_law(c):
    same, apart = every_rule(smooth, smooth), every_rule(smooth, next_door)
    c.differs(same, apart, "noisy count of 1010 and 1011: best guess right")
    c.exact(best_guess(smooth, next_door), apart, "f(x), f(x'): the best guess")


def check_definition(c):
    r = sp.Symbol("r", real=True)
    start, width = sp.symbols("s w", positive=True)
    law = sp.Piecewise((1, (r > 0) & (r < 1)), (0, True))  # of a count 0
    other = law.subs(r, r - 1)  # of a count 1: the two answers are never the same
    single = [sp.integrate(f, (r, start, start)) for f in (law, other)]
    whole = [sp.integrate(f, (r, 0, 1)) for f in (law, other)]
    excess = [p - sp.exp(eps) * q for p, q in (single, whole)]
    label = "0 or 1 plus uniform noise: chance beyond e^ε times the other's"
    c.differs(*excess, f"{label}, single outputs, and [0, 1]")
    label = "chances of a single output, and of [0, 1], under 0 and 1"
    c.exact((*single, *whole), (0, 0, 1, 0), label)
    laplace_noise = [eps * sp.exp(eps * (r - at)) / 2 for at in (0, 1)]  # r < 0
    ends = (r, -start - width, -start)
    below, below_other = (sp.integrate(f, ends) for f in laplace_noise)
    chance = sp.exp(-eps * start) * (1 - sp.exp(-eps * width)) / 2
    label = "Laplace noise on 0 and 1, every interval below both: factor e^ε"
    both = (below, below_other * sp.exp(eps))
    c.decisive("one example").exact(both, (chance, chance), label)
    laws = [[noisy(sum(D), half, 4) for D in pair] for pair in neighbours]
    label = "64 ordered pairs: largest factor over 31 sets, and over points"
    factors = [(on_sets(p, q), max(p / q)) for p, q in laws]
    c.exact(factors, [(1 / half, 1 / half)] * 64, label)


rows = [
    (
        "N-2",
        r"the secrecy (秘匿性) of $f$ is what English papers call sensitivity",
        r"sensitivity is 敏感度, of the query; secrecy is a property of the mechanism",
        check_word,
    ),
    (
        "N-4",
        r"output laws $f(x)$, $f(x)$ for $x \ne x'$",
        r"output laws $f(x)$, $f(x')$",
        check_same_law,
    ),
    (
        "N-22",
        r"$\Pr(m(q, D))/\Pr(m(q, D'))$ is at most $e^\varepsilon$, without an event",
        (
            r"$P_D(S) \le e^\varepsilon P_{D'}(S)$ for all $D \sim D'$ and all $S$, "
            r"with $P_D(S)$ the chance that $m(q, D) \in S$"
        ),
        check_definition,
    ),
]
records = misprints(rows)

# %% [markdown]
# ## Exercises
#
# ```{exercise-start} Two tosses before the answer
# :label: ex-lap-01-coin
# ```
# **Warm-up.** A customer tosses two fair coins: unless both show heads, the answer is the truth, otherwise
# its opposite. For which $\varepsilon$ is this differentially private, and how often is the best guess right?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("lap-01-coin", ...)

# %% [markdown]
# ```{solution-start} ex-lap-01-coin
# :class: dropdown
# ```
# The truth is told with probability $\frac34$, so the ratio is 3 and $\varepsilon = \ln 3 \approx 1.1$. The
# best guess believes the answer: right with probability $\frac34 = e^{\varepsilon}/(1 + e^{\varepsilon})$.

# %% jupyter={"source_hidden": true} tags=["evidence"]
said_yes = np.array([Fraction(3, 4), quarter])  # laws of (yes, no)
ratio = on_sets(said_yes, said_yes[::-1])
right = best_guess(said_yes, said_yes[::-1])
assert (ratio, right) == (3, Fraction(3, 1 + 3))
check("lap-01-coin", (sp.log(ratio), right))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Reading a small epsilon
# :label: ex-lap-01-small
# ```
# **Standard.** With $e^{\varepsilon} \approx 1 + \varepsilon$ an $\varepsilon$ of 0.1 means about 10 %. Does $1 + \varepsilon$ overstate or understate the factor, and by how much at $\varepsilon = 0.1$ and at 1?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lap-01-small", ...)

# %% [markdown]
# ```{solution-start} ex-lap-01-small
# :class: dropdown
# ```
# It understates it, by the remainder of Taylor's theorem, whose integrand is positive:

# %% jupyter={"source_hidden": true} tags=["evidence"]
s = sp.Symbol("s", nonnegative=True)
remainder = sp.Integral((eps - s) * sp.exp(s), (s, 0, eps))
taylor = (
    derivation(remainder, of=r"e^{\varepsilon} - (1 + \varepsilon)", names=letters)
    .equal(sp.exp(eps) - 1 - eps, "integrate by parts")
    .at_least(eps**2 / 2, "two terms of the series", by=increasing(eps, 0))
)
taylor

# %% [markdown]
# At 0.1 the factor is 1.1052<!-- {factor_small:.4f} --> and $1 + \varepsilon$ falls short of it by
# 0.468<!-- {short_small:.3f} --> %. At 1 it is $e$, and 2 falls short by 26.4<!-- {short_one:.1f} --> %.

# %% jupyter={"source_hidden": true} tags=["evidence"]
levels = np.array([0.1, 1.0])
short = 100 * (1 - (1 + levels) / np.exp(levels))
factor_small = float(np.exp(0.1))
short_small = float(short[0])
short_one = float(short[1])
assert np.allclose(short, 100 * (np.exp(levels) - 1 - levels) / np.exp(levels))
assert taylor.last == eps**2 / 2
assert sp.simplify(remainder.doit() - (sp.exp(eps) - 1 - eps)) == 0
check("lap-01-small", short)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A family that hides as a whole
# :label: ex-lap-01-group
# ```
# **Standard.** A family of $k$ customers wants to stay hidden as a whole. Which factor replaces
# $e^{\varepsilon}$ if all $k$ records may change? Is it attained?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lap-01-group", ...)


# %% [markdown]
# ```{solution-start} ex-lap-01-group
# :class: dropdown
# ```
# Change one record after the other: $k$ steps, each at most $e^{\varepsilon}$, together $e^{k\varepsilon}$. The
# noisy count attains it when all $k$ change from 0 to 1.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def family(k, level):
    return np.exp(k * level)


for k in range(1, 5):
    pairs = [(x, z) for x in databases for z in databases if distance(x, z) == k]
    laws = [(noisy(sum(x), half, 4), noisy(sum(z), half, 4)) for x, z in pairs]
    largest = max(on_sets(p, other) for p, other in laws)
    assert largest == 2**k == round(family(k, np.log(2)), 9)
check("lap-01-group", family)


# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} How far one record moves a conclusion
# :label: ex-lap-01-parity
# ```
# **Research.** In the lender's survey G's taking part moves the odds of every conclusion by at most
# $e^{\varepsilon}$. Show that the limit for an arbitrary $\varepsilon$-private mechanism is $e^{2\varepsilon}$,
# and find one that attains it.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-lap-01-parity
# :class: dropdown
# ```
# In every world the chance of the output with G is between $e^{-\varepsilon}$ and $e^{\varepsilon}$ times
# that without G. In the odds of two conclusions one such factor is divided by another: at most
# $e^{2\varepsilon}$. To attain it G's record must push two worlds in opposite directions, which a count
# cannot do and a *parity* can. Publish the parity of $w$ (another customer's bit) and $g = 1$ (G's),
# falsified with probability $\frac14$ as in the first exercise; G's staying out means $g = 0$. When 1 is published,
# the odds of $w = 1$ against $w = 0$ are 3 without G and $\frac13$ with G: the ratio is $9 = 3^2 = e^{2\varepsilon}$.


# %% jupyter={"source_hidden": true} tags=["evidence"]
def odds_of_one(g):
    """Odds of w = 1 against w = 0 when the published parity is 1."""
    published = {w: said_yes[0] if (w + g) % 2 else said_yes[1] for w in (0, 1)}
    return published[1] / published[0]


factor = on_sets(said_yes, said_yes[::-1])  # e^ε of the mechanism
assert (odds_of_one(0), odds_of_one(1)) == (3, Fraction(1, 3))
assert odds_of_one(0) / odds_of_one(1) == factor**2

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - An attacker is resources, background information and an algorithm. Each counts, and one can make up for another.
# - Sensitivity (敏感度) says how far one record moves a query. Secrecy is a property of the mechanism, and the
#   two can vary independently.
# - Differential privacy limits the ratio of output probabilities for every neighbouring pair, in both
#   orders, on every set. Whoever guesses between two neighbours is right with probability at most $e^{\varepsilon}/(1 + e^{\varepsilon})$.
# - It limits what G's *record* adds, not what a study finds out about people like G.
#
# **Further reading.** Dwork, McSherry, Nissim and Smith {cite:p}`dwork2006calibrating`, where the definition
# comes from; Dwork and Roth {cite:p}`dwork2014foundations`, chapter 1 on what is promised. The note has the title and the
# subjects of Sakuma's Japanese textbook {cite:p}`sakuma2016privacy`, which we have not seen: what we say of the note need not
# hold for the book. **Next:**
# [how private and how accurate is Laplace noise?](02-laplace-mechanism.ipynb)
