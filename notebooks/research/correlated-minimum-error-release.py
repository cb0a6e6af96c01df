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
# # Should a private sum count everybody equally?
#
# **Question.** When correlated data are summed, the person who leaks most decides how much noise the sum needs. Is there another weighted sum that protects everybody as well, needs less noise, and comes nearer to the true sum?
#
# **Answer.** Yes: in a karate club of 34 members, at $\varepsilon = 3$, the noisy sum has a mean squared error of 25.5<!-- {plain:.1f} -->, or of 14.6<!-- {rescaled:.1f} --> if it is rescaled, whereas a weighted sum that leaves out the two leaders and counts some of the others less has 13.1<!-- {nonnegative_error:.1f} -->, and one that subtracts the leaders has 10.6<!-- {signed_error:.1f} -->. Among all weighted sums with Laplace noise, the third of these releases is the best with weights $\ge 0$, and the fourth is the best of all; in both cases a list of multipliers proves it.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to choose the weighted sum with the least error, how to prove that no other one has less, and how to find the worst of $2^{n-1}$ attackers when weights have both signs.
# **You need** the leakage coefficient ([notebook 3](../correlated/03-gaussian-correlation-model.ipynb)) and Theorem 5.2 ([notebook 4](../correlated/04-all-adversaries.ipynb)).
# **Data:** 220 kB, downloaded once from their publisher {cite:p}`leskovec2014snap` if they are not on your machine.
# **Time:** 23 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two values of one tuple, at most 1 apart. **The attacker** knows the values of some other tuples, the network, the weights and the noise, and sees one released number. **Protected:** the odds between two values of any $x_i$ change by at most the factor $e^{\varepsilon}$, against every attacker. **Not protected:** anything, if the data do not follow the model. The weights are computed from the network and $\varepsilon$, which are public, so they reveal nothing.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import plotly.graph_objects as go
import sympy as sp
from scipy.optimize import nnls

from privlib.correlated import GaussianModel
from privlib.correlated.gaussian import output_density
from privlib.notebook import datasets, interactive, plots
from privlib.research.optimal_query import best_release

plots.use()

# %% [markdown]
# ## Five people in a star
#
# One person, the centre, is linked to four others, the leaves. All link weights and the prior precision are 1. The means of the tuples are known and already subtracted, so every tuple has mean 0. The publisher is asked for the sum $s = \sum_i x_i$.

# %%
P = sp.eye(5) + sp.diag(4, 1, 1, 1, 1)  # the precision matrix; person 0 is the centre
for leaf in range(1, 5):
    P[0, leaf] = P[leaf, 0] = -1
C = np.array(P.inv().tolist())  # the covariances, as fractions


# %% [markdown]
# The publisher releases one number, $r = \sum_i a_i x_i + z$ with $z \sim \operatorname{Lap}(\lambda)$, and everybody takes $r$ for the sum. We call such a pair $(a, \lambda)$ a *release*. Two properties matter.
#
# *The error.* The mean squared error of $r$ consists of what the weights leave out of the sum and of the variance of the noise:
#
# $$ E(a, \lambda) = (\mathbf 1 - a)^{\mathsf T} C\, (\mathbf 1 - a) + 2 \lambda^2 . $$
#
# *The leakage.* Let $x_i$ rise by one. An attacker of $x_i$ then expects each tuple $j$ to move by some $m_j$: $m_i = 1$ for the target, $m_j = 0$ for a known tuple, and for the unknown tuples the expected moves of notebook 3. So the attacker expects $r$ to move by $m^{\mathsf T} a$. The proof of {prf:ref}`thm-03-leakage` works for any weights; therefore the leakage is $\lvert m^{\mathsf T} a \rvert / \lambda$. For the *weak* attacker, who knows no value, $m_j = C_{ji} / C_{ii}$.

# %%
def squared_error(C, a, scale):
    left_out = 1 - a
    return left_out @ C @ left_out + 2 * scale**2


def weak_moves(C):
    """Row i: the moves that the weak attacker of x_i expects."""
    return C / C.diagonal()[:, None]


# %% [markdown]
# Here are four weighted sums for $\varepsilon = 2$, each with just enough noise against the five weak attackers. The package confirms that this noise is enough against all 80<!-- {5 * 2**4} --> attackers, that is, against each target and each set of known tuples.

# %%
three_quarters, four_fifths = sp.Rational(3, 4), sp.Rational(4, 5)
leaf_weights = [0] + [three_quarters] * 4
star_errors = []
for a in ([1] * 5, [0, 1, 1, 1, 1], leaf_weights, [-four_fifths, 1, 1, 1, 1]):
    scale = max(abs(weak_moves(C) @ a)) / 2
    star_errors.append(squared_error(C, np.array(a), scale))
    print(*a, " scale", scale, " error", star_errors[-1])
    worst = GaussianModel(precision=P, weights=a, width=1).worst_adversary(scale=scale)
    assert worst.leakage == 2

