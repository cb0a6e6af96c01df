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
# # How safe is a person in a 1% sample?
#
# An office draws 1% of 32,561 people and publishes their 325 records without names. A colleague who knows 100 of the people, including you, finds one record with your values. Is it yours?
#
# **The paper** measures the risk by what this attacker believes, and has the attacker guess that unknown people are distributed like the known ones. It claims that the risk is a certain double sum.
# **We find** that the sum, with its misprinted limits repaired, is the fraction $n_0/(n - s + 1)$ if $n_0$ of $n$ people are known and $s$ records are released. Here it is one in 322<!-- {float(1 / bound(32561, 100, 325)):.0f} -->. Whatever sample is
# published, this attacker's *belief* never exceeds it. But in a real file, with six attributes, the claim that such a record is yours is right 5.3%<!-- {share_right(six, 100, 325):.1%} --> of the time, 17<!-- {share_right(six, 100, 325) / bound(32561, 100, 325):.0f} --> times as often as believed. For an attacker who knows the people of a prefecture, and with ages in five-year bands, the fraction comes near the truth.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to compute what an attacker believes, one exchange argument that proves the bound, and how to test a belief on real data.
# **You need** conditional probability, binomial coefficients and Pk-anonymity from [notebook 1](01-who-attacks.ipynb).
# **Time:** 29 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Release:** $s$ of $n$ records, drawn without replacement and shuffled, values unchanged. **The
# attacker** knows the values of $n_0$ people, the target's among them, and the numbers $n$ and $s$, but not
# who was drawn. About the other $n - n_0$ people the attacker has a belief. **Protected:** which released record is the
# target's. (The bound also covers unknown targets.) **Not protected:** a person with a rare value, if the attacker knows all $n$ values or knows that the person was drawn.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from collections import Counter
from fractions import Fraction
from itertools import permutations, product

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from scipy import stats

from privlib.notebook import datasets, plots, table

plots.use()
COLUMNS = (
    "age", "workclass", "weight", "education", "schooling", "marital", "occupation",
    "relationship", "race", "sex", "gain", "loss", "hours", "country", "income",
)
lines = datasets.load("adult").decode().splitlines()
adult = dict(zip(COLUMNS, np.array([line.split(", ") for line in lines if line]).T))


# %% [markdown]
# ## Who can be behind a record?
#
# Person 0 has the value a, person 1 b, persons 2 and 3 c. The office draws two of the four and publishes their values in random order: a, c. Only two ordered samples give this release: persons 0 and 2, or persons 0 and 3. So an attacker who knows the whole table is
# certain that the a belongs to person 0. The following function goes through all samples. Its argument *belief* gives each table a probability. Here one table is certain.

# %%
def success(belief, release):
    """Probability that each person is behind the first released record.

    belief: probability of each table that the attacker considers possible.
    """
    behind = Counter()
    for people, probability in belief.items():
        for sample in permutations(range(len(people)), len(release)):
            if all(people[i] == value for i, value in zip(sample, release)):
                behind[sample[0]] += probability
    total = sum(behind.values())
    return {person: behind[person] / total for person in sorted(behind)}


def show(release, chances):
    print(f"release {release}:", *(f"person {x} {chances[x]}" for x in chances), sep="  ")


for release in ("ac", "ca"):
    show(release, success({"abcc": Fraction(1)}, release))


# %% [markdown]
# In general, if $f$ released records show a value, at least $f$ people have it, and each of these records belongs to the target with probability at most $1/f$. If all people with the value were drawn, it is exactly $1/f$. So if a person with a unique value is
# drawn, the probability is 1. Pk-anonymity demands at most $1/k$ against every attacker. Therefore sampling alone cannot satisfy it for any $k > 1$.
#
# The paper {cite:p}`kikuchi` therefore restricts the attacker. Think of a hospital clerk who knows the patients of one prefecture, but not the others.
#
# ```{prf:definition} Risk against one attacker (Definition 4.1)
# :label: def-di-02-risk
# Let $f_T$ be an attacker's belief: a probability for each table. The *identification risk* (個人識別リスク) against this attacker is at most $\xi$ if $\Pr[\Pi(r) = r' \mid T' = \tau'] \le \xi$ for every person $r$, every possible release $\tau'$ and every record $r'$ of it.
# The left side is the probability, given the release $\tau'$, that $r$ is behind $r'$. We call it the risk of $r$.
# ```
#
# ```{prf:definition} The attacker who knows $n_0$ people (equation (1))
# :label: def-di-02-attacker
# Let $c_v$ of the $n_0$ known people have the value $v$. The attacker believes that each unknown person has, independently, the value $v$ with probability $c_v / n_0$.
# ```

# %%
def belief(known, n):
    """The attacker's probability of each table; `known` holds the known values."""
    tables = {}
    for unknown in product(sorted(set(known)), repeat=n - len(known)):
        probability = Fraction(1)
        for value in unknown:
            probability *= Fraction(known.count(value), len(known))
        tables[known + "".join(unknown)] = probability
    return tables


for release in ("ab", "aa"):
    show(release, success(belief("ab", 4), release))

# %% [markdown]
# This attacker knows that persons 0 and 1 have a and b. When the release shows one a, person 0 is behind it with probability 4/7<!-- {success(belief("ab", 4), "ab")[0]} -->; the two unknown people may have the value a as well. When it shows two, the probability is
# 2/5<!-- {success(belief("ab", 4), "aa")[0]} --> for each.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The release shows a and b. Behind the a can be person 0, or one of the two unknown people. The probabilities are those of the attacker who knows persons 0 and 1.", "name": "fig-di-02-setting"}, "image": {"alt": "Four people in the upper row, known a, known b and two unknown, two released records a and b in the lower row. Lines lead from the released a to person 0, with 4/7<!-- {success(belief(\"ab\", 4), \"ab\")[0]} -->, and to the two unknown people, with 3/14<!-- {success(belief(\"ab\", 4), \"ab\")[2]} --> each; none leads to the known b."}} tags=["figure"]
chances = success(belief("ab", 4), "ab")
assert set(chances) == {0, 2, 3}
fig, ax = plots.panels(height=2.9)
for person, text in enumerate("ab??"):
    colour = plots.COLOURS["sky"] if text in "ab" else "#dddddd"
    ax.plot(person, 1, "s", ms=34, color=colour)
    ax.text(person, 1, text, ha="center", va="center", fontsize=15)
    ax.text(person, 1.27, f"person {person}", ha="center", fontsize=9)
