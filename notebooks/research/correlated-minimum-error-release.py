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
# **Question.** A noisy sum of correlated data needs enough noise for the person who leaks most. Is there another weighted sum that protects everybody equally well and comes nearer to the true sum?
#
# **What is known.** The paper {cite:p}`yangkanren` releases the plain sum with Laplace noise. Its Theorems 5.1 and 5.2 say how much noise is enough. Under differential privacy, the matrix mechanism {cite:p}`li2010optimizing` answers given queries through better ones. We found no such choice for correlated data.
#
# **Answer.** Yes. In a karate club of 34 members, at $\varepsilon = 3$, the paper's release has a mean squared error of 25.5<!-- {plain:.1f} -->, or of 14.6<!-- {rescaled:.1f} --> if the output is multiplied by the best constant. The best weights $\ge 0$ leave out the club's two leaders and reduce the error to 13.1<!-- {nonnegative_error:.1f} -->. The best weights of any sign subtract the two leaders and reduce it to 10.6<!-- {signed_error:.1f} -->. In both cases, a lower bound for all weighted sums with Laplace noise proves that none has a smaller error.
#
# **Why it matters.** The publisher gains accuracy at the same privacy, only by choosing weights.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to choose the weighted sum with the least error, how to prove that no other weighted sum has less, and how to find the worst of $2^{n-1}$ attackers when weights have both signs.
# **You need** the leakage coefficient ([notebook 3](../correlated/03-gaussian-correlation-model.ipynb)) and Theorem 5.2 ([notebook 4](../correlated/04-all-adversaries.ipynb)).
# **Data:** 220 kB, downloaded once from their publisher {cite:p}`leskovec2014snap` if they are not on your machine.
# **Time:** 26 minutes.
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
# One person, the centre, is linked to four others, the leaves. All link weights and the prior precision are 1. The means of the tuples are known and already subtracted, so every tuple has mean 0. A user of the data wants the sum $s = \sum_i x_i$.

# %%
P = sp.eye(5) + sp.diag(4, 1, 1, 1, 1)  # the precision matrix; person 0 is the centre
for leaf in range(1, 5):
    P[0, leaf] = P[leaf, 0] = -1
C = np.array(P.inv().tolist())  # the covariances, as fractions


# %% [markdown]
# The publisher releases one number, $r = \sum_i a_i x_i + z$ with $z \sim \operatorname{Lap}(\lambda)$, and the user takes $r$ as the estimate of $s$. We call such a pair of weights and noise scale, $(a, \lambda)$, a *release*. Two properties of a release matter: its error and its leakage.
#
# *The error.* The difference between $s$ and $r$ is $(\mathbf 1 - a)^{\mathsf T} x - z$. With the covariance matrix $C = P^{-1}$ of the data, the mean squared error is therefore
#
# $$ E(a, \lambda) = (\mathbf 1 - a)^{\mathsf T} C\, (\mathbf 1 - a) + 2 \lambda^2 . $$
#
# *The leakage.* Suppose that $x_i$ rises by one. The attacker whose target is $x_i$ then expects each tuple $j$ to change by some amount $m_j$, which we call its *expected move*. The target itself has $m_i = 1$, a known tuple has $m_j = 0$, and an unknown tuple has the expected move of notebook 3. So the attacker expects $r$ to change by $m^{\mathsf T} a$. The proof of {prf:ref}`thm-03-leakage` works for any weights. Therefore the leakage is $\lvert m^{\mathsf T} a \rvert / \lambda$. The *weak* attacker knows no value, and for this attacker $m_j = C_{ji} / C_{ii}$.

# %%
def squared_error(C, a, scale):
    left_out = 1 - a
    return left_out @ C @ left_out + 2 * scale**2


def weak_moves(C):
    """Row i: the moves that the weak attacker of x_i expects."""
    return C / C.diagonal()[:, None]


