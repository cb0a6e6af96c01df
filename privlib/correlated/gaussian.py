r"""The Gaussian correlation model: leakage in closed form.

**Model.** A weighted graph with Laplacian :math:`L` and a prior :math:`T = \mathrm{diag}(\tau_i)`
make the tuples jointly normal with precision :math:`P = L + T`; without prior (:math:`T = 0`)
only the conditional laws are proper. The sum :math:`s = 1^\top x` (or a query
:math:`a^\top x`) is released as :math:`r = s + \mathrm{Lap}(\lambda)`.

**One number an adversary.** For :math:`A(i, K)`, who does not know :math:`U`,

.. math:: \mathrm E[s \mid x_i, x_K] = (1 + l_A)\, x_i + \text{const}(x_K), \qquad
          l_A = -1^\top P_{UU}^{-1} P_{Ui},

and the variance of :math:`s` does not depend on :math:`x_i`. The two laws of :math:`r` that the
adversary compares are therefore one density, Laplace convolved with normal, at two positions
:math:`M |1 + l_A|` apart. The logarithm of that density has slopes in
:math:`(-1/\lambda, 1/\lambda)` that tend to the ends, hence

.. math:: \mathrm{BDPL}_A = \frac{M}{\lambda} |1 + l_A| .

The supremum is a limit :math:`r \to \pm\infty`; no output attains it unless :math:`U` is empty.

**All weak adversaries at once.** :math:`1 + l_i = \mathrm{Cov}(x_i, s) / \mathrm{Var}(x_i)
= (P^{-1} 1)_i / (P^{-1})_{ii}`: one Cholesky factor gives all of them.

**Forgetting a tuple.** For any positive definite :math:`P`, with :math:`K' = K \setminus j` and
:math:`b` the regression coefficient of :math:`x_j` on :math:`x_i` given :math:`x_{K'}`,

.. math:: l_{A(i,K')} = l_{A(i,K)} + b \, \bigl(1 + l_{A(j, K' \cup i)}\bigr).

If no off-diagonal entry is positive (an M-matrix) all terms are non-negative and the weak
adversaries are the worst (Theorem 5.2). With
:math:`P = \bigl(\begin{smallmatrix} 3 & -1 & 1 \\ -1 & 2 & 0 \\ 1 & 0 & 2 \end{smallmatrix}\bigr)`
they are not: :math:`1 + l_A` is 3/2 for :math:`A(1, \{3\})`, at most 6/5 for weak and strong ones.

**Merging the unknown tuples.** Such an adversary needs only the law of the mean
:math:`x_0 = \frac1m \sum_{u \in U} x_u`, the target and what it knows. Proposition 5.1 (`combine`)
updates the precision of that vector when one more tuple is forgotten; Algorithm 1 reaches all weak
adversaries by forgetting one half of the tuples, recursing, and forgetting the other half instead.
The leaf is a 2 x 2 matrix, and :math:`l = m w_{01} / w_0` (Theorem 5.1).

**The law of the output.** Given :math:`x_i, x_K` the output has the density
:math:`g(r - \mathrm E s)` with :math:`g = \mathrm{Lap}(\lambda) * N(0, \sigma^2)`,

.. math:: g(t) = \frac{1}{4\lambda} e^{\sigma^2 / 2\lambda^2} \left[
    e^{t/\lambda} \,\mathrm{erfc}\,\frac{\sigma/\lambda + t/\sigma}{\sqrt 2} +
    e^{-t/\lambda} \,\mathrm{erfc}\,\frac{\sigma/\lambda - t/\sigma}{\sqrt 2} \right].

:math:`|g'| < g/\lambda` and :math:`(\log g)' \to \mp 1/\lambda` at :math:`\pm\infty`: two such
densities :math:`\Delta` apart have a log ratio inside :math:`(-\Delta/\lambda, \Delta/\lambda)`
that tends to both ends and reaches neither, unless :math:`\sigma = 0`.

Tuples are numbered from 0 here and from 1 in the paper. sympy matrices and object arrays (of
``Fraction``, say) are computed exactly, all else in double precision. A pivot of the Cholesky
factorisation is :math:`P_{kk} (1 - R_k^2)`, with :math:`R_k^2` the share of tuple k's conditional
variance that the tuples before it explain. A share within rounding of 1 is refused: such a matrix
cannot be told from a singular one, although LAPACK may factor it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_solve, eigh, lapack
from scipy.special import erfc, erfcx, ndtr

from privlib import _checks as checks
from privlib._checks import Array, FloatArray
from privlib.correlated.adversary import Adversary, Worst, _checked

MAX_TUPLES = 16
"""Largest n for which all n 2^(n-1) adversaries are enumerated."""
MAX_DENSE = 10_000
"""Largest sparse matrix that is taken as a dense one."""
REPAIRS = ("leaf", "m", "dummy")
"""What Algorithm 1 as printed needs."""
SYMMETRY_TOLERANCE = 1e-10

_EPS = float(np.finfo(np.float64).eps)
_BLOCK = 256


@dataclass(frozen=True, eq=False)
class GaussianModel:
    r"""Jointly normal tuples, their ranges, and the linear query that is released.

    Parameters
    ----------
    precision : array_like, scipy.sparse matrix, DataFrame or sympy.Matrix, shape (n, n)
        Precision matrix :math:`P` of any signs, or the Laplacian of a connected graph (no prior),
        for which the weak adversaries have coefficient n - 1 and only single adversaries and
        enumerations are computed. What is exact (sympy, object arrays) stays exact. The labels of
        a DataFrame come back in every result that has one number a tuple.
    width : float or array_like, shape (n,)
        Bounds :math:`M_i` on :math:`|x_i - x_i'|`.
    weights : float or array_like, shape (n,)
        Coefficients *a* of the query :math:`a^\top x`; the plain sum by default.

    Raises
    ------
    ValueError
        If the matrix is not square, finite and symmetric (to 1e-10 of its largest entry), or a
        width is not positive. A matrix that is not positive (semi)definite is refused by the
        methods.
    TypeError
        If entries are no numbers, or a graph is given: `from_graph` takes it.

    Examples
    --------
    >>> import networkx as nx
    >>> model = GaussianModel.from_graph(nx.path_graph(3), 0.5)
    >>> model.leakage_coefficients().round(4)
    array([0.9091, 1.3333, 0.9091])
    >>> round(model.noise_scale(1.0), 4)
    2.3333
    """

    precision: Any
    _: KW_ONLY
    width: Any = 1
    weights: Any = 1

    def __post_init__(self) -> None:
        checks.positives("GaussianModel", "width", self._widths)
        _ = self._a

    @classmethod
    def from_graph(
        cls, graph: Any, prior: Any, *, width: Any = 1, weights: Any = 1, **options: Any
    ) -> GaussianModel:
        """Return the model on a networkx graph, whose nodes, in their order, are its tuples.

        A graph may also be a scipy.sparse matrix of weights, with the nodes ``0, ..., n - 1``. A
        Series of `width`, `weights` or `prior` has the nodes as labels, in any order.
        `prior` and the options ``weight`` and ``signed`` are those of `networks.precision`.
        """
        from privlib.correlated import networks

        where, P = "GaussianModel", networks.precision(graph, prior, **options)
        nodes = [*getattr(graph, "nodes", range(P.shape[0]))]
        width = checks.aligned(where, "width", width, nodes)
        return cls(P, width=width, weights=checks.aligned(where, "weights", weights, nodes))

    @cached_property
    def _matrix(self) -> Array:
        """The precision matrix: floats, or sympy numbers if it is exact."""
        A = _matrix("GaussianModel", self.precision)
        return _sympy(A) if A.dtype == object else A.copy()  # the caller's array may change

    @cached_property
    def _definite(self) -> Array:
        """The precision matrix, once it is known to have no negative eigenvalue."""
        return _require_semidefinite("GaussianModel", self._matrix)

    @property
    def _exact(self) -> bool:
        return bool(self._matrix.dtype == object)

    @cached_property
    def _floats(self) -> GaussianModel:
        """The model in floats; refuses symbols."""
        if not self._exact:
            return self
        P = checks.reals("GaussianModel", "precision", self._matrix)
        return GaussianModel(P, width=self._widths, weights=self._a)

    @cached_property
    def _a(self) -> Array:
        return self._per_tuple("weights")

    @cached_property
    def _widths(self) -> Array:
        return self._per_tuple("width")

    def _per_tuple(self, name: str) -> Array:
        """Return one number a tuple, in the arithmetic of the model."""
        where, n = "GaussianModel", len(self._matrix)
        labels = getattr(self.precision, "axes", [None])[0]  # the index of a list is a method
        given = checks.aligned(where, name, getattr(self, name), labels)
        value = np.asarray(given, dtype=object)
        if value.shape not in {(), (n,)}:
            rule = f"{name} must be a number or have shape ({n},)"
            raise ValueError(f"{where}: {rule}, got {value.shape}")
        numbers = _sympy(value) if self._exact else checks.reals(where, name, value)
        return np.broadcast_to(numbers, (n,))

    @cached_property
    def _weak(self) -> Array:
        """The coefficients of the weak adversaries."""
        if not self._exact:
            return _weak(self._matrix, self._a, "precision must be positive definite")
        right = np.hstack([self._a[:, None], np.eye(len(self._matrix), dtype=int)])
        solution = _exact_solve(self._matrix, right)
        return _cancel(solution[:, 0] / solution[:, 1:].diagonal() - self._a)

    def leakage_coefficient(self, target: int, known: Iterable[int] = ()) -> Any:
        r"""Leakage coefficient of one adversary.

        Parameters
        ----------
        target : int
            Attacked tuple.
        known : iterable of int
            Tuples that the adversary knows.

        Returns
        -------
        float or sympy expression
            :math:`l_A`, 0 if nothing is unknown: what the unknown tuples add, so that
            :math:`\mathrm{BDPL}_A = M_i |a_i + l_A| / \lambda`.

        Raises
        ------
        ValueError
            If the matrix is not positive definite on the unknown tuples, an index is out of range
            or repeated, or `known` has the target.
        TypeError
            If an index is no integer.

        Notes
        -----
        :math:`\mathrm E[x_U \mid x_i, x_K] = -P_{UU}^{-1}(P_{Ui} x_i + P_{UK} x_K)`, hence
        :math:`l_A = -a_U^\top P_{UU}^{-1} P_{Ui}`. The paper's :math:`m w_{0i}/w_0` is the same
        number after merging U, and 0/0 for empty U.

        References
        ----------
        Theorem 5.1, equations (24) and (25).

        Examples
        --------
        >>> path = GaussianModel([[1.0, -1, 0], [-1, 2, -1], [0, -1, 1]])
        >>> [round(path.leakage_coefficient(0, K), 12) for K in ([], [2], [1, 2])]
        [2.0, 0.5, 0.0]
        >>> import sympy as sp
        >>> tau = sp.Symbol("tau", positive=True)
        >>> GaussianModel(sp.Matrix([[1 + tau, -1], [-1, 1 + tau]])).leakage_coefficient(0)
        1/(tau + 1)
        """
        P = self._definite
        (i, _), unknown = _checked("leakage_coefficient", len(P), target, known)
        U = list(unknown)
        coefficient = P[0, 0] * 0
        if U:
            coefficient = -(self._a[U] * _solve(P, unknown, P[U, i])).sum()
        return coefficient if self._exact else float(coefficient)

    def leakage_coefficients(self) -> Any:
        r"""Leakage coefficients *l* of all weak adversaries, who learn ``1 + l`` times as much.

        Returns
        -------
        ndarray or Series, shape (n,)
            :math:`l_i = (P^{-1} a)_i / (P^{-1})_{ii} - a_i`.

        Raises
        ------
        ValueError
            If the matrix is not positive definite.

        Notes
        -----
        From one Cholesky factor.
        :math:`a_i + l_i = \mathrm{Cov}(x_i, a^\top x) / \mathrm{Var}(x_i)`, a regression
        coefficient. With :math:`P = G G^\top` the diagonal of the inverse is the column sums of
        squares of :math:`G^{-1}`. Numerator and denominator share the factor, hence its error
        along the smallest eigenvector: the ratio keeps its digits as :math:`\tau \to 0`, where
        the shorter :math:`1/(\tau (P^{-1})_{ii})` loses them. It fails when a pivot drowns in
        rounding (:math:`\tau` below about :math:`10^{-16} n` times the degrees), and says so.

        References
        ----------
        Theorem 5.1 for :math:`K = \emptyset`, equation (25); equation (29) is its limit.

        Examples
        --------
        >>> GaussianModel(5 * np.eye(4) - np.ones((4, 4))).leakage_coefficients()
        array([1.5, 1.5, 1.5, 1.5])
        """
        return checks.labelled(self._weak.copy(), self.precision)

    def all_coefficients(self) -> Array:
        r"""Leakage coefficients of all :math:`n 2^{n-1}` adversaries, n <= 16.

        Returns
        -------
        ndarray, shape (n, 2 ** (n - 1))
            Entry ``[i, k]`` belongs to the adversary that attacks *i* and knows tuple *j* if the
            bit of *j* is set in *k*, where the bits number the tuples other than *i* in increasing
            order. Column 0 holds the weak adversaries, the last column the strong ones (zero).

        Raises
        ------
        ValueError
            If n > 16, or some set of unknown tuples has no positive definite precision.

        Notes
        -----
        One solve with :math:`P_{UU}` for each set *U* serves all targets outside it:
        :math:`2^n` small systems, batched by size.

        References
        ----------
        Theorem 5.1; the hierarchy of Section 5.2.

        Examples
        --------
        >>> model = GaussianModel([[3.0, -1, 1], [-1, 2, 0], [1, 0, 2]])
        >>> model.all_coefficients()[0]  # knows nothing, {1}, {2}, both
        array([ 0. , -0.5,  0.5,  0. ])
        """
        P, a = self._definite, self._a
        n = len(P)
        if n > MAX_TUPLES:
            rule = f"n 2^(n-1) adversaries are enumerated only up to n = {MAX_TUPLES}"
            raise ValueError(f"all_coefficients: {rule}, got n = {n}; see comparison_bound")
        unknown = np.arange(2**n)[:, None] >> np.arange(n) & 1 == 1
        count = unknown.sum(axis=1)
        solution = np.zeros((2**n, n), dtype=P.dtype)
        for size in range(n - 1, 0, -1):
            rows = np.flatnonzero(count == size)
            sets = np.nonzero(unknown[rows])[1].reshape(-1, size)
            if self._exact or size == n - 1:  # these blocks contain all others
                for row, U in zip(rows, sets):
                    solution[row, U] = _solve(P, tuple(U), a[U])
            if not self._exact:
                blocks = P[sets[:, :, None], sets[:, None, :]]
                solution[rows[:, None], sets] = np.linalg.solve(blocks, a[sets][..., None])[..., 0]
        target = np.arange(n)[:, None]
        coefficients = -(solution @ P)[2**n - 1 - _known_mask(n) - (1 << target), target]
        if self._exact:
            return _cancel(coefficients.ravel()).reshape(coefficients.shape)
        return np.asarray(coefficients + 0.0)  # no negative zeros

    def worst_adversary(self, *, scale: Any = 1) -> Worst:
        r"""Find the adversary with the largest leakage, among all, by enumeration (n <= 16).

        Parameters
        ----------
        scale : float
            Laplace scale :math:`\lambda`; 1 gives the factor :math:`M_i |a_i + l_A|`.

        Returns
        -------
        Worst
            The maximiser of :math:`M_i |a_i + l_A| / \lambda`. Among equals (to 1e-12) the one
            that knows least, then the one with the smallest target.

        Raises
        ------
        ValueError
            If `all_coefficients` refuses, the matrix has symbols or `scale` is not positive.

        Notes
        -----
        The leakage is proportional to :math:`|1 + l_A|`, not to :math:`l_A`: with positive
        off-diagonal entries :math:`1 + l_A` may be negative.

        References
        ----------
        Theorem 5.2 and Section 5.6, beyond its assumption w >= 0.

        Examples
        --------
        >>> GaussianModel([[3.0, 1, -1], [1, 2, 0], [-1, 0, 2]]).worst_adversary()
        Worst(adversary=Adversary(target=0, known=(1,)), leakage=1.5)
        """
        where = "worst_adversary"
        scale = checks.rational(where, "scale", scale)
        checks.bounded(where, "scale", scale, "be positive", lambda x: x > 0)
        if self._exact and any(v.free_symbols for v in self._matrix.flat):
            raise ValueError(f"{where}: precision must be numeric to have a maximum, got symbols")
        factors = self._widths[:, None] * abs(self._a[:, None] + self.all_coefficients())
        least = factors.max() if self._exact else factors.max() * (1 - 1e-12)
        masks = _known_mask(len(factors))
        at = np.argwhere(factors >= least)
        i, k = min(at, key=lambda entry: int(masks[tuple(entry)]).bit_count())
        known = tuple(j for j in range(len(factors)) if masks[i, k] >> j & 1)
        factor = factors[i, k] if self._exact else float(factors[i, k])
        return Worst(Adversary(int(i), known), factor / scale)

    def comparison_bound(self) -> Any:
        r"""Bound the coefficients of all adversaries, for any signs and any n.

        Returns
        -------
        ndarray or Series, shape (n,)
            Entry i bounds :math:`|l_{A(i,K)}|` for every K.

        Raises
        ------
        ValueError
            If the comparison matrix is not positive definite: the precision is no H-matrix
            (strict diagonal dominance makes one).

        Notes
        -----
        The comparison matrix keeps the diagonal and takes :math:`-|P_{ij}|` elsewhere. By Ostrowski
        :math:`|P_{UU}^{-1}| \le \langle P_{UU} \rangle^{-1}` entry by entry, so :math:`|l_A|` is at
        most the coefficient of the same adversary in the comparison model with weights
        :math:`|a|`, where Theorem 5.2 applies. Equality for M-matrices (and weak adversaries);
        loose otherwise.

        References
        ----------
        Beyond the paper; uses Theorem 5.2.

        Examples
        --------
        >>> GaussianModel([[3.0, -1, 1], [-1, 3, 0], [1, 0, 3]]).comparison_bound().round(3)
        array([0.667, 0.5  , 0.5  ])
        """
        model = self._floats
        comparison = -np.abs(model._matrix)
        np.fill_diagonal(comparison, model._matrix.diagonal())
        rule = "precision must be an H-matrix (comparison matrix positive definite)"
        return checks.labelled(_weak(comparison, np.abs(model._a), rule), self.precision)

    def noise_scale(self, epsilon: float, *, method: str = "exact") -> float:
        r"""Smallest Laplace scale that is private against every adversary.

        Parameters
        ----------
        epsilon : float
            Privacy level.
        method : {"exact", "bound"}
            ``"exact"``: the smallest scale; from the weak adversaries where Theorem 5.2 says that
            they are the worst, otherwise from all adversaries (n <= 16).
            ``"bound"``: a sufficient scale for any H-matrix, from `comparison_bound`.

        Returns
        -------
        float
            :math:`\lambda_0 = \max_A M_i |a_i + l_A| / \varepsilon`.

        Raises
        ------
        ValueError
            If off-diagonal entries are positive (or the weights have both signs) and n > 16, so
            that neither the theorem nor the enumeration applies; if epsilon is not positive; if
            the matrix is not positive definite.

        Notes
        -----
        Theorem 5.2 needs an M-matrix and weights of one sign. Without them the weak adversaries
        alone understate the scale: by 2.5 against 2 in the example. A positive off-diagonal entry
        below :math:`10^{-12} \sqrt{P_{ii} P_{jj}}` counts as rounding. :math:`\lambda_0` is a
        scale; the variance of the noise is :math:`2\lambda_0^2`.

        References
        ----------
        Theorem 5.2 and equation (26).

        Examples
        --------
        >>> GaussianModel([[2.0, -1], [-1, 2.0]]).noise_scale(0.5)
        3.0
        >>> GaussianModel([[3.0, 1, -1], [1, 2, 0], [-1, 0, 2]]).noise_scale(1)
        1.5
        """
        where = "noise_scale"
        model, epsilon = self._floats, checks.positive(where, "epsilon", epsilon)
        P, a, M = model._matrix, model._a, model._widths
        if checks.choice(where, "method", method, ("exact", "bound")) == "bound":
            return float((M * (np.abs(a) + model.comparison_bound())).max() / epsilon)
        weak = float((M * np.abs(a + model._weak)).max() / epsilon)
        root = np.sqrt(P.diagonal())
        positive = P / root / root[:, None] > 1e-12
        np.fill_diagonal(positive, 0)
        if not positive.any() and (a.min() >= 0 or a.max() <= 0):
            return weak
        if len(P) > MAX_TUPLES:
            raise ValueError(
                f"{where}: weak adversaries are the worst only if no off-diagonal entry is positive"
                " and the weights have one sign (Theorem 5.2); otherwise all adversaries count, "
                f"which worst_adversary enumerates up to n = {MAX_TUPLES}, got n = {len(P)}; "
                'method="bound" gives a sufficient scale'
            )
        return float(model.worst_adversary().leakage / epsilon)

    def _shift_and_variance(
        self, where: str, target: int, known: Iterable[int]
    ) -> tuple[float, float]:
        """Return M |a_i + l_A| and Var[a'x | x_i, x_K]."""
        model = self._floats
        P, a = model._definite, model._a
        (i, _), unknown = _checked(where, len(P), target, known)
        U = list(unknown)
        spread = _solve(P, unknown, a[U]) if U else a[U]
        return float(model._widths[i] * abs(a[i] - spread @ P[U, i])), float(spread @ a[U])

    def gaussian_noise_mu(self, target: int, known: Iterable[int] = (), *, sigma: float) -> float:
        r"""Gaussian-DP parameter of one adversary when the noise is normal.

        Parameters
        ----------
        target : int
            Attacked tuple.
        known : iterable of int
            Tuples that the adversary knows.
        sigma : float
            Standard deviation of the noise; 0 allowed if something is unknown.

        Returns
        -------
        float
            :math:`\mu_A = M_i |a_i + l_A| / \sqrt V` with
            :math:`V = \sigma^2 + \mathrm{Var}[a^\top x \mid x_i, x_K]`: telling the two values
            apart is exactly as hard as telling N(0, 1) from :math:`N(\mu_A, 1)`.

        Raises
        ------
        ValueError
            If `leakage_coefficient` refuses, `sigma` is negative, or the output has no variance.

        Notes
        -----
        Given :math:`x_i, x_K` the output is normal, of a variance free of :math:`x_i`. What is
        unknown blurs the output here, so that Theorem 5.2 does not extend to Gaussian noise: the
        strong adversary may be the worst.

        References
        ----------
        Beyond the paper.

        Examples
        --------
        >>> model = GaussianModel([[1.1, -0.1], [-0.1, 1.1]])
        >>> [round(model.gaussian_noise_mu(0, K, sigma=1), 4) for K in ([], [1])]
        [0.7895, 1.0]
        """
        where = "gaussian_noise_mu"
        sigma = checks.non_negative(where, "sigma", sigma)
        shift, variance = self._shift_and_variance(where, target, known)
        if sigma == 0 and variance == 0:
            raise ValueError(f"{where}: sigma must be positive if all tuples are known, got 0")
        return shift / math.sqrt(sigma**2 + variance)

    def laplace_delta(
        self, target: int, known: Iterable[int] = (), *, epsilon: float, scale: float
    ) -> float:
        r"""Smallest delta at a given epsilon for one adversary under Laplace noise.

        Parameters
        ----------
        target : int
            Attacked tuple.
        known : iterable of int
            Tuples that the adversary knows.
        epsilon : float
            Non-negative privacy level.
        scale : float
            Laplace scale :math:`\lambda`.

        Returns
        -------
        float
            :math:`\delta`, the supremum over *S* of :math:`\Pr(r \in S \mid x_i)`
            :math:`{} - e^\varepsilon \Pr(r \in S \mid x_i')`.

        Raises
        ------
        ValueError
            If `leakage_coefficient` refuses, epsilon is negative, or the scale is not positive.

        Notes
        -----
        The log ratio of the two output densities falls monotonically (Laplace and normal are
        log-concave), so S is a half-line that ends where it equals epsilon. There
        :math:`g(t) = e^\varepsilon g(t - \Delta)`, so subtracting :math:`\lambda g` from both
        distribution functions changes nothing and removes the digits that would cancel. The strong
        adversary has :math:`1 - e^{(\varepsilon - M/\lambda)/2}`. Theorem 5.2 does not extend to
        :math:`(\varepsilon, \delta)`: see the example.

        References
        ----------
        Beyond the paper.

        Examples
        --------
        >>> model = GaussianModel([[1.1, -0.1], [-0.1, 1.1]])
        >>> [round(model.laplace_delta(0, K, epsilon=0.5, scale=1), 4) for K in ([], [1])]
        [0.1184, 0.2212]
        """
        from scipy.optimize import brentq  # a third of the import time, and needed here only

        where = "laplace_delta"
        epsilon = checks.non_negative(where, "epsilon", epsilon)
        scale = checks.positive(where, "scale", scale)
        shift, variance = self._shift_and_variance(where, target, known)
        sigma = math.sqrt(variance)
        if epsilon * scale >= shift:
            return 0.0
        if sigma == 0:
            return -math.expm1((epsilon - shift / scale) / 2)

        def gap(t: float) -> float:
            return float(log_ratio(t, shift, scale=scale, sigma=sigma)) - epsilon

        low = -39 * sigma  # beyond it the probability of the half-line is below 1e-300
        if gap(low) <= 0:
            return 0.0
        end = shift / 2
        if epsilon:
            end = brentq(gap, low, end, xtol=1e-15 * sigma, rtol=1e-15)
        low_tail = _excess(end - shift, scale, sigma)
        # In logarithms, as exp(epsilon) alone may overflow.
        taken = math.exp(epsilon + math.log(low_tail)) if low_tail > 0 else 0.0
        return max(0.0, _excess(end, scale, sigma) - taken)


def leakage_sweep(laplacian: Any, priors: Any) -> FloatArray:
    r"""Leakage coefficients of all weak adversaries for many uniform priors.

    Parameters
    ----------
    laplacian : array_like or networkx.Graph, shape (n, n)
        Laplacian of a graph with non-negative weights, connected or not; or the graph.
    priors : array_like, shape (t,)
        Positive priors :math:`\tau`; the precision is :math:`L + \tau I`.

    Returns
    -------
    ndarray, shape (t, n)
        Row k holds the coefficients under ``priors[k]``.

    Raises
    ------
    ValueError
        If the matrix is not a Laplacian (symmetric, finite, no positive off-diagonal entry, rows
        that sum to 0), or a prior is not positive and finite.

    Notes
    -----
    As :math:`P 1 = \tau 1`, :math:`1 + l_i = 1 / (\tau (P^{-1})_{ii})`. In that form small
    :math:`\tau` loses digits, because the constant vector of each component contributes
    :math:`1/(\tau n_c)` through an eigenvalue that is zero only up to rounding. So the
    component's constant vector is first lifted to a known eigenvalue :math:`\alpha`,

    .. math:: \tilde L = L + \alpha \sum_c 1_c 1_c^\top / n_c, \qquad
       \frac{1}{1 + l_i} = \frac{1}{n_c} \frac{\alpha}{\alpha + \tau}
         + \tau \sum_k \frac{v_{ik}^2}{\tilde\lambda_k + \tau},

    where every term is positive: nothing cancels and no eigenvector need be recognised. All
    priors together cost one symmetric eigendecomposition and one matrix product. It fails only
    where the spectral gap itself is below rounding.

    References
    ----------
    Section 5.5; the sweep of Figures 4 and 5(b).

    Examples
    --------
    >>> leakage_sweep(4.0 * np.eye(4) - np.ones((4, 4)), [1.0, 1e-12]).round(6)
    array([[1.5, 1.5, 1.5, 1.5],
           [3. , 3. , 3. , 3. ]])
    """
    from scipy.sparse import csgraph  # slow to import, needed here only

    where = "leakage_sweep"
    links = checks.weights_of(laplacian)
    L = _matrix(where, laplacian if links is laplacian else csgraph.laplacian(links), "laplacian")
    L = checks.reals(where, "laplacian", L)
    tau = checks.reals(where, "priors", priors, "positive", lambda x: x > 0, ndim=1)
    n = len(L)
    lifted = L.copy()
    np.fill_diagonal(lifted, 0.0)
    if lifted.max() > 0:
        rule = "off-diagonal entries must not be positive (weights w >= 0)"
        raise ValueError(f"{where}: {rule}, got {lifted.max()}")
    surplus = np.abs(L.sum(axis=1)).max()
    if surplus > 1e-12 * n * np.abs(L).max():
        raise ValueError(f"{where}: every row of laplacian must sum to 0, got a sum of {surplus}")
    _, component = csgraph.connected_components(lifted, directed=False)
    size = np.bincount(component)[component]
    alpha = float(L.trace()) / n or 1.0
    np.fill_diagonal(lifted, L.diagonal())
    lifted += (component[:, None] == component) * (alpha / size)
    values, squares = eigh(lifted.T, driver="evd", overwrite_a=True, check_finite=False)
    np.square(squares, out=squares)
    resolvent = 1 / (np.maximum(values, 0)[:, None] + tau)
    reciprocal = (alpha / (alpha + tau))[:, None] / size + tau[:, None] * (squares @ resolvent).T
    return np.asarray(1 / reciprocal - 1)


# --- Proposition 5.1 and Algorithm 1 ----------------------------------------------------------


def _absorb_last(where: str, A: Array, m: Any) -> Array:
    """Merge the last tuple into the block (index 0) of m tuples; overwrites A, returns a view."""
    w0, w0j, wj = A[0, 0], -A[0, -1], A[-1, -1]
    w0c, wjc = -A[0, 1:-1], -A[-1, 1:-1]
    scale = m * m * wj + 2 * m * w0j + w0
    if not getattr(scale, "free_symbols", ()) and scale <= 0:
        rule = f"precision must be positive definite on the block and tuple {len(A) - 1}"
        raise ValueError(f"{where}: {rule}, got m^2 w_j + 2 m w_0j + w_0 = {scale}")
    row = -(m + 1) * ((w0j + m * wj) * w0c + (w0 + m * w0j) * wjc) / scale
    change = w0c - m * wjc
    if A.dtype == object:
        A[1:-1, 1:-1] -= np.outer(change, change / scale)
    else:  # one root instead of a division of n^2 entries; keeps the result symmetric
        change /= math.sqrt(scale)
        A[1:-1, 1:-1] -= np.outer(change, change)
    A[0, 0] = (m + 1) ** 2 * (w0 * wj - w0j**2) / scale
    A[0, 1:-1] = A[1:-1, 0] = row
    return A[:-1, :-1]


def combine(precision: Any, j: int, *, m: Any) -> Any:
    r"""Merge tuple `j` into the block of unknown tuples (Proposition 5.1).

    Parameters
    ----------
    precision : array_like or sympy.Matrix, shape (n, n)
        Precision of :math:`(x_0, x_1, \dots)`, where :math:`x_0` is the mean of the `m` unknown
        tuples. Positive definite, or a Laplacian; the signs are arbitrary.
    j : int
        Tuple that the adversary forgets, in ``1..n-1``.
    m : int or sympy expression
        Number of tuples in the block. With ``m = 0`` row 0 is an edgeless dummy with any positive
        pivot, and tuple `j` becomes the block as it is.

    Returns
    -------
    ndarray or sympy.Matrix, shape (n - 1, n - 1)
        Precision of (mean of the ``m + 1`` unknown tuples, the remaining tuples in order). A float
        array for float input, otherwise exact and of the kind that was given.

    Raises
    ------
    ValueError
        If the matrix is not square, finite and symmetric, `j` or `m` is out of range, or the
        matrix is not positive (semi)definite.
    TypeError
        If `j` is no integer, or `m` is neither an integer nor, for exact input, an expression.

    Notes
    -----
    Write :math:`y = (m x_0 + x_j)/(m + 1)` and integrate out the other direction. In the
    variables :math:`(y, x_0)` the direction :math:`x_0 \mapsto x_0 + t`, :math:`x_j \mapsto x_j -
    m t` leaves :math:`y` fixed; its pivot is :math:`m^2 w_j + 2 m w_{0j} + w_0`, the denominator
    of all three updates. Neither :math:`L 1 = 0` nor :math:`w \ge 0` is used. The result may have
    negative weights where `precision` has none: on the path 1-2-3-4 merging 2 and 3 links 1
    and 4 with weight -1/6.

    The sign convention is the paper's: :math:`w_{0j} = -P_{0j}`.

    References
    ----------
    Proposition 5.1, equations (21) and (22).

    Examples
    --------
    >>> import sympy as sp
    >>> path = sp.Matrix([[1, -1, 0, 0], [-1, 2, -1, 0], [0, -1, 2, -1], [0, 0, -1, 1]])
    >>> combine(path.extract([1, 2, 0, 3], [1, 2, 0, 3]), 1, m=1)
    Matrix([
    [ 2,   -1,   -1],
    [-1,  5/6,  1/6],
    [-1,  1/6,  5/6]])
    """
    where = "combine"
    A = _matrix(where, precision)
    exact = A.dtype == object
    n = len(A)
    if n < 2:
        raise ValueError(f"{where}: precision must hold the block and a tuple, got a 1x1 matrix")
    if checks.integer(where, "j", j) not in range(1, n):
        raise ValueError(f"{where}: j must be in 1..n-1, got {j} for a {n}x{n} matrix")
    if not (exact and hasattr(m, "free_symbols")):
        m = checks.integer(where, "m", m, low=0)
    _require_semidefinite(where, A)
    matrix = exact and not isinstance(precision, np.ndarray)
    order = [k for k in range(n) if k != j] + [j]
    merged = _absorb_last(where, (_sympy(A) if matrix else A)[np.ix_(order, order)], m)
    return type(precision)(merged.tolist()) if matrix else merged.copy()


def _merge_tail(A: Array, count: int, m: int) -> Array:
    """Merge the last `count` tuples, last first, into the block of `m`; overwrites A."""
    symbolic = A.dtype == object and any(v.free_symbols for v in A.flat)
    for size in range(m, m + count):
        A = _absorb_last("algorithm1", A, size)
        if symbolic:
            A = _cancel(A)
    return A


def _branch(A: Array, m: int, repairs: Collection[str]) -> list[Any]:
    """Return what the leaves of Algorithm 1 return, in the order of their tuples."""
    n = len(A)
    if n == 2:
        w0, w01 = A[0, 0], -A[0, 1]
        over, under, rule = w0, w01, "the printed leaf w0/w01 needs every pair linked, got w01"
        if "leaf" in repairs:
            over, under, rule = m * w01, w0, "the block's row needs a positive pivot, got w0"
        if under == 0:
            raise ValueError(f"algorithm1: {rule} = 0")
        return [over / under]
    k = n // 2 + 1  # the ceiling of (n + 1)/2; tuples 1..k-1 and k..n-1 counted from 0
    order = [0, *range(k, n), *range(1, k)]
    upper = _branch(_merge_tail(A[np.ix_(order, order)], k - 1, m), m + k - 1, repairs)
    if "m" not in repairs:
        m += k - 1  # as printed: the first loop has advanced m, nothing restores it
    lower = _branch(_merge_tail(A.copy(), n - k, m), m + n - k, repairs)
    return lower + upper


def algorithm1(precision: Any, *, repairs: Collection[str] = REPAIRS) -> Any:
    r"""Compute leakage coefficients by recursive halving (Algorithm 1), printed or repaired.

    Parameters
    ----------
    precision : array_like or sympy.Matrix, shape (n, n)
        Precision matrix, or the Laplacian of a connected graph (no prior).
    repairs : collection of str
        Which of the three repairs to make; ``()`` follows the text to the letter:

        ``"leaf"``
            a leaf returns :math:`m w_{01}/w_0` (Theorem 5.1), not :math:`w_0/w_{01}`;
        ``"m"``
            `m` is restored before the second loop;
        ``"dummy"``
            an edgeless row is put first and `m` starts at 0, so that the first tuple is a target
            too; the values are collected by tuple.

    Returns
    -------
    ndarray, shape (n,), or number
        With ``"dummy"``: the value of every tuple's leaf, which under all three repairs is the
        coefficient of the weak adversary :math:`A(i, \emptyset)`. Without: the maximum over
        the leaves, as in the text. sympy numbers for exact input.

    Raises
    ------
    ValueError
        If the matrix is not a (semi)definite precision matrix, a repair is unknown, there is no
        second tuple (without ``"dummy"``), or a leaf divides by zero: the printed one where a pair
        is not linked, the repaired one where the block has no pivot (an edgeless row without
        prior, say).

    Notes
    -----
    The declared call is followed: L is n x n and m = 1, so that tuple 1 is the block from the
    start and :math:`A(1, \emptyset)` is never evaluated. A star with its centre first shows
    it: with both other repairs the result for n = 3, :math:`\tau = 1` is 3/5, the truth is 1.

    The work is :math:`T(n) = 2 T(n/2) + (7/6) n^3 = (14/9) n^3` flops in :math:`O(n^2)` memory.
    `leakage_coefficients` gives the same numbers from one Cholesky factor.

    References
    ----------
    Algorithm 1, Theorem 5.3.

    Examples
    --------
    >>> star = np.array([[3.0, -1, -1], [-1, 2, 0], [-1, 0, 2]])
    >>> algorithm1(star).round(4)
    array([1. , 0.6, 0.6])
    >>> round(algorithm1(star, repairs=()), 4)
    3.3333
    >>> [round(algorithm1(star, repairs=some), 4) for some in (["leaf"], ["leaf", "m"])]
    [1.0, 0.6]
    """
    where = "algorithm1"
    for name in repairs:
        checks.choice(where, "repairs", name, REPAIRS)
    A = GaussianModel(precision)._definite
    if "dummy" in repairs:
        padded = np.pad(A, (1, 0))
        padded[0, 0] = 1
        leaves = _branch(_sympy(padded) if A.dtype == object else padded, 0, repairs)
        return checks.labelled(np.array(leaves, dtype=A.dtype), precision)
    if len(A) < 2:
        raise ValueError(f"{where}: without the dummy row precision needs at least 2 rows, got 1")
    largest = max(_branch(A, 1, repairs))
    return largest if A.dtype == object else float(largest)


# --- the law of the output --------------------------------------------------------------------


def _bounded_part(t: FloatArray, scale: float, sigma: float) -> FloatArray:
    r"""Return log g(t) + |t|/scale.

    With :math:`u_\pm = (\sigma/\lambda \pm |t|/\sigma)/\sqrt2` and the scaled complementary error
    function, :math:`g(t) = \frac{1}{4\lambda} e^{-t^2/2\sigma^2} (\mathrm{erfcx}\,u_+ +
    \mathrm{erfcx}\,u_-)`; for :math:`u_- < 0`, where erfcx overflows, :math:`\frac{1}{4\lambda}
    e^{\sigma^2/2\lambda^2 - |t|/\lambda} (\mathrm{erfc}\,u_- + e^{-u_-^2} \mathrm{erfcx}\,u_+)`.
    No term overflows and none is subtracted.
    """
    if sigma == 0:
        return np.full_like(t, -math.log(2 * scale))
    y = np.abs(t)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):  # branches not taken
        near = (sigma / scale - y / sigma) / math.sqrt(2)
        far = erfcx((sigma / scale + y / sigma) / math.sqrt(2))
        tail = np.log(erfc(np.minimum(near, 0)) + np.exp(-(near**2)) * far)
        bulk = np.log(erfcx(np.maximum(near, 0)) + far)
        inside = y / scale - (y / sigma) ** 2 / 2 + bulk
        outside = (sigma / scale) ** 2 / 2 + tail
    # |t| <= sigma^2/scale: the normal factor leads, else the exponential
    return np.asarray(np.where(near >= 0, inside, outside) - math.log(4 * scale))