for place, text in zip((0.9, 2.1), "ab"):
    ax.plot(place, 0, "s", ms=34, color=plots.COLOURS["gold"])
    ax.text(place, 0, text, ha="center", va="center", fontsize=15)
for person, chance in chances.items():
    style = "-" if person == 0 else "--"
    ax.plot([0.9, person], [0.2, 0.8], style, color=plots.COLOURS["black"], lw=1.2)
    middle = 0.9 + 0.6 * (person - 0.9)
    box = {"facecolor": "white", "edgecolor": "none", "pad": 2}
    ax.text(middle, 0.56, str(chance), ha="center", va="center", fontsize=10, bbox=box)
ax.text(-0.75, 1, "people", va="center", ha="center")
ax.text(-0.75, 0, "release", va="center", ha="center")
ax.set(xlim=(-1.1, 3.5), ylim=(-0.4, 1.45))
ax.axis("off")
plt.show()


# %% [markdown]
# ```{evidence} K-4.1 K-4.2 K-4.3 K-4.5 K-4.20
# ```
#
# ## The double sum is a fraction
#
# Listing all tables is out of the question for 32,561 people. The paper studies one release that it considers the worst. (Whether it is possible, we ask later.) The target's value is unique among the known people and appears once in the release.
# None of the other $s - 1$ released records shows a value of a known person, so these records belong to unknown people. Then $\hat n = n - n_0 - (s - 1)$ unknown people are left. The matching record belongs to the target or to one of these $\hat n$.
#
# Let $M$ count the target and those of the $\hat n$ who have the target's value, too. By equation (1), $M - 1$ is binomial with $\hat n$ trials and probability $1/n_0$. If $M = i$, the matching record belongs to the
# target with probability $1/i$. But a release with one such record is also $i$ times as likely as for $M = 1$, because any of the $i$ people can be the one who was drawn. By Bayes' rule,
#
# $$ \text{risk} = \frac{\sum_i \frac1i \cdot i \Pr(M = i)}{\sum_j j \Pr(M = j)} = \frac{1}{\operatorname{E}[M]} = \frac{1}{1 + \hat n/n_0} = \frac{n_0}{n - s + 1} . $$
#
# The factors $\frac1i$ and $i$ cancel. The paper keeps the sums:
#
# ```{prf:theorem} The risk of equation (1) (Claim 4.1, corrected)
# :label: thm-di-02-claim
# For $\hat n \ge 0$ and every release that the attacker considers possible, the risk is at most $\dfrac{n_0}{n - s + 1}$. For $n_0 \ge 2$ this fraction equals
#
# $$ \sum_i \binom{\hat n}{i-1} \frac{1}{\sum_j j \binom{\hat n}{j-1} (n_0 - 1)^{i-j}} \quad\text{with } i, j = 1, \dots, \hat n + 1. $$
#
# (The paper prints $i, j < \hat n$.)
# ```
#
# ```{prf:proof}
# (Of the equality; the bound follows in the next section.) $\Pr(M = i) = \binom{\hat n}{i-1} (n_0 - 1)^{\hat n - i + 1} / n_0^{\hat n}$. Divide numerator and denominator of $\Pr(M = i) / \sum_j j \Pr(M = j)$ by $(n_0 - 1)^{\hat n - i + 1} / n_0^{\hat n}$: this is the
# term $i$ of the double sum. The sum over $i$ is therefore $1/\operatorname{E}[M]$.
# ```

# %%
def bound(n, n0, s):
    return Fraction(n0, n - s + 1)


def double_sum(n_hat, n0, last):
    """The printed expression with i and j from 1 to last."""
    total = sp.Integer(0)
    for i in range(1, last + 1):
        inner = 0
        for j in range(1, last + 1):
            inner += j * sp.binomial(n_hat, j - 1) * (n0 - 1) ** (i - j)
        total += sp.binomial(n_hat, i - 1) / inner
    return total


n0 = sp.Symbol("n_0", positive=True)
for n_hat in range(7):
    difference = double_sum(n_hat, n0, n_hat + 1) - n0 / (n0 + n_hat)
    assert sp.cancel(sp.together(difference)) == 0

# %% [markdown]
# The printed limits stop two terms early, since $M$ runs up to $\hat n + 1$. For $\hat n \le 1$ the printed sum is empty, and its 0<!-- {double_sum(1, 2, 0)} --> is no bound for the 4/7<!-- {success(belief("ab", 4), "ab")[0]} --> of our example, where $\hat n = 1$.
# For $\hat n \ge 2$, by the same proof, the printed sum is $1/\operatorname{E}[M \mid M < \hat n]$. This is at least $1/\operatorname{E}[M]$, because the condition excludes only large values of $M$. So it is still a bound.
#
# ```{evidence} K-4.6 K-4.8 K-4.9 K-4.10 K-4.11 K-4.12 K-4.13 K-4.19 K-4.21 K-4.22
# ```
#
# ## Exchange the target with everybody else
#
# Why does the bound hold for every release? An *assignment* puts a different person behind every released record. Its *weight* is the probability that these people
# have the released values. In our example, with the release a, b, we exchange the target (person 0) with each other person $t$:

# %%
half = Fraction(1, 2)
shows = [{"a": 1}, {"b": 1}, {"a": half, "b": half}, {"a": half, "b": half}]


def weight(assignment, release="ab"):
    result = Fraction(1)
    for person, value in zip(assignment, release):
        result *= shows[person].get(value, 0)
    return result


def exchange(assignment, r, t):
    """Put t where r is, and r where t is."""
    other = {r: t, t: r}
    return tuple(other.get(person, person) for person in assignment)


# %%
own, exchanged = [(0, 1), (0, 2), (0, 3)], []
for assignment in own:
    images = [exchange(assignment, 0, t) for t in (1, 2, 3)]
    print(f"{assignment} weight {weight(assignment)}", end="  becomes  ")
    print(*(f"{image} weight {weight(image)}" for image in images), sep=", ")
    exchanged += images
assert sorted(own + exchanged) == sorted(permutations(range(4), 2))
own_weight, exchanged_weight = sum(map(weight, own)), sum(map(weight, exchanged))

# %% [markdown]
# The assignments on the left are all those with the target behind the first record. Together they weigh 2<!-- {own_weight} -->. Their 9<!-- {len(exchanged)} --> images are all other assignments, each exactly once, and weigh
# 3/2<!-- {exchanged_weight} -->. So the target is behind the first record with probability 2<!-- {own_weight} --> divided by 2<!-- {own_weight} --> + 3/2<!-- {exchanged_weight} -->, which is 4/7<!-- {own_weight / (own_weight + exchanged_weight)} -->.
#
# ```{prf:lemma} Swap lemma
# :label: thm-di-02-swap
# Let $w(\sigma)$ be the weight of the assignment $\sigma$, and $\sigma^t$ the assignment after the exchange of the target $r$ with person $t$. If the target's probability is positive,
#
# $$ \frac{1}{\Pr[\Pi(r) = r' \mid T' = \tau']} = 1 + \frac{\sum_\sigma \sum_{t \ne r} w(\sigma^t)}{\sum_\sigma w(\sigma)} , $$
#
# where $\sigma$ runs through the assignments with $r$ behind $r'$.
# ```
#
# ```{prf:proof}
# Before the release all assignments are equally likely, so after it their probabilities are proportional to their weights. Therefore $1/\Pr$ is 1 plus the weight of all assignments with somebody else behind $r'$, divided by the weight
# of those with $r$ behind $r'$. Every $\sigma^t$ has $t$ behind $r'$. Conversely, an assignment with $t$ behind $r'$ comes from exactly one pair $(\sigma, t)$: exchange $r$ and $t$ back to find $\sigma$.
# ```
#
# ```{prf:proof}
# (Of {prf:ref}`thm-di-02-claim`.) *A known target* with the value $v$. In an assignment at most $s - 1$ unknown people are behind the other records, so at least $\hat n$ unknown people are left out. The exchange with one of these multiplies the weight by
# $c_v/n_0 \ge 1/n_0$. The other exchanges add at least 0. So $1/\Pr \ge 1 + \hat n/n_0$.
#
# *An unknown target.* The $n - n_0 - 1$ exchanges with the other unknown people leave the weight as it is. Since the release is possible, some known person has the value $v$ of $r'$. The exchange with this person does not lower the weight: if this person is left out, a factor $c_v/n_0$ becomes 1. If this person is behind another record, either that record shows $v$, too, and the weight stays, or the weight was 0. So
# $1/\Pr \ge 1 + (n - n_0 - 1) + 1$, which is at least $1 + \hat n/n_0$.
# ```
#
# We check all releases of one attacker, who knows a, a and b among five people:

# %%
tables = belief("aab", 5)
for s in (1, 2, 3):
    largest = max(max(success(tables, x).values()) for x in product("ab", repeat=s))
    assert largest <= bound(5, 3, s)
    print(f"s = {s}: largest risk {largest}, bound {bound(5, 3, s)}")

# %% [markdown]
# The paper's next theorem follows from the same lemma, in [notebook 3](03-pram-and-sampling.ipynb).
#
# ```{evidence} K-B5
# ```
#
# ## The paper's worst release is impossible
#
# The paper's worst release shows $s - 1$ values that no known person has. But in equation (1) unknown people have only values of known people. For $s \ge 2$ the attacker considers this release impossible. Which possible release is the worst?

# %%
tables = belief("ab", 5)
risks = {}
for release in product("ab", repeat=3):
    risks["".join(release)] = max(success(tables, release).values())
worst = max(risks.values())
print("bound", bound(5, 2, 3), " worst", worst, [x for x in risks if risks[x] == worst])


# %% [markdown]
# ```{prf:theorem} Exact worst case (beyond the paper)
# :label: thm-di-02-worst
# For $n_0 \ge 2$ and $\hat n \ge 0$, among all attackers who know $n_0$ people and all releases that they consider possible, the largest risk is
# $\dfrac{n_0}{n_0 + \hat n + \mu}$ with $\mu = \dfrac{n_0 (s-1)}{n_0 (s-1) + \hat n + 1}$. It is attained when the target's value is unique among the known people and appears once in the release, and all other records show *one* other value that is unique among the known people.
# ```
#
# ```{prf:proof}
# (Of the value; that no release has a larger risk is proved in the evidence.) All exchanges add 0 to the sum in the lemma, except those with unknown people who are left out, which add $1/n_0$ each. If the known person with the other value is behind one of the other records, there are $\hat n + 1$ of these, otherwise $\hat n$.
# The number $\mu$ is the probability of the first case, given that the target is behind the matching record (computed in the evidence).
# ```

# %%
def worst_risk(n, n0, s):
    n_hat = n - n0 - (s - 1)
    mean = Fraction(n0 * (s - 1), n0 * (s - 1) + n_hat + 1)
    return n0 / (n0 + n_hat + mean)


