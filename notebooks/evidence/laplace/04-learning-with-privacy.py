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
# # Evidence: How does one learn a model without giving its data away?
#
# The statements of the note's chapter 9, and the results beyond the note on private learning: what each one states, and its check. Nothing is hidden. N-16 stands after N-B5, which it needs. The story is told in
# [the notebook of the same name](../../laplace/04-learning-with-privacy.ipynb).

# %%
import numpy as np
import sympy as sp
from scipy import special
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

from privlib.laplace import erm
from privlib.notebook import claim, derivation, increasing

measured, benign = load_breast_cancer(return_X_y=True)
order = np.random.default_rng(1).permutation(len(benign))
public, private, test = np.split(order, [100, 420])
standard = (measured - measured[public].mean(axis=0)) / measured[public].std(axis=0)
unit = np.median(np.linalg.norm(standard[public], axis=1))
X = erm.clip_rows(standard / unit)[private]
y = np.where(benign == 1, 1.0, -1.0)[private]
n, d = X.shape
Lambda = 0.03
sensitivity = erm.sensitivity(n, regularization=Lambda)

eps = sp.Symbol("epsilon", positive=True)
letters = {eps: r"\varepsilon"}

# %% [markdown]
# ## N-17, N-17.emp and N-18 (the loss)
#
# N-17 defines the regularised empirical loss, N-17.emp and N-18 name its parts and the sum of squared errors. **Not checkable:** definitions. The notebook uses N-17 as it stands.
#
# ## N-B4 (sensitivity of the minimiser)
#
# Beyond the note: *one record moves the regularised minimiser by at most $2L/(n\Lambda)$; in the note's parametrisation this is $2L/\lambda$, which does not shrink with $n$.* Let $S$ be the length of the move and $g$ the norm of $\nabla J'(\hat w)$. The product
# of $\nabla J'(\hat w)$ with the move is $gS(1 - \kappa)$, where $1 - \kappa$ is the cosine of an angle. It is also $\Lambda S^2 + h$, where $h \ge 0$ because the losses are convex. Solved for $S$:

# %%
g, G, Lam, size, S, slope, lam = sp.symbols("g G Lambda n S L lambda", positive=True)
kappa, h = sp.symbols("kappa h", nonnegative=True)
move = (g * (1 - kappa) - h / S) / Lam
short = (
    derivation(move, of=r"\|\hat w - \hat w'\|")
    .at_most(g / Lam, r"$\kappa \ge 0$ and $h \ge 0$")
    .at_most(G / Lam, "G is the largest such gradient", by=increasing(G, g))
)
bound = short.last.subs(G, 2 * slope / size)  # one record changes, with slopes within L
short

# %% [markdown]
# The bound is attained by the straight loss $1 - sw$ at a single record $x = 1$, with both labels $s$; all other records are at 0.

# %%
w, s = sp.symbols("w s", real=True)


def distance_of_minimisers(penalty):
    """Distance of the minimisers for the labels 1 and -1 of the last record, L = 1."""
    objective = (1 - s * w) / size + penalty
    minimiser = sp.solve(sp.diff(objective, w), w)[0]
    return minimiser.subs(s, 1) - minimiser.subs(s, -1)


def worst_move(people, strength):
    """The same by the package, with the Huber hinge."""
    records = np.zeros((people, 1))
    records[-1] = 1
    labels = np.ones(people)
    up = erm.minimise(records, labels, loss="huber", regularization=strength)
    labels[-1] = -1
    down = erm.minimise(records, labels, loss="huber", regularization=strength)
    return np.linalg.norm(up.weights - down.weights)


def largest_move(people, strength):
    """Largest move over twelve patients whose label changes, of the first `people`."""
    before = erm.minimise(X[:people], y[:people], regularization=strength).weights
    moves = []
    for i in range(12):
        changed = y[:people].copy()
        changed[i] = -changed[i]
        after = erm.minimise(X[:people], changed, regularization=strength).weights
        moves.append(np.linalg.norm(after - before))
    return max(moves)


