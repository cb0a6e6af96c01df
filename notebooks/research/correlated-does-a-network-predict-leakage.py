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
# # Does a network predict real leakage?
#
# So far Facebook was a graph without data: [notebook 5](../correlated/05-who-leaks-most.ipynb) computed who *would* leak most if profiles
# followed a Gaussian law on the friendships. The same publisher has the profiles. So we let the model read half of the
# people, ask it what a count would tell about each of the others, and look. The paper fits nothing, and with $\tau = 1$ its law
# predicts about the right surplus among friends: what is achieved is 0.95<!-- {in_text['plain']:.2f} --> of what is predicted on six networks taken together, 1.30<!-- {in_text['held-plain']:.2f} --> on four larger ones.
# Who *fits* $\tau$ to these zeros and ones by likelihood makes it worse: the fit runs away towards independence, and a fitted
# law predicts too little leakage.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to measure leakage on real data with error bars that mean something, why a mean that is
# estimated is a correlation, and why a law that fits the data better can be the worse one for privacy.
# **You need** the leakage coefficient ([notebook 3](../correlated/03-gaussian-correlation-model.ipynb)) and a little regression.
# **Data:** 700 kB, fetched once from their publisher {cite:p}`leskovec2014snap` if they are not on your machine.
# **Time:** 25 minutes; the cells run for less than half a minute.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attacker** $\mathcal{A}(i, \mathcal{K})$ knows all friendships, the value of a feature for a random half $\mathcal{K}$ of the people, and
# which law it follows, but none of the law's parameters. **Released:** a count over the unknown people $\mathcal{U} \cup \{i\}$, or over
# $i$ and $i$'s unknown friends, plus Laplace noise. **Protected:** the odds that person $i$ has the feature.
# **Not asked here:** the worst case. A supremum over outputs cannot be seen in data; what can be seen is by how much the odds
# move on average.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import sympy as sp
from scipy import stats
from scipy.special import expit, logit, logsumexp

from privlib.correlated import gaussian
from privlib.correlated.gaussian import GaussianModel
from privlib.notebook import claim, datasets, derivation, plots, table
from privlib.research.markov_random_field import MarkovRandomField

plots.use()
TAUS = 10.0 ** np.arange(-2, 4)  # priors that a fit chooses from
DATA = ("real", "shuffled", "simulated")
NUMBER: dict[str, int] = {}  # of the kinds of features
EGOS = [3980, 698, 414, 686, 348, 0]  # six networks, small ones first


read = cache(datasets.facebook_ego)


def people(ego, *, filled_in=None):
    """Friendships, kinds and values of the features that 10 to 90 % have.

    With a kind as `filled_in`: only of those whose profile names something of it.
    """
    graph, names, values = read(ego)
    friends = nx.to_numpy_array(graph)
    np.fill_diagonal(friends, 0)
    kinds = np.array([name.partition(";anonymized")[0] for name in names])
    if filled_in is not None:
        who = values[:, kinds == filled_in].any(axis=1)
        friends, values = friends[np.ix_(who, who)], values[who]
        kinds, values = kinds[kinds == filled_in], values[:, kinds == filled_in]
    share = values.mean(axis=0) if len(values) else np.zeros(len(kinds))
    common = (share >= 0.1) & (share <= 0.9)
    return friends, kinds[common], values[:, common].astype(float)


def covariances(friends, taus=TAUS):
    """The covariance of precision L + τI by τ, as it is and with equal variances."""
    speeds, modes = np.linalg.eigh(np.diag(friends.sum(axis=1)) - friends)
    paper = {tau: modes / (speeds.clip(0) + tau) @ modes.T for tau in taus}
    sds = {tau: np.sqrt(K.diagonal()) for tau, K in paper.items()}
    equal = {tau: K / np.outer(sds[tau], sds[tau]) for tau, K in paper.items()}
    return {"paper": paper, "equal": equal}


def three_laws(friends):
    """The paper's law with τ = 1, and with τ to be fitted at the two scales."""
    fields = covariances(friends)
    return {"plain": {1.0: fields["paper"][1.0]}, **fields}


def labelled(kinds, *, data=0, ego=0):
    """For each column numbers for the data, the kind of the feature, the network."""
    for kind in kinds:
        NUMBER.setdefault(str(kind), len(NUMBER))
    numbers = [NUMBER[str(kind)] for kind in kinds]
    return np.array([np.full(len(kinds), data), numbers, np.full(len(kinds), ego)])


def likelihood(K, values):
    """Log likelihood of each column, its mean and its scale; mean unknown."""
    Q, h = np.linalg.inv(K), len(values)
    mean = Q.sum(axis=0) @ values / Q.sum()
    centred = values - mean
    scale = (centred * (Q @ centred)).sum(axis=0).clip(1e-12) / (h - 1)
    log = np.linalg.slogdet(Q)[1] - np.log(Q.sum()) - (h - 1) * np.log(scale)
    return log / 2, mean, scale


def beliefs(K, known, unknown):
    """Regression of the unknown on the known, and their covariance; mean unknown."""
    Q = np.linalg.inv(K[np.ix_(known, known)])
    B = K[np.ix_(unknown, known)] @ Q
    rest = 1 - B.sum(axis=1)  # how much each leans on the mean
    S = K[np.ix_(unknown, unknown)] - B @ K[np.ix_(known, unknown)]
    return B, S + np.outer(rest, rest) / Q.sum()


def forecasts(fields, values, known, unknown, grids=()):
    """For each τ that fits some features best: which, beliefs, covariance, scale.

    With `grids`, sets of τ to choose from, for one after the other; and for which.
    """
    taus = np.array(list(fields))
    tried = [likelihood(fields[t][np.ix_(known, known)], values[known]) for t in taus]
    logs, means, scales = (np.array(part) for part in zip(*tried))
    varied = values[known].std(axis=0) > 0
    law = cache(lambda k: beliefs(fields[taus[k]], known, unknown))
    for g, grid in enumerate(grids or [taus]):
        allowed = np.flatnonzero(np.isin(taus, grid))
        best = allowed[logs[allowed].argmax(axis=0)]
        for k in np.unique(best[varied]):
            f = np.flatnonzero(varied & (best == k))
            B, S = law(k)
            mean = means[k, f]
            believed = mean + B @ (values[np.ix_(known, f)] - mean)
            yield taus[k], f, believed, S, scales[k, f], g