# %% [markdown]
# The centre decides how much noise the plain sum needs, because all others resemble the centre. But for the same reason the leaves already say much about the centre's value. So leaving out the centre costs little and saves noise. Subtracting a part of the centre's value goes one step further: it takes back some of what the leaves say about the centre, and the sum of the leaves can be released with even less noise.
#
# The comparison is not fair yet. A reader may multiply the plain sum by any number ([notebook 5](../correlated/05-who-leaks-most.ipynb)), and this costs no privacy. If the sum has variance $V$ and the noise has variance $N$, the best factor is $V/(V + N)$, because
#
# $$ (1 - k)^2\, V + k^2 N = \frac{VN}{V + N} + (V + N) \Bigl( k - \frac{V}{V + N} \Bigr)^2 . $$
#
# The error of the *rescaled* sum, $VN/(V+N)$, is below $N$, the error of the plain sum, and below $V$, the error of the answer 0. For the star it is 45/19<!-- {star_rescaled} -->, about 2.37<!-- {float(star_rescaled):.2f} -->. {numref}`fig-09-star` shows it beside the plain sum and the two best releases.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Four releases in place of the sum of a star, at \u03b5 = 2, with their weights. All four protect everybody equally well. The third is the best with weights \u2265 0, the fourth the best with any weights.", "name": "fig-09-star"}, "image": {"alt": "Four drawings of a star with a centre and four leaves. The plain sum has five equal discs and the error 4.50<!-- {float(star_noise):.2f} -->; the rescaled sum five smaller discs and 2.37<!-- {float(star_rescaled):.2f} -->. In the third the centre is a cross and the error is 2.00<!-- {float(star_errors[2]):.2f} -->. In the fourth the centre is an orange disc, for a negative weight, and the error is 1.80<!-- {float(star_errors[3]):.2f} -->."}} tags=["figure"]
star_variance = C.sum()
star_noise = 2 * sp.Rational(3, 2) ** 2
star_rescaled = star_variance * star_noise / (star_variance + star_noise)
shrunk_weight = star_variance / (star_variance + star_noise)
drawn_releases = {
    f"plain sum\nerror {float(star_noise):.2f}": [1] * 5,
    f"rescaled\nerror {float(star_rescaled):.2f}": [shrunk_weight] * 5,
    f"best, weights ≥ 0\nerror {float(star_errors[2]):.2f}": leaf_weights,
    f"best, any weights\nerror {float(star_errors[3]):.2f}": [-four_fifths, 1, 1, 1, 1],
}
corners = np.array([[0, 0], [-1, -0.8], [-1, 0.8], [1, 0.8], [1, -0.8]])
fig, axes = plots.panels(1, 4, width=8.5, height=2.6)
for axis, (title, weights) in zip(axes, drawn_releases.items()):
    for spot in corners[1:]:
        axis.plot(*zip(corners[0], spot), color="#bbbbbb", lw=1, ls="-", zorder=1)
    for (x, y), weight in zip(corners, map(float, weights)):
        colour = plots.COLOURS["sky" if weight > 0 else "orange"]
        if weight == 0:
            axis.scatter(x, y, s=120, marker="x", color=colour, lw=3, zorder=2)
        else:
            axis.scatter(x, y, s=900 * abs(weight), color=colour, ec="#333333", lw=0.6, zorder=2)
        below = (x, y - 0.48) if weight == 0 else (x, y)
        label = f"{weight:.2g}".replace("-", "−")
        axis.text(*below, label, ha="center", va="center", fontsize=8.5, zorder=3)
    axis.set_title(title, fontsize=10)
    axis.set(xlim=(-1.5, 1.5), ylim=(-1.35, 1.35))
    axis.axis("off")
plt.show()

