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
# A lender asks twenty customers who have an entry at the credit bureau whether they have ever paid late,
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
# **Time:** 25 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two databases of the same size that differ in the value of one record. **The attacker**
# sees one answer, knows the query and the law of the noise, has unlimited time and may know every other
# record. **Protected:** which of two values the one record has. **Not protected:** what is true of people
# in general, whether or not the one record was asked.
# ```

# %%
from fractions import Fraction
from itertools import pairwise, product
from math import comb

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from myst_nb import glue

from privlib.kit import claim, plots, slips
from privlib.laplace.mechanism import laplace

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
# Take four customers, $x \in \{0, 1\}^4$ with 1 for *late*, and publish the plain count. Give the attacker
# unlimited resources and the simplest algorithm: list every $x$ that fits. Only the background
# information is left to vary.

# %%
databases = list(product((0, 1), repeat=4))


def fits(count, known):
    """Databases with this count that agree with the known records."""
    return [
        x
        for x in databases
        if sum(x) == count and all(x[i] == v for i, v in known.items())
    ]


for known in ({}, {0: 1}, {0: 1, 1: 0}, {0: 1, 1: 0, 2: 1}):
    left = fits(3, known)
    print(f"known records: {len(known)}, databases that fit: {len(left)}", end="; ")
    print("last record can be", sorted({x[3] for x in left}))

assert {x[3] for x in fits(3, {0: 1, 1: 0, 2: 1})} == {1}


# %% [markdown]
# Two known records are already enough here. An exact answer is safe against no attacker in particular; it
# is safe only as long as the attacker happens to know little. What has to be limited is what *one
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
# With sixteen databases a maximum is a loop. Two routes: all pairs at distance 1, and all replacements of
# one record.

# %%
def distance(x, z):
    """Number of records in which two databases differ."""
    return sum(a != b for a, b in zip(x, z))


def replacements(x):
    """Databases that differ from x in the value of one record."""
    return [(*x[:i], 1 - v, *x[i + 1 :]) for i, v in enumerate(x)]


by_distance = [(x, z) for x in databases for z in databases if distance(x, z) == 1]
by_replacement = [(x, z) for x in databases for z in replacements(x)]

queries = {
    "count": (sum, Fraction(1)),
    "mean": (lambda x: Fraction(sum(x), 4), Fraction(1, 4)),
    "twice the count": (lambda x: 2 * sum(x), Fraction(2)),
    "histogram": (lambda x: (4 - sum(x), sum(x)), Fraction(2)),
    "parity": (lambda x: sum(x) % 2, Fraction(1)),
}


def l1_sensitivity(query, pairs):
    """Largest 1-norm between the answers of neighbours, exactly."""
    answers = ((np.atleast_1d(query(x)), np.atleast_1d(query(z))) for x, z in pairs)
    return max(Fraction(np.abs(a - b).sum()) for a, b in answers)


with claim("N-24") as c:
    for name, (query, expected) in queries.items():
        found = l1_sensitivity(query, by_distance)
        c.exact(
            found, expected, f"{name} of 4 bits: {found}, all pairs at distance 1"
        )
        c.exact(l1_sensitivity(query, by_replacement), expected, f"{name}: replaced")


# %% [markdown]
# ## Sensitivity is not secrecy
#
# The note introduces *the secrecy of $f$* (秘匿性): how hard it is to infer $x$ from $y = f(x)$. It then says
# that English papers call this *sensitivity*. If that were so, equal sensitivity would mean equal secrecy.
# Let us try: the same query, the same sensitivity, two kinds of noise. To stay with fractions we use
# two-sided geometric noise, $\Pr(k) \propto \alpha^{|k|}$ on the integers, and clamp the answer to the
# possible range.

# %%
def noisy(answer, alpha, top):
    """Law of an integer answer with geometric noise, clamped to 0..top."""
    law = np.array([alpha ** abs(y - answer) for y in range(top + 1)], dtype=object)
    law[1:-1] *= 1 - alpha  # the ends collect all that lies beyond them
    return law / (1 + alpha)