def _log_density(t: FloatArray, scale: float, sigma: float) -> FloatArray:
    """Return log g(t) for g = Laplace(scale) convolved with N(0, sigma^2)."""
    return np.asarray(_bounded_part(t, scale, sigma) - np.abs(t) / scale)


def output_density(r: Any, shift: Any, *, scale: float, sigma: float) -> FloatArray:
    r"""Density of :math:`N(\text{shift}, \sigma^2) + \mathrm{Lap}(\lambda)` at `r`.

    Parameters
    ----------
    r, shift : array_like
        Output, and mean of the sum given what the adversary knows; broadcast together.
    scale : float
        Laplace scale :math:`\lambda`.
    sigma : float
        Standard deviation of the sum given what the adversary knows; 0 allowed.

    Returns
    -------
    ndarray
        Densities in the broadcast shape.

    Raises
    ------
    TypeError, ValueError
        If an argument holds no finite numbers, `scale` is not positive or `sigma` is negative.

    References
    ----------
    Equations (17) and (23); the density (23) has the factor 1/2 that Section 3.2 lacks.

    Examples
    --------
    >>> output_density([0.0, 3.0], 0.0, scale=1.0, sigma=1.0).round(6)
    array([0.261578, 0.040633])
    """
    r, shift, scale, sigma = _law("output_density", r, shift, scale, sigma)
    return np.exp(_log_density(r - shift, scale, sigma))