# %% [markdown]
# Here are four weighted sums for $\varepsilon = 2$, each with just enough noise against the five weak attackers, one for each target. The package confirms that this noise is enough against all 80<!-- {5 * 2**4} --> attackers, that is, against each target and each set of known tuples.

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
# The centre leaks most from the plain sum, because every leaf resembles the centre. But for the same reason, the sum of the leaves is a good substitute for the sum of all. So leaving out the centre adds little error and saves noise. The sum of the leaves still says something about the centre: if the centre rises by one, each leaf is expected to rise. Subtracting a part of the centre's value offsets this expected rise, and then even less noise is enough.
#
# The comparison is not fair yet. Every user may multiply the released plain sum by a constant $k$ ([notebook 5](../correlated/05-who-leaks-most.ipynb)), and this post-processing costs no privacy. If the sum has variance $V$ and the noise has variance $N$, the multiple $k r$ has the mean squared error
#
# $$ (1 - k)^2\, V + k^2 N = \frac{VN}{V + N} + (V + N) \Bigl( k - \frac{V}{V + N} \Bigr)^2 . $$
#
# The best factor is therefore $V/(V + N)$. We call this multiple the *rescaled* sum. Its error $VN/(V+N)$ is below $N$, the error of the plain sum, and below $V$, the error of a user who always answers 0. For the star it is 45/19<!-- {star_rescaled} -->, about 2.37<!-- {float(star_rescaled):.2f} -->. {numref}`fig-09-star` shows it beside the plain sum and the two best releases.

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
# How can the best weights be found? We call a release *private* if $\lvert m^{\mathsf T} a \rvert \le \varepsilon \lambda$ for the expected moves $m$ of every attacker. If $(a, \lambda)$ satisfies these inequalities, so does each positive multiple of it. If two releases satisfy them, so does their sum. So the private releases form a *convex cone*.
#
# The error is a squared distance. Define the norm of a release by $\lVert (a, \lambda) \rVert^2 = a^{\mathsf T} C a + 2 \lambda^2$. (This is the variance of the released number.) The pair $(\mathbf 1, 0)$ stands for the sum without noise, and $E(a, \lambda)$ is the squared distance between $(a, \lambda)$ and $(\mathbf 1, 0)$ in this norm.
#
# ```{prf:theorem} The best release is a projection
# :label: thm-09-projection
# Let the data follow a Gaussian correlation model with a positive definite precision matrix $P$. Among all private releases there is exactly one with the least error: the projection of $(\mathbf 1, 0)$ onto the cone of private releases. The same is true among the private releases with weights $\ge 0$. Rescaling does not improve either of them.
# ```
#
# ```{prf:proof}
# Both sets are given by finitely many inequalities "$\le$" between linear functions. So both are closed convex cones, and a closed convex set has exactly one point that is nearest to a given point. A multiple of a private release is private, too, so no multiple of the nearest point is nearer.
# ```
#
# {numref}`fig-09-cone` shows the theorem in the simplest case, where only multiples of the plain sum are allowed.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Releases that multiply the sum of the star by k and add noise of scale \u03bb. The axes are scaled so that the error is the squared distance from the sum without noise. The private releases form the shaded cone, and its nearest point is the rescaled release. With other weights the cone has more dimensions and comes nearer.", "name": "fig-09-cone"}, "image": {"alt": "A plane with a shaded cone between the vertical axis and a ray. The plain release lies on the ray, above the sum on the horizontal axis. A perpendicular from the sum meets the ray at the rescaled release, nearer than the plain one."}} tags=["figure"]
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
# A solver may be wrong. But the distance to a cone has a certificate: a list of multipliers, one for each inequality, from which anybody can compute a lower bound for the error with a few products of matrices. If the bound equals the error of a private release, this release is the best.
#
# ````{prf:theorem} Certificate
# :label: thm-09-certificate
# Let each row of a matrix $A$ be $m$ or $-m$, where $m$ are the expected moves of some attacker. Take any vectors $\mu, \nu \ge 0$, and put $a = \mathbf 1 - P(A^{\mathsf T} \mu - \nu)$ and $\lambda = \frac{\varepsilon}{2} \sum_j \mu_j$. Then every private release with weights $\ge 0$ has at least the error
#
# $$ D = \mathbf 1^{\mathsf T} C\, \mathbf 1 - a^{\mathsf T} C a - 2 \lambda^2 , $$
#
# even if $(a, \lambda)$ is not private. If $\nu = 0$, this holds for weights of any sign. If $A$ has the rows of all attackers, both $m$ and $-m$, then for some multipliers $D$ is the least error.
# ````
#
# ````{prf:proof}
# Let $(b, \kappa)$ be a private release. Suppose that its weights are $\ge 0$ or that $\nu = 0$. Write $\langle (a, \lambda), (b, \kappa) \rangle = a^{\mathsf T} C b + 2 \lambda \kappa$. The difference $(\mathbf 1, 0) - (a, \lambda)$ is $(P(A^{\mathsf T} \mu - \nu), -\lambda)$. Since $CP$ is the identity, its inner product with $(b, \kappa)$ is
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
# For the star, one or two multipliers above 0 are enough. They prove, in fractions, that 2<!-- {star_errors[2]} --> is the least error with weights $\ge 0$, and 9/5<!-- {star_errors[3]} --> the least of all. The centre has the multiplier $\mu = \frac34$ with $\nu = \frac14$ in the first case, and $\mu = \frac35$ in the second; all others are 0.

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
# For larger networks we compute the multipliers. Because $D = \lVert (\mathbf 1, 0) \rVert^2 - \lVert (a, \lambda) \rVert^2$, the largest bound belongs to the shortest vector $(a, \lambda)$. Let $C = R R^{\mathsf T}$ be the Cholesky factorisation. Then $R^{\mathsf T} P = R^{-1}$, and the length of $(a, \lambda)$ is the Euclidean length of
#
# $$ \begin{pmatrix} R^{\mathsf T} a \\ \sqrt2\, \lambda \end{pmatrix} = \begin{pmatrix} R^{\mathsf T} \mathbf 1 \\ 0 \end{pmatrix} - \begin{pmatrix} R^{-1} A^{\mathsf T} & -R^{-1} \\ -\frac{\varepsilon}{\sqrt2} \mathbf 1^{\mathsf T} & 0 \end{pmatrix} \begin{pmatrix} \mu \\ \nu \end{pmatrix} , \qquad \mu, \nu \ge 0 . $$
#
# To make this vector short is a problem of *non-negative least squares* {cite:p}`lawson1995solving`.