assert worst_risk(5, 2, 3) == worst

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The bound, the exact worst case and the printed sum, for 12 people of whom 3 are known. The exact worst case (dots) lies below the bound, except for s = 1. The printed sum is too large when few unknown people are left, and 0 when at most one is (s = 9<!-- {empty[0]} --> and 10<!-- {empty[1]} -->).", "name": "fig-di-02-worst"}, "image": {"alt": "Risk against the sample size from 1 to 10. The bound rises from 0.25<!-- {bounds[0]:.2f} --> to 1<!-- {bounds[-1]:.0f} -->, the dots lie below it and end at 0.76<!-- {exact[-1]:.2f} -->; the dashed curve of the printed sum starts near the bound, rises to 1<!-- {max(printed):.0f} --> at s = 8<!-- {drawn[printed.index(max(printed))]} --> and is 0<!-- {printed[-1]:.0f} --> from 9<!-- {empty[0]} --> on."}} tags=["figure"]
drawn = list(range(1, 11))
printed = [float(double_sum(10 - s, sp.Integer(3), max(9 - s, 0))) for s in drawn]
bounds = [float(bound(12, 3, s)) for s in drawn]
exact = [float(worst_risk(12, 3, s)) for s in drawn]
empty = [s for s, value in zip(drawn, printed) if value == 0]
assert empty == [s for s in drawn if 12 - 3 - (s - 1) <= 1]
assert all(x < y for x, y in zip(exact[1:], bounds[1:])) and exact[0] == bounds[0]
fig, ax = plots.panels(height=3.2)
ax.plot(drawn, bounds, "-", label="bound of Claim 4.1")
ax.plot(drawn, printed, "--", label="double sum as printed")
ax.plot(drawn, exact, "o", color=plots.COLOURS["black"], ms=5, label="exact worst case")
ax.set(xlabel="sample size s (people)", ylabel="risk", xticks=drawn, ylim=(-0.03, 1.05))
ax.legend(loc="upper left")
plt.show()


# %% [markdown]
# ```{evidence} K-4.7 K-B1
# ```
#
# ## What does the number tell a publisher?
#
# The paper says that its result shows how small the sample must be. The bound is at most $1/k$ if $s \le n + 1 - k\,n_0$:

# %%
def largest_sample(n, n0, k):
    return max(n + 1 - k * n0, 0)


print(largest_sample(1000, 10, k=10), "of 1,000 people, if 10 are known and k = 10")
print([f"{float(bound(10_000, 730, s)):.3f}" for s in (100, 1000)], "at 1% and at 10%")


# %% [markdown]
# In the first example, a sample of 90%<!-- {largest_sample(1000, 10, 10) / 1000:.0%} --> is allowed. In the second, the attacker knows a prefecture with 7.3%<!-- {730 / 10_000:.1%} --> of 10,000 people. The bound hardly depends on the sampling rate, and even for a sample of one person it is at most $1/k$ for no whole $k$ above
# 13<!-- {10000 // 730} -->. The bound is small mainly because the attacker believes that the unknown people resemble the known ones.
#
# The paper calls the risk robust: it hardly grows if the attacker knows a few more people. Each adds only $1/(n - s + 1)$. But twice as many known people double the bound.
#
# ```{evidence} K-0.1 K-1.8 K-4.14
# ```
#
# ## Is the attacker right about a real population?
#
# Now take the file *Adult* {cite:p}`uci2adult`: 32,561 people of a US survey, here the whole population. Suppose that acquaintances know each other's age, sex, race, marital status, education and country of birth. The attacker has 100
# random acquaintances. If one of them alone has some values, and the sample shows these values exactly once, the attacker *claims* that the record is this acquaintance's. If $M$ people have the values, each is equally likely to be behind the record, and the attacker is right with
# probability $1/M$. So we can compute the share of right claims without simulation, as expected right claims divided by expected claims:

# %%
def code(columns):
    """One whole number for each combination of values."""
    return np.unique(np.array(columns, dtype=str), axis=1, return_inverse=True)[1].ravel()


def expected_claims(values, n0, s):
    """Expected numbers of claims and of right claims in one release."""
    n = len(values)
    M, groups = np.unique(np.bincount(values), return_counts=True)
    known = M * groups * n0 / n
    alone = stats.hypergeom.pmf(0, n - 1, M - 1, n0 - 1)  # no other acquaintance has them
    once = stats.hypergeom.pmf(1, n, M, s)  # one record in the sample
    claims = known * alone * once
    return claims.sum(), (claims / M).sum()


def share_right(values, n0, s):
    claims, right = expected_claims(values, n0, s)
    return right / claims


# %%
names = ("age", "sex", "race", "marital", "education", "country")
six = code([adult[name] for name in names])
n = len(six)
for rate in (0.01, 0.1, 0.3):
    s = int(rate * n)
    right, claim = share_right(six, 100, s), float(bound(n, 100, s))
    print(f"{rate:.0%} sample: right {right:.3f}, bound {claim:.4f}, ratio {right / claim:.1f}")

# %% [markdown]
# At 10% the bound is one in 293<!-- {float(1 / bound(n, 100, int(0.1 * n))):.0f} -->, but 25%<!-- {share_right(six, 100, int(0.1 * n)):.0%} --> of the claims are right. The reason is the belief itself: 91%<!-- {unseen:.0%} --> of the people have a combination
# of values that none of the 100 has. Equation (1) gives these combinations probability 0, and so it gives most real releases probability 0. We therefore compare with the *bound*, which is what the paper offers to a publisher.

# %% jupyter={"source_hidden": true} tags=["set-up"]
M_of = np.bincount(six)[six]
unseen = (stats.hypergeom.pmf(0, n, M_of, 100)).mean()
age = adult["age"].astype(int)
old = age >= 70


def unique_share(values, who):
    """Share of these people whose values nobody else has."""
    return (np.bincount(values)[values] == 1)[who].mean()