def worst_ratio(query, alpha, top):
    """Largest ratio of the probabilities of one output under neighbours."""
    laws = {x: noisy(query(x), alpha, top) for x in databases}
    return max(max(laws[x] / laws[z]) for x, z in by_distance)


half, quarter = Fraction(1, 2), Fraction(1, 4)
count, double = sum, queries["twice the count"][0]
cases = {
    "count, α = 1/2": (count, half, 4),
    "count, α = 1/4": (count, quarter, 4),
    "twice the count, α = 1/2": (double, half, 8),
}
assert all(sum(noisy(y, quarter, 4)) == 1 for y in range(5))

print("mechanism                   sensitivity   worst ratio")
ratios = {name: worst_ratio(*case) for name, case in cases.items()}
for name, (query, *_) in cases.items():
    print(f"{name:28s}{l1_sensitivity(query, by_distance)!s:>8}{ratios[name]!s:>14}")

# %% [markdown]
# Rows one and two: the same query and sensitivity, another ratio. Rows two and three: another sensitivity,
# the same ratio. The sensitivity belongs to the *query*, which has no noise yet; how hard two inputs are
# to tell apart belongs to the *mechanism*. Chapter 8 and the appendix of the note have it so: there
# sensitivity is 敏感度.

# %%
with claim(
    "N-2",
    printed=r"the secrecy (秘匿性) of $f$ is what English papers call sensitivity",
    corrected=r"sensitivity is 敏感度, a property of the query; secrecy is a "
    r"property of the mechanism, for differential privacy its indistinguishability",
    consequence=r"none for chapter 8 and the appendix, which use $\Delta_{1,q}$ "
    r"(敏感度) in this sense",
) as c:
    one, two, three = ratios.values()
    label = f"count, sensitivity 1 with both noises: worst ratios {one} and {two}"
    c.fails(one == two, label)
    label = f"sensitivities 1 and 2, α = 1/4 and 1/2: worst ratio {two} for both"
    c.exact(two, three, label)
    for name, (query, alpha, _) in cases.items():
        power = int(l1_sensitivity(query, by_distance))
        label = f"{name}: noise and sensitivity together give {ratios[name]}"
        c.exact(ratios[name], (1 / alpha) ** power, label)


# %% [markdown]
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
success = [
    max(best_guess(noisy(sum(x), a, 4), noisy(sum(z), a, 4)) for x, z in by_distance)
    for a in alphas
]
for a, p in zip(alphas, success):
    print(f"worst ratio 1/α = {float(1 / a):5.3f}: right with probability {p}")

with claim("N-5") as c:
    c.exact(
        set(by_distance),
        set(by_replacement),
        f"one record differs: {len(by_distance)} ordered pairs",
    )
    c.exact(len(by_distance), 16 * 4, "each of 16 databases has 4 neighbours")
    symmetric = all((z, x) in by_distance for x, z in by_distance)
    c.holds(symmetric, "the relation is symmetric, the size stays 4")
    c.exact(success, [1 / (1 + a) for a in alphas], "best guess right: 1/(1 + α)")
    falling = all(later < earlier for earlier, later in pairwise(success))
    c.holds(falling, "more similar laws, harder to tell apart")


# %% [markdown]
# With $e^{\varepsilon} = 1/\alpha$ that is $e^{\varepsilon}/(1 + e^{\varepsilon})$. For continuous noise
# densities take the place of probabilities. Here are the two laws that an attacker faces who knows all
# records but one.

# %% mystnb={"figure": {"caption": "The same promise twice (\u03b5 = 1). Left: the output densities of two neighbouring databases with counts 2 and 3; wherever the output falls, the dashed one must stay within the band of factors 1/e to e around the solid one. Right: what it means for an attacker who must decide between them. No test gets below the thin lines.", "name": "fig-lap-01-band"}, "image": {"alt": "Left: two Laplace densities with peaks at 2 and 3, the second inside a shaded band around the first, touching its edges beyond the peaks. Right: miss rate against false-alarm rate, falling curves for epsilon 0.1, 1 and 3; the smaller epsilon, the nearer to the diagonal of blind guessing."}}
def density(y, answer, eps):
    """Density of an answer with Laplace noise of scale 1/eps."""
    return eps / 2 * np.exp(-eps * np.abs(y - answer))