sizes = [40, 640, 10_240]
fixed = np.array([worst_move(people, 0.1) for people in sizes])
fading = np.array([worst_move(people, 4 / people) for people in sizes])
counts = np.array([40, 80, 160, 320])
of_patients = [largest_move(people, 0.1) for people in counts]
of_patients_fading = [largest_move(people, 4 / people) for people in counts]

# %%
with claim("N-B4") as c:
    c.decisive("proved").derived(short, move, G / Lam, "no move is longer")
    attained = distance_of_minimisers(Lam * w**2 / 2)
    c.decisive("proved").exact(attained, bound.subs(slope, 1), "straight loss, L = 1: attained")
    in_note = distance_of_minimisers(lam / size * w**2 / 2)
    label = "the note's objective with Reg = ½w², L = 1: attained, without n"
    c.decisive("proved").exact(in_note, 2 / lam, label)
    c.close(fixed, 2 / (np.array(sizes) * 0.1), "package, fixed Λ, three sizes", rtol=1e-6)
    c.close(fading, 2 / 4, "package, the note's λ = 4, three sizes", rtol=1e-6)
    label = "twelve patients, logistic loss, fixed Λ, four sizes"
    c.at_most(of_patients, 2 / (counts * 0.1), label)
    c.at_most(of_patients_fading, 2 / 4, "twelve patients, the note's λ = 4, four sizes")

# %% [markdown]
# ## N-B5 (output perturbation)
#
# Beyond the note: *noise with a density proportional to $e^{-\varepsilon\|b\|/\Delta}$ makes the minimiser private.* The normalising constant is the same for two neighbours and cancels. By the triangle inequality,
# $\|v - \hat w'\|$ is $\|v - \hat w\| + \|\hat w - \hat w'\| - t$ with some $t \ge 0$.

# %%
Delta, near, gap = sp.symbols("Delta a g", positive=True)
t = sp.Symbol("t", nonnegative=True)
far = sp.Add(near, gap, -t, evaluate=False)
loss = sp.Mul(eps / Delta, sp.Add(far, -near, evaluate=False), evaluate=False)
distances = {near: r"\|v - \hat w\|", gap: r"\|\hat w - \hat w'\|"}
private_output = (
    derivation(
        loss, of=r"\ln\frac{p(v \mid \hat w)}{p(v \mid \hat w')}", names=letters | distances
    )
    .at_most(eps / Delta * gap, "triangle inequality", by="coefficients")
    .at_most(eps, "Δ is the sensitivity", by=increasing(Delta, gap))
)
private_output

# %%
v = sp.Symbol("v", positive=True)  # one feature: outputs beyond both minimisers
density = eps / (2 * Delta) * sp.exp(-eps / Delta * v)
nearer = sp.integrate(density, (v, 0, sp.oo))
farther = sp.integrate(density.subs(v, v + Delta), (v, 0, sp.oo))

noise = erm.spherical_laplace(d, scale=sensitivity, rng=4, size=20_000)
lengths = np.linalg.norm(noise, axis=1)
stderr = lengths.std() / np.sqrt(len(lengths))
with claim("N-B5") as c:
    c.decisive("proved").derived(private_output, loss, eps, "log ratio of the densities")
    label = "one feature: the outputs beyond both minimisers have the ratio e^ε"
    c.exact(sp.simplify(nearer / farther), sp.exp(eps), label)
    label = "mean length of the package's noise, 20,000 draws: dΔ/ε"
    c.sampled(lengths.mean(), d * sensitivity, label, stderr=stderr)

# %% [markdown]
# ## N-16 (a model is a statistic)
#
# *A learnt model can be treated as a statistic, and so be protected by differential privacy.* One private mechanism for a model proves that it can be protected. That it must be is shown by the attack on the exact model.

# %%
published = erm.minimise(X, y, regularization=Lambda).weights
peer = LogisticRegression(C=1 / (Lambda * n), fit_intercept=False, tol=1e-12, max_iter=10_000)
peer.fit(X, y)

both = np.empty((40, 2, d))  # for each patient the models with the labels -1 and 1
for i in range(40):
    for position, label in enumerate((-1, 1)):
        changed = y.copy()
        changed[i] = label
        both[i, position] = erm.minimise(X, changed, regularization=Lambda).weights