# %% [markdown]
# ```{evidence} Y-B30
# ```
#
# ## The best release is a projection
#
# How can the weights of the last two releases be found? A release is private if $\lvert m^{\mathsf T} a \rvert \le \varepsilon \lambda$ for the moves $m$ of every attacker. If $(a, \lambda)$ satisfies these inequalities, so does each positive multiple of it, and the sum of two private releases is private. So the private releases form a *convex cone*.
#
# The error is a squared distance. Take the norm $\lVert (a, \lambda) \rVert^2 = a^{\mathsf T} C a + 2 \lambda^2$, which is the variance of the released number. Then $E(a, \lambda)$ is the squared distance from $(a, \lambda)$ to $(\mathbf 1, 0)$, the sum without noise.
#
# ```{prf:theorem} The best release is a projection
# :label: thm-09-projection
# Let the data follow a Gaussian correlation model with a positive definite precision matrix $P$. Among all private releases there is exactly one with the least error: the projection of $(\mathbf 1, 0)$ to the cone of private releases. The same is true among the private releases with weights $\ge 0$. Rescaling does not improve either of them.
# ```
#
# ```{prf:proof}
# Both sets are closed convex cones, and a closed convex set has exactly one point that is nearest to a given point. A multiple of a private release is private, too, so no multiple of the nearest point is nearer.
# ```
#
# {numref}`fig-09-cone` shows the theorem in the simplest case, where only multiples of the plain sum are allowed.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Multiples k of the sum of the star, with noise of scale \u03bb, in units in which the error is the squared distance from the sum without noise. The private releases form the shaded cone. Its point that is nearest to the sum is the rescaled release. The cone of all weighted sums has more dimensions and comes nearer.", "name": "fig-09-cone"}, "image": {"alt": "A plane with a shaded cone between the vertical axis and a ray. The plain release lies on the ray, above the sum on the horizontal axis. A perpendicular from the sum meets the ray at the rescaled release, nearer than the plain one."}} tags=["figure"]
fig, axis = plots.panels(1, 1, width=5.6, height=3.4)
across, up = float(star_variance) ** 0.5, float(star_noise) ** 0.5
foot = float(shrunk_weight) * np.array([across, up])
axis.fill([0, 1.35 * across, 0], [0, 1.35 * up, 1.35 * up], color=plots.COLOURS["sky"], alpha=0.3)
axis.plot([0, 1.35 * across], [0, 1.35 * up], color=plots.COLOURS["blue"], ls="-")
axis.text(0.25, 2.2, "private releases")
for end, name, side in (((across, up), "plain sum", 0.1), (foot, "rescaled", -1.0)):
    axis.plot([across, end[0]], [0, end[1]], color="#555555", ls=":", lw=1.4)
    axis.plot(*end, "o", color=plots.COLOURS["blue"])
    axis.text(end[0] + side, end[1] - 0.02 if side > 0 else end[1] + 0.1, name)
axis.plot(across, 0, "o", color=plots.COLOURS["orange"], clip_on=False, zorder=5)
axis.text(across + 0.1, 0.1, "the sum\nwithout noise")
axis.text(across + 0.08, 1.1, f"√{float(star_noise):.2f}")
axis.text(*(foot + [across, 0]) / 2 + [-0.55, -0.22], f"√{float(star_rescaled):.2f}")
axis.set(xlabel="k √V", ylabel="√2 λ", xlim=(0, 4.2), ylim=(0, 1.35 * up), aspect="equal")
plt.show()


# %% [markdown]
# ## Multipliers prove that no release is better
#
# A solver may be wrong. But a distance to a cone has a certificate that anybody can check with a few products of matrices.
#
# ````{prf:theorem} Certificate
# :label: thm-09-certificate
# Let the rows of a matrix $A$ be the moves $m$ of some attackers, or $-m$. Take any vectors $\mu, \nu \ge 0$, and put $a = \mathbf 1 - P(A^{\mathsf T} \mu - \nu)$ and $\lambda = \frac{\varepsilon}{2} \sum_j \mu_j$. Then every private release with weights $\ge 0$ has at least the error
#
# $$ D = \mathbf 1^{\mathsf T} C\, \mathbf 1 - a^{\mathsf T} C a - 2 \lambda^2 , $$
#
# even if $(a, \lambda)$ is not private. If $\nu = 0$, this holds for weights of any sign. If $A$ has the rows of all attackers, some multipliers attain the least error.
# ````
#
# ````{prf:proof}
# Let $(b, \kappa)$ be a private release with weights $b \ge 0$ (or let $\nu = 0$), and write $\langle (a, \lambda), (b, \kappa) \rangle = a^{\mathsf T} C b + 2 \lambda \kappa$. The difference $(\mathbf 1, 0) - (a, \lambda)$ is $(P(A^{\mathsf T} \mu - \nu), -\lambda)$. Since $CP$ is the identity, its inner product with $(b, \kappa)$ is
#
# $$ (A^{\mathsf T} \mu - \nu)^{\mathsf T} b - 2 \lambda \kappa = \sum_j \mu_j \bigl( (Ab)_j - \varepsilon \kappa \bigr) - \nu^{\mathsf T} b \le 0 . $$
#
# So $\langle (\mathbf 1, 0), (b, \kappa) \rangle \le \langle (a, \lambda), (b, \kappa) \rangle$, and therefore
#
# $$ \begin{aligned} E(b, \kappa) &= \lVert (\mathbf 1, 0) \rVert^2 - 2 \langle (\mathbf 1, 0), (b, \kappa) \rangle + \lVert (b, \kappa) \rVert^2 \\
# &\ge \lVert (\mathbf 1, 0) \rVert^2 - \lVert (a, \lambda) \rVert^2 + \lVert (b, \kappa) - (a, \lambda) \rVert^2 \ge D . \end{aligned} $$
#
# The cone of all private releases has finitely many inequalities. By Farkas' lemma, the difference between $(\mathbf 1, 0)$ and its projection has the form above for some multipliers. Then $(a, \lambda)$ is the projection, and both inequalities are equalities.
# ````
#
# For the star, one or two multipliers are enough. They prove, in fractions, that 2<!-- {star_errors[2]} --> is the least error with weights $\ge 0$, and 9/5<!-- {star_errors[3]} --> the least of all. The centre has the multiplier $\mu = \frac34$ with $\nu = \frac14$ in the first case, and $\mu = \frac35$ in the second; all others are 0.