def beyond(cut, answer, eps):
    """Probability that the noisy answer exceeds a cut."""
    tail = np.exp(-eps * np.abs(cut - answer)) / 2
    return np.where(cut > answer, tail, 1 - tail)


y = np.linspace(-2, 7, 901)
fig, (left, right) = plots.panels(1, 2, height=3.4, width=8.5)
p, other = density(y, 2, 1.0), density(y, 3, 1.0)
band = (p / np.e, np.minimum(p * np.e, 0.75))
left.fill_between(y, *band, color=plots.COLOURS["sky"], alpha=0.3, lw=0)
left.plot(y, p, label="count 2")
left.plot(y, other, label="count 3")
left.set(xlabel="published number", ylabel="density", ylim=(0, 0.72))
left.legend()

cut = np.linspace(-60, 65, 5001)
rates = {}
for eps in (0.1, 1.0, 3.0):
    rates[eps] = beyond(cut, 2, eps), 1 - beyond(cut, 3, eps)
    (line,) = right.plot(*rates[eps], label=f"ε = {eps:g}")
    for bound in ([0, np.exp(-eps)], [1, 0]), ([0, 1], [np.exp(-eps), 0]):
        right.plot(*bound, color=line.get_color(), lw=0.8, ls="-")
right.set(xlabel="false alarms (says 3, is 2)", ylabel="misses (says 2, is 3)")
right.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
right.legend()
plt.show()

# %%
assert np.all(np.abs(np.log(other / p)) <= 1 + 1e-12)
for eps, (alarm, miss) in rates.items():
    assert np.all(miss >= 1 - np.exp(eps) * alarm - 1e-12)
    assert np.all(miss >= np.exp(-eps) * (1 - alarm) - 1e-12)
    equal = np.argmin(np.abs(alarm - miss))
    print(f"ε = {eps:3g}: both error rates {alarm[equal]:.3f} at the midpoint")


# %% [markdown]
# ## The promise, for pairs and sets
#
# What do the two panels have in common? A factor that no output and no test may exceed.
#
# ```{prf:definition} $\varepsilon$-differential privacy (appendix; 差分プライバシー)
# :label: def-lap-01-dp
# A mechanism $m$ (メカニズム) is *$\varepsilon$-differentially private* for a query $q$ if for every pair
# $D \sim D'$ and every measurable set $S$ of outputs
# $\Pr(m(q, D) \in S) \le e^{\varepsilon} \Pr(m(q, D') \in S)$.
# ```
#
# The note prints a ratio of probabilities of single outputs. With finitely many outputs that says the
# same: if it holds for each output, add up. With continuous noise a single output has probability 0 and
# the ratio is 0/0. And it must hold for *both orders* of a pair: one order alone does not imply the other.

# %%
def on_sets(p, other):
    """Largest ratio over all sets of outputs (infinite if only one can occur)."""
    members = np.array(list(product((0, 1), repeat=len(p))))[1:]
    pairs = zip(members @ p, members @ other)
    return max(a / b if b else (sp.oo if a else 0) for a, b in pairs)


smooth, next_door = noisy(2, half, 4), noisy(3, half, 4)
on_points = max(smooth / next_door)
print(
    "largest ratio over 5 outputs and over 31 sets:",
    on_points,
    on_sets(smooth, next_door),
)

sure = np.array([Fraction(1), Fraction(0)])
open_ended = np.array([half, half])
one_order, other_order = on_sets(sure, open_ended), on_sets(open_ended, sure)
print(
    "laws (1, 0) and (1/2, 1/2): one order", one_order, "and the other", other_order
)

# %% [markdown]
# ## How good is $1 + \varepsilon$?
#
# The note adds $e^{\varepsilon} \approx 1 + \varepsilon$, which makes $\varepsilon$ easy to read: 0.1 means
# about 10 %. The remainder in Taylor's theorem says for how long.