# %%
def project(P, moves, epsilon, signs):
    """Weights, scale and leakage multipliers of the best release, for these attackers."""
    n = len(P)
    root = np.linalg.cholesky(np.linalg.inv(P))
    last_row = np.full(len(moves), -epsilon / 2**0.5)
    leakage_columns = np.vstack([np.linalg.solve(root, moves.T), last_row])
    sign_columns = np.vstack([-np.linalg.inv(root), np.zeros(n)])
    if signs == "any":
        sign_columns *= 0  # then nu has no effect
    columns = np.hstack([leakage_columns, sign_columns])
    multipliers, _ = nnls(columns, np.append(root.T @ np.ones(n), 0))
    mu, nu = np.split(multipliers, [len(moves)])
    a, scale = from_multipliers(P, moves, mu, nu, epsilon=epsilon)
    return a, scale, mu


# %% [markdown]
# For weights $\ge 0$, a release that is private against the weak attackers is private against all. (This is Theorem 5.2 for weighted sums; we prove it in the next section.) So $A$ needs only $n$ rows. We take the karate club at $\varepsilon = 3$. All its links have weight 1, and the prior precision is 1:

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
# Error and bound agree, so no weights $\ge 0$ have a smaller error. Members 1 and 34 are the club's instructor and its president, the two leaders. (The text counts members from 1, as in notebook 3.)
#
# ```{evidence} Y-B31
# ```
#
# ## Which attacker is the worst for weights of both signs?
#
# If it is better to leave out a leader, is it better still to subtract the leader? If some weights are negative, Theorem 5.2 no longer says that the weak attackers are the worst. In the club there are 292,057,776,128<!-- {34 * 2**33:,} --> attackers, too many to list. But for each target, the worst attacker can be computed without a list. The idea is this. If the target rises, the unknown tuples are expected to rise as well. An unknown tuple with a negative weight then lowers the weighted sum. An attacker who knows this tuple expects no move of it, and so expects a larger rise of the weighted sum.
#
# ````{prf:theorem} The worst attacker solves an obstacle problem
# :label: thm-09-obstacle
# Let $a$ have any signs. Let $N$ be $P$ without row and column $i$, and let $w_{ik} = -P_{ik}$ be the weights of the links of $i$. There is exactly one vector $h \ge 0$, with an entry for each other tuple, such that
#
# $$ (N h)_k \ge a_k \quad\text{and}\quad h_k\, (N h - a)_k = 0 \quad \text{for every } k \ne i . $$
#
# If $x_i$ rises by one, no attacker of $x_i$ expects the weighted sum to rise by more than $a_i + \sum_k w_{ik} h_k$, and the attacker who knows exactly the tuples with $h_k = 0$ expects this rise. For the largest fall, replace $a$ by $-a$.
# ````
#
# ````{prf:proof}
# The function $\frac12 h^{\mathsf T} N h - \sum_{k \ne i} a_k h_k$ is strictly convex, so it has exactly one minimum over $h \ge 0$. The two conditions say that $h$ is this minimum.
#
# Let $\mathcal{U}$ be the tuples that an attacker does not know. The attacker expects the rise $a_i + \sum_{k \in \mathcal{U}} w_{ik} g_k$, where $P_{\mathcal{U}\mathcal{U}}\, g = a_{\mathcal{U}}$. On $\mathcal{U}$ we have $P_{\mathcal{U}\mathcal{U}}\, h_{\mathcal{U}} \ge (N h)_{\mathcal{U}}$, because the entries of $N$ that we drop are $\le 0$ and $h \ge 0$. So
#
# $$ P_{\mathcal{U}\mathcal{U}}\, h_{\mathcal{U}} \ge (N h)_{\mathcal{U}} \ge a_{\mathcal{U}} = P_{\mathcal{U}\mathcal{U}}\, g . $$
#
# The inverse of $P_{\mathcal{U}\mathcal{U}}$ has no negative entry, because link weights are $\ge 0$. Therefore $h_{\mathcal{U}} \ge g$, and no attacker expects a larger rise. If $\mathcal{U}$ consists of the tuples with $h_k > 0$, the conditions say $P_{\mathcal{U}\mathcal{U}}\, h_{\mathcal{U}} = a_{\mathcal{U}}$, so $g = h_{\mathcal{U}}$.
# ````
#
# If $a \ge 0$, the solution $h$ of $(N h)_k = a_k$ for every $k \ne i$ has no negative entry and satisfies the conditions. So the weak attacker expects the largest rise. For the largest fall, $-a$ takes the place of $a$, and $h = 0$ satisfies the conditions: no attacker expects a fall. This is Theorem 5.2 for weighted sums.
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
# Now we can project onto the cone of all private releases without a list of all its inequalities. We begin with the weak attackers and project. Then we look for attackers whose leakage is above $\varepsilon$, add their inequalities, and project again, until there are no such attackers. The loop ends, because no attacker is added twice.