# %%
def from_multipliers(P, moves, mu, nu, *, epsilon):
    a = 1 - P @ (moves.T @ mu - nu)
    return a, epsilon * mu.sum() / 2


def lower_bound(C, a, scale):
    return C.sum() - a @ C @ a - 2 * scale**2


# %%
star = np.array(P.tolist())
centre = np.array([1, 0, 0, 0, 0])
mu, nu = sp.Rational(3, 4) * centre, sp.Rational(1, 4) * centre
a, scale = from_multipliers(star, weak_moves(C), mu, nu, epsilon=2)
assert lower_bound(C, a, scale) == star_errors[2]
mu, nu = sp.Rational(3, 5) * centre, 0 * centre
a, scale = from_multipliers(star, weak_moves(C), mu, nu, epsilon=2)
assert lower_bound(C, a, scale) == star_errors[3]


# %% [markdown]
# For larger networks we compute the multipliers. The best bound belongs to the shortest vector $(a, \lambda)$, because $D = \lVert (\mathbf 1, 0) \rVert^2 - \lVert (a, \lambda) \rVert^2$. With a factor $C = R R^{\mathsf T}$, this vector has the coordinates $(R^{\mathsf T} a, \sqrt2 \lambda)$, which are a constant minus a combination of columns with the factors $\mu, \nu \ge 0$. So finding the shortest one is a problem of *non-negative least squares* {cite:p}`lawson1995solving`.

# %%
def project(P, moves, epsilon, signs):
    """Weights, scale and leakage multipliers of the best release, for these attackers."""
    n = len(P)
    root = np.linalg.cholesky(np.linalg.inv(P))
    leaks = np.vstack([np.linalg.solve(root, moves.T), np.full(len(moves), -epsilon / 2**0.5)])
    of_signs = np.vstack([-np.linalg.inv(root), np.zeros(n)])
    if signs == "any":
        of_signs *= 0  # no multipliers of the signs
    columns = np.hstack([leaks, of_signs])
    multipliers, _ = nnls(columns, np.append(root.T @ np.ones(n), 0))
    mu, nu = np.split(multipliers, [len(moves)])
    a, scale = from_multipliers(P, moves, mu, nu, epsilon=epsilon)
    return a, scale, mu


# %% [markdown]
# For weights $\ge 0$ the weak attackers are enough. (This is Theorem 5.2 for weighted sums; we prove it in the next section.) We solve for the karate club at $\varepsilon = 3$, where all links and the prior have weight 1:

# %%
club = nx.karate_club_graph()
P = nx.laplacian_matrix(club, weight=None).toarray() + np.eye(34)
C = np.linalg.inv(P)
plain = 2 * max(weak_moves(C) @ np.ones(34) / 3) ** 2
rescaled = 34 * plain / (34 + plain)  # the variance of the sum is 34
print(f"plain {plain:.4f}, rescaled {rescaled:.4f}")

# %%
a, scale, mu = project(P, weak_moves(C), 3, signs="nonnegative")
print(f"error {squared_error(C, a, scale):.10f}\nbound {lower_bound(C, a, scale):.10f}")
print("left out: members", np.flatnonzero(a < 1e-9) + 1)
package = best_release(GaussianModel(precision=P, width=1), 3)
assert np.isclose(package.error, squared_error(C, a, scale), rtol=1e-9)