# %%
e, s, t = sp.symbols("epsilon s t", positive=True)
antiderivative = (e + 1 - s) * sp.exp(s)
assert sp.simplify(sp.diff(antiderivative, s) - (e - s) * sp.exp(s)) == 0
remainder = antiderivative.subs(s, e) - antiderivative.subs(s, 0)
print("∫ (ε − s) exp(s) ds from 0 to ε =", sp.expand(remainder))

levels = np.array([0.1, 0.5, 1.0])
excess = np.exp(levels) / (1 + levels) - 1
for level, more in zip(levels, excess):
    print(f"ε = {level:3g}: e^ε is {100 * more:5.2f} % above 1 + ε")
glue("lap-01-excess-1", round(float(100 * excess[2]), 6), display=False)

# %%
with claim("N-23") as c:
    c.exact(
        remainder, sp.exp(e) - 1 - e, "the remainder is the integral of (ε − s)e^s"
    )
    c.exact(
        sp.limit(remainder / e**2, e, 0), sp.Rational(1, 2), "it is ε²/2 for small ε"
    )
    c.exact(
        sp.series(sp.exp(e), e, 0, 2).removeO(), 1 + e, "the expansion to first order"
    )
    c.at_most(excess, levels**2 * np.exp(levels) / 2, "relative excess up to ε²e^ε/2")
    c.at_most(
        1 + levels, np.exp(levels), f"1 + ε is below; ε = 1: by {excess[2]:.0%}"
    )


# %% [markdown]
# The integrand is positive, so $1 + \varepsilon$ always *understates* the factor: harmless at 0.1, by
# {glue:text}`lap-01-excess-1:.0f` % at $\varepsilon = 1$.
#
# ## A mechanism is a decorator
#
# The appendix compares a mechanism to the decorator pattern: it takes a query and gives back something
# that behaves like the query, with noise. That is a good way to program it. Given $\varepsilon$ and the
# sensitivity, a mechanism maps a query $\mathcal D \to \mathcal Y$ to a randomised query $\mathcal D \to \mathcal Y$.

# %%
@laplace(epsilon=1.0, sensitivity=1.0)
def late_customers(database):
    """Number of customers who were late."""
    return np.sum(database)


rng = np.random.default_rng(6)
answers = [late_customers([1, 0, 1, 1], rng=rng) for _ in range(4)]
print(late_customers.__name__, "answers", np.round(answers, 2))

# %% [markdown]
# Does it hide the last customer? Let an attacker who knows the other three play the game of guessing. The
# midpoint between the two possible counts is the best cut, and a Laplace tail beyond
# $\frac12$ has probability $\frac12 e^{-\varepsilon/2}$.

# %%
games = 20_000
truth = rng.integers(2, size=games)
seen = np.array([late_customers([1, 0, 1, v], rng=rng) for v in truth])
right = np.mean((seen > 2.5) == truth)
error = np.sqrt(right * (1 - right) / games)
exact = 1 - np.exp(-0.5) / 2
print(f"right in {right:.4f} ± {error:.4f} of the games; exact {exact:.4f};", end=" ")
print(f"promised: at most {np.e / (1 + np.e):.4f}")

assert abs(right - exact) < 4 * error
assert exact <= np.e / (1 + np.e)


# %% [markdown]
# ## What may the lender announce?
#
# Back to G. Twenty customers with an entry, $K$ of them late. In the whole population one in five is late;
# the lender announces *significantly more often* if $K$ is in the upper 5 % tail of the binomial law.

# %%
def binomial(n, p):
    """Exact binomial law."""
    return np.array(
        [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)], dtype=object
    )


base, raised = Fraction(1, 5), half
tail = binomial(20, base)[::-1].cumsum()[::-1]
threshold = int(np.argmax(tail <= Fraction(1, 20)))
print(
    f"announced from {threshold} late customers on: p = {float(tail[threshold]):.3f}"
)