def halves(n, count, rng):
    """Random halves: who is known, who is not."""
    for _ in range(count):
        order = rng.permutation(n)
        yield order[: n // 2], order[n // 2 :]


def compared(parts):
    """Gather what was found, one entry for each person, feature and cut."""
    return {
        name: np.concatenate([part[name] for part in parts], axis=-1)
        for name in parts[0]
    }


def compare(friends, labels, values, fields, splits, grids=()):
    """What was predicted and what happened, for the whole count and among friends.

    Each column has its labels: data, kind, network. Grids as in `forecasts`.
    """
    parts = []
    for known, unknown in splits:
        near = friends[np.ix_(unknown, unknown)] + np.eye(len(unknown))
        told = forecasts(fields, values, known, unknown, grids)
        for tau, f, believed, S, _, g in told:
            e = values[np.ix_(unknown, f)] - believed
            e = e / np.sqrt((e * e).mean(axis=0))  # all features count alike
            whole = np.broadcast_to(e.sum(axis=0), e.shape)
            amps = np.array([S.sum(axis=1), (S * near).sum(axis=1)]) / S.diagonal()
            counted = amps[:, :, None] * np.ones(len(f))
            cells = {
                "predicted": counted.reshape(2, -1),
                "product": np.array([e * whole, e * (near @ e)]).reshape(2, -1),
                "square": (e * e).ravel(),
                "labels": np.tile(labels[:, f], len(unknown)),
                "tau": np.full(e.size, tau),
                "grid": np.full(e.size, g),
            }
            parts.append(cells)
    return compared(parts)


def ratio(top, bottom, group):
    """Σ top / Σ bottom with its standard error, groups taken as independent."""
    _, code = np.unique(group, return_inverse=True)
    T, B = (np.bincount(code, weights) for weights in (top, bottom))
    R, G = T.sum() / B.sum(), len(T)
    return R, np.sqrt(G / (G - 1) * np.square(T - R * B).sum()) / abs(B.sum()), G


def interval(value, error, groups):
    """95 % interval by Student's law."""
    reach = stats.t.ppf(0.975, groups - 1) * error
    return value - reach, value + reach


def span(low, high):
    """An interval in a cell of a table, on one line."""
    return f"{low:.2f}–{high:.2f}"


# %% [markdown]
# ## Ten small worlds
#
# The publisher's file has, for each of ten people ("egos"), the friendships among that person's friends and their
# profiles as 0/1 features: gender, locale, schools, employers, all anonymised {cite:p}`mcauley2012learning`. A feature is a
# column of zeros and ones over the network, which is just what the model is about.

# %%
friends, kinds, values = people(3980)
locale = values[:, kinds == "locale"][:, :1]
n = len(friends)
print(f"{n} people, {friends.sum() / 2:.0f} friendships, {len(kinds)} features")
print(f"one of them, a locale: {locale.mean():.0%} have it")

# %% [markdown]
# That profiles can be guessed from friends is long known {cite:p}`zheleva2009join`, and that noisy answers about
# people who depend on each other give away more than $\varepsilon$ was shown by an attack on real locations
# {cite:p}`liu2016dependence`. Our question is narrower: is the *number* right that the Gaussian network gives to each person?
#
# ## What can be observed
#
# The attacker believes that $x_i$ has mean $\mu_i$ and that the count $f$ has mean $\varphi$. Call
# $e_i = x_i - \mu_i$ and $f - \varphi$ the *surprises*. In a Gaussian world the mean of the count's surprise, given
# that of $x_i$, is $(1 + \ell_i)\, e_i$: a regression through the origin with the slope
#
# $$ 1 + \ell_i = \frac{\operatorname{Cov}(f, x_i \mid x_{\mathcal{K}})}{\operatorname{Var}(x_i \mid x_{\mathcal{K}})}. $$
#
# ```{prf:definition} Predicted and achieved amplification
# :label: def-cor-10-achieved
# The *predicted amplification* is this slope under the fitted law. The *achieved amplification* of a set of people and features is
# the slope that regression finds in the data,
# $\;\sum e_i\,(f - \varphi) \big/ \sum e_i^2$, and the *surplus* is what either has above 1, the share of $x_i$ itself.
# ```
#
# By Theorem 5.1 noise $\mathrm{Lap}(\lambda)$ lets the log odds of two values $M$ apart move by at most $(1 + \ell_i) M/\lambda$,
# so the amplification is what leakage is about. But one thing has to be settled first: the attacker has to estimate the mean.
#
# ## A mean that is estimated is a correlation
#
# Take people who have nothing to do with each other, except that nobody knows how common the feature is. The known half
# has $h$ people, the others are $m$, together $n$. Who learns that $x_i = 1$ thinks the feature more common, and
# expects more of the $m - 1$ other unknown:

# %% jupyter={"source_hidden": true} tags=["evidence"]
x, h, m, total, V = sp.symbols("x h m T_K V", positive=True)
size = h + m
updated = (total + x) / (h + 1)  # mean of the known ones and x_i
chain = (
    derivation(
        sp.Derivative(x + (m - 1) * updated, x),
        of=r"1 + \ell_i",
    )
    .equal(1 + (m - 1) / (h + 1), "each other follows the mean")
    .equal(size / (h + 1), "one fraction")
)
chain

# %% [markdown]
# With halves this is almost 2, without a single friendship. In the paper's picture, the unknown mean is one more vertex, tied to
# everybody: a star. Does this describe what happens when a real population is cut in two at random? Here is one of six
# people, three of whom have the feature, in all 20 ways to cut it.

# %%
six = [1, 1, 0, 0, 0, 1]
products = squares = 0
for known in combinations(range(6), 3):
    mean = Fraction(sum(six[j] for j in known), 3)
    e = [six[i] - mean for i in range(6) if i not in known]
    products += sum(e) ** 2  # Σ e_i (f − φ): both are surprises of the count
    squares += sum(v * v for v in e)
print("achieved:", products / squares, " predicted:", Fraction(6, 3 + 1))

# %% [markdown]
# The same number, and not by chance.
#
# ```{prf:proposition} The mean alone
# :label: prp-cor-10-mean
# Let the attacker believe in independent tuples with an unknown common mean. Pooled over all ways to choose the $h$ known
# people (both sums run over all cuts), the achieved amplification of the whole count is the predicted one, $n/(h + 1)$,
# *whatever the values are*, if they are not all equal.
# ```
#
# *Proof.* Let the values have mean 0 and $\sum x_j^2 = V$; write $T$ for the sum of the unknown. Then the known have the mean
# $-T/h$ and the surprise of the count is $T + mT/h = nT/h$. Over all cuts $\mathrm E\, x_i^2 = V/n$ and
# $\mathrm E\, x_i x_j = -V/(n(n-1))$, as in any survey sample, hence $\mathrm E\, T^2 = mhV/(n(n-1))$. The surprises have
# $\sum e_i^2 = \sum_{\mathcal{U}} x_i^2 + 2T^2/h + mT^2/h^2$. So the achieved amplification is

# %% jupyter={"source_hidden": true} tags=["evidence"]
size = h + m
spread = m * h * V / (size * (size - 1))  # E T²
surprises = m * V / size + (2 / h + m / h**2) * spread
cuts = (
    derivation((size / h) ** 2 * spread / surprises, of=r"\text{achieved}")
    .equal(size / (h + 1), "cancel")
)
cuts


# %% jupyter={"source_hidden": true} tags=["evidence"]
def cut_everywhere(n, known_size):
    """(h + 1) Σ (count's surprise)² and n Σ Σ e², over all cuts, in symbols."""
    xs = sp.symbols(f"x:{n}")
    products = squares = 0
    for known in combinations(range(n), known_size):
        mean = sum(xs[j] for j in known) / sp.Integer(known_size)
        e = [xs[i] - mean for i in range(n) if i not in known]
        products += sum(e) ** 2
        squares += sum(v**2 for v in e)
    return sp.expand((known_size + 1) * products), sp.expand(n * squares)


sizes = [(n, k) for n in range(2, 7) for k in range(1, n)]
cut = [cut_everywhere(*case) for case in sizes]
stars, closed = [], []
for n_, k in sizes:  # the mean as vertex n_ of a star; it is not counted
    star = GaussianModel(
        precision=sp.Matrix(nx.laplacian_matrix(nx.star_graph(n_)).toarray().astype(int)),
        weights=[0] + [1] * n_, width=1,
    )
    stars.append(1 + star.leakage_coefficient(n_, range(1, k + 1)))
    closed.append(sp.Rational(n_, k + 1))
with claim("Y-B40") as c:
    slope = sp.Derivative(x + (m - 1) * updated, x)
    c.decisive("proved").derived(chain, slope, (h + m) / (h + 1), "predicted")
    moment = m * h * V / ((h + m) * (h + m - 1))
    both = m * V / (h + m) + (2 / h + m / h**2) * moment
    achieved = ((h + m) / h) ** 2 * moment / both
    c.decisive("proved").derived(cuts, achieved, (h + m) / (h + 1), "achieved")
    c.exact([a for a, _ in cut], [b for _, b in cut], "all cuts, symbols, n ≤ 6")
    c.exact(stars, closed, "the paper's model on a star, n ≤ 6")


def whole_count(precision, x):
    """Achieved amplification over all halves, with the network's own forecasts."""
    K, n, products, squares = precision.inv(), len(x), 0, 0
    for known in map(list, combinations(range(n), n // 2)):
        unknown = [i for i in range(n) if i not in known]
        Q = K.extract(known, known).inv()
        here = sp.Matrix([x[j] for j in known])
        mean = sum(Q * here) / sum(Q)
        told = K.extract(unknown, known) * Q * (here - mean * sp.ones(len(known), 1))
        e = [x[i] - mean - v for i, v in zip(unknown, told)]
        products += sum(e) ** 2
        squares += sum(v**2 for v in e)
    return products / squares


bowtie = nx.barbell_graph(3, 0)
laplacian = sp.Matrix(nx.laplacian_matrix(bowtie).toarray().astype(int))
responds = {
    name: whole_count(laplacian + sp.eye(6), x)
    for name, x in [("triangle", [1, 1, 1, 0, 0, 0]), ("mixed", [1, 0, 0, 0, 1, 1])]
}
assert whole_count(sp.eye(6), six) == sp.Rational(6, 3 + 1)  # nobody is tied
assert responds["triangle"] == sp.Rational(15464502, 7592015)
assert responds["mixed"] < sp.Rational(6, 3 + 1) < responds["triangle"]
in_text = {}
for name, found_there in {**responds, "alone": sp.Rational(6, 3 + 1)}.items():
    in_text[f"{name}"] = round(float(found_there), 6)

# %% [markdown]
# So we know exactly what we have to measure when there is no network: a whole count that is amplified by $n/(h+1)$. An
# attacker who believes in independence sees just that over random halves, whatever the network. With the network's own forecasts the whole
# count does respond, more or less by network. On two triangles joined by a friendship, with $\tau = 1$, it is amplified by 2.04<!-- {in_text['triangle']:.2f} --> if the three of
# one triangle have a feature, by 1.49<!-- {in_text['mixed']:.2f} --> if one of them and two of the other do; $n/(h+1)$ is 1.5<!-- {in_text['alone']:.1f} -->. We report the count among friends,
# where friendship acts directly.
#
# ## One feature
#
# The paper's law has the precision $\kappa\,(L + \tau I)$: friendships of weight 1 and a prior $\tau$. We take $\tau = 1$, as in notebook 5, and fit
# nothing; the scale $\kappa$ drops out, and the mean is unknown. Let $C$ be the covariance of the unknown people given the known ones if the mean were known, $Q$ the precision of
# the known ones, and let $\gamma_i = 1 - \sum_{k \in \mathcal{K}} B_{ik}$ be what the forecast $\mu_i = \gamma_i \bar m + \sum_k B_{ik} x_k$ leaves to the estimated mean $\bar m$. That mean has the variance $1/\mathbf 1^{\mathsf T} Q \mathbf 1$, so
#
# $$ S = C + \frac{\gamma \gamma^{\mathsf T}}{\mathbf 1^{\mathsf T} Q \mathbf 1}, \qquad 1 + \ell_i = \frac{\sum_{j} S_{ij}}{S_{ii}}, $$
#
# with $j$ running over all the unknown for the whole count, over $i$ and $i$'s unknown friends for the count among friends. For the locale above and the count
# among friends, over 200 cuts:

# %%
rng = np.random.default_rng(1)
law = three_laws(friends)["plain"]  # τ = 1
one = compare(friends, labelled(["locale"]), locale, law, halves(n, 200, rng))
low, high = np.quantile(one["predicted"][1], [0.05, 0.95])
mean_predicted = one["square"] @ one["predicted"][1] / one["square"].sum()
mean_achieved = one["product"][1].sum() / one["square"].sum()
print(f"predicted: from {low:.2f} to {high:.2f}, mean {mean_predicted:.2f}")
print(f"achieved: {mean_achieved:.2f}")


# %% [markdown]
# Is that good or bad? No number of cuts will say. Two hundred cuts show *one* column of zeros and ones over and over,
# a single draw from the law. (We fell into this ourselves: with every cut as an observation of its own, noise looked
# significant.) Independent draws are other features, and not all of those: a degree and a school go together. So we pool many
# features, count all of the same *kind* as one observation, and put error bars on that.
#
# ## Six networks, fourteen kinds, two controls

# %% jupyter={"source_hidden": true} tags=["set-up"]
def drawn(fields, values, rng):
    """For each feature a draw from the law that fits best, and the fit's gain."""
    taus = list(fields)
    logs = np.array([likelihood(fields[tau], values)[0] for tau in taus])
    best = logs.argmax(axis=0)
    roots = {k: np.linalg.cholesky(fields[taus[k]]) for k in np.unique(best)}
    noise = rng.standard_normal(values.shape)
    draws = [roots[k] @ noise[:, f] for f, k in enumerate(best)]
    alone = likelihood(np.eye(len(values)), values)[0]
    return np.stack(draws, axis=1), (logs.max(axis=0) - alone).sum()


def experiment(worlds, cuts, rng):
    """Real, shuffled and simulated profiles under three laws, on the same cuts.

    And what each law for all the people gains in log likelihood over independence.
    """
    found, gains = {}, {}
    for ego, (friends, kinds, values) in worlds.items():
        splits = cuts[ego]
        shuffled = values[rng.permutation(len(values))]
        labels = [labelled(kinds, data=k, ego=ego) for k in range(len(DATA))]
        for law, fields in three_laws(friends).items():
            simulated, gain = drawn(fields, values, rng)
            gains[law] = gains.get(law, 0) + gain
            columns = np.hstack([values, shuffled, simulated])
            parts = compare(friends, np.hstack(labels), columns, fields, splits)
            found.setdefault(law, []).append(parts)
    whole = {law: compared(parts) for law, parts in found.items()}
    return {
        (law, name): only(entries, entries["labels"][0] == k)
        for law, entries in whole.items()
        for k, name in enumerate(DATA)
    }, gains


def only(found, where):
    """The entries where a condition holds."""
    return {name: entries[..., where] for name, entries in found.items()}


def binned(found, edges, query=1):
    """Predicted and achieved amplification of each bin, with 95 % intervals."""
    predicted, square = found["predicted"][query], found["square"]
    where = np.digitize(predicted, edges)
    rows = []
    for b in np.unique(where):
        use = where == b
        top, group = found["product"][query][use], found["labels"][1][use]
        if len(np.unique(group)) < 8:
            continue
        R, error, G = ratio(top, square[use], group)
        at = square[use] @ predicted[use] / square[use].sum()
        rows.append([at, R, *interval(R, error, G), square[use].sum() / square.sum()])
    return np.array(rows).T


def surplus(found, query=1):
    """Achieved surplus over predicted surplus, and the standard error."""
    top = found["product"][query] - found["square"]
    bottom = found["square"] * (found["predicted"][query] - 1)
    return ratio(top, bottom, found["labels"][1])


# %%
rng = np.random.default_rng(2)
worlds = {ego: people(ego) for ego in EGOS}
cuts = {ego: list(halves(len(w[0]), 12, rng)) for ego, w in worlds.items()}
found, gains = experiment(worlds, cuts, rng)

# %% [markdown]
# Six of the ten networks (59<!-- {least} --> to 347<!-- {most} --> people), every feature that between 10 and 90 % have, twelve cuts each. Beside the paper's law with
# $\tau = 1$ we ask the same law with $\tau$ fitted to the known half: of the powers of ten from $10^{-2}$ to $10^3$ the one of largest likelihood. (A third law
# follows below.) Two controls run through the same
# lines of code. *Shuffled*: the profiles are dealt out to the people anew; friends are strangers, and only the mean is left. *Simulated*:
# each feature is replaced by a draw from the law itself. There the law is true by construction, up to
# its $\tau$ where that has to be found again from the known half; what is achieved should come out about as predicted. One rule for all laws: a law counts as *right within a factor of two* if the 95 % interval of achieved
# over predicted surplus, pooled over the networks, lies between 1/2 and 2. The controls tell whether the instrument can see a factor of two at all.

# %% jupyter={"source_hidden": true} tags=["set-up"]
NEAR = [1.02, 1.1, 1.2, 1.4, 1.7, 2.2]
LOOKS = {"shuffled": ("grey", "s"), "simulated": ("green", "D")}
LOOKS["real"] = ("blue", "o")
SHORT = {"plain": "τ = 1, not fitted", "paper": "τ fitted by likelihood"}
SHORT["equal"] = "equal variances, τ fitted"


def against(law, ax):
    """Draw achieved against predicted amplification of the count among friends."""
    ends = np.array([0.9, 2.9])
    ax.plot(ends, ends, color="black", lw=1, ls="--")
    for name, (colour, marker) in LOOKS.items():
        at, value, low, high, _ = binned(found[law, name], NEAR)
        shift = {"shuffled": -0.024, "simulated": 0.024, "real": 0}[name]
        ax.errorbar(
            at + shift, value, [value - low, high - value],
            fmt=marker, ms=5 if name == "real" else 4, capsize=2,
            lw=1.8 if name == "real" else 1, color=plots.COLOURS[colour],
            mfc=None if name == "real" else "white", label=name,
        )  # fmt: skip
    ax.set(title=SHORT[law], xlabel="predicted amplification")


# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The paper's law and the count among friends, six networks. Dashed, achieved = predicted. Bars, 95 %, kinds of features as units. Left, with \u03c4 = 1 the real profiles keep near the line, but for the last point, which lies below it. Right, with \u03c4 fitted they lie far above it. Simulated profiles keep near the line on the left; on the right they fall short, with 0.72 (0.48 to 0.95) of the predicted surplus.", "name": "fig-cor-10-paper"}, "image": {"alt": "Two panels, achieved against predicted amplification. Left, blue dots rise with the dashed diagonal from 1 to about 2, grey squares below it. Right, blue dots rise steeply and stand far above the diagonal. Green diamonds are close to the diagonal on the left, and on the right below it where more is predicted."}} tags=["figure"]
fig, axes = plots.panels(1, 2, width=9.2, height=4.2, sharey=True)
for law, ax in zip(("plain", "paper"), axes):
    against(law, ax)
axes[0].set(ylabel="achieved amplification")
axes[0].legend(loc="upper left")
plt.show()
plain_near = binned(found["plain", "real"], NEAR)
paper_near = binned(found["paper", "real"], NEAR)
assert np.all(abs(plain_near[1] - plain_near[0]) < 0.35 * plain_near[0])
assert np.all(np.diff(plain_near[1]) > 0) and plain_near[1, -1] > 1.7
grey = binned(found["plain", "shuffled"], NEAR)
assert np.all(grey[1, 1:] < grey[0, 1:])
assert np.all(paper_near[2, 1:5] > paper_near[0, 1:5])  # intervals above the line
assert paper_near[1, 2:5].min() > 1.6


# %% [markdown]
# On the left the real profiles keep near the line, except where most is predicted: the last point has 2.69<!-- {in_text['last-predicted']:.2f} -->
# predicted and 2.09<!-- {in_text['last-achieved']:.2f} --> achieved, and its bar, up to 2.29<!-- {in_text['last-high']:.2f} -->, does not reach the line. Pooled:

# %% jupyter={"source_hidden": true} tags=["set-up"]
def pooled(law, name):
    """Predicted and achieved surplus among friends, their ratio, its interval."""
    entries = found[law, name]
    square = entries["square"]
    predicted = square @ (entries["predicted"][1] - 1) / square.sum()
    achieved = (entries["product"][1] - square).sum() / square.sum()
    R, error, G = surplus(entries)
    low, high = interval(R, error, G)
    return R, span(low, high), predicted, achieved


def surplus_table(laws, caption):
    which = list(product(laws, ("real", "simulated", "shuffled")))
    rows = [pooled(*key) for key in which]
    heads = ("achieved / predicted", "95 %", "predicted surplus", "achieved surplus")
    columns = {"law": [SHORT[law] for law, _ in which]} if len(laws) > 1 else {}
    columns |= {"profiles": [name for _, name in which]}
    columns |= {head: [row[k] for row in rows] for k, head in enumerate(heads)}
    return table(columns, formats=dict.fromkeys(heads, ".2f"), caption=caption)


surplus_table(
    ("plain", "paper"), "Surplus in the count among friends, six networks."
)

# %% [markdown]
# With $\tau = 1$ real profiles have 0.95<!-- {in_text['plain']:.2f} --> times the predicted surplus: about right. Could the instrument have told us otherwise? On
# simulated profiles the interval lies close to 1, well inside 1/2 and 2; its upper end, 0.99<!-- {in_text['made-plain-high']:.2f} -->, just misses 1. On shuffled ones there is still 0.51<!-- {in_text['null']:.2f} --> of what this law predicts,
# although friends are strangers: who believes in them makes the same mistakes about people with the same known friends, and mistakes in common count
# as surplus. So for $\tau = 1$ "nothing there" reads 0.51<!-- {in_text['null']:.2f} -->, not 0; the real profiles lie clearly above it.
#
# The fitted law is 5.7<!-- {in_text['paper']:.1f} --> times too low. This is no constant of nature. In 65%<!-- {in_text['edge-paper']:.0%} --> of all fits the likelihood is largest at $\tau = 1000$,
# the last value of our grid: it asks for next to no correlation. (On a grid that goes on to $10^7$, 72%<!-- {in_text['onwards']:.0%} --> of these run to its end.) The predicted surplus is close to 0, and what we divide by is
# decided by where we stopped.
#
# On its own draws this law errs the other way: they have 0.72<!-- {in_text['made-paper']:.2f} --> (0.48<!-- {in_text['made-paper-low']:.2f} --> to
# 0.95<!-- {in_text['made-paper-high']:.2f} -->) of the surplus that it predicts, and the interval excludes 1. Part of that is the fit. Of the draws
# 57%<!-- {in_text['edge-true']:.0%} --> are made with $\tau = 1000$, of the fits to a half of them 46%<!-- {in_text['edge-made']:.0%} --> find it; the others
# believe in a smaller $\tau$, that is in more correlation than there is. How much of the rest is chance, one draw
# does not tell. So this control is weaker. Data with twice the surplus that it predicts would read 1.43<!-- {in_text['doubled']:.2f} --> (0.96<!-- {in_text['doubled-low']:.2f} --> to 1.90<!-- {in_text['doubled-high']:.2f} -->), and 1 would be
# inside: it does not vouch for a factor of two downwards. But it rules out that a fit to half of the people makes the surplus of
# the real profiles look several times *larger* than predicted.
#
# ## Where does the grid end?
#
# Let the grid end at 10 or at 1,000, and do without a fit at $\tau = 0.1$ and 1. And ask four networks that had no part so far (547<!-- {shown_few} --> to
# 1,045<!-- {people_107} --> people; two cuts each, for they are large).

# %%
rng = np.random.default_rng(6)
grids = [TAUS[1:2], TAUS[2:3], TAUS[:4], TAUS]  # two fixed
asked = {"paper": [], "equal": []}
for ego in (*EGOS, 3437, 1912, 1684, 107):
    worlds[ego] = friends, kinds, values = people(ego)
    labels = labelled(kinds, ego=ego)
    splits = cuts.get(ego) or list(halves(len(friends), 2, rng))
    for scale, fields in covariances(friends).items():
        entries = compare(friends, labels, values, fields, splits, grids)
        asked[scale].append(entries)

# %% jupyter={"source_hidden": true} tags=["set-up"]
STEPS = ["τ = 0.1", "τ = 1", "τ fitted, up to 10", "τ fitted, up to 1,000"]
among = {}
for scale, parts in asked.items():
    for g in range(len(grids)):
        for six in (True, False):
            chosen = [e for e in parts if (e["labels"][2, 0] in EGOS) == six]
            some = [only(entries, entries["grid"] == g) for entries in chosen]
            among[scale, g, six] = surplus(compared(some))


def grid_table(scale, caption):
    columns = {"τ": STEPS}
    for six, who in ((True, "six networks"), (False, "four larger")):
        rows = [among[scale, g, six] for g in range(len(grids))]
        columns[who] = [row[0] for row in rows]
        ends = [interval(*row) for row in rows]
        columns[f"95 %, {who}"] = [span(*pair) for pair in ends]
    formats = {"six networks": ".2f", "four larger": ".2f"}
    return table(columns, formats=formats, caption=caption)


grid_table("paper", "Paper's scale: achieved over predicted surplus among friends.")

# %% [markdown]
# On the four as well $\tau = 1$ is right within a factor of two, pooled as before, and the fitted law is wrong by whatever the grid allows. Without a
# fit it hardly matters whether $\tau$ is 0.1 or 1.
#
# ## Why does the fit run away?
#
# In this model a person with many friends hardly varies: given the others, the variance of $x_i$ is $1/(d_i + \tau)$. A column of
# zeros and ones does not do that. Take the third of the people with the fewest friends and the third with the most:

# %%
contrast = []
for friends, _, values in map(worlds.get, EGOS):
    order = np.argsort(friends.sum(axis=1), kind="stable")
    third = len(order) // 3
    spread = np.square(values - values.mean(axis=0)).mean(axis=1)
    model = covariances(friends, [1.0])["paper"][1.0].diagonal()  # τ = 1
    few, many = order[:third], order[-third:]
    contrast.append([v[few].mean() / v[many].mean() for v in (spread, model)])
print("profiles:", *(f"{real:5.1f}" for real, _ in contrast))
print("model:   ", *(f"{model:5.1f}" for _, model in contrast))

# %% [markdown]
# The variances are about the same; the law at $\tau = 1$ has them differ by factors of 5 to 10. The likelihood minds that much: for all
# people at once it is 3927<!-- {in_text['loss-plain']:.0f} --> units *below* that of independence, for a law whose surplus is about right. Its one
# way to make the variances equal is a large $\tau$; and then there is no correlation either.
#
# That variances of such laws follow the graph, wanted or not, is known from disease maps {cite:p}`wall2004close`; one scales it away
# {cite:p}`sorbye2014scaling`. So keep the network, keep $\tau$, and let $x_i = y_i/\mathrm{sd}(y_i)$ with $y$ from the paper's law. All
# variances are 1, the precision is still that of a Gaussian network of the same links, and the leakage of the weak
# attacker who knows the mean becomes a sum of correlations,
#
# $$ 1 + \ell_i = \sum_j \operatorname{corr}(y_i, y_j). $$
#
# Nothing else changes, and there is no further parameter. Does a fit now stay where the correlations are?

# %% jupyter={"source_hidden": true} tags=["set-up"]
grid_table(
    "equal", "Equal variances: achieved over predicted surplus among friends."
)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Achieved over predicted surplus among friends. Bars, 95 %; grey, a factor of two. Without a fit both scales are right within it; with the paper's scale a fit leads away, the further the longer the grid; with equal variances the end hardly matters, but the bars of the four larger networks then cross the edge of the band, to 2.10 and 2.15.", "name": "fig-cor-10-grid"}, "image": {"alt": "Eight rows with two marks each on a logarithmic axis. For \u03c4 of 0.1 and 1 all marks are near 1. For the paper's scale with \u03c4 fitted they move right, from about 1.5 and 2 to about 5 and 19, as the grid grows. For equal variances with \u03c4 fitted they stay between 1.1 and 1.8."}} tags=["figure"]
fig, ax = plots.panels(width=7.2, height=4.6)
ax.axvspan(0.5, 2, color="grey", alpha=0.15, lw=0)
ax.axvline(1, color="black", lw=1, ls="--")
rows = list(product(("paper", "equal"), range(4)))
for six, colour, marker in ((True, "blue", "o"), (False, "orange", "s")):
    at = -np.arange(len(rows)) + (0.14 if six else -0.14)
    R = np.array([among[scale, g, six][0] for scale, g in rows])
    ends = np.array([interval(*among[scale, g, six]) for scale, g in rows])
    ax.errorbar(
        R, at, xerr=[R - ends[:, 0], ends[:, 1] - R], fmt=marker, ms=5, capsize=2,
        color=plots.COLOURS[colour], label="six networks" if six else "four larger",
    )  # fmt: skip
ax.set(xscale="log", xlim=(0.3, 40), xlabel="achieved / predicted surplus")
ax.set_xticks([0.5, 1, 2, 5, 10, 20], ["0.5", "1", "2", "5", "10", "20"])
words = {"paper": "paper's scale", "equal": "equal variances"}
ax.set_yticks(-np.arange(len(rows)), [f"{words[s]}, {STEPS[g]}" for s, g in rows])
ax.legend(loc="lower right")
plt.show()
marked = {key: row[0] for key, row in among.items()}
for six in (True, False):
    assert all(0.75 < marked[s, g, six] < 1.5 for s in words for g in (0, 1))
    assert marked["paper", 3, six] > 2 * marked["paper", 2, six]
    assert all(1.1 < marked["equal", g, six] < 1.8 for g in (2, 3))
assert 4 < marked["paper", 3, True] < 6.5 and 17 < marked["paper", 3, False] < 21

# %% [markdown]
# It does. Only 16%<!-- {in_text['edge-equal']:.0%} --> of the fits stand on the last value of the grid, and its end hardly matters. And the fitted law is likelier: over
# independent people it gains 847<!-- {in_text['gain-equal']:.0f} --> units of log likelihood, the paper's scale with $\tau$ fitted 263<!-- {in_text['gain-paper']:.0f} -->. But as a
# prediction of leakage it is no better than $\tau = 1$ without a fit: 1.37<!-- {in_text['equal']:.2f} --> on the six, right within a factor of
# two but too low, with 1 outside its interval; on the four 1.60<!-- {in_text['held-equal']:.2f} --> (1.06<!-- {in_text['held-equal-low']:.2f} --> to
# 2.15<!-- {in_text['held-equal-high']:.2f} -->), which excludes 1 and does not keep within the factor of two. Equal variances had been thought of before the four
# were looked at; so the four are a test that the fitted law does not pass. What it repairs is the fit.

# %% jupyter={"source_hidden": true} tags=["set-up"]
surplus_table(("equal",), "Equal variances, τ fitted: six networks with controls.")

# %% [markdown]
# By network, with $\tau = 1$, then with $\tau$ fitted on the longest grid at both scales:

# %% jupyter={"source_hidden": true} tags=["set-up"]
COLUMNS = {"τ = 1": ("paper", 1), "fitted": ("paper", 3)}
COLUMNS["equal variances, fitted"] = ("equal", 3)
rows, per_network = [], {}
for k, (ego, (friends, kinds, _)) in enumerate(worlds.items()):
    size = len(friends), int(friends.sum() / 2), len(kinds)
    told = [(asked[scale][k], g) for scale, g in COLUMNS.values()]
    per_network[ego] = [surplus(only(e, e["grid"] == g))[0] for e, g in told]
    rows.append([str(ego), *size, *per_network[ego]])
heads = ["network", "people", "friendships", "features", *COLUMNS]
table(
    {head: [row[k] for row in rows] for k, head in enumerate(heads)},
    formats=dict.fromkeys(COLUMNS, ".1f"),
    caption="Achieved over predicted surplus among friends, by network; the last "
    "four are the larger ones.",
)

# %% [markdown]
# With $\tau = 1$ single networks range from 0.4<!-- {in_text['net-least']:.1f} --> to 1.5<!-- {in_text['net-most']:.1f} -->. Within a factor of two are the two pools, not each network.

# %% jupyter={"source_hidden": true} tags=["evidence"]
low, high = (
    {key: interval(*surplus(part))[side] for key, part in found.items()}
    for side in (0, 1)
)
ratio_of = {key: surplus(part)[0] for key, part in found.items()}
error_of = {key: surplus(part)[1] for key, part in found.items()}


def augmented(friends, *, equal):
    """Precision at τ = 1, the unknown mean as one more tuple."""
    P = np.diag(friends.sum(axis=1) + 1) - friends
    sd = np.sqrt(np.linalg.inv(P).diagonal()) if equal else np.ones(len(P))
    P = P * np.outer(sd, sd)
    edge = -P.sum(axis=1)[:, None]
    return np.block([[P, edge], [edge.T, P.sum()]])


friends, kinds, values = worlds[3980]
known, unknown = next(halves(len(friends), 1, np.random.default_rng(8)))
given = [int(j) for j in known]
fast, slow = [], []
for scale in ("paper", "equal"):
    _, S = beliefs(covariances(friends, [1.0])[scale][1.0], known, unknown)
    near = friends[np.ix_(unknown, unknown)] + np.eye(len(unknown))
    fast.append([S.sum(axis=1) / S.diagonal(), (S * near).sum(axis=1) / S.diagonal()])
    P = augmented(friends, equal=scale == "equal")
    everybody = GaussianModel(precision=P, weights=np.append(np.ones(len(friends)), 0), width=1)
    whole, circles = [], []
    for i in map(int, unknown):
        circle = GaussianModel(precision=P, weights=np.append(friends[i], 0), width=1)
        whole.append(1 + everybody.leakage_coefficient(i, given))
        circles.append(1 + circle.leakage_coefficient(i, given))
    slow.append([whole, circles])
HALF, TWICE = np.full(3, 0.5), np.full(3, 2.0)  # the bounds, the same for all laws
edge = {}  # share of the fits that stand on the last value of the longest grid
for scale, parts in asked.items():
    last = [only(entries, entries["grid"] == 3) for entries in parts]
    for six in (True, False):
        some = [e["tau"] for e in last if (e["labels"][2, 0] in EGOS) == six]
        edge[scale, six] = (np.concatenate(some) > 999).mean()
larger = {key: interval(*among[(*key, False)]) for key in product(asked, range(4))}
true_edge = []  # whether a draw has the last value, for as many people as are asked
for ego, splits in cuts.items():
    fields, values = covariances(worlds[ego][0])["paper"], worlds[ego][2]
    best = np.argmax([likelihood(K, values)[0] for K in fields.values()], axis=0)
    true_edge.append(np.tile(best == len(TAUS) - 1, len(splits[0][1])))
asked_for = []  # of the fits at the end: where a longer grid stops them, people
for ego, splits in cuts.items():
    friends, _, values = worlds[ego]
    fields = covariances(friends, 10.0 ** np.arange(-2, 8))["paper"].values()
    for known, unknown in splits:
        varied = values[known][:, values[known].std(axis=0) > 0]
        logs = [likelihood(K[np.ix_(known, known)], varied)[0] for K in fields]
        at_end = np.argmax(logs[: len(TAUS)], axis=0) == len(TAUS) - 1
        stops = np.argmax(logs, axis=0)[at_end]
        asked_for.append([stops, np.full(len(stops), len(unknown))])
stops, count = np.hstack(asked_for)
fits_at_end = found["paper", "real"]["tau"] > 999
assert count.sum() == fits_at_end.sum()
onwards = count[stops == 9].sum() / count.sum()
single = [by_law[0] for by_law in per_network.values()]
with claim("Y-B41") as c:
    names = [(law, "simulated") for law in ("plain", "equal")]
    made = [ratio_of[name] for name in names]
    errors = [error_of[name] for name in names]
    label = "simulated profiles: achieved over predicted surplus, two laws"
    c.decisive("simulated").sampled(made, np.ones(2), label, stderr=errors)
    label = "1/2, lower ends, τ = 1 and equal variances"
    ends = [low[law, "simulated"] for law in ("plain", "equal")]
    c.decisive("simulated").at_most(HALF[:2], ends, label)
    names = [(law, "simulated") for law in SHORT]
    label = "upper ends, three laws: 2"
    c.decisive("simulated").at_most([high[name] for name in names], TWICE, label)
    short = "paper", "simulated"
    label = "paper's scale, τ fitted: achieved over predicted surplus"
    reach = high[short] - ratio_of[short]
    c.limit(1.0, float(ratio_of[short]), label, atol=reach)
    c.close(fast, slow, "amplification: package, the mean as a tuple", rtol=1e-6)
with claim("Y-B42") as c:
    here = low["plain", "real"], high["plain", "real"]
    ends = np.array([here, larger["paper", 1]])
    label = "τ = 1: 1/2, lower ends on six networks and on four"
    c.decisive("sampled").at_most(HALF[:2], ends[:, 0], label)
    label = "τ = 1: upper ends on six networks and on four, 2"
    c.decisive("sampled").at_most(ends[:, 1], TWICE[:2], label)
    label = "τ = 1: upper end for shuffled profiles, lower end for real ones"
    c.decisive("sampled").at_most(high["plain", "shuffled"], here[0], label)
    ends = [low["paper", "real"], larger["paper", 3][0]]
    label = "τ fitted: 1, lower ends on six networks and on four"
    c.decisive("sampled").at_most([1, 1], ends, label)
    end = {g: [among["paper", g, six][0] for six in (True, False)] for g in (2, 3)}
    label = "τ fitted: twice the ratio on the grid up to 10, that up to 1,000"
    c.decisive("sampled").at_most(2 * np.array(end[2]), end[3], label)
    label = "1/2, share of the fits on the last value of the grid"
    c.at_most(HALF[:2], [edge["paper", True], edge["paper", False]], label)
    model = [model for _, model in contrast]
    c.at_most(4, model, "τ = 1: variance with few friends over that with many")
    c.at_most([real for real, _ in contrast], 1.25, "the same of the profiles")
with claim("Y-B43") as c:
    label = "1/2, lower end on six networks"
    c.decisive("sampled").at_most(HALF[0], low["equal", "real"], label)
    label = "upper end on six networks, 2"
    c.decisive("sampled").at_most(high["equal", "real"], TWICE[0], label)
    label = "fits on the last value: twice equal variances' share, paper's scale"
    ours = [edge["equal", six] for six in (True, False)]
    paper = [edge["paper", six] for six in (True, False)]
    c.decisive("sampled").at_most(2 * np.array(ours), paper, label)
    c.at_most(2 * gains["paper"], gains["equal"], "log likelihood gained")
    value, error, G = among["equal", 3, False]
    label = "four larger networks: achieved over predicted surplus"
    c.limit(1.0, float(value), label, atol=stats.t.ppf(0.975, G - 1) * error)
for name, value in {
    **{law: ratio_of[law, "real"] for law in SHORT},
    "gain-paper": gains["paper"], "gain-equal": gains["equal"],
    "loss-plain": -gains["plain"], "null": ratio_of["plain", "shuffled"],
    "edge-paper": (found["paper", "real"]["tau"] > 999).mean(),
    "edge-equal": (found["equal", "real"]["tau"] > 999).mean(),
    "edge-held": edge["paper", False],
    "held-plain": among["paper", 1, False][0],
    "held-equal": among["equal", 3, False][0],
    "held-equal-low": larger["equal", 3][0], "held-equal-high": larger["equal", 3][1],
    "last-predicted": plain_near[0, -1], "last-achieved": plain_near[1, -1],
    "last-high": plain_near[3, -1], "made-plain-high": high["plain", "simulated"],
    "made-paper": ratio_of[short], "made-paper-low": low[short],
    "made-paper-high": high[short], "edge-true": np.concatenate(true_edge).mean(),
    "edge-made": (found[short]["tau"] > 999).mean(), "onwards": onwards,
    "doubled": 2 * ratio_of[short], "doubled-low": 2 * low[short],
    "doubled-high": 2 * high[short],
    "net-least": min(single), "net-most": max(single),
}.items():  # fmt: skip
    in_text[f"{name}"] = round(float(value), 6)
shown_few = len(worlds[3437][0])
least = min(len(worlds[ego][0]) for ego in EGOS)
most = max(len(worlds[ego][0]) for ego in EGOS)
assert surplus(found["equal", "real"])[2] == 14  # kinds
told = [f"{part[short]:.2f}" for part in (ratio_of, low, high)]
assert told == ["0.72", "0.48", "0.95"]  # as the captions say
assert [f"{larger['equal', g][1]:.2f}" for g in (2, 3)] == ["2.10", "2.15"]
assert plain_near[3, -1] < plain_near[0, -1]
others = [2 * low[law, "simulated"] for law in ("plain", "equal")]
assert 2 * low[short] < 1 < min(others)  # twice the surplus: who excludes 1
factors = [model for _, model in contrast]
assert (round(min(factors)), round(max(factors))) == (5, 10)
people_107 = f"{len(worlds[107][0]):,}"

# %% [markdown]
# ## How far do the odds move?
#
# Leakage is about odds. Release the count among friends with $\mathrm{Lap}(1/\varepsilon)$, $\varepsilon = 1$: enough for differential privacy.
# The attacker's model has an answer for each output $r$. Given $x_i$ the count is normal with a mean that moves by $1 + \ell_i$, so with $g$ the density of Laplace plus normal noise
#
# $$ \text{change of log odds} = \log \frac{g\bigl(r - \varphi - (1 + \ell_i)(1 - p_i)\bigr)}{g\bigl(r - \varphi + (1 + \ell_i)\, p_i\bigr)}, $$
#
# between $\pm(1 + \ell_i)\,\varepsilon$, as in the paper (`gaussian.log_ratio`; $p_i$ is what the attacker believed before, cut off at 0.02 and
# 0.98). If the model is right, logistic regression of the truth on prior log odds plus $\beta$ times this change finds $\beta = 1$; with $\beta > 1$ the odds should have moved further, and the model understates the leakage.

# %% jupyter={"source_hidden": true} tags=["set-up"]
EPSILON = 1.0


def changes(friends, labels, values, fields, splits, noise):
    """Release counts among friends: predicted change of log odds, belief, truth."""
    parts = []
    for (known, unknown), drawn_noise in zip(splits, noise):
        near = friends[np.ix_(unknown, unknown)] + np.eye(len(unknown))
        for _, f, believed, S, scale, _ in forecasts(fields, values, known, unknown):
            amps = (S * near).sum(axis=1) / S.diagonal()
            rest = ((near @ S) * near).sum(axis=1) - amps**2 * S.diagonal()
            truth = values[np.ix_(unknown, f)]
            heard = near @ (truth - believed) + drawn_noise[:, unknown][..., f]
            p = believed.clip(0.02, 0.98)
            moved = np.empty(heard.shape)
            for i, c in product(range(len(unknown)), range(len(f))):
                up = amps[i] * (1 - p[i, c])  # what the count's mean is if x_i = 1
                spread = np.sqrt(max(rest[i] * scale[c], 0))
                moved[:, i, c] = gaussian.log_ratio(
                    heard[:, i, c] - up, -amps[i], scale=1 / EPSILON, sigma=spread
                )
            parts.append(heard_as(moved, p, truth, labels[:, f]))
    return compared(parts)


def heard_as(moved, p, truth, labels):
    """One entry for each release; axes: release, person, feature."""
    shape = moved.shape
    wide = np.broadcast_to(labels[:, None, None, :], (len(labels), *shape))
    return {
        "change": moved.ravel(),
        "belief": np.broadcast_to(p, shape).ravel(),
        "truth": np.broadcast_to(truth, shape).ravel(),
        "labels": wide.reshape(len(labels), -1),
    }


def slope(heard):
    """Achieved over predicted change of log odds, by logistic regression."""
    change, prior, truth = heard["change"], logit(heard["belief"]), heard["truth"]
    beta = 1.0
    for _ in range(12):
        p = expit(prior + beta * change)
        pull, weight = change * (truth - p), change**2 * p * (1 - p)
        beta += pull.sum() / weight.sum()
    _, error, G = ratio(pull, weight, heard["labels"][1])
    return beta, error, G


def score(heard):
    """Mean log score, before and after the release."""
    prior, sign = logit(heard["belief"]), 2 * heard["truth"] - 1
    before, after = prior, prior + heard["change"]
    return [np.log(expit(sign * v)).mean() for v in (before, after)]


# %% jupyter={"source_hidden": true} tags=["set-up"]
def one_cut(world, rng):
    """A cut, the noise, the laws, and what each law makes of the noisy counts."""
    friends, kinds, values = world
    split = list(halves(len(friends), 1, rng))
    noise = rng.laplace(0, 1 / EPSILON, (1, 4, *values.shape))
    labels = labelled(kinds)
    laws = {"independent": {np.inf: np.eye(len(friends))}} | three_laws(friends)
    told = {
        name: changes(friends, labels, values, law, split, noise)
        for name, law in laws.items()
    }
    return split, noise, laws, told


def by_name(told):
    """What was told of all networks, by the name of the law."""
    return {name: compared([part[name] for part in told]) for name in told[0]}


rng = np.random.default_rng(3)
heard = []
for world in map(worlds.get, EGOS):
    split, noise, laws, told = one_cut(world, rng)
    friends, kinds, values = world
    shuffled = values[rng.permutation(len(values))]
    told["null"] = changes(
        friends, labelled(kinds), shuffled, laws["equal"], split, noise
    )
    heard.append(told)
heard = by_name(heard)

# %% jupyter={"source_hidden": true} tags=["set-up"]
NAMES = {
    "independent": "independent, mean unknown", "plain": "network, τ = 1, not fitted",
    "paper": "network, τ fitted", "equal": "network, equal variances, τ fitted",
    "null": "the same, profiles shuffled",
    "Ising": "Ising network",
}  # fmt: skip


def odds_table(told, caption):
    rows = {name: (*slope(part), score(part)) for name, part in told.items()}
    ends = [interval(*row[:3]) for row in rows.values()]
    columns = {
        "law": [NAMES[name] for name in rows],
        "mean |change|": [abs(part["change"]).mean() for part in told.values()],
        "achieved / predicted": [row[0] for row in rows.values()],
        "95 %": [span(*pair) for pair in ends],
        "score before": [row[3][0] for row in rows.values()],
        "score after": [row[3][1] for row in rows.values()],
    }
    formats = {"mean |change|": ".2f", "achieved / predicted": ".2f"}
    formats |= {"score before": ".3f", "score after": ".3f"}
    return table(columns, formats=formats, caption=caption)


odds_table(
    heard,
    "Change of the log odds (nats) by the count among friends, six networks. Score: "
    "mean log probability that the attacker gave to the truth, nats.",
)

# %% [markdown]
# Who takes friends for strangers has to multiply the change by 1.33<!-- {in_text['odds-independent']:.2f} -->, with $\tau$ fitted at the paper's scale by
# 1.20<!-- {in_text['odds-paper']:.2f} -->. With $\tau = 1$ the factor is 0.92<!-- {in_text['odds-plain']:.2f} -->: the change is, if anything, overstated, which is the safe side. Here the
# fit with equal variances does best, 0.99<!-- {in_text['odds-equal']:.2f} -->, and its log score is the best of all before and after: it knows better what
# to believe about a person, and that is what likelihood asks for.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Change of the log odds: what four laws predict and what logistic regression finds in real profiles, by size of the predicted change. Bars, 95 %. Equal variances and \u03c4 = 1 keep near the line.", "name": "fig-cor-10-odds"}, "image": {"alt": "Four rising series against the dashed diagonal, from 0.1 to about 1.8 nats. The independent law and the fitted \u03c4 lie above it, equal variances and \u03c4 = 1 near it."}} tags=["figure"]
fig, ax = plots.panels(width=6.4, height=4.2)
ax.plot([0, 1.9], [0, 1.9], color="black", lw=1, ls="--")
sizes_ = [0.2, 0.5, 0.8, 1.1, 1.5]
marks = {"independent": ("orange", "v"), "paper": ("purple", "s")}
marks |= {"plain": ("green", "D"), "equal": ("blue", "o")}
drawn_points = {}
for name, (colour, marker) in marks.items():
    size = abs(heard[name]["change"])
    points = []
    for b in range(len(sizes_) + 1):
        part = only(heard[name], np.digitize(size, sizes_) == b)
        if len(part["truth"]) < 500:
            continue
        beta, error, G = slope(part)
        at = abs(part["change"]).mean()
        points.append([at, at * beta, at * (interval(beta, error, G)[1] - beta)])
    at, value, reach = drawn_points[name] = np.array(points).T
    ax.errorbar(at, value, reach, fmt=marker, ms=5, capsize=2, lw=1.3,
                color=plots.COLOURS[colour], label=NAMES[name])  # fmt: skip
ax.set(xlabel="predicted |change of log odds|", ylabel="achieved")
ax.legend()
plt.show()
for name in ("independent", "paper"):
    assert np.all(drawn_points[name][1, 1:] > drawn_points[name][0, 1:])
at, value, reach = drawn_points["equal"]
assert np.all(abs(value - at) < 1.5 * reach) and at[-1] < 1.9
at, value, _ = drawn_points["plain"]
assert np.all(abs(value - at)[1:] < 0.3 * at[1:])

# %% [markdown]
# ## Zeros and ones are not normal
#
# A feature has two values, and the law made for that is the Ising model: friends who agree count $e^{J}$, friends who differ
# $e^{-J}$. [*When is one attacker hard to compute?*](correlated-what-is-hard.ipynb) computes its leakage exactly where the graph is narrow, and in the same way one gets the likelihood
# of the known half. Of our networks only the two smallest are narrow enough (treewidth 7 and 12 by a greedy bound; the third has 41).

# %% jupyter={"source_hidden": true} tags=["set-up"]
COUPLINGS, FIELDS = np.array([0, 0.1, 0.2, 0.4]), np.linspace(-2, 2, 81)


def pair(J):
    """Potentials of two friends with spins ±1."""
    return [[np.exp(J), np.exp(-J)], [np.exp(-J), np.exp(J)]]


def mass(model, J, friends, known):
    """Log of the weight of all databases with these known values, for each field."""
    start = np.full(len(friends), -1)  # spins of the database with 0 for the unknown
    for j, value in known.items():
        start[j] = 2 * value - 1
    target = next(j for j in range(len(start)) if j not in known)
    counts, law = model.joint_distribution(target, known)
    law = law.sum(axis=0)
    weight = J * (start @ friends @ start) / 2 - np.log(law[0])
    log = weight + np.log(law.clip(1e-300))
    return logsumexp(log[:, None] + np.outer(2 * counts - len(start), FIELDS), axis=0)


def near_law(graph, i, known, J, field):
    """Exact law of x_i and of the count among i and its unknown friends."""
    block, rim = {i}, {i}
    while rim:  # the unknown that hang together with i
        rim = {v for j in rim for v in graph[j] if v not in known} - block
        block, rim = block | rim, rim if J else set()
    order = [i, *sorted(block - {i})]
    number = {j: k for k, j in enumerate(order)}
    factors = {}
    for j in order:
        pull = field + J * sum(2 * known[v] - 1 for v in graph[j] if v in known)
        factors[number[j],] = [np.exp(-pull), np.exp(pull)]
        for v in graph[j]:
            if number.get(v, -1) > number[j]:
                factors[number[j], number[v]] = pair(J)
    inside = {i, *graph[i]}
    steps = [(0, 1) if j in inside else (0, 0) for j in order]
    return MarkovRandomField(factors, steps).joint_distribution(0)


def ising_changes(friends, labels, values, splits, noise):
    """As `changes`, with an Ising law: exact likelihood on a grid."""
    graph = nx.from_numpy_array(friends)
    tuples = [(0, 1)] * len(graph)
    models = [
        MarkovRandomField(dict.fromkeys(graph.edges, pair(J)), tuples) for J in COUPLINGS
    ]
    everything = [mass(m, J, friends, {}) for m, J in zip(models, COUPLINGS)]
    parts = []
    for (known, unknown), drawn_noise in zip(splits, noise):
        for f in np.flatnonzero(values[known].std(axis=0) > 0):
            x = values[:, f].astype(int)
            given = {int(j): int(x[j]) for j in known}
            fits = [
                mass(m, J, friends, given) - total
                for m, J, total in zip(models, COUPLINGS, everything)
            ]
            a, b = np.unravel_index(np.argmax(fits), (len(COUPLINGS), len(FIELDS)))
            moved, believed = [], []
            for i in unknown:
                counts, law = near_law(graph, int(i), given, COUPLINGS[a], FIELDS[b])
                inside = [i, *(j for j in graph[i] if j not in given)]
                out = x[inside].sum() + drawn_noise[:, i, f]
                heard = np.exp(-EPSILON * abs(out - counts[:, None]))
                odds = law @ heard
                moved.append(np.log(odds[1] / odds[0] * law[0].sum() / law[1].sum()))
                believed.append(law[1].sum())
            moved = np.array(moved).T[:, :, None]
            p = np.array(believed)[:, None].clip(0.02, 0.98)
            parts.append(heard_as(moved, p, x[unknown][:, None], labels[:, [f]]))
    return compared(parts)


# %% jupyter={"source_hidden": true} tags=["set-up"]
rng = np.random.default_rng(4)
beside = []
for ego in (3980, 698):
    split, noise, _, told = one_cut(worlds[ego], rng)
    friends, kinds, values = worlds[ego]
    told["Ising"] = ising_changes(friends, labelled(kinds), values, split, noise)
    beside.append(told)
beside = by_name(beside)

# %% jupyter={"source_hidden": true} tags=["set-up"]
odds_table(
    beside,
    "The same on networks 3980 and 698 alone, one cut, five laws side by side.",
)

# %% [markdown]
# The Ising law does no better here: the intervals overlap, and on two networks of sixty people nothing more can be said. Its
# likelihood is evaluated exactly, on a grid of 4 couplings and 81 fields, but then its external field is plugged in as if it were known; part of what it understates may again be the mean.
#
# ## What the zeros hide
#
# A zero also means *not filled in*. Do friends merely share the habit of leaving a field empty? Keep for each kind only the people who filled in
# something of that kind, with the friendships among them, and begin again:

# %% jupyter={"source_hidden": true} tags=["set-up"]
rng = np.random.default_rng(5)
answered = {}
for ego in EGOS:
    for kind in sorted({k for other in EGOS for k in worlds[other][1]}):
        friends, kinds, values = people(ego, filled_in=kind)
        if len(friends) < 40 or not len(kinds):
            continue
        labels = labelled(kinds)
        splits = list(halves(len(friends), 3, rng))
        for law, fields in three_laws(friends).items():
            entries = compare(friends, labels, values, fields, splits)
            answered.setdefault(law, []).append(entries)
answered = {scale: compared(parts) for scale, parts in answered.items()}

# %% jupyter={"source_hidden": true} tags=["set-up"]
rows = {s: surplus(part) for s, part in answered.items()}
ends = {s: interval(*row) for s, row in rows.items()}
table(
    {"law": [NAMES[s] for s in rows],
     "achieved / predicted": [row[0] for row in rows.values()],
     "95 %": [span(*pair) for pair in ends.values()]},
    formats={"achieved / predicted": ".2f"},
    caption="Surplus among friends, only people who filled in the kind; three cuts.",
)  # fmt: skip

# %% [markdown]
# The habit is not the whole of it: with $\tau = 1$ the surplus is still about right, 1.00<!-- {shown_answered:.2f} --> of what is predicted. Both fitted laws understate it.

# %% jupyter={"source_hidden": true} tags=["evidence"]
betas = {name: slope(part) for name, part in heard.items()}
reach_of = {name: interval(*row) for name, row in betas.items()}


def deviance(name, beta):
    """Log likelihood of the truth if the predicted change is taken times beta."""
    told = heard[name]
    sign = 2 * told["truth"] - 1
    return np.log(expit(sign * (logit(told["belief"]) + beta * told["change"]))).sum()


grid = np.linspace(0.6, 1.6, 201)
with claim("Y-B44") as c:
    stranger = [reach_of[name][0] for name in ("independent", "paper")]
    label = "1, lower ends: independent tuples and the fitted τ understate"
    c.decisive("sampled").at_most([1, 1], stranger, label)
    right = np.array([reach_of["plain"], reach_of["equal"]])
    label = "3/4, lower ends: τ = 1 and equal variances"
    c.decisive("sampled").at_most([0.75, 0.75], right[:, 0], label)
    label = "upper ends, 4/3: τ = 1 and equal variances"
    c.decisive("sampled").at_most(right[:, 1], [4 / 3, 4 / 3], label)
    best = [grid[np.argmax([deviance(n, b) for b in grid])] for n in heard]
    label = "the slopes, by trying 201 of them"
    c.close(best, [row[0] for row in betas.values()], label, rtol=0, atol=0.005)
    scores = {name: score(part)[1] for name, part in heard.items()}
    others = [scores[name] for name in ("independent", "plain", "paper")]
    c.at_most(others, [scores["equal"]] * 3, "score")
    whole = [scores[name] * len(part["truth"]) for name, part in heard.items()]
    c.close(whole, [deviance(name, 1.0) for name in heard], "scores, by another sum")
with claim("Y-B45") as c:
    label = "τ = 1: 1/2, lower end of the interval"
    c.decisive("sampled").at_most(0.5, ends["plain"][0], label)
    label = "τ = 1: upper end of the interval, 2"
    c.decisive("sampled").at_most(ends["plain"][1], 2, label)
    fitted = [ends[law][0] for law in ("paper", "equal")]
    label = "τ fitted: 1, lower ends, both scales"
    c.decisive("sampled").at_most([1, 1], fitted, label)
shown_answered = float(rows["plain"][0])
assert 1.25 < betas["independent"][0] < 1.42  # "about a third"
narrow = [nx.from_numpy_array(worlds[ego][0]) for ego in EGOS[:3]]
widths = [nx.approximation.treewidth_min_fill_in(graph)[0] for graph in narrow]
assert widths == [7, 12, 41]
for name, (beta, *_) in betas.items():
    in_text[f"odds-{name}"] = round(float(beta), 6)

# %% [markdown]
# ```{admonition} What this does not show
# :class: note
# Fourteen kinds are few independent observations, and the people around ten egos are no sample of mankind. Features of
# different kinds may still go together; then the error bars are too short. What is missing in a profile may be missing for a reason.
# Bins and bounds were set after a first look at other cuts. Equal variances were tried because the
# fit had failed on the same six networks; that is why four were held back. $\tau = 1$ was not chosen by any profile. Other cuts move
# the ratios by about a tenth. And all this is about average changes of odds; the guarantee $\varepsilon$-BDP
# is about the worst one.
# ```
#
# ## What this means for the paper
#
# The paper takes the network for granted: section 3 assumes that the joint law is public (仮定 1), and section 6 computes leakage from friendships
# alone, without a fit. On real profiles friendships do predict leakage, and, taken together, about the right amount of it. What these data warn of is the next step, to
# let them choose $\tau$: the likelihood judges how well single people are described, prefers right variances to right correlations, and
# noise calibrated with the fitted $L + \tau I$ would protect too little. If there is to be a fit, then with equal variances. That
# keeps every theorem: Theorems 5.1 and 5.2 hold for any scaling of the tuples, with $a_i = 1/\mathrm{sd}(y_i) \ge 0$ as weights of the query
# ([*Whom does the cheapest private answer leave out?*](correlated-minimum-error-release.ipynb)) and, in the units of $y_i$, $M\,\mathrm{sd}(y_i)$ in place of $M$.
#
# ## Exercises
#
# ```{exercise-start} Knowing nobody, knowing nearly all
# :label: ex-cor-10-ends
# ```
# **Warm-up.** A hundred people, independent, with an unknown common mean. What is the amplification of the whole count for an attacker who
# knows nobody, half of the others, all others? Which equation of the paper is the first case?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("cor-10-ends", ...)

# %% [markdown]
# ```{solution-start} ex-cor-10-ends
# :class: dropdown
# ```
# $n/(h+1)$ with $h = 0$, 50, 99: 100, $100/51 \approx 1.96$ and 1. The first is equation (29), leakage $nM/\lambda$ without a prior: a mean about
# which nothing is known ties everybody to everybody.

# %% jupyter={"source_hidden": true} tags=["evidence"]
star = nx.laplacian_matrix(nx.star_graph(100)).toarray().astype(float)
model = GaussianModel(precision=star, weights=np.append(0.0, np.ones(100)), width=1)
learns = [1 + model.leakage_coefficient(100, range(1, k + 1)) for k in (0, 50, 99)]
assert np.allclose(learns, [100, 100 / 51, 1])
check("cor-10-ends", learns)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Every cut an observation
# :label: ex-cor-10-naive
# ```
# **Standard.** Treat every person, feature and cut as an observation of its own. By which factor do the error bars of the ratio shrink ($\tau = 1$, real profiles)?
# Would 1 still be inside?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("cor-10-naive", ...)

# %% [markdown]
# ```{solution-start} ex-cor-10-naive
# :class: dropdown
# ```
# By a factor of about 4<!-- {shown_naive:.0f} -->, and then 1 is outside: one would report with confidence that the network overstates the leakage. Twelve cuts
# of one column are not twelve columns.

# %% jupyter={"source_hidden": true} tags=["evidence"]
entries = found["plain", "real"]
top = entries["product"][1] - entries["square"]
bottom = entries["square"] * (entries["predicted"][1] - 1)
value, naive, _ = ratio(top, bottom, np.arange(len(top)))
factor = error_of["plain", "real"] / naive
check("cor-10-naive", factor)
assert factor > 3.5 and 1 - value > 2 * naive
shown_naive = float(factor)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A sum of correlations
# :label: ex-cor-10-scale
# ```
# **Standard.** Who leaks most in the karate club with links of weight 1 at $\tau = 1$ (whole count, weak attacker, known mean), under the paper's scale and with
# equal variances? Use `GaussianModel`.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("cor-10-scale", ...)

# %% [markdown]
# ```{solution-start} ex-cor-10-scale
# :class: dropdown
# ```
# Member 33 with the paper's scale, $1 + \ell = 10.7$. With equal variances the sum of the correlations is the same as $\operatorname{Cov}(x_i, s)/\operatorname{Var}(x_i)$ for
# $x = y/\mathrm{sd}(y)$: now at most 6.9, again for member 33. Where the variances of others no longer shrink with their
# friends, a hub moves them less in its own units.

# %% jupyter={"source_hidden": true} tags=["evidence"]
P = nx.laplacian_matrix(nx.karate_club_graph(), weight=None).toarray() + np.eye(34)
K = np.linalg.inv(P)
sd = np.sqrt(K.diagonal())
plain = 1 + GaussianModel(precision=P, width=1).leakage_coefficients()
scaled = 1 + GaussianModel(precision=P * np.outer(sd, sd), width=1).leakage_coefficients()
assert np.allclose(scaled, (K / np.outer(sd, sd)).sum(axis=1))
own_units = GaussianModel(precision=P, width=sd, weights=1 / sd)  # of y, not of x
assert np.isclose(own_units.noise_scale(1.0), scaled.max())
assert plain.argmax() == 33 and round(plain.max(), 1) == 10.7
assert scaled.argmax() == 33 and round(scaled.max(), 1) == 6.9
check("cor-10-scale", (plain.max(), scaled.max()))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Friends with friends in common
# :label: ex-cor-10-weights
# ```
# **Research.** Let a friendship count as many times as the two have friends in common, $w_{ij}$ = common friends. Is the prediction with equal
# variances better then: likelihood, ratio of the surpluses?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("cor-10-weights", ...)

# %% [markdown]
# ```{solution-start} ex-cor-10-weights
# :class: dropdown
# ```
# No. The likelihood gains 793<!-- {gain_common:.0f} --> units over independent people, less than unit weights, and the ratio rises to
# 1.8<!-- {shown_common:.1f} -->: friends without a common friend are made strangers, and they are alike too. Mixtures of both are open.

# %% jupyter={"source_hidden": true} tags=["evidence"]
rng = np.random.default_rng(9)
parts, gain = [], 0.0
for friends, kinds, values in map(worlds.get, EGOS):
    fields = covariances(friends * (friends @ friends))["equal"]
    splits = halves(len(friends), 5, rng)
    parts.append(compare(friends, labelled(kinds), values, fields, splits))
    gain += drawn(fields, values, rng)[1]
common, _, _ = surplus(compared(parts))
assert gains["paper"] < gain < gains["equal"]
better = gain > gains["equal"]
nearer = abs(np.log(common)) < abs(np.log(ratio_of["equal", "real"]))  # to 1
check("cor-10-weights", ["yes" if so else "no" for so in (better, nearer)])
assert max(1.3, ratio_of["equal", "real"]) < common < 2
shown_common = float(common)
gain_common = float(gain)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - A mean that has to be estimated is a correlation: from half of the people, independent tuples leak almost twice their share in
#   the whole count, and exactly $n/(h+1)$ over all halves, whatever the values.
# - A count among friends shows directly what a network does, the whole count more or less by network. Independent observations are kinds of features, not cuts.
# - The paper fits nothing, and with $\tau = 1$ its law predicts the surplus among friends about right: achieved over predicted is
#   0.95<!-- {in_text['plain']:.2f} --> pooled over six networks and 1.30<!-- {in_text['held-plain']:.2f} --> over four larger ones, within a factor of two on both; single networks range from
#   0.4<!-- {in_text['net-least']:.1f} --> to 1.5<!-- {in_text['net-most']:.1f} -->.
# - Likelihood on zeros and ones drives $\tau$ towards independence: 65%<!-- {in_text['edge-paper']:.0%} --> of the fits stand on the last value of the grid. Then leakage is
#   understated, by a factor that depends on where the grid ends.
# - With equal variances a fit stays, is likelier, and has the best log score; pooled, its surplus is right within a factor of two on the six, and on the four, which
#   were held back, 1.6<!-- {in_text['held-equal']:.1f} --> times too low. Better beliefs about people are not yet better predictions of leakage.
#
# **Further reading.** Liu, Chakraborty and Mittal {cite:p}`liu2016dependence` on an attack through dependent tuples; Zheleva and Getoor
# {cite:p}`zheleva2009join` on guessing profiles; Wall {cite:p}`wall2004close` on what networks do to variances.
# **Next:** [other mechanisms beside ours](correlated-noise-at-equal-epsilon.ipynb), at the same $\varepsilon$.