# %% [markdown]
# Members 1 and 34 are the club's instructor and its president. (The text counts members from 1, as in notebook 3.)
#
# ```{evidence} Y-B31
# ```
#
# ## Which attacker is the worst for weights of both signs?
#
# If a leader is better left out, would it be better still to subtract the leader? For such weights Theorem 5.2 does not say that the weak attackers are the worst. On the club there are 292,057,776,128<!-- {34 * 2**33:,} --> attackers, too many to list. But the worst attacker of each target can be found at once. The idea: to see a large rise, an attacker should know the tuples that would pull the weighted sum down, because known tuples do not move.
#
# ````{prf:theorem} The worst attacker solves an obstacle problem
# :label: thm-09-obstacle
# Let $a$ have any signs. Let $N$ be $P$ without row and column $i$, and let $w_{ik} = -P_{ik}$ be the weights of the links of $i$. There is exactly one vector $h \ge 0$ on the other tuples with
#
# $$ N h \ge a \quad\text{and}\quad h_k\, (N h - a)_k = 0 \quad \text{for every } k \ne i . $$
#
# No attacker of $x_i$ expects the weighted sum to rise by more than $a_i + \sum_k w_{ik} h_k$ if $x_i$ rises by one, and the attacker who knows exactly the tuples with $h_k = 0$ expects this rise. For the largest fall, replace $a$ by $-a$.
# ````
#
# ````{prf:proof}
# The function $\frac12 h^{\mathsf T} N h - a^{\mathsf T} h$ is strictly convex, so it has exactly one minimum over $h \ge 0$. The two conditions say that $h$ is this minimum.
#
# Let $\mathcal{U}$ be the tuples that an attacker does not know. The attacker expects the rise $a_i + \sum_{k \in \mathcal{U}} w_{ik} g_k$, where $P_{\mathcal{U}\mathcal{U}}\, g = a_{\mathcal{U}}$. On $\mathcal{U}$ we have $P_{\mathcal{U}\mathcal{U}}\, h_{\mathcal{U}} \ge (N h)_{\mathcal{U}}$, because the entries of $N$ that we drop are $\le 0$ and $h \ge 0$. So
#
# $$ P_{\mathcal{U}\mathcal{U}}\, h_{\mathcal{U}} \ge (N h)_{\mathcal{U}} \ge a_{\mathcal{U}} = P_{\mathcal{U}\mathcal{U}}\, g . $$
#
# The inverse of $P_{\mathcal{U}\mathcal{U}}$ has no negative entry, because link weights are $\ge 0$. Therefore $h_{\mathcal{U}} \ge g$, and no attacker expects a larger rise. If $\mathcal{U}$ consists of the tuples with $h_k > 0$, the conditions say $P_{\mathcal{U}\mathcal{U}}\, h_{\mathcal{U}} = a_{\mathcal{U}}$, so $g = h_{\mathcal{U}}$.
# ````
#
# If $a \ge 0$, then $h = N^{-1} a$ satisfies the conditions, and the weak attacker expects the largest rise. (For the fall, $h = 0$ does.) This is Theorem 5.2 for weighted sums.
#
# Conditions of this kind are called an *obstacle problem*, or a linear complementarity problem {cite:p}`cottle2009linear`. The minimum in the proof is again a problem of non-negative least squares:

# %%
def worst_attacker(P, a, i):
    """Expected moves of the worst attacker of x_i, who sees the largest rise."""
    others = np.delete(np.arange(len(P)), i)
    root = np.linalg.cholesky(P[np.ix_(others, others)])
    h, _ = nnls(root.T, np.linalg.solve(root, a[others]))
    unknown = others[h > 0]
    moves = np.eye(len(P))[i]
    moves[unknown] = np.linalg.solve(P[np.ix_(unknown, unknown)], -P[unknown, i])
    return moves


# %% [markdown]
# Now we can project to the cone of all private releases without listing its inequalities. We begin with the weak attackers, look for attackers whose leakage is above $\varepsilon$, add them, and repeat until there are none. The loop ends, because no attacker is added twice.

# %%
def best_with_any_signs(P, epsilon):
    moves = weak_moves(np.linalg.inv(P))
    while True:
        a, scale, mu = project(P, moves, epsilon, signs="any")
        violated = []
        for i in range(len(P)):
            for sign in (1, -1):
                seen = sign * worst_attacker(P, sign * a, i)
                if seen @ a > epsilon * scale * (1 + 1e-9):
                    violated.append(seen)
        if not violated:
            return a, scale, mu
        moves = np.vstack([moves, violated])


# %%
signed, signed_scale, signed_mu = best_with_any_signs(P, 3)
print(f"error {squared_error(C, signed, signed_scale):.10f}")
print(f"bound {lower_bound(C, signed, signed_scale):.10f}")

# %% [markdown]
# ## Result: the karate club
#
# {numref}`fig-09-club` shows both solutions. The weights can be read off the formula $a = \mathbf 1 - P(A^{\mathsf T} \mu - \nu)$, because for a weak attacker $P m$ is zero except at the target.
#
# - **Weights $\ge 0$.** Only the leakages of the two leaders reach $\varepsilon$, although both leaders are left out: the sum of their friends says much about them. Each friend loses the multiplier $\nu_k$ of every leader $k$ whom they meet. The three members who meet neither leader keep the full weight 1.
# - **Any weights.** Four leakages reach $\varepsilon$, all to weak attackers. Their four targets lose weight, and the other thirty members keep exactly the weight 1. The leaders are subtracted 3.25<!-- {-signed[0]:.2f} --> and 3.34<!-- {-signed[33]:.2f} --> times, which takes back part of what their friends say about them.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The karate club at \u03b5 = 3: the best release with weights \u2265 0 (left) and with any weights (right). The area of a disc is the absolute weight, the colour its sign; a cross is the weight 0. Numbers name the members whose leakage reaches \u03b5.", "name": "fig-09-club"}, "image": {"alt": "Two drawings of a network of 34 members. Left, members 1 and 34 in the middle are crosses, and the other discs have weights from 0.33<!-- {min_other:.2f} --> to 1. Right, members 1 and 34 are very large orange discs, member 33 is a small orange disc, member 3 a small blue one, and all others have weight 1."}} tags=["figure"]
upright = nx.kamada_kawai_layout(nx.Graph(list(club.edges)))
spots = {k: np.array([-y, x]) for k, (x, y) in upright.items()}
away = 0.09 * (spots[32] - spots[33]) / np.linalg.norm(spots[32] - spots[33])
spots[32], spots[33] = spots[32] + away, spots[33] - away
nonnegative_error = squared_error(C, a, scale)
signed_error = squared_error(C, signed, signed_scale)
fig, axes = plots.panels(1, 2, width=8.5, height=3.7)
cases = [
    ("weights ≥ 0", nonnegative_error, a, mu),
    ("any weights", signed_error, signed, signed_mu),
]
for axis, (title, error, weights, multipliers) in zip(axes, cases):
    for u, v in club.edges:
        axis.plot(*zip(spots[u], spots[v]), color="#cccccc", lw=0.8, ls="-", zorder=1)
    for k, weight in enumerate(weights):
        if abs(weight) < 1e-9:
            cross = {"s": 110, "marker": "x", "lw": 3, "color": plots.COLOURS["orange"]}
            axis.scatter(*spots[k], zorder=3, **cross)
            continue
        colour = plots.COLOURS["sky" if weight > 0 else "orange"]
        axis.scatter(*spots[k], s=150 * abs(weight), color=colour, ec="#333333", lw=0.6, zorder=2)
    for k in np.flatnonzero(multipliers[:34] > 1e-12):
        lift = 0.1 if abs(weights[k]) < 1 else 0
        axis.text(*(spots[k] + [0, lift]), str(k + 1), ha="center", va="center",
                  weight="bold", fontsize=9, zorder=4)  # fmt: skip
    axis.set_title(f"{title}: error {error:.1f}")
    axis.axis("off")
    axis.margins(0.08)
