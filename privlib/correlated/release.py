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
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lapack

from privlib import _checks as checks
from privlib.correlated.gaussian import GaussianModel, _cholesky


@dataclass(frozen=True, eq=False)
class Release:
    r"""The private linear release with the least mean squared error, and the proof of it.

    Attributes
    ----------
    weights : ndarray or Series, shape (n,)
        The query *a* to release, not negative.
    scale : float
        Scale :math:`\lambda` of its Laplace noise.
    error : float
        Mean squared error of the answer.
    bound : float
        No private release of the form has a smaller error; follows from the multipliers.
    leakage_multipliers : ndarray, shape (n,)
        :math:`\mu`: positive where the leakage of a tuple is the level allowed.
    sign_multipliers : ndarray, shape (n,)
        :math:`\nu`: positive only for tuples that are dropped.
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
        Privacy level.

    Returns
    -------
    Release
        The release, :math:`\varepsilon`-BDP whatever `error` and `bound` say of its distance to
        the optimum.

    Raises
    ------
    TypeError
        If `model` is no `GaussianModel`.
    ValueError
        If the model is not as above, or `epsilon` not positive.

    Notes
    -----
    Dense, :math:`O(n^3)`, and least squares with as many columns as constraints were met. Only
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
    >>> model = GaussianModel.from_graph(nx.star_graph(5), 1.0)
    >>> best = best_release(model, 2.0)
    >>> best.weights.round(3)
    array([0.   , 0.675, 0.675, 0.675, 0.675, 0.675])
    >>> round(best.error, 3), round(2 * model.noise_scale(2.0) ** 2, 3)
    (2.627, 6.125)
    """
    from scipy.optimize import nnls  # here: a third of the import time

    if not isinstance(model, GaussianModel):
        raise TypeError(f"best_release: model must be a GaussianModel, got {type(model).__name__}")
    eps, floats = checks.positive("best_release", "epsilon", epsilon), model._floats
    P, w = floats._matrix, floats._a
    if np.triu(P, 1).max() > 1e-12 * P.max() or w.min() < 0:
        raise ValueError("best_release: model must have no off-diagonal > 0 and no weight < 0")
    factor = _cholesky(P, "precision must be positive definite")
    root = lapack.dtrtri(factor, lower=1)[0]
    psi = eps * np.einsum("ki,ki->i", root, root) / floats._widths

    def covariances(a: Any) -> Any:
        return root.T @ (root @ a)

    # In the coordinates F'b of b = C a, with P = F F': the columns of the multipliers.
    columns = np.block([[root, -factor.T], [psi / 2**0.5, np.zeros(len(P))]])
    x, used = np.zeros(2 * len(P)), np.zeros(2 * len(P), dtype=bool)
    unit = (covariances(w) / psi).max() or 1.0
    while True:
        mu, nu = np.split(x, 2)
        a, scale = w - mu + P @ nu, psi @ mu / 2
        slack = np.append((scale - covariances(a) / psi) / unit, a / (w.max() or 1.0))
        new = ~used & (slack < min(slack[~used].min() / 10, -1e-11))
        if not new.any():
            break
        used = new | (x > 0)
        basis, triangle = np.linalg.qr(columns[:, used])
        x = np.zeros(2 * len(P))
        x[used] = nnls(triangle, basis.T @ np.append(root @ w, 0))[0]
    kept = np.where(nu > 0, 0, np.maximum(a, 0))
    least = float((covariances(kept) / psi).max())

    def error(a: Any, scale: Any) -> float:
        return float((w - a) @ covariances(w - a) + 2 * scale**2)

    bound = error(a, scale) + 2 * float(mu @ (covariances(a) - scale * psi) - nu @ a)
    return Release(checks.labelled(kept, model.precision), least, error(kept, least), bound, mu, nu)