def log_ratio(r: Any, shift: Any, *, scale: float, sigma: float) -> FloatArray:
    r"""Log ratio of the output densities at two values of the target.

    Parameters
    ----------
    r : array_like
        Output, as a distance from the mean of the sum under the first value.
    shift : array_like
        Mean of the sum under the second value, :math:`(1 + l_A)(x_i' - x_i)`, likewise.
    scale, sigma : float
        As for `output_density`.

    Returns
    -------
    ndarray
        ``log g(r) - log g(r - shift)``, within :math:`\pm |\text{shift}|/\lambda`; it tends to
        these ends.

    Raises
    ------
    TypeError, ValueError
        If an argument holds no finite numbers, `scale` is not positive or `sigma` is negative.

    References
    ----------
    Theorem 5.1, equation (25).

    Examples
    --------
    >>> log_ratio([-2.0, -5.0], 2.0, scale=1.0, sigma=1.0).round(8)
    array([1.91171533, 1.99999006])
    """
    t, shift, scale, sigma = _law("log_ratio", r, shift, scale, sigma)
    u = np.asarray(t - shift)
    leading = (np.abs(u) - np.abs(t)) / scale
    return np.asarray(leading + _bounded_part(t, scale, sigma) - _bounded_part(u, scale, sigma))


def _law(where: str, r: Any, shift: Any, scale: float, sigma: float) -> tuple[Any, ...]:
    """Check the arguments of an output law."""
    places = checks.reals(where, "r", r), checks.reals(where, "shift", shift)
    noise = checks.positive(where, "scale", scale), checks.non_negative(where, "sigma", sigma)
    return *places, *noise