nearest = np.linalg.norm(peer.coef_[0] - both, axis=2).argmin(axis=1)
guesses = np.where(nearest == 1, 1, -1)
with claim("N-16") as c:
    label = "output perturbation is a private mechanism for a model"
    c.decisive("proved").derived(private_output, loss, eps, label)
    label = "the exact model, trained by scikit-learn and by the package"
    c.close(peer.coef_[0], published, label, rtol=1e-5, atol=1e-6)
    label = "diagnoses read off the exact model, of 40 (model by scikit-learn)"
    c.exact(int(np.sum(guesses == y[:40])), 40, label)

# %% [markdown]
# ## N-B5.attack (the best guess)
#
# Beyond the note: *an attacker who sees an $\varepsilon$-private model and holds both values of a record for equally likely guesses right with probability at most $e^{\varepsilon}/(1 + e^{\varepsilon})$.* Let the guess be right with probability $p$ if the
# patient is ill and $q$ if healthy. Privacy says that $p \le e^{\varepsilon}(1 - q)$ and $q \le e^{\varepsilon}(1 - p)$. Let $\alpha, \beta \ge 0$ be the differences.

# %%
p, q = sp.symbols("p q", positive=True)
alpha, beta = sp.symbols("alpha beta", nonnegative=True)
E = sp.exp(eps)
conditions = [p - E * (1 - q) + alpha, q - E * (1 - p) + beta]
solved = sp.solve(conditions, [p, q])
guess = (solved[p] + solved[q]) / 2
first = (2 * E - alpha - beta) / (2 * (1 + E))
risk = derivation(first, of=r"\tfrac12(p + q)", names=letters).at_most(
    E / (1 + E), r"$\alpha$ and $\beta$ are not negative"
)
risk

# %% [markdown]
# For the forty patients the attacker's success under output perturbation is computed twice: with 2,000 draws, and as an integral. The noise is a length times a random direction; at an angle with cosine $u$ to the step, the guess fails if $u$ times the length exceeds half of the step.

# %%
levels = np.array([0.1, 0.3, 1, 3, 10])
steps = np.linalg.norm(both[:, 0] - both[:, 1], axis=1) / sensitivity
angle = (np.arange(4000) + 0.5) / 4000 * np.pi / 2
weight = np.sin(angle) ** (d - 2)  # density of the angle between noise and step
weight /= weight.sum()

integral, drawn, stderr = [], [], []
rng = np.random.default_rng(5)
for level in levels:
    needed = level * steps[:, None] / 2 / np.cos(angle)  # length at which the guess fails
    shorter = special.gammainc(d, needed) @ weight
    integral.append(1 / 2 + shorter / 2)
    draws = erm.spherical_laplace(d, scale=sensitivity / level, rng=rng, size=2000)
    models = published + draws
    closest = np.linalg.norm(models[:, None, None] - both, axis=-1).argmin(axis=2)
    share = np.mean(np.where(closest == 1, 1, -1) == y[:40], axis=1)  # of each draw
    drawn.append(share.mean())
    stderr.append(share.std() / np.sqrt(2000))
integral = np.array(integral)
with claim("N-B5.attack") as c:
    c.exact(sp.simplify(guess - first), 0, "½(p + q) from the two conditions")
    c.decisive("proved").derived(risk, first, E / (1 + E), "no guess is right more often")
    label = "mean of 40 patients, five ε: 2,000 draws and the integral"
    c.sampled(drawn, integral.mean(axis=1), label, stderr=stderr)
    truthful = risk.last  # publish only the diagnosis, true with this probability
    label = "attained: then the two probabilities of an answer have the ratio e^ε"
    c.exact(sp.simplify(truthful / (1 - truthful)), E, label)

# %% [markdown]
# ## N-B6 (objective perturbation)
#
# Beyond the note: *the Jacobian of the map from noise to minimiser costs a part of $\varepsilon$; without a correction the level is exceeded.* One feature; all records but one at 0, the last at $x = 1$ with label $\pm 1$. The loss falls with slope $-1$ up to a score $z_0$, and is
# a parabola from there, with second derivative $c$. Let $n\Lambda z_0 = 1 + k$ with $k \ge 0$. An output $w$ comes from the noise $b = -nJ'(w)$. We take the limit as $w$ falls to $z_0$, where label 1 meets the parabola and label $-1$ the straight part; outputs just above $z_0$ have a positive probability and come arbitrarily close to this limit.

