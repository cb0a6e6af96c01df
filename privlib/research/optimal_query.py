r"""The cheapest private answer: which linear query to release in place of the one asked.

*Cheapest* means: among weights of one sign, :math:`a \ge 0`. Weights of both signs can do better.

Asked is :math:`w^\top x`, with :math:`w \ge 0`, of jointly normal tuples with a known mean and
precision *P* without positive off-diagonal entries; :math:`C = P^{-1}`. Release
:math:`a^\top x + \mathrm{Lap}(\lambda)` and answer with that plus the mean of
:math:`(w - a)^\top x`. The mean squared error under the model is

.. math:: E(a, \lambda) = (w - a)^\top C\, (w - a) + 2 \lambda^2,

what is left out of the query plus the noise. For :math:`a \ge 0` the weak adversaries are the worst
(Theorem 5.2), so the release is :math:`\varepsilon`-BDP exactly if

.. math:: (C a)_i \le \lambda \psi_i, \qquad \psi_i = \varepsilon\, C_{ii} / M_i .

**A projection.** These constraints and :math:`a \ge 0` are homogeneous: they cut out a convex cone.
In the norm :math:`\|(a, \lambda)\|^2 = a^\top C a + 2 \lambda^2` the error is the squared distance
from :math:`(w, 0)`, so the cheapest release is the *projection* of the query to the cone of private
releases; it exists and is unique. It needs no further shrinking: the point and what it misses are
orthogonal. Releasing *w* with the noise that it needs, of variance :math:`N = 2 \lambda_0^2`, lies
in the cone; so do its multiples, the best of which is what the best linear reader makes of the
plain release, with the error :math:`V N / (V + N)`, :math:`V = w^\top C w`.

**The dual.** Let :math:`\mu, \nu \ge 0` be *any* multipliers of the leakages and of
:math:`a \ge 0`; put :math:`a = w - \mu + P \nu` and :math:`\lambda = \psi^\top \mu / 2`, which
minimise the Lagrangian. Then no private release with :math:`a \ge 0` has an error below

.. math:: D(\mu, \nu) = E(a, \lambda) + 2 \mu^\top (C a - \lambda \psi) - 2 \nu^\top a ,

whether or not that *a* is private. At the optimum both brackets vanish. So a tuple whose leakage
does not bind, away from those that were dropped, keeps its weight; who binds loses weight; and who
is dropped (:math:`a_i = 0`) still speaks through those it is linked to.

**The algorithm.** The dual is non-negative least squares, in 2n multipliers of which few are
positive: solve it for the constraints met so far, let in those that are violated most, repeat. The
dual value grows in each round, so the same constraints do not recur.

**What is promised is computed anew.** The solver only proposes weights. The scale is the one that
the released query needs against every adversary (`GaussianModel.noise_scale`); the answer is shrunk
to the best multiple; and of the proposal, the query itself and silence the one with the least error
is returned. The bound is the larger of two values of the dual: at the solver's multipliers and at
:math:`\mu = c\, w, \nu = 0` with the best factor *c*. If error and bound differ by more than
`GAP` of the error, nothing is returned.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lapack

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import FloatArray
from privlib.correlated import matrices
from privlib.correlated.gaussian import GaussianModel

GAP = 1e-6
"""By how much the error may exceed the bound, relative to the error."""
ROUNDING = 1e-12
"""Positive off-diagonal entries below it, relative to the diagonal, may be rounding."""


@dataclass(frozen=True, eq=False)
class Release:
    r"""The private linear release with the least mean squared error, and the proof of it.

    Parameters
    ----------
    weights : ndarray, shape (n,)
        The query *a* to release, not negative.
    scale : float
        Scale :math:`\lambda` of its Laplace noise.
    error : float
        Mean squared error of the answer.
    bound : float
        No private release of the form has a smaller error, up to rounding.
    leakage_multipliers : ndarray, shape (n,)
        :math:`\mu`: positive where the leakage of a tuple is the level allowed.
    sign_multipliers : ndarray, shape (n,)
        :math:`\nu`: positive only for tuples that are dropped.

    Examples
    --------
    The hub of a star leaks most: it is left out of the sum, and the others stand in for it.

    >>> import networkx as nx
    >>> model = GaussianModel.from_graph(nx.star_graph(5), 1.0, width=1)
    >>> best = best_release(model, 2.0)
    >>> best.weights.round(3), best.error - best.bound < 1e-5
    (array([0.   , 0.675, 0.675, 0.675, 0.675, 0.675]), True)
    """

    weights: Any
    scale: float
    error: float
    bound: float
    leakage_multipliers: Any
    sign_multipliers: Any


def best_release(model: GaussianModel, epsilon: float) -> Release:
    r"""Return the private linear release with the least mean squared error.

    Parameters
    ----------
    model : GaussianModel
        Tuples, their ranges and the query asked; positive definite, no positive off-diagonal
        entries, weights not negative.
    epsilon : float
        Privacy level; infinite: no privacy is asked for, and the query is released without noise.

    Returns
    -------
    Release
        The release. It is :math:`\varepsilon`-BDP against every adversary under the model, to nine
        digits, and its error exceeds `bound` by 1e-6 of itself at most.

    Raises
    ------
    TypeError
        If `model` is no `GaussianModel`.
    ValueError
        If the model is not as above, or `epsilon` not positive or so small that the variance of the
        noise is beyond the range of floats. A positive off-diagonal entry is refused if it exceeds
        1e-12 of :math:`\sqrt{P_{ii} P_{jj}}`; a smaller one is taken for rounding, and the noise
        must be enough all the same, against every adversary of the matrix as it is.
    UncertifiedError
        If the scale cannot be certified, or error and bound differ by more.

    Notes
    -----
    Dense, :math:`O(n^3)`, and least squares with as many columns as constraints were met; the scale
    is found by one more factorisation. The promise covers one release, of tuples that are normal
    with this precision and change by at most their widths, and rests on Theorem 5.2. Only
    weights :math:`a \ge 0` are looked at. Weights of both signs may do better: on a star of five
    tuples with prior 1 and level 2 the best error is 2, but to subtract 0.8 times the centre, with
    noise of scale 0.6, has the error 1.8 and leaks no more to anybody. There the weak adversaries
    need not be the worst.

    References
    ----------
    Beyond the paper, which releases the query itself with the noise of equation (26). Lawson,
    Hanson, *Solving Least Squares Problems*, chapter 23.

    Examples
    --------
    A star: its centre leaks most, and is left out.

    >>> import networkx as nx
    >>> model = GaussianModel.from_graph(nx.star_graph(5), 1.0, width=1)
    >>> best = best_release(model, 2.0)
    >>> best.weights.round(3)
    array([0.   , 0.675, 0.675, 0.675, 0.675, 0.675])
    >>> round(best.error, 3), round(2 * model.noise_scale(2.0) ** 2, 3)
    (2.627, 6.125)
    """
    where = "best_release"
    if not isinstance(model, GaussianModel):
        raise TypeError(f"{where}: model must be a GaussianModel, got {type(model).__name__}")
    eps = checks.privacy_level(where, "epsilon", epsilon)
    floats = model.in_floats
    P = floats.precision
    w = floats.weights
    n = len(P)
    root_diagonal = np.sqrt(np.abs(P.diagonal()))
    excess = P - ROUNDING * np.multiply.outer(root_diagonal, root_diagonal)
    apart = ~np.eye(n, dtype=bool)
    if (excess[apart] > 0).any() or w.min() < 0:
        raise ValueError(f"{where}: model must have no off-diagonal > 0 and no weight < 0")
    plain = model.noise_scale(eps)
    if eps == math.inf or plain == 0:
        matrices.cholesky(P, "precision must be positive definite")
        return Release(w.copy(), 0.0, 0.0, 0.0, np.zeros(n), np.zeros(n))
    if plain > 1e100:
        raise ValueError(
            f"{where}: epsilon must be so large that the variance of the noise is within the range "
            f"of floats, got {eps:g}, for which the query needs the scale {plain:.1e}"
        )
    lost = floats.covariance_error
    promise = "the rounding of covariances, on which error and bound rest,"
    _safety.certify(where, promise, lost, GAP / 10, slack=0)
    problem = _Problem(floats, eps)
    mu, nu = problem.solve()
    dual_weights = w - mu + P @ nu
    proposal = np.where(nu > 0, 0, np.maximum(dual_weights, 0))

    # To release nothing is private, too.
    weights = np.zeros(n)
    scale = 0.0
    error = problem.error(weights, scale)
    proposals = [(w, plain)]
    if proposal.any():
        # Of size 1, lest what is nearly silent be below the range of floats.
        size_one = proposal / proposal.max()
        size_one[size_one < 1e-50] = 0.0
        proposals.append((size_one, floats.with_weights(size_one).noise_scale(eps)))
    for a, noise in proposals:
        factor = problem.best_multiple(a, noise)
        error_of_proposal = problem.error(a * factor, noise * factor)
        if error_of_proposal < error:
            weights = a * factor
            scale = noise * factor
            error = error_of_proposal
    problem.certify(where, weights, scale)

    bound = problem.dual(mu, nu)
    other = problem.multiplier_of_the_query()
    if problem.dual(other, np.zeros(n)) > bound:
        mu = other
        nu = np.zeros(n)
        bound = problem.dual(mu, nu)
    promise = "the error of the release, by its bound"
    _safety.certify(where, promise, error * (1 - GAP), bound, unit=1e-12 * error)
    return Release(weights, scale, error, bound, mu, nu)


class _Problem:
    """The model of a release: covariances, what the leakages may be, error and dual."""

    def __init__(self, model: GaussianModel, epsilon: float) -> None:
        self.P = model.precision
        self.w = model.weights
        self.width = model.width
        self.epsilon = epsilon
        self.factor = matrices.cholesky(self.P, "precision must be positive definite")
        self.root = lapack.dtrtri(self.factor, lower=1)[0]
        self.variances = np.einsum("ki,ki->i", self.root, self.root)
        self.psi = epsilon * self.variances / self.width

    def covariances(self, a: FloatArray) -> FloatArray:
        return np.asarray(self.root.T @ (self.root @ a))

    def solve(self) -> tuple[FloatArray, FloatArray]:
        """Return multipliers of the leakages and of the signs, near the optimum of the dual."""
        from scipy.optimize import nnls  # here: a third of the import time

        P = self.P
        w = self.w
        psi = self.psi
        root = self.root
        n = len(P)
        # In the coordinates F'b of b = C a, with P = F F': the columns of the multipliers.
        columns = np.block([[root, -self.factor.T], [psi / 2**0.5, np.zeros(n)]])
        # All of norm 1: the unit of a tuple must not matter.
        lengths = np.sqrt(np.append(self.variances + psi**2 / 2, P.diagonal()))
        columns /= lengths
        x = np.zeros(2 * n)
        used = np.zeros(2 * n, dtype=bool)
        unit = (self.covariances(w) / psi).max() or 1.0
        while True:
            mu, nu = np.split(x, 2)
            a = w - mu + P @ nu
            scale = psi @ mu / 2
            leakage_slack = (scale - self.covariances(a) / psi) / unit
            slack = np.append(leakage_slack, a / (w.max() or 1.0))
            new = ~used & (slack < min(slack[~used].min(initial=0.0) / 10, -1e-11))
            if not new.any():
                return mu, nu
            used = new | (x > 0)
            basis, triangle = np.linalg.qr(columns[:, used])
            try:
                coefficients = nnls(triangle, basis.T @ np.append(root @ w, 0))[0]
            except RuntimeError:  # it stops after many steps; the bound tells what it is worth
                return mu, nu
            x = np.zeros(2 * n)
            x[used] = coefficients / lengths[used]

    def error(self, a: FloatArray, scale: float) -> float:
        left_out = self.w - a
        return float(np.square(self.root @ left_out).sum() + 2 * scale**2)

    def best_multiple(self, a: FloatArray, scale: float) -> float:
        """Return the factor by which the release is best shrunk (or blown up)."""
        reach = float(a @ self.covariances(self.w))
        return reach / (float(np.square(self.root @ a).sum()) + 2 * scale**2)

    def dual(self, mu: FloatArray, nu: FloatArray) -> float:
        """Return the value of the dual, of which no private release has a smaller error."""
        left_out = mu - self.P @ nu
        scale = float(self.psi @ mu) / 2
        a = self.w - left_out
        error = float(np.square(self.root @ left_out).sum()) + 2 * scale**2
        taken = float(mu @ (self.covariances(a) - scale * self.psi) - nu @ a)
        return error + 2 * taken

    def multiplier_of_the_query(self) -> FloatArray:
        r"""Return the best multipliers of the leakages that are a multiple of the query.

        With :math:`\mu = c w` the dual is :math:`V (2 c - c^2) - c^2 p^2 / 2`,
        :math:`V = w' C w` and :math:`p = \psi' w`.
        """
        spread = float(np.square(self.root @ self.w).sum())
        return np.asarray(spread / (spread + float(self.psi @ self.w) ** 2 / 2) * self.w)

    def certify(self, where: str, weights: FloatArray, scale: float) -> None:
        """Compare the leakages of what is released with the level, by covariances alone."""
        learnt = self.width * np.abs(self.covariances(weights)) / self.variances
        _safety.certify(where, "the leakage of the release", learnt, scale * self.epsilon,
                        slack=10 * _safety.SLACK)  # fmt: skip