# %%
def best_with_any_signs(P, epsilon):
    moves = weak_moves(np.linalg.inv(P))
    while True:
        a, scale, mu = project(P, moves, epsilon, signs="any")
        violated = []
        for i in range(len(P)):
            for sign in (1, -1):
                worst_moves = sign * worst_attacker(P, sign * a, i)
                if worst_moves @ a > epsilon * scale * (1 + 1e-9):
                    violated.append(worst_moves)
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
# {numref}`fig-09-club` shows both solutions. The formula $a = \mathbf 1 - P A^{\mathsf T} \mu + P \nu$ explains the weights. The moves $m$ that a weak attacker of $x_i$ expects are column $i$ of $C$, divided by $C_{ii}$. So $P m$ is zero except at the target, and the multiplier of a weak attacker lowers the weight of the target only. The multiplier $\nu_k$ raises the weight of member $k$ and lowers the weight of each friend of $k$ by $\nu_k$.
#
# - **Weights $\ge 0$.** Only the leakages of the two leaders reach $\varepsilon$. They do so although the leaders are left out, because the weighted sum contains their friends. Only the leaders have multipliers $\nu_k > 0$. So each other member has the weight 1, less $\nu_k$ for each leader $k$ who is a friend. The three members who are friends of neither leader keep the weight 1.
# - **Any weights.** Four leakages reach $\varepsilon$, all to weak attackers. Their four targets lose weight, and the other thirty members keep exactly the weight 1. The leaders have the weights -3.25<!-- {signed[0]:.2f} --> and -3.34<!-- {signed[33]:.2f} -->. These offset part of the rise that their friends contribute.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The karate club at \u03b5 = 3: the best release with weights \u2265 0 (left) and with any weights (right). The area of a disc is the absolute weight, the colour its sign; a cross is the weight 0. The members with a number are those whose leakage reaches \u03b5.", "name": "fig-09-club"}, "image": {"alt": "Two drawings of a network of 34 members. Left, members 1 and 34 in the middle are crosses, and the other discs have weights from 0.33<!-- {min_other:.2f} --> to 1. Right, members 1 and 34 are very large orange discs, member 33 is a small orange disc, member 3 a small blue one, and all others have weight 1."}} tags=["figure"]
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
# How does the gain depend on the level? {numref}`fig-09-error` compares the four errors. If $\varepsilon$ is small, always answering 0 is nearly as good as any release. If $\varepsilon$ is large, every release needs little noise. Between these extremes the choice of the weights matters. At $\varepsilon = 1$, weights of any sign reduce the error from 29.6<!-- {at_one[0]:.1f} --> to 23.7<!-- {at_one[2]:.1f} -->. At this level, attackers who know some values also limit the release: 6<!-- {not_weak} --> of them have positive multipliers.

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
# Which people lose weight, and at which levels do the weights matter? {numref}`fig-choose-a-network` has four networks and six levels, again with weights $\ge 0$. All links and the prior precision are 1, so the sum over a network of $n$ people has variance $n$. Network 1 is the karate club, 2 the families of Florence around 1430, linked by marriage, 3 a star of twelve people, and 4 a path of twelve.

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
# On the Facebook network of {cite:t}`mcauley2012learning`, with prior precision 1 and $\varepsilon = 3$, the plain sum is much worse than the answer 0, whose error is the variance of the sum, 4,039<!-- {len(friends):,} -->. How much better are the best weights? The package solves the projection for weights $\ge 0$ and returns its bound:

# %%
friends = datasets.facebook()
facebook = GaussianModel.from_graph(friends, 1.0, width=1)
facebook_plain = 2 * facebook.noise_scale(3) ** 2
facebook_rescaled = len(friends) * facebook_plain / (len(friends) + facebook_plain)
facebook_best = best_release(facebook, 3)
print(f"plain {facebook_plain:,.0f}, rescaled {facebook_rescaled:,.0f}")
print(f"best with weights ≥ 0: {facebook_best.error:,.4f}, bound {facebook_best.bound:,.4f}")


# %% [markdown]
# The best release leaves out 375<!-- {int((facebook_best.weights == 0).sum())} --> people, and its error is 18%<!-- {1 - facebook_best.error / len(friends):.0%} --> below that of the answer 0. The error of the rescaled sum is only 5%<!-- {1 - facebook_rescaled / len(friends):.0%} --> below. So most of the error remains, and at this level no single weighted sum with weights $\ge 0$ and Laplace noise removes more. Weights of any sign may do better; we have not computed them for 4,039 people.
#
# ```{evidence} Y-B33
# ```
#
# ## What it rests on
#
# The proofs use three assumptions: the Gaussian correlation model, Laplace noise, and one released number. If the values of $x_i$ may be up to $M_i$ apart, replace $\varepsilon$ by $\varepsilon / M_i$ in the inequalities for the attackers of $x_i$. The results for the star are proved in fractions. Those for the club and for Facebook hold up to rounding: error and bound agree to about nine digits, in floating point. [The evidence](../evidence/research/correlated-minimum-error-release.ipynb) compares the club's errors with those of a general solver, and the worst attackers with a list of all attackers in random networks of six.
#
# ## Limits
#
# **Only one weighted sum.** Both optima are among releases of *one* weighted sum with Laplace noise. Several sums, and noise of another shape, are not covered.
#
# **The model.** If the data do not follow it, neither the error nor the level need be the stated one. [*How much noise do a million people need if the weights are guesses?*](correlated-a-million-people.ipynb) bounds the leakage if the weights of the links are known only roughly.
#
# **Only users who take the output as the estimate.** A user may instead compute the posterior mean of the sum, given the output. Its error is smaller still. It is not linear in the output, because Laplace noise is not normal. If $f$ is the density of the output, the error of the posterior mean is $V - \operatorname{Cov}(a^{\mathsf T} x, s)^2 \int f'(r)^2 / f(r)\, dr$ (the evidence compares it with Bayes' rule on a grid):

# %%
def posterior_error(a, scale):
    """Mean squared error of the posterior mean of the sum, given the output."""
    sigma = (a @ C @ a) ** 0.5
    end = 40 * scale + 9 * sigma
    r, step = np.linspace(-end, end, 200_001, retstep=True)
    density = output_density(r, 0, scale=scale, sigma=sigma)
    information = (np.gradient(density, step) ** 2 / density).sum() * step
    return C.sum() - (C @ a).sum() ** 2 * information


print(f"plain sum {posterior_error(np.ones(34), (plain / 2) ** 0.5):.2f}")
print(f"best with weights ≥ 0 {posterior_error(a, scale):.2f}")

# %% [markdown]
# So the better weights help this user as well. We do not know which release is the best for this user.
#
# ```{evidence} Y-B34
# ```
#
# ## What others had
#
# The matrix mechanism {cite:p}`li2010optimizing` chooses which queries to answer with noise, for many counting queries at once. It works under differential privacy and gives unbiased answers. {cite:t}`li2019impact` have a closed form for the leakage of linear queries in the Gaussian model (we have read the abstract and the first pages). {cite:t}`ghosh2017inferential` bound what any differentially private answer leaks if the data are positively affiliated, as ours are. They show that Laplace noise on the plain sum attains this bound (we know the abstract, which mentions no other weighted sum). Obstacle problems with matrices like $N$, and the fact that their solution is a maximum over sets, are textbook knowledge {cite:p}`cottle2009linear`. The projection, its certificate, the obstacle problem for attackers, and the two releases of the club we found nowhere else.
#
# **Next:** all of this assumes the model. Do real data follow it? [Does a network predict real leakage?](correlated-does-a-network-predict-leakage.ipynb)