# %%
spent, curvature, m = sp.symbols("epsilon' c m", positive=True)  # m is nΛ
k = sp.Symbol("k", nonnegative=True)
z, half = sp.symbols("z h", real=True)
corner = (1 + k) / m
curved = (corner + 2 * half - z) ** 2 / (4 * half)  # label 1: the parabola begins here
straight = corner + half + z  # label -1: the score is -z, on the straight part
noise_up = sp.simplify(-sp.diff(curved, z).subs(z, corner) - m * corner)
noise_down = sp.simplify(-sp.diff(straight, z).subs(z, corner) - m * corner)
jacobian_up = m + sp.diff(curved, z, 2).subs(half, 1 / (2 * curvature))
jacobian_down = m + sp.diff(straight, z, 2)
longer = sp.Add(sp.Abs(noise_down), -sp.Abs(noise_up), evaluate=False)
at_corner = spent / 2 * longer + sp.log(jacobian_up / jacobian_down)
exceeds = derivation(
    at_corner,
    of=r"\ln\frac{p(w \mid +1)}{p(w \mid -1)}",
    names={m: r"n\Lambda", spent: r"\varepsilon'"},
).equal(spent + sp.log(1 + curvature / m), "the noises differ by 2 = 2L")
exceeds


# %% [markdown]
# The same in floats, from the package's Huber hinge, on a grid of outputs; and by 4,000 runs of the package.

# %%
def largest_loss(budget, *, m=5.0, c=1.0, z0=0.5):
    """Largest privacy loss on a grid of outputs; the hinge is moved so that it bends at z0."""
    hinge = erm.huber_hinge(1 / (2 * c))
    outputs = z0 * np.append(np.linspace(-5, 5, 10_001), 1 + 1e-9)
    log_densities = []
    for label in (1.0, -1.0):
        labels = np.full(outputs.shape, label)
        scores = outputs - label * (z0 - (1 - 1 / (2 * c)))
        noise = -(hinge.derivative(labels, scores) + m * outputs)
        jacobian = m + hinge.second_derivative(labels, scores)
        log_densities.append(np.log(jacobian) - budget / 2 * np.abs(noise))
    return np.abs(log_densities[0] - log_densities[1]).max()


five = np.array([[0.0]] * 4 + [[1.0]])
budget, _ = erm.budget(5, epsilon=1, regularization=1, curvature=1, tight=True)
rng = np.random.default_rng(5)
hits = []
for _ in range(4000):
    run = erm.objective_perturbation(
        five, [1] * 5, loss="huber", epsilon=1.0, regularization=1.0, tight=True, rng=rng
    )
    hits.append(0.5 < run.weights[0] < 1.5)
outputs = 0.5 + (np.arange(20_000) + 0.5) / 20_000  # the parabola, label 1
noise = 1.5 - outputs - 5 * outputs
probability = np.mean(budget / 4 * np.exp(-budget / 2 * np.abs(noise)) * (5 + 1))
stderr = np.sqrt(probability * (1 - probability) / len(hits))
with claim("N-B6") as c:
    exceeded = spent + sp.log(1 + curvature / m)
    label = "without a correction the loss is ε plus the logarithm"
    c.decisive("proved").derived(exceeds, at_corner, exceeded, label)
    label = "five records, ε' = ε = 1: largest loss on a grid"
    c.close(largest_loss(1.0), float(exceeded.subs({m: 5, curvature: 1, spent: 1})), label)
    label = "with the Jacobian: P(½ < w < 3/2), 4,000 runs of the package"
    c.sampled(np.mean(hits), probability, label, stderr=stderr)

# %% [markdown]
# ## N-B6.once (one factor is enough)
#
# Beyond the note: *for a record that is replaced, the correction $\ln(1 + \frac{c}{n\Lambda})$ is enough, and no smaller one suffices for all losses and data.* By the matrix determinant lemma, the quotient of the two determinants is a quotient of two factors
# $1 + a\rho$, where $0 \le a \le c$ and $\rho = x^{\mathsf T}M^{-1}x$ is at most $1/(n\Lambda)$. Write $\rho = 1/(n\Lambda + k)$ with $k \ge 0$.