def _excess(t: float, scale: float, sigma: float) -> float:
    """Return G(t) - scale g(t), with G the distribution function of g."""
    u = (sigma / scale - t / sigma) / math.sqrt(2)
    if t < 0:
        normal = math.exp(-((t / sigma) ** 2) / 2)
        return normal / 2 * float(erfcx(-t / sigma / math.sqrt(2)) - erfcx(u))
    if u >= 0:
        lost = math.exp(-((t / sigma) ** 2) / 2) * float(erfcx(u)) / 2
    else:
        lost = math.exp((sigma / scale) ** 2 / 2 - t / scale) * float(erfc(u)) / 2
    return float(ndtr(t / sigma)) - lost


# --- matrices, in floats or exactly -----------------------------------------------------------


def _matrix(where: str, value: Any, name: str = "precision") -> Array:
    """Return a symmetric matrix: ``float64`` (not copied when it is one), or exact entries.

    In floats symmetric to 1e-10 of the largest entry; then one triangle speaks for both. Exact
    entries are what they were, but Python integers become Fractions, so that no division falls
    back to floats.
    """
    instead = "networks.precision(graph, tau), or use GaussianModel.from_graph(graph, tau)"
    checks.no_graph(where, name, value, instead)
    value = checks.aligned(where, name, value, None, getattr(value, "index", None))
    if hasattr(value, "tocsr"):
        if max(value.shape) > MAX_DENSE:
            rule = f"{name} must be dense or have at most {MAX_DENSE} rows"
            got = f"a sparse matrix of shape {value.shape}; sparse.max_leakage_bounds takes it"
            raise ValueError(f"{where}: {rule}, got {got}")
        value = value.toarray()
    if checks.is_exact(value):
        return _exact_matrix(where, name, value)
    A = checks.reals(where, name, value)
    checks.square(where, name, A.shape)
    largest = max(float(A.max()), -float(A.min()))
    for start in range(0, len(A), _BLOCK):  # blocks: no second matrix, cache-friendly
        rows = slice(start, start + _BLOCK)
        gap = np.abs(A[rows, start:] - A[start:, rows].T)
        if gap.max() > SYMMETRY_TOLERANCE * largest:
            i, j = (int(k) + start for k in np.unravel_index(int(gap.argmax()), gap.shape))
            raise _asymmetric(where, name, A, i, j)
    return A