# %% [markdown]
# The world: people with an entry are late with probability $\frac15$ (no link) or $\frac12$ (a link), both
# equally plausible beforehand, and independently given that. G is one such person. A private lender uses
# the count with geometric noise, $\alpha = \frac12$, so $\varepsilon = \ln 2$ and $e^{\varepsilon} = 2$. We
# compare with a survey that G stays out of: G's record is replaced by *not late*.

# %%
prior = np.array(  # [link, others who were late, G late]
    [np.outer(binomial(19, p), [1 - p, p]) / 2 for p in (base, raised)]
)
chance = {
    "exact": np.array([Fraction(k >= threshold) for k in range(21)]),
    "private": np.array([noisy(k, half, 20)[threshold:].sum() for k in range(21)]),
}
with_g = {name: np.stack([p[:-1], p[1:]], axis=1) for name, p in chance.items()}
without_g = {name: np.stack([p[:-1], p[:-1]], axis=1) for name, p in chance.items()}


def g_late(world):
    """Probability that G was late, from weights of the worlds."""
    return world[..., 1].sum() / world.sum()


seven = np.s_[:, threshold - 1]  # the worlds in which 7 of the 19 others were late
print("Probability that G was late           knows nobody   knows the 19 others")
before, before_seven = g_late(prior), g_late(prior[seven])
print(f"before the announcement {float(before):22.3f} {float(before_seven):16.3f}")
after = {}
for kind in ("exact", "private"):
    for name, survey in (("without G", without_g), ("with G", with_g)):
        world = prior * survey[kind]
        nobody = g_late(world)
        others = g_late(world[seven]) if world[seven].sum() else None
        after[kind, name] = nobody, others
        shown = (
            f"{float(others):16.3f}" if others is not None else " " * 10 + "cannot be"
        )
        print(f"{kind + ' announcement, ' + name:32s}{float(nobody):14.3f} {shown}")

# %% [markdown]
# Read the left column first. The announcement raises everybody's estimate of G, *and it does so without
# G*: it speaks of people with an entry, of whom G is one. Smoking and cancer are the classical case
# {cite:p}`dwork2014foundations`: a study that finds the link hurts the smoker's insurance, whether or not
# that smoker was in the study. No noise can prevent this without preventing the study.
#
# The right column is another matter. Whoever knows that seven of the other nineteen were late concludes
# from the exact announcement that G was late, with certainty,
# *because of G's own record*: without it, seven late customers are no announcement.

# %% mystnb={"figure": {"caption": "What the announcement tells an attacker who knows the other 19 customers. Exact announcement with 7 others late is certainty about G. With private noise the odds never move by more than a factor 2.", "name": "fig-lap-01-memo"}, "image": {"alt": "Probability that G was late against the number of late customers among the other 19. The exact announcement gives probability 1 at 7 and the prior above 7; the private one lies slightly above the prior everywhere."}}
others = np.arange(20)
known_prior = prior[..., 1].sum(0) / prior.sum((0, 2))
fig, ax = plots.panels(height=3.2)
ax.plot(others, known_prior.astype(float), label="before", color="#555555", ls="-")
curves = {}
for kind, marker in (("private", "s"), ("exact", "o")):
    weight = (prior * with_g[kind]).sum(0)
    possible = weight.sum(1) > 0
    curves[kind] = weight[possible, 1] / weight[possible].sum(1)
    shown = curves[kind].astype(float)
    ax.plot(others[possible], shown, marker=marker, label=f"after, {kind}")
ax.set(
    xlabel="late customers among the other 19",
    ylabel="probability that G was late",
    xticks=range(20),
    ylim=(0, 1.05),
)
ax.legend(loc="upper right")
plt.show()

# %% [markdown]
# Two statements follow for the private lender, both exact. *G's value*: for every number of others the odds
# of late against not late move by at most $e^{\varepsilon}$. *G's taking part*: in each world the chance of
# the announcement with G is between once and twice that without G, and a quotient of averages of such
# factors lies between $\frac12$ and 2. So the odds of *every* conclusion, about G or about the link, differ
# by at most $e^{\varepsilon}$ between the two surveys. (The factor is $e^{\varepsilon}$ here because one record pushes
# the announcement in one direction only; the last exercise shows that $e^{2\varepsilon}$ is the general limit.)