binding = [np.flatnonzero(m > 1e-12).tolist() for m in (mu, signed_mu)]
assert binding == [[0, 33], [0, 2, 32, 33]]
assert np.isclose(np.delete(signed, binding[1]), 1).all()
at_level = np.isclose(weak_moves(C) @ signed, 3 * signed_scale, rtol=1e-9)
assert np.flatnonzero(at_level).tolist() == binding[1]
at_level = np.isclose(weak_moves(C) @ a, 3 * scale, rtol=1e-9)
assert np.flatnonzero(at_level).tolist() == binding[0]
meets = np.array([club.has_edge(k, 0) or club.has_edge(k, 33) for k in range(34)])
full = np.isclose(a, 1)
assert full.sum() == 3 and not meets[full].any()
min_other = np.delete(a, binding[0]).min()
plt.show()

# %% [markdown]
# How much depends on the level? {numref}`fig-09-error` compares the four errors. If $\varepsilon$ is small, the answer 0 is nearly as good as any release, and if $\varepsilon$ is large, every release needs little noise. Between these the choice of the weights matters: at $\varepsilon = 1$, weights of any sign reduce the error from 29.6<!-- {at_one[0]:.1f} --> to 23.7<!-- {at_one[2]:.1f} -->. At this level, attackers who are not weak matter as well: 6<!-- {not_weak} --> of them have positive multipliers.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The karate club: mean squared error of four releases against the level. The dotted line is the error of the answer 0, the variance of the sum. Better weights help most between \u03b5 = 1 and \u03b5 = 5.", "name": "fig-09-error"}, "image": {"alt": "Four falling curves, with a logarithmic axis for \u03b5 from 0.3 to 12. The curve of the plain sum is above the dotted line at 34 until \u03b5 is about 2.6. The other three start just below the line, and the one for any weights is clearly lowest between 1 and 5. On the right all four are near 2."}} tags=["figure"]
grid = np.geomspace(0.3, 12, 25)
factor = weak_moves(C).sum(axis=1).max()


def errors_at(epsilon):
    """Errors of the rescaled sum and of the two best releases."""
    noise = 2 * (factor / epsilon) ** 2
    positive = project(P, weak_moves(C), epsilon, signs="nonnegative")
    both = best_with_any_signs(P, epsilon)
    bests = [squared_error(C, weights, level) for weights, level, _ in (positive, both)]
    return [34 * noise / (34 + noise), *bests], int((both[2][34:] > 0).sum())


curves = np.array([errors_at(epsilon)[0] for epsilon in grid]).T
at_one, not_weak = errors_at(1)
saved = 1 - curves[2] / curves[0]
assert 1 < grid[saved.argmax()] < 5 and saved[(grid >= 1) & (grid <= 5)].min() > 0.1
fig, axis = plots.panels(1, 1, width=6.4, height=3.5)
axis.plot(grid, 2 * (factor / grid) ** 2, label="plain sum")
for name, curve in zip(("rescaled", "best, weights ≥ 0", "best, any weights"), curves):
    axis.plot(grid, curve, label=name)
axis.axhline(34, color="#555555", lw=1, ls=":")
axis.set(xscale="log", xlabel="level ε", ylabel="mean squared error", ylim=(0, 42))
axis.set(xticks=[0.3, 1, 3, 10], xticklabels=["0.3", "1", "3", "10"])
axis.minorticks_off()
axis.legend()
plt.show()