def _exact_matrix(where: str, name: str, value: Any) -> Array:
    """Return a sympy matrix or object array as a symmetric object array of exact entries."""
    A = np.array(value if isinstance(value, np.ndarray) else value.tolist(), dtype=object)
    checks.square(where, name, A.shape)
    for entry in A.flat:
        if isinstance(entry, (float, np.floating)):
            raise TypeError(f"{where}: {name} must have exact entries, got the float {entry!r}")
    A = _each(lambda v: Fraction(int(v)) if isinstance(v, (int, np.integer)) else v, A)
    for i, j in np.argwhere(A != A.T):
        difference = A[i, j] - A[j, i]
        if not hasattr(difference, "equals") or not difference.equals(0):
            raise _asymmetric(where, name, A, i, j)
    return A


def _asymmetric(where: str, name: str, A: Array, i: int, j: int) -> ValueError:
    entries = f"{A[i, j]} at ({i}, {j}) and {A[j, i]} at ({j}, {i})"
    return ValueError(f"{where}: {name} must be symmetric, got {entries}")


def _each(function: Any, array: Array) -> Array:
    """Apply a function to every entry of an object array."""
    return np.asarray(np.frompyfunc(function, 1, 1)(array), dtype=object)


def _sympy(array: Array) -> Array:
    """Turn exact entries into sympy numbers."""
    import sympy as sp

    return _each(sp.sympify, array)