# %%
a_new, a_old, rho_old = sp.symbols("a a' rho'", positive=True)
quotient = (1 + a_new / (m + k)) / (1 + a_old * rho_old)
one_factor = (
    derivation(
        quotient,
        of=r"\frac{\det(M + a\,xx^{\mathsf T})}{\det(M + a'x'x'^{\mathsf T})}",
        names={m: r"n\Lambda", rho_old: r"\rho'"},
    )
    .at_most(1 + a_new / (m + k), "a convex loss: $a'\\rho' \\ge 0$", by="coefficients")
    .at_most(1 + a_new / m, r"$k \ge 0$", by="coefficients")
    .at_most(1 + curvature / m, "c is the largest curvature", by=increasing(curvature, a_new))
)
one_factor

# %% [markdown]
# An independent route to *enough*: random neighbours and random outputs, with two features and three records. To *no smaller*: other $n$, $\Lambda$ and $c$ on a grid. The last check is the choice of the public program that subtracts one factor.

# %%
hinge = erm.LOSSES["huber"]


def log_density(data, output, budget):
    """Logarithm of the density of an output, up to a constant; three records, nΛ = 3."""
    records, labels = data
    scores = records @ output
    slopes = hinge.derivative(labels, scores)
    bends = hinge.second_derivative(labels, scores)
    noise = -(records.T @ slopes + 3 * output)
    hessian = 3 * np.eye(2) + (records.T * bends) @ records
    return np.log(np.linalg.det(hessian)) - budget / 2 * np.linalg.norm(noise)


rng = np.random.default_rng(7)
once, _ = erm.budget(3, epsilon=1, regularization=1, curvature=1, tight=True)
losses = []
for _ in range(5000):
    records = erm.clip_rows(2 * rng.normal(size=(3, 2)))
    labels = rng.choice([-1.0, 1.0], size=3)
    other_records, other_labels = records.copy(), labels.copy()
    other_records[0] = erm.clip_rows(2 * rng.normal(size=(1, 2)))[0]
    other_labels[0] = rng.choice([-1.0, 1.0])
    output = rng.normal(size=2)
    difference = log_density((records, labels), output, once)
    difference -= log_density((other_records, other_labels), output, once)
    losses.append(abs(difference))

elsewhere = []
for people, strength, bend in ((320, 0.03, 0.25), (5, 0.2, 1.0), (10, 0.05, 0.25)):
    left, _ = erm.budget(
        people, epsilon=1, regularization=strength, curvature=bend, tight=True
    )
    product = people * strength
    elsewhere.append(largest_loss(left, m=product, c=bend, z0=1 / product))
published_budget, _ = erm.budget(5, epsilon=1, regularization=1, curvature=1)

share = sp.Symbol("q", positive=True)  # of ε for the noise, in Repro_Logistic.R
chosen = curvature / (sp.exp((1 - share) * eps) - 1)  # its nΛ
charged = share * eps + sp.log(1 + curvature / chosen)

# %%
with claim("N-B6.once") as c:
    label = "enough: the quotient of the determinants"
    c.decisive("proved").derived(one_factor, quotient, 1 + curvature / m, label)
    at_budget = at_corner.subs(spent, eps - sp.log(1 + curvature / m)).doit()
    label = "no smaller: the loss at z₀ is ε, for every nΛ and c"
    c.decisive("proved").exact(sp.simplify(at_budget), eps, label)
    c.at_most(max(losses), 1.0, "5,000 random neighbours and outputs, ε = 1: largest loss")
    c.close(elsewhere, 1.0, "z₀ = 1/(nΛ), three n, Λ and c: largest loss is ε", rtol=1e-7)
    label = "five records, the published correction: room is left"
    c.close(largest_loss(published_budget), 1 - np.log(6 / 5), label)
    label = "Repro_Logistic.R: noise and one factor take the whole of ε"
    c.exact(sp.simplify(charged), eps, label)