# %% [markdown]
# ```{evidence} Y-B32 Y-B35
# ```
#
# ## Choose a network
#
# Who loses weight, and when do the weights matter? {numref}`fig-choose-a-network` has four networks and six levels, again with weights $\ge 0$. All links and the prior precision are 1, so that a network of $n$ people has a sum of variance $n$. Network 1 is the karate club, 2 the families of Florence around 1430, linked by marriage, 3 a star of twelve people, and 4 a path of twelve.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "A network and its best release with weights \u2265 0: a larger disc is a larger weight, a cross is the weight 0. Here the families of Florence at \u03b5 = 3: only the Medici are left out. In the built book you choose network and level.", "name": "fig-choose-a-network"}, "image": {"alt": "A network of fifteen families with their names. The Medici, in the middle, are a cross; the others are discs of different sizes."}} tags=["figure"]
networks = {
    "karate club": nx.convert_node_labels_to_integers(nx.Graph(list(club.edges)), first_label=1),
    "families of Florence": nx.florentine_families_graph(),
    "star of twelve": nx.convert_node_labels_to_integers(nx.star_graph(11), first_label=1),
    "path of twelve": nx.convert_node_labels_to_integers(nx.path_graph(12), first_label=1),
}
layouts = {name: nx.kamada_kawai_layout(graph) for name, graph in networks.items()}
models = {name: GaussianModel.from_graph(graph, 1, width=1) for name, graph in networks.items()}
florence, spots = networks["families of Florence"], layouts["families of Florence"]
florentine = best_release(models["families of Florence"], 3).weights
fig, axis = plots.panels(width=6.2, height=4)
nx.draw_networkx_edges(florence, spots, ax=axis, edge_color="#bbbbbb")
for family, weight in zip(florence, florentine):
    look = {"s": 240 * weight, "color": plots.COLOURS["sky"]}
    if weight == 0:
        look = {"s": 110, "marker": "x", "lw": 3, "color": plots.COLOURS["orange"]}
    axis.scatter(*spots[family], zorder=2, **look)
    axis.annotate(family, spots[family], (0, 9), textcoords="offset points", ha="center", fontsize=8)
assert [family for family, weight in zip(florence, florentine) if weight == 0] == ["Medici"]
axis.margins(0.12)
axis.axis("off")
plt.show()


# %% jupyter={"source_hidden": true} tags=["figure"]
def network_frame(number, epsilon):
    """Links, weights and errors of one network at one level."""
    name = list(networks)[int(number) - 1]
    graph, model, where = networks[name], models[name], layouts[name]
    xs, ys = [], []
    for u, v in graph.edges:
        xs += [where[u][0], where[v][0], None]
        ys += [where[u][1], where[v][1], None]
    release, n = best_release(model, epsilon), len(graph)
    moves = weak_moves(np.linalg.inv(model.precision))
    ours, level, _ = project(model.precision, moves, epsilon, signs="nonnegative")
    assert np.isclose(release.error, squared_error(np.linalg.inv(model.precision), ours, level))
    noise = 2 * (moves.sum(axis=1).max() / epsilon) ** 2
    errors = [noise, n, n * noise / (n + noise), release.error]
    names, kept = [str(node) for node in graph], release.weights > 0
    left_out = [node for node, keep in zip(names, kept) if not keep]
    note = f"{name}, ε = {epsilon:g}: mean squared error {noise:.3g} of the plain sum, {n} of the "
    note += f"answer 0, {errors[2]:.3g} rescaled, {release.error:.3g} of the best release with "
    note += f"weights ≥ 0. Left out: {', '.join(left_out) or 'nobody'}."
    discs = {"x": [where[node][0] for node in graph], "y": [where[node][1] for node in graph],
             "text": ["" if keep else node for node, keep in zip(names, kept)], "hovertext": names,
             "marker.size": np.where(kept, 4 + 16 * release.weights, 13),
             "marker.symbol": np.where(kept, "circle", "x").tolist(),
             "marker.color": [plots.COLOURS["sky" if keep else "orange"] for keep in kept]}  # fmt: skip
    bars = {"y": [min(error / n, 1.25) for error in errors], "text": [f"{e / n:.2f}" for e in errors]}
    return [{"trace": 0, "x": xs, "y": ys}, {"trace": 1, **discs}, {"trace": 2, **bars}, {"note": note}]


marks = {"hoverinfo": "text", "textposition": "top center", "showlegend": False}
lines = {"line": {"color": "#999999", "width": 1}, "hoverinfo": "skip", "showlegend": False}
columns = {"x": ["plain", "zero", "rescaled", "best"], "xaxis": "x2", "yaxis": "y2"}
live = go.Figure(
    [go.Scatter(mode="lines", **lines), go.Scatter(mode="markers+text", **marks),
     go.Bar(marker={"color": plots.COLOURS["blue"]}, showlegend=False, **columns)],
    {"height": 360, "yaxis": {"visible": False}, "xaxis": {"domain": [0, 0.55], "visible": False},
     "xaxis2": {"domain": [0.66, 1], "anchor": "y2", "tickfont": {"size": 12}},
     "yaxis2": {"range": [0, 1.3], "anchor": "x2", "title": {"text": "error / variance of the sum"}}},
)  # fmt: skip
sliders = [interactive.Slider("network", [1, 2, 3, 4], "d", start=1),
           interactive.Slider("level ε", [0.5, 1, 2, 3, 5, 10], "g", start=3)]  # fmt: skip