def _cancel(values: Array) -> Array:
    """Put exact values over one denominator each."""
    import sympy as sp

    return _each(sp.cancel, values)


def _require_semidefinite(where: str, P: Array) -> Array:
    """Return `P`; refuse it if it has a negative eigenvalue (beyond rounding, for floats)."""
    if P.dtype == object:
        import sympy as sp  # only exact input needs it

        M = sp.Matrix(P)
        negative = not M.free_symbols and M.is_positive_semidefinite is False
    else:
        shifted = np.array(P, order="C")
        shifted.flat[:: len(P) + 1] += 10 * len(P) * _EPS * np.abs(P).max() or 1.0
        negative = lapack.dpotrf(shifted.T, lower=1, overwrite_a=1)[1] != 0
    if negative:
        rule, n = "precision must be positive definite (without prior: semidefinite)", len(P)
        raise ValueError(f"{where}: {rule}, got a {n}x{n} matrix with a negative eigenvalue")
    return P


def _cholesky(P: FloatArray, rule: str) -> FloatArray:
    """Return the lower Cholesky factor in Fortran order, its upper triangle zero."""
    factor, info = lapack.dpotrf(P.T, lower=1, clean=1)  # the transpose of C order: no reordering
    bad = info - 1
    if not info:
        # A pivot is the entry times 1 - R^2; below rounding it is not distinguishable from zero.
        pivots = np.square(factor.diagonal()) / P.diagonal()
        bad = int(pivots.argmin()) if pivots.min() <= max(len(P), 10) * _EPS else -1
    if bad >= 0:
        hint = ""
        if np.abs(P.sum(axis=1)).max() <= 1e-12 * np.abs(P).max():
            weak = "in a connected graph without prior every weak adversary has coefficient n - 1"
            hint = f"; its rows sum to 0 (no prior): {weak}, eq. (29)"
        raise ValueError(f"GaussianModel: {rule}, got no positive pivot in row {bad}{hint}")
    return np.asarray(factor)