# %%
with claim("N-B3") as c:
    c.exact(
        after["exact", "with G"][1], Fraction(1), "exact, 7 of 19 others: certainty"
    )
    no, yes = with_g["private"].T
    factors = np.array([yes / no, (1 - no) / (1 - yes)])
    label = "private: odds of G's value, every number of others, both outcomes"
    c.at_most(factors.max(), Fraction(2), label)
    c.holds(bool((factors >= 1).all()), "late makes the announcement more likely")

    heard = with_g["private"] / without_g["private"]
    silent = (1 - with_g["private"]) / (1 - without_g["private"])
    for name, moved in (("announcement", heard), ("silence", silent)):
        label = f"private, {name}: odds of every conclusion, with against without G"
        c.at_most(moved.max() / moved.min(), Fraction(2), label)
    link = after["private", "without G"][0]
    label = f"learnt without G: {float(before):.2f} before, {float(link):.2f} after"
    c.holds(link > before, label)

    worlds = 400_000  # the same, drawn
    p = np.where(rng.integers(2, size=worlds), 0.5, 0.2)
    late, rest = rng.random(worlds) < p, rng.binomial(19, p)
    noise = rng.geometric(0.5, worlds) - rng.geometric(0.5, worlds)
    hits = late[rest + late + noise >= threshold]
    stderr = hits.std() / np.sqrt(hits.size)
    expected = float(after["private", "with G"][0])
    c.sampled(hits.mean(), expected, "G late, private, with G", stderr=stderr)


# %% [markdown]
# So is G's privacy violated? The mathematics separates two questions. Learning about people *like* G is what
# the survey is for, and differential privacy does not prevent it. Learning from G's *record* is what it limits, and
# "significantly higher", announced without noise, does not. What consent, purpose and the rules for credit
# data demand is a third question, and not one for a computation.
#
# ## Slips
#
# Four places where the printed formula or type and the sentence around it disagree; possibly the
# converter's. None changes a later result.

# %% tags=["hide-input"]
def check_same_law(c):
    def apart(x, z):  # total variation distance of the exact count
        laws = (np.eye(5, dtype=int)[sum(v)] for v in (x, z))
        return Fraction(int(np.abs(np.subtract(*laws)).sum()), 2)

    x, z = (1, 0, 1, 0), (1, 0, 1, 1)
    c.differs(apart(x, x), apart(x, z), "exact count of 1010 and 1011: distance")
    c.exact(best_guess(smooth, smooth), half, "f(x) and f(x): blind guessing, always")
    c.exact(best_guess(smooth, next_door), 1 / (1 + half), "f(x) and f(x'): 2/3")


def check_order(c):
    def m(database, query):  # the declared order
        return query(database)

    def works(*arguments):
        try:
            return m(*arguments) == 3
        except TypeError:
            return False

    c.fails(works(sum, [1, 0, 1, 1]), "m: (D, q) → y called as m(q, D): a type error")
    c.holds(works([1, 0, 1, 1], sum), "called as m(D, q): the count 3")


def check_decorator(c):
    def m(query, database):  # the declared map: query and database in, result out
        noise = np.random.default_rng(0).laplace(0, 1)
        return float(query(database) + noise)

    data = [1, 0, 1, 1]
    query = late_customers.__wrapped__
    c.fails(callable(m(query, data)), "m(q, D) as declared: a number, no function")
    c.holds(callable(laplace(epsilon=1, sensitivity=1)(query)), "m(q): a function")
    result = late_customers(data, rng=np.random.default_rng(0))
    c.close(
        result, m(query, data), "m(q)(D) answers what m(q, D) answers", rtol=1e-12
    )