alt = "Left, a network whose discs have the size of their weights, with crosses and names for those "
alt += "left out. Right, the errors of four answers; a bar is cut at 1.25, its number is not."
interactive.show("choose-a-network", live, sliders, network_frame, alt=alt)

# %% [markdown]
# ## Result: four thousand people
#
# On the Facebook network of {cite:t}`mcauley2012learning`, with prior precision 1 and $\varepsilon = 3$, the plain sum is much worse than the answer 0, whose error is the variance of the sum, 4,039<!-- {len(friends):,} -->. How much of this do better weights repair? The package solves the projection for weights $\ge 0$ and returns its bound:

# %%
friends = datasets.facebook()
facebook = GaussianModel.from_graph(friends, 1.0, width=1)
noise = 2 * facebook.noise_scale(3) ** 2
shrunk = len(friends) * noise / (len(friends) + noise)
chosen = best_release(facebook, 3)
print(f"plain {noise:,.0f}, rescaled {shrunk:,.0f}")
print(f"best with weights ≥ 0: {chosen.error:,.4f}, bound {chosen.bound:,.4f}")


# %% [markdown]
# The best release leaves out 375<!-- {int((chosen.weights == 0).sum())} --> people, and its error is 18%<!-- {1 - chosen.error / len(friends):.0%} --> below that of the answer 0. The rescaled sum is only 5%<!-- {1 - shrunk / len(friends):.0%} --> below. So most of the error remains: at this level, no single weighted sum with weights $\ge 0$ and Laplace noise says much about the sum of this network. With weights of any sign it may be better; we have not computed them for 4,039 people.
#
# ```{evidence} Y-B33
# ```
#
# ## What it rests on
#
# The proofs use three assumptions: the Gaussian correlation model, Laplace noise, and one released number. With other ranges $M_i$, replace $\varepsilon$ by $\varepsilon / M_i$ for the attackers of $x_i$. The results for the star are proved in fractions. Those for the club and for Facebook hold up to rounding: error and bound agree to about nine digits, in floating point. [The evidence](../evidence/research/correlated-minimum-error-release.ipynb) compares them with a general solver, and the worst attackers with a list of all attackers on random networks of six.
#
# ## Limits
#
# **Only one weighted sum.** Both optima are among releases of *one* weighted sum with Laplace noise. Several sums, and noise of another shape, are not covered.
#
# **The model.** If the data do not follow it, neither the error nor the level is what we say. [*How much noise do a million people need if the weights are guesses?*](correlated-a-million-people.ipynb) bounds the leakage if the weights of the links are known only roughly.
#
# **Only readers who take the output for the sum.** If a reader computes the mean of the sum *given* the output instead, the error is smaller still. This mean is not linear in the output, because Laplace noise is not normal. Let $f$ be the density of the output. Then the error is $V - \operatorname{Cov}(a^{\mathsf T} x, s)^2 \int f'(r)^2 / f(r)\, dr$ (the evidence compares it with Bayes' rule on a grid):

# %%
def posterior_error(a, scale):
    """Mean squared error of the mean of the sum, given the output."""
    sigma = (a @ C @ a) ** 0.5
    end = 40 * scale + 9 * sigma
    r, step = np.linspace(-end, end, 200_001, retstep=True)
    density = output_density(r, 0, scale=scale, sigma=sigma)
    information = (np.gradient(density, step) ** 2 / density).sum() * step
    return C.sum() - (C @ a).sum() ** 2 * information


print(f"plain sum {posterior_error(np.ones(34), (plain / 2) ** 0.5):.2f}")
print(f"best with weights ≥ 0 {posterior_error(a, scale):.2f}")

# %% [markdown]
# So the better weights help such a reader, too. Which release is best for such a reader, we do not know.
#
# ```{evidence} Y-B34
# ```
#
# ## What others had
#
# To answer a question by asking another one is the idea of the matrix mechanism {cite:p}`li2010optimizing`, for many counting queries at once, under differential privacy and without bias. A closed form for the leakage of linear queries in the Gaussian model is in {cite:t}`li2019impact`, of which we have read the abstract and the first pages. {cite:t}`ghosh2017inferential` bound what any differentially private answer leaks if the data are positively affiliated, as ours are, and show that Laplace noise on the plain sum attains this bound; we know their abstract, which mentions no other weighted sum. Obstacle problems with such matrices, and the fact that their solution is a maximum over sets, are textbook {cite:p}`cottle2009linear`. The projection, its certificate, the obstacle problem for attackers, and the two releases of the club we have not found elsewhere.
#
# **Next:** all of this holds under the model. Is the model true of anybody? [Does a network predict real leakage?](correlated-does-a-network-predict-leakage.ipynb)