def _weak(P: FloatArray, a: FloatArray, rule: str) -> FloatArray:
    """Return the coefficients of the weak adversaries of a positive definite matrix."""
    factor = _cholesky(P, rule)
    covariance_with_sum = cho_solve((factor, True), a, check_finite=False)
    inverse = lapack.dtrtri(factor, lower=1, overwrite_c=1)[0].T  # rows: columns of the inverse
    return np.asarray(covariance_with_sum / np.einsum("ik,ik->i", inverse, inverse) - a)


def _solve(P: Array, unknown: Sequence[int], right: Array) -> Array:
    """Solve with the block of the unknown tuples, in the arithmetic of P."""
    block = P[np.ix_(unknown, unknown)]
    if P.dtype == object:
        return _exact_solve(block, right[:, None])[:, 0]
    rule = f"precision must be positive definite on the unknown tuples {tuple(unknown)[:8]}"
    return np.asarray(cho_solve((_cholesky(block, rule), True), right))


def _exact_solve(A: Array, B: Array) -> Array:
    """Solve A X = B in the field generated by the entries; results come out cancelled."""
    import sympy as sp
    from sympy.polys.matrices import DomainMatrix
    from sympy.polys.matrices.exceptions import DMNonInvertibleMatrixError

    left = DomainMatrix.from_Matrix(sp.Matrix(A)).to_field()
    right = DomainMatrix.from_Matrix(sp.Matrix(B)).to_field()
    left, right = left.unify(right)
    try:
        solution = left.lu_solve(right)
    except DMNonInvertibleMatrixError as error:
        rule = "precision must be positive definite on the unknown tuples"
        got = f"the singular block {A.tolist()}"
        raise ValueError(f"GaussianModel: {rule}, got {got}") from error
    return np.array(solution.to_Matrix().tolist(), dtype=object)


def _known_mask(n: int) -> npt.NDArray[np.int64]:
    """Return the bit mask of K for each column of `all_coefficients`, shape (n, 2^(n-1))."""
    column = np.arange(2 ** (n - 1))
    i = np.arange(n)[:, None]
    return np.asarray((column & ((1 << i) - 1)) | (column >> i << (i + 1)))