def check_definition(c):
    r = sp.Symbol("r", real=True)
    lap = sp.exp(-sp.Abs(r)) / 2
    point = sp.integrate(lap.subs(sp.Abs(r), t), (t, s, s))  # one output
    c.fails(point / point is not sp.nan, "Laplace noise, one output: ratio 0/0")
    c.differs(one_order, other_order, "laws (1, 0), (1/2, 1/2), one order only")
    c.exact(
        on_sets(smooth, next_door), on_points, "finite outputs: points and sets agree"
    )
    below = sp.integrate(lap, (r, -sp.oo, 0)) / sp.integrate(lap, (r, -sp.oo, -1))
    c.exact(below, sp.E, "Laplace, ε = 1, outputs below both answers: the ratio is e")
    gaps = sp.Abs(t + 1) - sp.Abs(t)  # below both answers, t > 0
    c.exact(gaps, sp.Integer(1), "there the densities have the log ratio ε = 1")


rows = [
    (
        "N-4",
        r"output laws $f(x)$, $f(x)$ for $x \ne x'$",
        r"output laws $f(x)$, $f(x')$",
        check_same_law,
    ),
    (
        "N-20",
        r"$m: \mathcal D \times \mathcal Q \to \mathcal Y$, used as $m(q, D)$",
        r"$m: \mathcal Q \times \mathcal D \to \mathcal Y$",
        check_order,
    ),
    (
        "N-21",
        r"$m$ takes $q$ and $D$, returns a function; declared result in $\mathcal Y$",
        r"$m$ takes a query and returns a function $\mathcal D \to \mathcal Y$",
        check_decorator,
    ),
    (
        "N-22",
        r"$\Pr(m(q, D))/\Pr(m(q, D'))$ is at most $e^\varepsilon$ for a database $D$",
        (
            r"$P_D(S) \le e^\varepsilon P_{D'}(S)$ for all $D \sim D'$ and all $S$, "
            r"with $P_D(S)$ the chance that $m(q, D) \in S$"
        ),
        check_definition,
    ),
]
records = slips(rows)

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
#
# ```{solution-start} ex-lap-01-coin
# :class: dropdown
# ```
# The truth is told with probability $\frac34$, so the ratio is 3 and $\varepsilon = \ln 3 \approx 1.1$. The
# best guess believes the answer: right with probability $\frac34 = e^{\varepsilon}/(1 + e^{\varepsilon})$.

# %%
said_yes = np.array([Fraction(3, 4), quarter])  # laws of (yes, no)
assert on_sets(said_yes, said_yes[::-1]) == 3
assert best_guess(said_yes, said_yes[::-1]) == Fraction(3, 1 + 3)

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
#
# ```{solution-start} ex-lap-01-group
# :class: dropdown
# ```
# Change one record after the other: $k$ steps, each at most $e^{\varepsilon}$, together $e^{k\varepsilon}$. The
# noisy count attains it when all $k$ change from 0 to 1.

# %%
for k in range(1, 5):
    pairs = [(x, z) for x in databases for z in databases if distance(x, z) == k]
    laws = [(noisy(sum(x), half, 4), noisy(sum(z), half, 4)) for x, z in pairs]
    assert max(on_sets(p, other) for p, other in laws) == 2**k


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
# falsified with probability $\frac14$ as in the first exercise; G's staying out means $g = 0$.

# %%
def odds(g):
    """Odds of w = 1 against w = 0 when the published parity is 1."""
    published = {w: said_yes[0] if (w + g) % 2 else said_yes[1] for w in (0, 1)}
    return published[1] / published[0]


factor = Fraction(3)  # e^ε of the mechanism
assert (odds(0), odds(1)) == (factor, 1 / factor)
assert odds(0) / odds(1) == factor**2

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - An attacker is resources, background information and an algorithm. Against an exact count a little
#   background information suffices.
# - Sensitivity (敏感度) says how far one record moves a query. Secrecy is a property of the mechanism, and the
#   two can vary independently.
# - Differential privacy limits the ratio of output probabilities for every neighbouring pair, in both
#   orders, on every set. It limits what G's *record* adds, not what a study finds out about people like G.
#
# **Further reading.** Dwork, McSherry, Nissim and Smith {cite:p}`dwork2006calibrating`, where the definition
# comes from; Dwork and Roth {cite:p}`dwork2014foundations`, chapter 1 on what is promised. **Next:**
# [how private and how accurate is Laplace noise?](02-laplace-mechanism.ipynb)