top = code([np.minimum(age, 70), *(adult[name] for name in names[1:])])


def record_risk(values, s):
    """Mean of 1/M over the records whose values the sample shows once."""
    M, groups = np.unique(np.bincount(values), return_counts=True)
    once = stats.hypergeom.pmf(1, len(values), M, s)
    return (groups * once / M).sum() / (groups * once).sum()


# %% [markdown]
# Is this fair to the paper? Its own conditions differ in two ways. First, its attacker knows a whole prefecture, not 100 people. We let the attacker know 2,377 people, which is 7.3%<!-- {2377 / n:.1%} -->. (Ours are random; a real prefecture may resemble the rest less.) Second, the paper warns that
# a person who is evidently unique in the country violates the premise, because then no stranger can have the same values. It advises removing outliers by top and bottom coding. This helps those whose values are merged: if all ages from 70 are merged, the share of unique people among them falls from
# 47%<!-- {unique_share(six, old):.0%} --> to 18%<!-- {unique_share(top, old):.0%} -->. Among the others it stays at 17%<!-- {unique_share(top, ~old):.0%} -->. We therefore also try two codings without outliers, in which ages under 20 and from 60 are merged:

# %%
ends = np.clip(age, 20, 60)
codings = {
    "six attributes": six,
    "five-year bands, sex, race": code([ends // 5, adult["sex"], adult["race"]]),
    "ten-year bands, sex": code([ends // 10, adult["sex"]]),
}
grid, claims_at_10 = {}, {}
for known, name, rate in product((100, 2377), codings, (0.01, 0.1, 0.3)):
    s = int(rate * n)
    claims, right = expected_claims(codings[name], known, s)
    if rate == 0.1:
        claims_at_10[name, known] = claims
    if claims > 0.001:
        grid[name, known, rate] = right / claims / float(bound(n, known, s))


# %% jupyter={"source_hidden": true} tags=["set-up"]
def rounded(x):
    if x > 9.5:
        return f"{x:.0f}"
    return f"{x:.2g}"


columns = {"values": [], "known people": [], "claims in a 10% release": []}
columns |= {f"{rate:.0%}": [] for rate in (0.01, 0.1, 0.3)}
for known, name in product((100, 2377), codings):
    columns["values"].append(name)
    columns["known people"].append(known)
    claims = claims_at_10[name, known]
    columns["claims in a 10% release"].append(rounded(claims) if claims > 0.001 else "< 0.001")
    for rate in (0.01, 0.1, 0.3):
        ratio = grid.get((name, known, rate))
        columns[f"{rate:.0%}"].append(rounded(ratio) if ratio else "–")
table(
    columns,
    caption="Share of right claims divided by the bound, at three sampling rates, and the expected "
    "number of claims in one release. No quotient is given where there is nothing to claim.",
)

# %% [markdown]
# With 2,377 people known and five-year bands, the share divided by the bound is close to 1: 0.82<!-- {grid["five-year bands, sex, race", 2377, 0.01]:.2f} --> in a 1% sample, and 1.2<!-- {grid["five-year bands, sex, race", 2377, 0.1]:.1f} --> at 10%. With six attributes it is 2.9<!-- {grid["six attributes", 2377, 0.01]:.1f} --> and
# 4.4<!-- {grid["six attributes", 2377, 0.1]:.1f} -->. In ten-year bands the attackers practically never make a claim, because even the smallest group has 821<!-- {np.bincount(codings["ten-year bands, sex"]).min()} --> people, and a 1% sample shows about 8<!-- {0.01 * np.bincount(codings["ten-year bands, sex"]).min():.0f} --> of them, not one.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Share of right claims in Adult (solid and dashed) and the bound (dotted). Left, the attacker knows 100 people, and the share is 2.6<!-- {over[100][0]:.1f} --> to 125<!-- {over[100][1]:.0f} --> times the bound. Right, the attacker knows 2,377; without outliers (dashed) the share is 0.78<!-- {over[2377][0]:.2f} --> to 1.9<!-- {over[2377][1]:.1f} --> times the bound.", "name": "fig-di-02-rates"}, "image": {"alt": "Two log-log panels against the sampling rate from 0.3% to 50%. Left, the dotted bound rises from 0.0031<!-- {limits[100][0]:.4f} --> to 0.0061<!-- {limits[100][-1]:.4f} -->, the solid curve from 0.039<!-- {curves[\"six attributes\", 100][0]:.3f} --> to 0.73<!-- {curves[\"six attributes\", 100][-1]:.2f} --> and the dashed one from 0.008<!-- {curves[\"five-year bands, sex, race\", 100][0]:.3f} --> to 0.26<!-- {curves[\"five-year bands, sex, race\", 100][-1]:.2f} -->. Right, the dotted bound rises from 0.07<!-- {limits[2377][0]:.2f} --> to 0.15<!-- {limits[2377][-1]:.2f} -->, and the dashed curve crosses it near a rate of 5%<!-- {crossing:.0%} --> and ends at 0.28<!-- {curves[\"five-year bands, sex, race\", 2377][-1]:.2f} -->; the solid one rises from 0.20<!-- {curves[\"six attributes\", 2377][0]:.2f} --> to 0.76<!-- {curves[\"six attributes\", 2377][-1]:.2f} -->."}} tags=["figure"]
shown_rates = np.geomspace(0.003, 0.5, 14)
curves, limits = {}, {}
fig, axes = plots.panels(1, 2, height=3.6, width=8.5, sharey=True)
for ax, known in zip(axes, (100, 2377)):
    limits[known] = np.array([float(bound(n, known, int(rate * n))) for rate in shown_rates])
    for name, style in (("six attributes", "-"), ("five-year bands, sex, race", "--")):
        curve = [share_right(codings[name], known, int(rate * n)) for rate in shown_rates]
        curves[name, known] = np.array(curve)
        ax.plot(100 * shown_rates, curve, style, label=name)
    ax.plot(100 * shown_rates, limits[known], ":", color=plots.COLOURS["black"], label="bound")
    ax.set(xscale="log", yscale="log", xlabel="sampling rate (%)", title=f"{known:,} people known")
    ax.set_xticks([0.3, 1, 3, 10, 30], ["0.3", "1", "3", "10", "30"])
    ax.minorticks_off()
axes[0].set_ylabel("right claims (share)")
axes[0].set_yticks([0.003, 0.01, 0.03, 0.1, 0.3, 1], ["0.003", "0.01", "0.03", "0.1", "0.3", "1"])
axes[1].legend(loc="lower right")
plt.show()
of_both = [curves[name, known] / limits[100] for name, known in curves if known == 100]
of_bands = curves["five-year bands, sex, race", 2377] / limits[2377]
over = {100: (np.min(of_both), np.max(of_both)), 2377: (of_bands.min(), of_bands.max())}
crossing = np.interp(1, of_bands, shown_rates)

# %% [markdown]
# ```{evidence} K-4.15 K-B17
# ```
#
# ## Which attackers know how often they are right?
#
# Attackers with other beliefs make the same claims and are right equally often. They differ in their *beliefs*, and an office needs a belief near the truth. We compare equation (1) with three others, for one matching record and a sampling rate $p = s/n$. For equation (1) and the first of the three, we take the bounds.
#
# *Learning from the release.* The attacker of equation (1) does not revise the shares after seeing the release. An attacker who learns believes in *Pólya's urn*: the known people come first, and each further person has the value of an earlier one, chosen at random.
#
# ```{prf:theorem} An attacker who learns (beyond the paper)
# :label: thm-di-02-learning
# For $\hat n \ge 0$, the risk of a known person against this attacker is at most $\dfrac{n_0 + s - 1}{n}$.
# ```
#
# ```{prf:proof}
# Let the weight of an assignment be the joint probability that its people have the released values; the proof of the lemma stays the same. In the urn the order of the unknown people does not matter, so one who is left out can come last. The exchange of the target with this person multiplies
# the weight by the probability that this person has the target's value, given the values of the known people and of the unknown people behind the other records. These are at most $n_0 + s - 1$ people, one of them the target, so this probability is at least
# $1/(n_0 + s - 1)$. There are at least $\hat n$ such exchanges, and $n_0 + s - 1 + \hat n = n$.
# ```
#
# In a 1% sample of Adult this bound is 1.3%<!-- {beliefs["learning", "six", 0.01]:.1%} --> instead of 0.3%<!-- {beliefs["equation (1)", "six", 0.01]:.1%} -->. This is closer to the truth, but too small.
#
# *Counting in the sample* {cite:p}`good1953,skinner2002`. Let $n_1$ values be shown once and $n_2$ twice. How many people have a value that is shown once, but were not drawn? If $M$ people have a value and each is drawn with probability $p$, it is shown once or twice with these probabilities:

# %%
M, p = sp.symbols("M p", positive=True)
once = M * p * (1 - p) ** (M - 1)
twice = M * (M - 1) / 2 * p**2 * (1 - p) ** (M - 2)
assert sp.simplify((M - 1) * once - 2 * (1 - p) / p * twice) == 0


# %% [markdown]
# If the value is shown once, $M - 1$ people with it were not drawn. So their expected number is `(M - 1) * once`. We sum over all values. The expected number of values shown twice is near $n_2$, so about $2n_2(1-p)/p$ people have a value that is shown once, but were not drawn; $n_1$ more were drawn.
# The attacker's acquaintance is equally likely to be any of these people, and the claim is right if it is one of the $n_1$. So the belief is $n_1/(n_1 + 2n_2(1-p)/p)$. We add 1 to $n_2$, as in a corrected estimator of {cite:t}`chao1984`, so that the belief is never 1.
#
# *Benedetti and Franconi* {cite:p}`benedetti1998risk,franconi2004individual`. Suppose that, before the sample, the number $M$ of people with the target's values has $\Pr(M) \propto 1/M$: 10–100 and 100–1,000 are about equally likely. (The sum of all $1/M$ is infinite, but
# after the sample the probabilities sum to 1.) Exactly one of $M$ people is drawn with probability $M p (1-p)^{M-1}$. The product of both is proportional to $p(1-p)^{M-1}$, a geometric distribution. If $M$ people have the values, the claim is right with probability $1/M$, so the belief is
#
# $$ \operatorname{E}\Bigl[\frac1M\Bigr] = \sum_{M \ge 1} \frac{p (1-p)^{M-1}}{M} = \frac{p}{1-p} \ln\frac1p . $$
#
# The authors suppose this of every value in the file, and ask about a random released record, not about an acquaintance. For such records the formula fits worse: at 10% it gives 0.26<!-- {beliefs["Benedetti–Franconi", "six", 0.1]:.2f} -->, but $1/M$ is 0.58<!-- {record_risk(six, int(0.1 * n)):.2f} --> on average over the records shown once.

# %%
def count_in_sample(values, s, rng):
    """Belief of the attacker who counts, from one sample."""
    rate = s / len(values)
    shown = np.bincount(rng.permutation(values)[:s])
    n1, n2 = (shown == 1).sum(), (shown == 2).sum()
    return n1 / (n1 + 2 * (n2 + 1) * (1 - rate) / rate)


def log_loss(belief, right):
    """Mean logarithmic loss of a belief if this share of the claims is right."""
    return -(right * np.log(belief) + (1 - right) * np.log(1 - belief))


# %%
people_sets = {"four attributes": names[:4], "six": names, "seven": (*names, "occupation")}
rng = np.random.default_rng(2026)
beliefs, truth = {}, {}
for label, known_of in people_sets.items():
    values = code([adult[name] for name in known_of])
    for rate in (0.01, 0.1, 0.3):
        s = int(rate * n)
        truth[label, rate] = share_right(values, 100, s)
        beliefs["equation (1)", label, rate] = float(bound(n, 100, s))
        beliefs["learning", label, rate] = (100 + s - 1) / n
        beliefs["Benedetti–Franconi", label, rate] = rate / (1 - rate) * np.log(1 / rate)
        counted = [count_in_sample(values, s, rng) for _ in range(100)]  # 100 samples
        beliefs["counting", label, rate] = np.array(counted)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What four attackers believe, against how often they are right, in samples of 1, 10 and 30% of Adult, with four, six or seven known attributes. On the diagonal an attacker is right as often as the belief says. The attacker who counts is never more than 24%<!-- {farthest[\"counting\"]:.0%} --> off, Benedetti\u2013Franconi up to 79%<!-- {farthest[\"Benedetti\u2013Franconi\"]:.0%} -->, and the other two even more.", "name": "fig-di-02-truth"}, "image": {"alt": "Log-log plot of belief against the share of right claims. Points of equation (1) lie between 0.003<!-- {float(bound(n, 100, 325)):.3f} --> and 0.004<!-- {float(bound(n, 100, int(0.3 * n))):.3f} -->, far below the diagonal; those of the learning attacker are all below it; those of Benedetti and Franconi on both sides; those of the counting attacker are next to it, at 1% a little below."}} tags=["figure"]
ATTACKERS = ("equation (1)", "learning", "Benedetti–Franconi", "counting")
fig, ax = plots.panels(height=4.4, width=6.6)
ax.plot([0.02, 0.8], [0.02, 0.8], color="#888888", lw=1, ls="-", zorder=1)
farthest = {}
for attacker, marker in zip(ATTACKERS, "o^Ds"):
    x = np.array([truth[case] for case in truth])
    y = np.array([np.mean(beliefs[attacker, *case]) for case in truth])
    ax.plot(x, y, marker, ls="", ms=6, label=attacker)
    farthest[attacker] = abs(y / x - 1).max()
    if attacker == "learning":
        assert (y < x).all()
assert sorted(ATTACKERS, key=farthest.get)[:2] == ["counting", "Benedetti–Franconi"]
ax.set(xscale="log", yscale="log", xlabel="right claims (share)", ylabel="belief (probability)")
ax.set_xticks([0.03, 0.1, 0.3], ["0.03", "0.1", "0.3"])
ax.set_yticks([0.003, 0.01, 0.03, 0.1, 0.3], ["0.003", "0.01", "0.03", "0.1", "0.3"])
ax.minorticks_off()
ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
plt.show()

# %% [markdown]
# For six attributes, the table adds the *logarithmic loss* of a belief $x$, on average over the claims. It is $-\ln x$ for a right claim and $-\ln(1 - x)$ for a wrong one. The average is smallest if $x$ is the true share.

# %%
rows = {"attacker": [*ATTACKERS, "(the true share)"]}
for rate in (0.01, 0.1, 0.3):
    right = truth["six", rate]
    column = [*(beliefs[attacker, "six", rate] for attacker in ATTACKERS), right]
    rows[f"{rate:.0%}"] = [f"{np.mean(x):.4f}" for x in column]
    rows[f"loss, {rate:.0%}"] = [f"{np.mean(log_loss(x, right)):.3f}" for x in column]
off = {}
for attacker, rate in product(("counting", "Benedetti–Franconi"), (0.01, 0.1, 0.3)):
    off[attacker, rate] = abs(np.mean(beliefs[attacker, "six", rate]) / truth["six", rate] - 1)
table(rows, caption="Beliefs and mean losses (natural logarithms), one matching record.")

# %% [markdown]
# By mean belief, counting and Benedetti–Franconi are both 12%<!-- {off["counting", 0.01]:.0%} --> too low at 1%. At 10% they are off by 2%<!-- {off["counting", 0.1]:.0%} --> and 1%<!-- {off["Benedetti–Franconi", 0.1]:.0%} -->, at 30% by 1%<!-- {off["counting", 0.3]:.0%} --> and
# 4%<!-- {off["Benedetti–Franconi", 0.3]:.0%} -->. Their losses are nearly equal. But the belief of Benedetti–Franconi depends on $p$ alone: with four or seven attributes it is far off (figure), so its good fit here is luck.
#
# The paper calls its belief more realistic than a uniform one. Judged by the loss, this depends on the sampling rate and on which belief is called uniform (see the evidence).
#
# ```{evidence} K-4.4 K-B2 K-B4 K-B17a K-B23
# ```
#
# ## Exercises
#
# ```{exercise-start} Knowing only the target
# :label: ex-di-02-stranger
# ```
# **Warm-up.** An attacker knows only the target, $n_0 = 1$. What does equation (1) say about everybody else, and what is the exact risk for $n$ people and $s$ released records? Is an attacker who knows so little really the least dangerous one?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("di-02-stranger", ...)

# %% [markdown]
# ```{solution-start} ex-di-02-stranger
# :class: dropdown
# ```
# Everybody has the target's value, so each released record is equally likely to belong to any of the $n$ people: the risk is $1/n$, whatever the sample. This is a property of the belief, not of the world. In a 10% sample of Adult, an attacker with 10
# acquaintances believes a tenth of what an attacker with 100 believes, and is right about as often.

# %%
for total, s in ((3, 2), (4, 1), (4, 4)):
    assert set(success(belief("a", total), "a" * s).values()) == {Fraction(1, total)}
tenth = int(0.1 * n)
assert abs(share_right(six, 10, tenth) / share_right(six, 100, tenth) - 1) < 0.05
assert 10 * bound(n, 10, tenth) == bound(n, 100, tenth)
check("di-02-stranger", lambda n, s: max(success(belief("a", n), "a" * s).values()))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A unique value shown twice
# :label: ex-di-02-twice
# ```
# **Standard.** The target's value is unique among the known people and appears *twice* in the release. Bound the risk with the swap lemma, and compute it for $n = 5$, $n_0 = 2$, $s = 3$, if the third record shows the other known value. Give both as fractions.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("di-02-twice", ...)

# %% [markdown]
# ```{solution-start} ex-di-02-twice
# :class: dropdown
# ```
# The exchange with the person behind the second record that shows the value leaves the weight as it is. This adds 1, so $1/\Pr \ge 2 + \hat n/n_0$. Here $\hat n = 1$, the bound is $\frac25$, and the risk is 4/11<!-- {success(belief("ab", 5), "aab")[0]} -->.

# %%
n_hat = 5 - 2 - (3 - 1)
bound_twice = 1 / (2 + Fraction(n_hat, 2))
exact_twice = success(belief("ab", 5), "aab")[0]
assert exact_twice == Fraction(4, 11) <= bound_twice == Fraction(2, 5)
check("di-02-twice", (bound_twice, exact_twice))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A belief that allows unseen values
# :label: ex-di-02-smooth
# ```
# **Standard.** Repair the belief: an unknown person has some value that no known person has with probability $\varepsilon$, and each value $v$ of a known person with probability $(1 - \varepsilon) c_v/n_0$. Now the paper's worst release is possible. What is its risk, and what happens to it as $\varepsilon \to 0$?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("di-02-smooth", ...)


# %% [markdown]
# ```{solution-start} ex-di-02-smooth
# :class: dropdown
# ```
# All other records show values that no known person has, so exactly $\hat n$ unknown people are left out, and each exchange with one of these multiplies the weight by $(1 - \varepsilon)/n_0$. The risk is $1/(1 + \hat n (1 - \varepsilon)/n_0)$. It is *above* the number of Claim 4.1 for every
# $\varepsilon > 0$ and tends to it as $\varepsilon \to 0$. So Claim 4.1 is exact as the limit of another belief.

# %%
def worst_release(n_0, n_hat, eps):
    return 1 / (1 + n_hat * (1 - eps) / n_0)


for eps in (Fraction(1, 2), Fraction(1, 10), Fraction(1, 1000)):
    tables = {}
    for unknown in product("abz", repeat=3):  # z: a value that nobody known has
        probability = Fraction(1)
        for value in unknown:
            probability *= eps if value == "z" else (1 - eps) / 2
        tables["ab" + "".join(unknown)] = probability
    risk = success(tables, "azz")[0]  # n = 5, two known, three released
    assert risk == worst_release(2, 1, eps) > bound(5, 2, 3)
assert risk - bound(5, 2, 3) < Fraction(1, 1000)
check("di-02-smooth", worst_release)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Which populations fit the belief
# :label: ex-di-02-population
# ```
# **Research.** Which populations does equation (1) fit? Make cities of 10,000 people whose values have probabilities proportional to $1/\text{rank}^z$, with exponents $z$ of 0, 1 and 2 and with 100 or 20,000 possible values. Compare the share of right claims in a 10% sample with the bound, for 100 known people.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("di-02-population", ...)

# %% [markdown]
# ```{solution-start} ex-di-02-population
# :class: dropdown
# ```
# The bound does not depend on the population: it is 0.011<!-- {float(bound(10_000, 100, 1000)):.3f} --> for all of them. The share of right claims goes from 0.011<!-- {min(city_rate.values()):.3f} --> to
# 0.69<!-- {max(city_rate.values()):.2f} -->. The belief fits 100 equally common values ($z = 0$), because 100 known people have most of them, and strangers do resemble acquaintances. (Just then there is little to claim: 0.017<!-- {expected_claims(best_city, 100, 1000)[0]:.3f} --> claims in one release.) It fails where most people are unique.

# %%
city_rate, cities = {}, {}
for z, possible_values in product((0.0, 1.0, 2.0), (100, 20_000)):
    shares = 1 / np.arange(1, possible_values + 1) ** z
    city = rng.choice(possible_values, 10_000, p=shares / shares.sum())
    cities[z, possible_values] = code([city])
    city_rate[z, possible_values] = share_right(cities[z, possible_values], 100, 1000)
best = min(city_rate, key=city_rate.get)
best_city = cities[best]
assert best == (0.0, 100) and abs(city_rate[best] / bound(10_000, 100, 1000) - 1) < 0.1
check("di-02-population", best)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# 1. *How safe is a person in a 1% sample?* Against an attacker who knows everybody, a person with a unique value is not safe at all. Against the attacker of equation (1), the risk is at most $n_0/(n - s + 1)$. In Adult, with six attributes and 100 acquaintances, a single match is right 5%<!-- {share_right(six, 100, 325):.0%} --> of the time.
# 2. *Why does the bound hold for every release?* Exchange a known target with each other person. At least $\hat n$ of these exchanges multiply the weight by $1/n_0$ or more.
# 3. *Is the bound the share of right claims?* No, it bounds a belief. In Adult, with six attributes and 100 acquaintances, it is too small by a factor of 17<!-- {grid["six attributes", 100, 0.01]:.0f} --> to 123<!-- {grid["six attributes", 100, 0.3]:.0f} -->. For an attacker who knows a prefecture, and with ages in five-year bands, it is near the truth.
# 4. *Which belief should an office use?* One learnt from the sample. Counting was on average at most 24%<!-- {farthest["counting"]:.0%} --> off in Adult.
#
# **Further reading.** {cite:t}`franconi2004individual` and {cite:t}`skinner2002` estimate the risk of a file; {cite:t}`rocher2019estimating` score estimates of uniqueness on real files. If the size of the sample is random, everybody may be drawn, and the risk of the worst release is 1 ([notebook 4](04-exact-risk-and-design.ipynb), *Which matrix, and which sample?*). **Next:**
# [what if the attacker knows everybody?](03-pram-and-sampling.ipynb)
