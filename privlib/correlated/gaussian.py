r"""The Gaussian correlation model: leakage in closed form.

**Model.** A weighted graph with Laplacian :math:`L` and a prior :math:`T = \mathrm{diag}(\tau_i)`
make the tuples jointly normal with precision :math:`P = L + T`; without prior (:math:`T = 0`)
only the conditional distributions are proper. The sum :math:`s = 1^\top x` (or a query
:math:`a^\top x`) is released as :math:`r = s + \mathrm{Lap}(\lambda)`.

**One number an adversary.** For :math:`A(i, K)`, who does not know :math:`U`,

.. math:: \mathrm E[s \mid x_i, x_K] = (1 + l_A)\, x_i + \text{const}(x_K), \qquad
          l_A = -1^\top P_{UU}^{-1} P_{Ui},

and the variance of :math:`s` does not depend on :math:`x_i`. The two distributions of :math:`r`
that the adversary compares are therefore one density, Laplace convolved with normal, at two
positions
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

**Merging the unknown tuples.** Such an adversary needs only the distribution of the mean
:math:`x_0 = \frac1m \sum_{u \in U} x_u`, the target and what it knows. Proposition 5.1 (`combine`)
updates the precision of that vector when one more tuple is forgotten; Algorithm 1 reaches all weak
adversaries by forgetting one half of the tuples, recursing, and forgetting the other half instead.
The leaf is a 2 x 2 matrix, and :math:`l = m w_{01} / w_0` (Theorem 5.1).

**The distribution of the output.** Given :math:`x_i, x_K` the output has the density
:math:`g(r - \mathrm E s)` with :math:`g = \mathrm{Lap}(\lambda) * N(0, \sigma^2)`,

.. math:: g(t) = \frac{1}{4\lambda} e^{\sigma^2 / 2\lambda^2} \left[
    e^{t/\lambda} \,\mathrm{erfc}\,\frac{\sigma/\lambda + t/\sigma}{\sqrt 2} +
    e^{-t/\lambda} \,\mathrm{erfc}\,\frac{\sigma/\lambda - t/\sigma}{\sqrt 2} \right].

:math:`|g'| < g/\lambda` and :math:`(\log g)' \to \mp 1/\lambda` at :math:`\pm\infty`: two such
densities :math:`\Delta` apart have a log ratio inside :math:`(-\Delta/\lambda, \Delta/\lambda)`
that tends to both ends and reaches neither, unless :math:`\sigma = 0`.

Tuples are numbered from 0 here and from 1 in the paper. sympy matrices and object arrays (of
``Fraction``, say) are computed exactly, all else in double precision, with a bound of the rounding
(`matrices`): a coefficient that floats determine to less than nine digits is computed by a slower
way, or refused. A pivot of the Cholesky factorisation is :math:`P_{kk} (1 - R_k^2)`, with
:math:`R_k^2` the share of tuple k's conditional variance that the tuples before it explain. A share
within rounding of 1 is refused: such a matrix cannot be told from a singular one, although LAPACK
may factor it.
"""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh
from scipy.special import erfc, erfcx, log_ndtr, ndtr

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import Array, FloatArray
from privlib.correlated import matrices
from privlib.correlated import validation as valid
from privlib.correlated.adversary import Adversary, WorstCase
from privlib.correlated.matrices import Doubt, Weak

MAX_TUPLES = 16
"""Largest n for which all n 2^(n-1) adversaries are enumerated."""
MAX_EXACT_SCALE = 64
"""Largest exact model whose noise scale is computed exactly rather than in floats."""
REPAIRS = ("leaf", "m", "dummy")
"""What Algorithm 1 as printed needs."""

_EPS = float(np.finfo(np.float64).eps)
_SLOWER = 1e-12  # what rounding may take of values that were found the slower ways
_UNSURE = 1e-10  # rounding that is more than this share of a leakage is added to it
_LEAST_SHARE = 1e-11  # of sd(a'x)/sd(x_i), which no coefficient exceeds
_EXACT_ENUMERATION = 8  # tuples of an exact model whose adversaries are enumerated exactly
_CANDIDATES = 256  # adversaries that are computed in integers where floats leave several


class _WithoutPositionalMatrix:
    """Refuses a matrix by position: nobody could see whether it is a precision or a covariance."""

    def __new__(cls, *matrix: Any, **arguments: Any) -> Any:
        where = "GaussianModel"
        if matrix:
            raise TypeError(
                f"{where}: the matrix must be named, for a covariance looks like a precision; "
                f"write {where}(precision=P, width=...), or {where}.from_covariance(S, width=...)"
            )
        if arguments and "width" not in arguments:
            raise TypeError(
                f"{where}: width must be given: the largest change |x_i - x_i'| of each tuple, in "
                "its own units, as a number or one number a tuple"
            )
        return super().__new__(cls)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class GaussianModel(_WithoutPositionalMatrix):
    r"""Jointly normal tuples, their ranges, and the linear query that is released.

    Parameters
    ----------
    precision : array_like, scipy.sparse matrix, DataFrame or sympy.Matrix, shape (n, n)
        Precision matrix :math:`P`, the *inverse* of the covariance, of any signs; or the Laplacian
        of a connected graph (no prior), for which the weak adversaries have coefficient n - 1 and
        only single adversaries and enumerations are computed. `from_covariance` takes a covariance.
        What is exact (sympy, object arrays) stays exact. A DataFrame has the same labels on both
        axes, in the same order.
    width : float or array_like, shape (n,)
        Bounds :math:`M_i` on :math:`|x_i - x_i'|`, in the units of the tuples: whatever two values
        of a tuple shall not be told apart. There is no default, as a width that is too small is
        noise that is too small by the same factor.
    weights : float or array_like, shape (n,)
        Coefficients *a* of the query :math:`a^\top x`; the plain sum by default.

    Attributes
    ----------
    precision, width, weights : ndarray
        Copies that cannot be written to, of the shapes (n, n), (n,) and (n,), in the order of the
        rows of `precision`; objects if the model is exact.

    Raises
    ------
    ValueError
        If the matrix is not square, finite and symmetric (two entries may differ by 1e-10 of
        :math:`\sqrt{P_{ii} P_{jj}}`; their mean is taken, and the difference counts as rounding),
        a number that is not 0 is beyond 1e60 or below 1e-60, a width is not positive, or a Series
        has an index other than 0, ..., n - 1 in order. A matrix that is not positive
        (semi)definite is refused by the methods.
    TypeError
        If the matrix is not named, `width` is missing, entries are no numbers, or a graph is given:
        `from_graph` takes it.

    Notes
    -----
    What the methods promise rests on the model: the tuples are normal with this precision, and no
    tuple changes by more than its width. Neither is checked against data, nor should it be taken
    from the data to be released.

    Examples
    --------
    >>> import networkx as nx
    >>> model = GaussianModel.from_graph(nx.path_graph(3), 0.5, width=1)
    >>> model.leakage_coefficients().round(4)
    array([0.9091, 1.3333, 0.9091])
    >>> round(model.noise_scale(1.0), 4)
    2.3333
    """

    precision: Any
    width: Any
    weights: Any = 1

    def __post_init__(self) -> None:
        where = "GaussianModel"
        entries, doubt = matrices.read(where, self.precision)
        exact = entries.dtype == object
        width = _per_tuple("width", self.width, len(entries), exact=exact)
        weights = _per_tuple("weights", self.weights, len(entries), exact=exact)
        checks.positives(where, "width", width)
        self._keep(precision=entries, width=width, weights=weights, _doubt=doubt)

    # By how much the precision may miss what was meant; ``None``: not at all.
    _doubt = cast("Doubt | None", None)

    def with_weights(self, weights: Any) -> GaussianModel:
        """Return the model of the same tuples for another query, a number or one a tuple.

        Where this model is of a covariance or of exact entries, the new one, too, allows for what
        was lost when they became the floats of its precision.

        Parameters
        ----------
        weights : float or array_like, shape (n,)
            What the query multiplies each tuple by.

        Returns
        -------
        GaussianModel
            With the same precision and width.

        Examples
        --------
        >>> GaussianModel(precision=[[2, -1], [-1, 2]], width=1).with_weights([1, 0]).weights
        array([1., 0.])
        """
        model = GaussianModel(precision=self.precision, width=self.width, weights=weights)
        model._keep(_doubt=self._doubt)
        return model

    def _keep(self, **arrays: Any) -> None:
        """Set attributes; nobody can write to the arrays."""
        for name, array in arrays.items():
            if isinstance(array, np.ndarray):
                array.setflags(write=False)
            object.__setattr__(self, name, array)

    def __repr__(self) -> str:
        return f"GaussianModel(n={len(self.precision)})"

    def __getstate__(self) -> dict[str, Any]:
        names = ("precision", "width", "weights", "_doubt")
        return {name: getattr(self, name) for name in names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._keep(**state)

    @classmethod
    def from_graph(
        cls, graph: Any, prior: Any, *, width: Any, weights: Any = 1, **options: Any
    ) -> GaussianModel:
        """Return the model on a networkx graph, whose nodes, in their order, are its tuples.

        Nodes that are the numbers 0 to n - 1 in another order are refused, as results come by
        position.

        Parameters
        ----------
        graph : networkx.Graph or scipy.sparse matrix, shape (n, n)
            The network, or its weights with the nodes ``0, ..., n - 1``.
        prior : float, mapping or array_like, shape (n,)
            That of `networks.precision`: a number, or one a node.
        width, weights : float or array_like, shape (n,)
            Those of the model: numbers, or one a node in the order of ``list(graph)``.
        **options
            ``weight`` and ``signed`` of `networks.precision`.

        Returns
        -------
        GaussianModel
            One tuple a node.

        Raises
        ------
        ValueError, TypeError
            As `networks.precision` and `GaussianModel` do.

        Examples
        --------
        >>> import networkx as nx
        >>> GaussianModel.from_graph(nx.star_graph(3), 1.0, width=2.0).noise_scale(1.0)
        5.0
        """
        from privlib.correlated import networks

        P = networks.precision(graph, prior, **options)
        return cls(precision=P, width=width, weights=weights)

    @classmethod
    def from_covariance(cls, covariance: Any, *, width: Any, weights: Any = 1) -> GaussianModel:
        r"""Return the model with this covariance, the inverse of the precision.

        Parameters
        ----------
        covariance : array_like, DataFrame or sympy.Matrix, shape (n, n)
            Symmetric and positive definite. What is exact stays exact.
        width, weights : float or array_like, shape (n,)
            As for `GaussianModel`.

        Raises
        ------
        ValueError
            If the matrix is not symmetric, or singular. The covariance of a sample is singular if
            the sample is not larger than the number of tuples: it does not say how a tuple depends
            on all others. Take a graph with `from_graph` then, or a shrunk estimate.
        UncertifiedError
            If the matrix is so nearly singular that floats do not determine its inverse.
        TypeError
            If entries are no real numbers.

        Notes
        -----
        Up to n = 16 all adversaries are enumerated; beyond, `noise_scale` needs a precision without
        positive entries off the diagonal, or an H-matrix. The inverse of an estimated covariance
        seldom is either.

        The inverse is multiplied with the Cholesky factor of the covariance from both sides; the
        result may miss the identity by 1e-11. By what it misses, and the rounding of this check,
        the precision may differ from what was meant: the methods allow for it as for their own
        rounding, with the same promises. The coefficients of the weak adversaries are
        compared with :math:`(C a)_i / C_{ii}`, which needs no inverse.

        Examples
        --------
        >>> GaussianModel.from_covariance([[1, 0.5], [0.5, 1]], width=1).noise_scale(1.0)
        1.5
        """
        where = "GaussianModel.from_covariance"
        entries, doubt = matrices.read(where, covariance, "covariance")
        if entries.dtype == object:
            exact = matrices.to_sympy(entries)
            matrices.require_semidefinite(where, exact, singular=False, name="covariance")
            unit = np.array([[int(i == j) for j in range(len(exact))] for i in range(len(exact))])
            return cls(precision=matrices.exact_solve(exact, unit), width=width, weights=weights)
        precision, missed = matrices.inverse(where, entries, doubt)
        model = cls(precision=precision, width=width, weights=weights)
        model._keep(_doubt=missed)
        first = model._weak
        a = model.weights
        expected = entries @ a / entries.diagonal()
        spread = np.sqrt(max(float(a @ entries @ a), 0.0) / entries.diagonal())
        allowed = _safety.SLACK * (np.abs(a) + np.abs(expected) + spread) + first.errors
        _safety.certify(
            where, "the distance from the coefficients of the covariance itself",
            np.abs(first.values - expected), allowed,
        )  # fmt: skip
        return model

    @cached_property
    def _matrix(self) -> Array:
        """The precision matrix: floats, or sympy numbers if it is exact."""
        return matrices.to_sympy(self.precision) if self._exact else self.precision

    @cached_property
    def _definite(self) -> Array:
        """The precision matrix, once it is known to have no negative eigenvalue."""
        return matrices.require_semidefinite("GaussianModel", self._matrix)

    @property
    def _exact(self) -> bool:
        return bool(self.precision.dtype == object)

    @property
    def _symbolic(self) -> bool:
        return self._exact and any(v.free_symbols for v in self._matrix.flat)

    @cached_property
    def in_floats(self) -> GaussianModel:
        """The model with floats for exact entries, whose rounding it allows for; no symbols."""
        if not self._exact:
            return self
        P = checks.reals("GaussianModel", "precision", self._matrix)
        weights = checks.reals("GaussianModel", "weights", self.weights)
        width = checks.reals("GaussianModel", "width", self.width)
        model = GaussianModel(precision=P, width=width, weights=weights)
        entries = [*self._matrix.flat, *self.weights]
        pairs = zip(entries, [*P.flat, *weights])
        if not all(v.is_Rational and Fraction(int(v.p), int(v.q)) == f for v, f in pairs):
            model._keep(_doubt=Doubt(_EPS * np.abs(P)))
        return model

    @cached_property
    def _weak(self) -> Weak:
        """What the weak adversaries learn, in floats."""
        rule = "precision must be positive definite"
        return matrices.weak(self.precision, self.weights, self._doubt, rule)

    @property
    def covariance_error(self) -> float:
        """Share by which rounding may change a variance of any sum; infinite if no bound is known.

        Examples
        --------
        The weaker the prior, the nearer the precision is to a singular matrix, and the more digits
        go.

        >>> strong = GaussianModel(precision=[[2.0, -1], [-1, 2]], width=1)
        >>> weak = GaussianModel(precision=[[1.0, -1], [-1, 1 + 1e-9]], width=1)
        >>> strong.covariance_error < 1e-12 < weak.covariance_error < 1e-9
        True
        """
        return self.in_floats._weak.form

    @cached_property
    def _weak_values(self) -> Array:
        """What the weak adversaries learn, each to its own digits; exact if the model is."""
        if not self._exact:
            first = self._weak
            size = np.maximum(np.abs(self.weights), np.abs(first.values))
            where = "leakage_coefficients"
            return matrices.settle(
                where, self.precision, self.weights, self._doubt, first, _safety.SLACK * size,
                otherwise=_LEAST_SHARE * first.units,
            )  # fmt: skip
        P = self._matrix
        where = "leakage_coefficients"
        a = self.weights
        matrices.require_semidefinite("GaussianModel", P, singular=False)
        right = np.hstack([a[:, None], np.eye(len(P), dtype=int)])
        solution = matrices.exact_solve(P, right)
        if not self._symbolic:
            defect = P @ solution[:, 0] - a
            if any(v.equals(0) is False for v in defect):
                raise _safety.UncertifiedError(f"{where}: the exact solution fails its system")
        return matrices.cancel(solution[:, 0] / solution[:, 1:].diagonal())

    @cached_property
    def _theorem_5_2(self) -> bool:
        """Whether the weak adversaries are the worst: no positive entry, weights of one sign.

        The share that the precision may miss is left to `_beyond_the_theorem`.
        """
        entries = self._matrix
        weights = self.weights
        if self._doubt is not None and self._doubt.entries is not None:
            entries = entries + self._doubt.entries  # what was meant may be as large
        if self._exact:
            entries = matrices.each(_sign, entries)
            weights = matrices.each(_sign, weights)
        apart = ~np.eye(len(entries), dtype=bool)
        no_positive_entry = bool((entries[apart] <= 0).all())
        one_sign = bool((weights >= 0).all() or (weights <= 0).all())
        return no_positive_entry and one_sign

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
            If the matrix has a negative eigenvalue, or is not positive definite on the unknown
            tuples, an index is out of range or repeated, or `known` has the target.
        UncertifiedError
            If rounding may move the coefficient by more than 1e-9 of what it is made of
            (:math:`|a_i| + \sum |a_u h_u|` with the shares :math:`h = -P_{UU}^{-1} P_{Ui}`).
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
        >>> path = GaussianModel(precision=[[1.0, -1, 0], [-1, 2, -1], [0, -1, 1]], width=1)
        >>> [round(path.leakage_coefficient(0, K), 12) for K in ([], [2], [1, 2])]
        [2.0, 0.5, 0.0]
        >>> import sympy as sp
        >>> tau = sp.Symbol("tau", positive=True)
        >>> pair = sp.Matrix([[1 + tau, -1], [-1, 1 + tau]])
        >>> GaussianModel(precision=pair, width=1).leakage_coefficient(0)
        1/(tau + 1)
        """
        where = "leakage_coefficient"
        P = self._definite
        (i, _), unknown = valid.adversary_and_unknown(where, len(P), target, known)
        if self._exact:
            return self._exact_coefficient(where, i, list(unknown))
        learnt = matrices.settle_one(where, P, self.weights, self._doubt, i, unknown)
        return learnt.coefficient

    def _exact_coefficient(self, where: str, i: int, U: list[int]) -> Any:
        """Return the coefficient of the adversary who does not know *U*, in exact numbers."""
        P = self._definite
        if not U:
            return P[0, 0] * 0
        block = P[np.ix_(U, U)]
        right = P[U, i]
        solution = matrices.exact_solve(block, right[:, None])[:, 0]
        if not self._symbolic:
            for missing in block @ solution - right:
                if missing.equals(0) is False:
                    raise _safety.UncertifiedError(f"{where}: the exact solution fails its system")
        return -(self.weights[U] * solution).sum()

    def leakage(self, target: int, known: Iterable[int] = (), *, scale: Any) -> Any:
        r"""Return the exact leakage of one adversary under a Laplace release of the query.

        Parameters
        ----------
        target : int
            The tuple attacked.
        known : iterable of int
            The tuples known.
        scale : float or sympy.Expr
            Scale of the Laplace noise; an expression, such as ``1 / eps`` with a positive symbol,
            if the model is exact.

        Returns
        -------
        float or sympy expression
            :math:`\mathrm{BDPL}_A = M_i |a_i + l_A| / \lambda`; an expression if the model is
            exact. Rounding that may be more than a relative 1e-10 of it is added. It covers this
            one adversary and no other, and one release.

        Raises
        ------
        TypeError, ValueError
            If `leakage_coefficient` refuses, or `scale` is not positive, or so small or large that
            floats end before the leakage.
        UncertifiedError
            As `leakage_coefficient`.

        Notes
        -----
        The supremum over outputs is a limit, see the module. The residual of the system that is
        solved bounds the rounding; where that leaves less than nine digits, the system is solved in
        integers.

        References
        ----------
        Theorem 5.1, equation (25).

        Examples
        --------
        >>> model = GaussianModel(precision=[[2.0, -1], [-1, 2.0]], width=1)
        >>> model.leakage(0, scale=3), round(model.leakage(0, [1], scale=3), 4)
        (0.5, 0.3333)
        >>> import sympy as sp
        >>> eps = sp.Symbol("eps", positive=True)
        >>> exact = GaussianModel(precision=sp.Matrix([[2, -1], [-1, 2]]), width=1)
        >>> exact.leakage(0, scale=1 / eps)
        3*eps/2
        """
        where = "leakage"
        P = self._definite
        (i, _), unknown = valid.adversary_and_unknown(where, len(P), target, known)
        if self._exact:
            noise = _exact_scale(where, scale)
            slope = self.weights[i] + self._exact_coefficient(where, i, list(unknown))
            return self.width[i] * abs(slope) / noise
        noise = checks.positive(where, "scale", scale)
        learnt = matrices.settle_one(where, P, self.weights, self._doubt, i, unknown)
        slope = abs(learnt.slope)
        if learnt.error > _UNSURE * slope:
            slope += learnt.error
        return _in_range(where, "leakage", float(self.width[i]) * slope, noise)

    def leakage_coefficients(self) -> Any:
        r"""Leakage coefficients *l* of all weak adversaries, who learn ``a + l`` instead of ``a``.

        Returns
        -------
        ndarray, shape (n,)
            :math:`l_i = (P^{-1} a)_i / (P^{-1})_{ii} - a_i`, to nine digits of the larger of
            :math:`a_i` and :math:`a_i + l_i`; exact if the model is. Where no slower way applies
            (see below) the rounding may instead be 1e-11 of
            :math:`\mathrm{sd}(a^\top x) / \mathrm{sd}(x_i)`, which :math:`|a_i + l_i|` never
            exceeds.

        Raises
        ------
        ValueError
            If the matrix is not positive definite, in floats or exactly. Of a matrix with symbols
            only the minors of one and two rows are looked at.
        UncertifiedError
            If rounding may take more digits, and no slower way applies.

        Notes
        -----
        **No guarantee against other adversaries.** Only if no off-diagonal entry is positive and
        the weights have one sign are the weak adversaries the worst (Theorem 5.2). Otherwise
        somebody who knows a few tuples may learn more, and no noise scale follows from these
        numbers: `noise_scale` and `worst_adversary` look at all adversaries.

        From one Cholesky factor.
        :math:`a_i + l_i = \mathrm{Cov}(x_i, a^\top x) / \mathrm{Var}(x_i)`, a regression
        coefficient. With :math:`P = G G^\top` the diagonal of the inverse is the column sums of
        squares of :math:`G^{-1}`. Numerator and denominator share the factor, hence its error
        along the smallest eigenvector: the ratio keeps its digits as :math:`\tau \to 0`, where
        the shorter :math:`1/(\tau (P^{-1})_{ii})` loses them. It fails when a pivot drowns in
        rounding (:math:`\tau` below about :math:`10^{-16} n` times the degrees), and says so.

        The residuals of the factor and of the solution bound the rounding (a few per cent of the
        time). Where they leave less than nine digits, a diagonally dominant matrix without positive
        off-diagonal entries is eliminated once more, without a subtraction (n <= 1000, up to a
        second), others are solved in integers (n <= 24).

        References
        ----------
        Theorem 5.1 for :math:`K = \emptyset`, equation (25); equation (29) is its limit.

        Examples
        --------
        >>> P = 5 * np.eye(4) - np.ones((4, 4))
        >>> GaussianModel(precision=P, width=1).leakage_coefficients()
        array([1.5, 1.5, 1.5, 1.5])
        """
        if self._exact:
            return matrices.cancel(self._weak_values - self.weights)
        return self._weak_values - self.weights

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
        UncertifiedError
            If rounding may move a coefficient by more than 1e-9 of the largest of its target.

        Notes
        -----
        One solve with :math:`P_{UU}` for each set *U* serves all targets outside it:
        :math:`2^n` small systems, batched by size.

        References
        ----------
        Theorem 5.1; the hierarchy of Section 5.2.

        Examples
        --------
        >>> model = GaussianModel(precision=[[3.0, -1, 1], [-1, 2, 0], [1, 0, 2]], width=1)
        >>> model.all_coefficients()[0]  # knows nothing, {1}, {2}, both
        array([ 0. , -0.5,  0.5,  0. ])
        """
        n = len(self.precision)
        where = "all_coefficients"
        if n > MAX_TUPLES:
            rule = f"n 2^(n-1) adversaries are enumerated only up to n = {MAX_TUPLES}"
            raise ValueError(f"{where}: {rule}, got n = {n}; see comparison_bound")
        table, errors = self._every
        table = table.copy()
        if self._exact:
            return table
        size = np.abs(self.weights) + np.abs(table).max(axis=1)
        open_ = ~(errors <= _safety.SLACK * size[:, None])
        exact = matrices.solves_in_integers(self._doubt)
        if open_.any() and exact and open_.sum() <= _CANDIDATES:
            for i, k in np.argwhere(open_):
                table[i, k] = float(self._in_integers(int(i), int(k)))
            return table
        _safety.certify(
            where, "the rounding of a coefficient", errors.max(axis=1), _safety.SLACK * size,
            slack=0,
        )  # fmt: skip
        return table

    def _in_integers(self, target: int, column: int) -> Fraction:
        """Return the coefficient at one place of the table of all adversaries, exactly."""
        n = len(self.precision)
        mask = int(_known_mask(n)[target, column])
        unknown = [j for j in range(n) if j != target and not mask >> j & 1]
        coefficient, _ = matrices.one_in_integers(
            self.precision, self.weights, self._doubt, target, unknown
        )
        return Fraction(coefficient)

    @cached_property
    def _every(self) -> tuple[Array, FloatArray]:
        """The coefficients of all adversaries, and bounds of the rounding of each."""
        P = self._definite
        a = self.weights
        n = len(P)
        unknown = np.arange(2**n)[:, None] >> np.arange(n) & 1 == 1
        count = unknown.sum(axis=1)
        solution = np.zeros((2**n, n), dtype=P.dtype)
        rule = "precision must be positive definite on the unknown tuples"
        for size in range(n - 1, 0, -1):
            rows = np.flatnonzero(count == size)
            sets = np.nonzero(unknown[rows])[1].reshape(-1, size)
            if self._exact:
                for row, U in zip(rows, sets):
                    block = P[np.ix_(U, U)]
                    solution[row, U] = matrices.exact_solve(block, a[U][:, None])[:, 0]
                continue
            if size == n - 1:  # these blocks contain all others
                for U in sets:
                    of_these = f"{rule} {tuple(map(int, U))[:8]}"
                    matrices.cholesky(P[np.ix_(U, U)], of_these)
            blocks = P[sets[:, :, None], sets[:, None, :]]
            solution[rows[:, None], sets] = np.linalg.solve(blocks, a[sets][..., None])[..., 0]
        target = np.arange(n)[:, None]
        chosen = 2**n - 1 - _known_mask(n) - (1 << target), target
        coefficients = -(solution @ P)[chosen]
        if self._exact:
            table = matrices.cancel(coefficients.ravel()).reshape(coefficients.shape)
            return table, np.zeros(table.shape)
        errors = matrices.all_errors(P, a, self._doubt, solution, unknown)[chosen]
        return np.asarray(coefficients + 0.0), errors  # no negative zeros

    def worst_adversary(self, *, scale: Any) -> WorstCase:
        r"""Find the adversary with the largest leakage, among all, by enumeration (n <= 16).

        Parameters
        ----------
        scale : float
            Laplace scale :math:`\lambda`; 1 gives the factor :math:`M_i |a_i + l_A|`.

        Returns
        -------
        WorstCase
            The maximiser of :math:`M_i |a_i + l_A| / \lambda`. Among equals (to 1e-12) the one
            that knows least, then the one with the smallest target. Rounding that may be more than
            a relative 1e-10 of the leakage is added to it.

        Raises
        ------
        ValueError
            If n > 16, the matrix is not positive definite on the unknown tuples or has symbols,
            or `scale` is not positive or so small or large that floats end before the leakage.
        UncertifiedError
            If rounding leaves it open who is the worst (by more than 1e-9), and the adversaries in
            question are too many to be computed in integers.

        Notes
        -----
        The leakage is proportional to :math:`|1 + l_A|`, not to :math:`l_A`: with positive
        off-diagonal entries :math:`1 + l_A` may be negative.

        The residuals of all :math:`2^n` systems bound the rounding; adversaries that it leaves
        open are computed in integers, or, for an M-matrix, by Theorem 5.2.

        References
        ----------
        Theorem 5.2 and Section 5.6, beyond its assumption w >= 0.

        Examples
        --------
        >>> P = [[3.0, 1, -1], [1, 2, 0], [-1, 0, 2]]
        >>> GaussianModel(precision=P, width=1).worst_adversary(scale=1)
        WorstCase(adversary=Adversary(target=0, known=(1,)), leakage=1.5)
        """
        where = "worst_adversary"
        scale = checks.rational(where, "scale", scale)
        checks.bounded(where, "scale", scale, "be positive", lambda x: x > 0)
        if self._symbolic:
            raise ValueError(f"{where}: precision must be numeric to have a maximum, got symbols")
        factors, least = self._factors(where)
        masks = _known_mask(len(factors))
        at = np.argwhere(factors >= least)
        i, k = min(at, key=lambda entry: int(masks[tuple(entry)]).bit_count())
        known = tuple(j for j in range(len(factors)) if masks[i, k] >> j & 1)
        if self._exact:
            return WorstCase(Adversary(int(i), known), factors[i, k] / scale)
        leakage = _in_range(where, "leakage", float(factors.max()), scale)
        return WorstCase(Adversary(int(i), known), leakage)

    def _factors(self, where: str) -> tuple[Array, Any]:
        """Return M_i |a_i + l_A| of all adversaries, and the least that counts as the largest."""
        n = len(self.precision)
        if n > MAX_TUPLES:
            self.all_coefficients()  # says that they are too many
        table, errors = self._every
        M = self.width[:, None]
        a = self.weights[:, None]
        factors = M * abs(a + table)
        if self._exact:
            return factors, factors.max()
        top = float(factors.max())
        open_ = ~(factors + M * errors <= top * (1 + _safety.SLACK))
        if open_.any():
            factors = self._settled_factors(where, factors, open_)
        else:
            factors = _rounded_up(factors, M * errors)
        return factors, factors.max() * (1 - 1e-12)

    def _settled_factors(self, where: str, factors: FloatArray, open_: Any) -> FloatArray:
        """Return the factors where floats leave it open which is the largest, or refuse."""
        if matrices.solves_in_integers(self._doubt) and open_.sum() <= _CANDIDATES:
            factors = factors.copy()
            for i, k in np.argwhere(open_):
                exact = Fraction(float(self.weights[i])) + self._in_integers(int(i), int(k))
                factors[i, k] = float(self.width[i]) * float(abs(exact))
            return factors
        if self._theorem_5_2:
            # The weak adversaries are the worst, and of them all digits are known or refused.
            largest = np.zeros(factors.shape)
            largest[:, 0] = self._settled_weak(where)
            return largest
        raise _safety.UncertifiedError(
            f"{where}: the precision is so nearly singular that rounding leaves {open_.sum()} "
            f"adversaries open, of which {_CANDIDATES} can be computed in integers"
        )

    def _settled_weak(self, where: str) -> FloatArray:
        """Return M_i |a_i + l_i| of the weak adversaries, where Theorem 5.2 makes them the worst.

        The largest keeps nine digits.
        """
        first = self._weak
        factors = self.width * np.abs(first.values)
        allowed = (factors.max() * (1 + _safety.SLACK) - factors) / self.width
        values = matrices.settle(where, self.precision, self.weights, self._doubt, first, allowed)
        factors = self.width * np.abs(values)
        beyond = self._beyond_the_theorem()
        most = _safety.SLACK * factors.max()
        _safety.certify(where, "what the inverse adds to a leakage", beyond, most, slack=0)
        errors = np.full(len(factors), beyond)
        if values is first.values:
            errors = np.maximum(errors, self.width * first.errors)
        return _rounded_up(factors, errors)

    def _beyond_the_theorem(self) -> float:
        """Return what an adversary may learn beyond Theorem 5.2, as the precision is an inverse.

        The theorem is true of the precision that was computed. The one that was meant misses it by
        a share, which moves the slope of an adversary by no more than that share of
        sqrt(P_ii) sd(a_U'x_U | the others), and the sd is at most that of a'x.
        """
        if self._doubt is None:
            return 0.0
        reach = float((self.width * np.sqrt(self.precision.diagonal())).max())
        return 2 * self._doubt.share * reach * self._weak.spread

    def comparison_bound(self) -> Any:
        r"""Bound the coefficients of all adversaries, for any signs and any n.

        Returns
        -------
        ndarray, shape (n,)
            Entry i bounds :math:`|l_{A(i,K)}|` for every K.

        Raises
        ------
        ValueError
            If the comparison matrix is not positive definite: the precision is no H-matrix
            (strict diagonal dominance makes one).
        UncertifiedError
            If rounding may move a bound by more than 1e-9 of its value.

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
        >>> P = [[3.0, -1, 1], [-1, 3, 0], [1, 0, 3]]
        >>> GaussianModel(precision=P, width=1).comparison_bound().round(3)
        array([0.667, 0.5  , 0.5  ])
        """
        model = self.in_floats
        comparison = -np.abs(model.precision)
        np.fill_diagonal(comparison, model.precision.diagonal())
        rule = "precision must be an H-matrix (comparison matrix positive definite)"
        a = np.abs(model.weights)
        doubt = model._doubt
        if doubt is not None:  # the absolute values have no share of the precision's form
            doubt = doubt.by_entries(model.precision)
        first = matrices.weak(comparison, a, doubt, rule)
        allowed = _safety.SLACK * np.maximum(a, np.abs(first.values))
        where = "comparison_bound"
        values = matrices.settle(
            where, comparison, a, doubt, first, allowed,
            otherwise=_LEAST_SHARE * first.units,
        )  # fmt: skip
        # Rounded up by what rounding may have taken; of who is linked to nobody it takes nothing.
        lost = first.errors if values is first.values else _SLOWER * values
        linked = np.count_nonzero(comparison, axis=1) > 1
        return np.where(linked, np.maximum(values - a + lost, 0.0), 0.0)

    def noise_scale(self, epsilon: float, *, method: str = "exact") -> float:
        r"""Smallest Laplace scale that is private against every adversary.

        Parameters
        ----------
        epsilon : float
            Privacy level; infinite: no privacy is asked for, and the scale is 0.
        method : {"exact", "bound"}
            ``"exact"``: the smallest scale; from the weak adversaries where Theorem 5.2 says that
            they are the worst, otherwise from all adversaries (n <= 16).
            ``"bound"``: a sufficient scale for any H-matrix, from `comparison_bound`.

        Returns
        -------
        float
            :math:`\lambda_0 = \max_A M_i |a_i + l_A| / \varepsilon`, to nine digits. Rounding
            that may be more than a relative 1e-10 of it is added.

        Raises
        ------
        ValueError
            If an off-diagonal entry is positive, however small (or the weights have both signs),
            and n > 16, so that neither the theorem nor the enumeration applies; if epsilon is not
            positive; if the matrix is not positive definite; if the scale is beyond the range of
            floats.
        UncertifiedError
            If rounding may move the largest leakage by more than 1e-9 of its value.

        Notes
        -----
        Theorem 5.2 needs an M-matrix and weights of one sign. Without them the weak adversaries
        alone understate the scale: by 2.5 against 2 in the example. Positive off-diagonal entries
        that are rounding cost nothing if the bound for all adversaries, from `comparison_bound`,
        exceeds the leakage of the weak ones by less than 1e-9; then it is used. :math:`\lambda_0`
        is a scale; the variance of the noise is :math:`2\lambda_0^2`.

        The scale holds for one release, for tuples that are normal with this precision and change
        by at most their widths. It does not cover another dependence than the model's, nor a
        second release (whose levels need not even add up).

        References
        ----------
        Theorem 5.2 and equation (26).

        Examples
        --------
        >>> GaussianModel(precision=[[2.0, -1], [-1, 2.0]], width=1).noise_scale(0.5)
        3.0
        >>> signed = GaussianModel(precision=[[3.0, 1, -1], [1, 2, 0], [-1, 0, 2]], width=1)
        >>> signed.noise_scale(1)
        1.5
        """
        where = "noise_scale"
        epsilon = checks.privacy_level(where, "epsilon", epsilon)
        checks.choice(where, "method", method, ("exact", "bound"))
        if epsilon == math.inf:
            return 0.0
        if method == "bound":
            model = self.in_floats
            _ = self._definite
            reach = np.abs(model.weights) + model.comparison_bound()
            return _in_range(where, "scale", float((model.width * reach).max()), epsilon)
        return _in_range(where, "scale", self._largest_factor(where), epsilon)

    def _largest_factor(self, where: str) -> float:
        """Return the largest M_i |a_i + l_A| over all adversaries, in floats."""
        if not self._exact:
            return self._largest_in_floats(where, theorem_5_2=self._theorem_5_2)
        model = self.in_floats
        matrices.require_semidefinite("GaussianModel", self._matrix)
        try:
            return model._largest_in_floats(where, theorem_5_2=self._theorem_5_2)
        except ValueError:
            if self._theorem_5_2 and len(self.precision) <= MAX_EXACT_SCALE:
                exact = (self.width * abs(self._weak_values)).max()
            elif len(self.precision) <= _EXACT_ENUMERATION:
                matrices.require_semidefinite("GaussianModel", self._matrix, singular=False)
                exact = self._factors(where)[1]
            else:
                raise
            return _safety.exact_float(where, "the largest leakage", exact)

    def _largest_in_floats(self, where: str, *, theorem_5_2: bool) -> float:
        M = self.width
        a = self.weights
        weak = float((M * np.abs(self._weak.values)).max())
        clear = self._beyond_the_theorem() <= _safety.SLACK * weak
        if theorem_5_2 and (clear or len(M) > MAX_TUPLES):
            return float(self._settled_weak(where).max())
        # Below nobody needs the whole matrix, of which rounding may leave the sign open.
        unclear = self._weak.form == math.inf and self._doubt is None and len(M) <= MAX_TUPLES
        if unclear and not matrices.is_definite(self.precision):
            raise ValueError(
                "GaussianModel: precision must be positive definite, got a "
                f"{len(M)}x{len(M)} matrix that is not, if by no more than rounding"
            )
        try:
            bound = float((M * (np.abs(a) + self.comparison_bound())).max())
        except ValueError:
            bound = math.inf
        if bound <= weak * (1 + _safety.SLACK):  # all adversaries learn what the weak ones do
            return bound
        if len(M) > MAX_TUPLES:
            raise ValueError(
                f"{where}: weak adversaries are the worst only if no off-diagonal entry is positive"
                " and the weights have one sign (Theorem 5.2); otherwise all adversaries count, "
                f"which worst_adversary enumerates up to n = {MAX_TUPLES}, got n = {len(M)}; "
                'method="bound" gives a sufficient scale for an H-matrix; for an estimated '
                "covariance, whose inverse has entries of both signs, use a graph (from_graph)"
            )
        factors, _ = self._factors(where)
        return float(factors.max())

    def _shift_and_variance(
        self, where: str, target: int, known: Iterable[int]
    ) -> tuple[float, float]:
        """Return M |a_i + l_A|, rounded up, and Var[a'x | x_i, x_K], rounded down."""
        model = self.in_floats
        _ = self._definite
        P = model._definite
        a = model.weights
        (i, _), unknown = valid.adversary_and_unknown(where, len(P), target, known)
        if self._exact:
            return self._exact_shift_and_variance(where, i, list(unknown))
        learnt = matrices.settle_one(where, P, a, model._doubt, i, unknown)
        shift = float(model.width[i]) * (abs(learnt.slope) + learnt.error)
        return shift, max(learnt.variance - learnt.variance_error, 0.0)

    def _exact_shift_and_variance(self, where: str, i: int, U: list[int]) -> tuple[float, float]:
        """Return the two for an exact model: what cancels in floats may matter at its width."""
        if not U:
            slope = self.weights[i]
            variance = self.weights[i] * 0
        else:
            P = self._matrix
            a = self.weights
            spread = matrices.exact_solve(P[np.ix_(U, U)], a[U][:, None])[:, 0]
            slope = a[i] - (spread * P[U, i]).sum()
            variance = (spread * a[U]).sum()
        shift = _safety.exact_float(where, "the shift", self.width[i] * abs(slope))
        variance = _safety.exact_float(where, "the variance", variance)
        return shift * (1 + 4 * _EPS), max(variance, 0.0) * (1 - 4 * _EPS)

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
            If `leakage_coefficient` refuses, `sigma` is negative or above 1e150, or the output has
            no variance.

        Notes
        -----
        It covers this one adversary and no other, and one release. The shift is rounded up and the
        variance down, by what the residuals of the solved systems allow.

        Given :math:`x_i, x_K` the output is normal, of a variance free of :math:`x_i`. What is
        unknown blurs the output here, so that Theorem 5.2 does not extend to Gaussian noise: the
        strong adversary may be the worst.

        References
        ----------
        Beyond the paper.

        Examples
        --------
        >>> model = GaussianModel(precision=[[1.1, -0.1], [-0.1, 1.1]], width=1)
        >>> [round(model.gaussian_noise_mu(0, K, sigma=1), 4) for K in ([], [1])]
        [0.7895, 1.0]
        """
        where = "gaussian_noise_mu"
        sigma = checks.non_negative(where, "sigma", sigma)
        checks.bounded(where, "sigma", sigma, "be at most 1e150", lambda x: x <= 1e150)
        shift, variance = self._shift_and_variance(where, target, known)
        if sigma == 0 and variance == 0:
            raise ValueError(f"{where}: sigma must be positive if all tuples are known, got 0")
        return shift / math.hypot(sigma, math.sqrt(variance))

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
            Non-negative privacy level; infinite: no privacy is asked for, and delta is 0.
        scale : float
            Laplace scale :math:`\lambda`.

        Returns
        -------
        float
            :math:`\delta`, the supremum over *S* of :math:`\Pr(r \in S \mid x_i)`
            :math:`{} - e^\varepsilon \Pr(r \in S \mid x_i')`. 0 also stands for what is below
            1e-300.

        Raises
        ------
        ValueError
            If `leakage_coefficient` refuses, epsilon is negative, or the scale is not positive.
        UncertifiedError
            If the result fails its checks: no half-line near the one found has more, and the
            normal part alone or the Laplace part alone has no less.

        Notes
        -----
        It covers this one adversary and no other, and one release.

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
        >>> model = GaussianModel(precision=[[1.1, -0.1], [-0.1, 1.1]], width=1)
        >>> [round(model.laplace_delta(0, K, epsilon=0.5, scale=1), 4) for K in ([], [1])]
        [0.1184, 0.2212]
        """
        from scipy.optimize import brentq  # a third of the import time, and needed here only

        where = "laplace_delta"
        if not (isinstance(epsilon, (float, np.floating)) and epsilon == math.inf):
            epsilon = checks.non_negative(where, "epsilon", epsilon)
        scale = checks.positive(where, "scale", scale)
        checks.bounded(where, "scale", scale, "be between 1e-150 and 1e150",
                       lambda x: 1e-150 <= x <= 1e150)  # fmt: skip
        shift, variance = self._shift_and_variance(where, target, known)
        sigma = math.sqrt(variance)
        if epsilon * scale >= shift:
            return 0.0
        _in_range(where, "leakage", shift, scale)
        if sigma == 0:
            return -math.expm1((epsilon - shift / scale) / 2)

        def gap(t: float) -> float:
            return float(log_ratio(t, shift, scale=scale, sigma=sigma)) - epsilon

        low = -39 * sigma  # beyond it the probability of the half-line is below 1e-300
        if gap(low) <= 0:
            middle = shift / 2
            _check_delta(where, 0.0, middle, shift, epsilon, scale=scale, sigma=sigma)
            return 0.0
        end = shift / 2
        if epsilon:
            end = brentq(gap, low, end, xtol=1e-15 * sigma, rtol=1e-15)
        low_tail = _excess(end - shift, scale, sigma)
        # In logarithms, as exp(epsilon) alone may overflow.
        taken = math.exp(epsilon + math.log(low_tail)) if low_tail > 0 else 0.0
        delta = max(0.0, _excess(end, scale, sigma) - taken)
        _check_delta(where, delta, end, shift, epsilon, scale=scale, sigma=sigma)
        return delta


# What editors and the API reference show: the arguments of the model, not of its guard.
_OF_THE_MODEL = inspect.signature(GaussianModel.__init__)
GaussianModel.__signature__ = _OF_THE_MODEL.replace(  # type: ignore[attr-defined]
    parameters=list(_OF_THE_MODEL.parameters.values())[1:]
)


def _check_delta(
    where: str, delta: float, end: float, shift: float, epsilon: float, *, scale: float,
    sigma: float,
) -> None:  # fmt: skip
    """Refuse a delta that a half-line nearby exceeds, or that one part of the noise alone beats."""
    # Blurring the output once more cannot help the attacker: each part alone is a bound.
    laplace_alone = -math.expm1(min((epsilon - shift / scale) / 2, 0.0))
    mu = shift / sigma
    upper = float(ndtr(mu / 2 - epsilon / mu))
    lower = math.exp(min(epsilon + float(log_ndtr(-mu / 2 - epsilon / mu)), 0.0))
    normal_alone = upper - lower
    unit = 64 * _EPS
    _safety.certify(where, "delta", delta, min(laplace_alone, normal_alone), unit=unit)
    # It is the largest Pr(r <= t) - exp(epsilon) Pr(r' <= t): of all t.
    step = math.hypot(sigma, min(scale, shift))
    for move in (-1.0, -0.1, -0.01, 0.01, 0.1, 1.0):
        t = end + move * step
        below = _distribution(t - shift, scale, sigma)
        if below < 1e-290:
            continue  # its digits are lost, and exp(epsilon) may be as large
        taken = math.exp(min(epsilon + math.log(below), 1.0))  # more than 1 is enough
        excess = _distribution(t, scale, sigma) - taken
        _safety.certify(where, "delta on a half-line nearby", excess, delta, unit=unit)


def _distribution(t: float, scale: float, sigma: float) -> float:
    """Return the distribution function of Laplace convolved with normal at t."""
    density = math.exp(float(_log_density(np.array(t), scale, sigma)))
    return _excess(t, scale, sigma) + scale * density


def _rounded_up(factors: FloatArray, errors: FloatArray) -> FloatArray:
    """Return factors of which the largest is an upper bound, if rounding may be 1e-10 of it."""
    top = float(factors.max())
    most = float((factors + errors).max())
    if most <= top * (1 + _UNSURE):
        return factors
    return np.asarray(factors * (most / top)) if top else factors + errors


def _per_tuple(name: str, value: Any, n: int, *, exact: bool) -> Array:
    """Return one number a tuple, in the arithmetic of the model, as a new array."""
    where = "GaussianModel"
    _safety.positions(where, name, value)
    shape = np.asarray(value, dtype=object).shape
    if shape not in {(), (n,)}:
        rule = f"{name} must be a number or have shape ({n},)"
        raise ValueError(f"{where}: {rule}, got {shape}")
    if exact:
        numbers = matrices.each(lambda v: _exact_number(name, v), np.asarray(value, dtype=object))
        return np.array(np.broadcast_to(numbers, (n,)))
    numbers = checks.reals(where, name, value)
    least = matrices.SMALLEST
    most = matrices.LARGEST
    rule = f"0 or between {least:g} and {most:g} in magnitude (choose other units)"
    size = np.abs(numbers)
    checks.refuse(where, name, numbers, rule, (size == 0) | ((size >= least) & (size <= most)))
    return np.array(np.broadcast_to(numbers, (n,)))


def _exact_number(name: str, value: Any) -> Any:
    """Return a number as sympy's; a float is the fraction that it is."""
    import sympy as sp

    where = "GaussianModel"
    if isinstance(value, (float, np.floating)):
        return sp.Rational(*checks.real(where, name, float(value)).as_integer_ratio())
    entry = matrices.exact_entry(where, name, value)
    return matrices.to_sympy(np.array([entry], dtype=object))[0]


def _exact_scale(where: str, scale: Any) -> Any:
    """Return the scale of the noise of an exact model, which may have positive symbols."""
    import sympy as sp

    if isinstance(scale, sp.Expr) and not isinstance(scale, (sp.Rational, sp.Float)):
        if not (scale.is_positive and scale.is_finite is not False):
            hint = "declare symbols with positive=True"
            raise ValueError(f"{where}: scale must be positive, got {scale!r} ({hint})")
        return scale
    number = checks.rational(where, "scale", scale)
    checks.bounded(where, "scale", number, "be positive", lambda x: x > 0)
    return _exact_number("scale", number)


def _sign(value: Any) -> int:
    """Return the sign of an exact number; 1 if sympy does not know it."""
    if value.is_zero:
        return 0
    return -1 if value.is_negative else 1


def _in_range(where: str, name: str, factor: float, divisor: Any) -> float:
    """Return a quotient, unless the range of floats ends before it."""
    if factor == 0:
        return 0.0
    if isinstance(divisor, Fraction):
        log_size = math.log(factor) - math.log(divisor.numerator) + math.log(divisor.denominator)
    else:
        log_size = math.log(factor) - math.log(divisor)
    if not abs(log_size) <= 660:  # 1e-286 to 1e286
        raise ValueError(
            f"{where}: the {name} must be within the range of floats, got about "
            f"10**{log_size / math.log(10):.0f}; choose other units"
        )
    return float(factor / float(divisor))


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
        that sum to 0, relative to their own entries), a prior is not positive and finite, or the
        nodes of a graph are the numbers 0 to n - 1 in another order, or it has self loops.
    TypeError
        If a graph is directed or a multigraph, or a weight is no number (text is none).
    UncertifiedError
        If the eigendecomposition misses the matrix by more than the digits promised allow: where
        the spectral gap is below rounding.

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
    where the spectral gap itself is below rounding, and says so: the power method finds what the
    eigendecomposition misses, relative to its least eigenvalue.
    Weak adversaries are the worst for these matrices (Theorem 5.2).

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
    _safety.square_labels(where, "laplacian", laplacian)
    if hasattr(laplacian, "nodes") and hasattr(laplacian, "edges"):
        from privlib.correlated import networks

        _safety.limit(where, "the number of nodes", len(laplacian), matrices.MAX_DENSE)
        laplacian = csgraph.laplacian(networks.weights_of_graph(where, laplacian))
    L = matrices.read(where, laplacian, "laplacian").entries
    if L.dtype == object:
        L = matrices.to_sympy(L)
    L = checks.reals(where, "laplacian", L)
    tau = checks.reals(where, "priors", priors, "positive", lambda x: x > 0, ndim=1)
    low = matrices.SMALLEST
    high = matrices.LARGEST
    in_range = (tau >= low) & (tau <= high)
    checks.refuse(where, "priors", tau, f"between {low:g} and {high:g}", in_range)
    n = len(L)
    lifted = L.copy()
    np.fill_diagonal(lifted, 0.0)
    if lifted.max() > 0:
        rule = "off-diagonal entries must not be positive (weights w >= 0)"
        raise ValueError(f"{where}: {rule}, got {lifted.max()}")
    surplus = np.abs(L.sum(axis=1))
    excess = surplus - 1e-12 * n * np.abs(L).sum(axis=1)
    if excess.max() > 0:
        got = surplus[excess.argmax()]
        raise ValueError(f"{where}: every row of laplacian must sum to 0, got a sum of {got}")
    _, component = csgraph.connected_components(lifted, directed=False)
    size = np.bincount(component)[component]
    alpha = float(L.trace()) / n or 1.0
    np.fill_diagonal(lifted, L.diagonal())
    lifted += (component[:, None] == component) * (alpha / size)
    values, vectors = eigh(lifted.T, driver="evd", overwrite_a=True, check_finite=False)
    values = np.maximum(values, 0)

    def missing(z: FloatArray) -> FloatArray:
        """What the eigendecomposition misses of the lifted matrix, times z."""
        means = np.zeros((component.max() + 1, z.shape[1]))
        np.add.at(means, component, z)
        lift = alpha * means[component] / size[:, None]
        return np.asarray(vectors @ (values[:, None] * (vectors.T @ z)) - L @ z - lift)

    def skew(z: FloatArray) -> FloatArray:
        return np.asarray(vectors @ (vectors.T @ z) - z)

    # What is missing moves each resolvent by that share, and the sum of positive terms by no more.
    lost = _norm(missing, n) / (float(values.min()) + tau) + _norm(skew, n)
    _safety.certify(where, "what the eigendecomposition misses", lost, _safety.SLACK, slack=0)
    squares = np.square(vectors, out=vectors)
    resolvent = 1 / (values[:, None] + tau)
    reciprocal = (alpha / (alpha + tau))[:, None] / size + tau[:, None] * (squares @ resolvent).T
    return np.asarray(1 / reciprocal - 1)


def _norm(times: Callable[[FloatArray], FloatArray], n: int) -> float:
    """Return twice what the power method finds of the norm of a symmetric matrix."""
    z = np.random.default_rng(20260101).standard_normal((n, 8))
    largest = 0.0
    for _ in range(6):
        z = z / np.maximum(np.linalg.norm(z, axis=0), 1e-300)
        z = times(z)
        largest = max(largest, float(np.linalg.norm(z, axis=0).max()))
    return 2 * largest


# --- Proposition 5.1 and Algorithm 1 ----------------------------------------------------------


def _absorb_last(where: str, A: Array, m: Any) -> Array:
    """Merge the last tuple into the block (index 0) of m tuples; overwrites A, returns a view."""
    w0 = A[0, 0]
    w0j = -A[0, -1]
    wj = A[-1, -1]
    w0c = -A[0, 1:-1]
    wjc = -A[-1, 1:-1]
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
    A = matrices.read(where, precision).entries
    exact = A.dtype == object
    n = len(A)
    if n < 2:
        raise ValueError(f"{where}: precision must hold the block and a tuple, got a 1x1 matrix")
    if checks.integer(where, "j", j) not in range(1, n):
        raise ValueError(f"{where}: j must be in 1..n-1, got {j} for a {n}x{n} matrix")
    if not (exact and hasattr(m, "free_symbols")):
        m = checks.integer(where, "m", m, low=0)
        if not exact:
            _safety.limit(where, "m", m, _safety.LARGEST_EXACT)
    matrices.require_semidefinite(where, A)
    matrix = exact and not isinstance(precision, np.ndarray)
    order = [k for k in range(n) if k != j] + [j]
    if matrix:
        A = matrices.to_sympy(A)
    merged = _absorb_last(where, A[np.ix_(order, order)], m)
    return type(precision)(merged.tolist()) if matrix else merged.copy()


def _merge_tail(A: Array, count: int, m: int) -> Array:
    """Merge the last `count` tuples, last first, into the block of `m`; overwrites A."""
    symbolic = A.dtype == object and any(v.free_symbols for v in A.flat)
    for size in range(m, m + count):
        A = _absorb_last("algorithm1", A, size)
        if symbolic:
            A = matrices.cancel(A)
    return A


def _branch(A: Array, m: int, repairs: Collection[str]) -> list[Any]:
    """Return what the leaves of Algorithm 1 return, in the order of their tuples."""
    n = len(A)
    if n == 2:
        w0 = A[0, 0]
        w01 = -A[0, 1]
        over = w0
        under = w01
        rule = "the printed leaf w0/w01 needs every pair linked, got w01"
        if "leaf" in repairs:
            over = m * w01
            under = w0
            rule = "the block's row needs a positive pivot, got w0"
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
        If the matrix has a negative eigenvalue, a repair is unknown, there is no
        second tuple (without ``"dummy"``), or a leaf divides by zero: the printed one where a pair
        is not linked, the repaired one where the block has no pivot (an edgeless row without
        prior, say).
    UncertifiedError
        If, with all repairs, the coefficients differ from those of Theorem 5.1 by more than 2e-9.

    Notes
    -----
    Without all three repairs the numbers are those of the printed text, and no level of anything.

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
    A, doubt = matrices.read(where, precision)
    if A.dtype == object:
        A = matrices.to_sympy(A)
    matrices.require_semidefinite(where, A)
    if "dummy" in repairs:
        padded = np.pad(A, (1, 0))
        padded[0, 0] = 1
        leaves = _branch(matrices.to_sympy(padded) if A.dtype == object else padded, 0, repairs)
        coefficients = np.array(leaves, dtype=A.dtype)
        if set(REPAIRS) <= set(repairs):
            _check_halving(where, A, doubt, coefficients)
        return coefficients
    if len(A) < 2:
        raise ValueError(f"{where}: without the dummy row precision needs at least 2 rows, got 1")
    largest = max(_branch(A, 1, repairs))
    return largest if A.dtype == object else float(largest)


def _check_halving(where: str, A: Array, doubt: Doubt | None, coefficients: Array) -> None:
    """Compare what Algorithm 1 found with Theorem 5.1, tuple by tuple."""
    n = len(A)
    if A.dtype == object:
        if any(v.free_symbols for v in A.flat):
            return
        targets = range(n) if n <= MAX_TUPLES else [int(np.argmax(coefficients))]
        for i in targets:
            U = [j for j in range(n) if j != i]
            if not U:
                continue
            share = matrices.exact_solve(A[np.ix_(U, U)], A[U, i][:, None])[:, 0]
            if (coefficients[i] + share.sum()).equals(0) is False:
                raise _safety.UncertifiedError(f"{where}: Theorem 5.1 gives another coefficient")
        return
    a = np.ones(n)
    try:
        first = matrices.weak(A, a, doubt, "precision must be positive definite")
    except ValueError:  # no prior
        expected = _without_prior(where, A, doubt)
    else:
        allowed = _safety.SLACK * np.maximum(1, np.abs(first.values))
        expected = matrices.settle(where, A, a, doubt, first, allowed) - 1
    most = 2 * _safety.SLACK * (1 + np.abs(expected))
    distance = np.abs(coefficients - expected)
    _safety.certify(where, "the distance from Theorem 5.1", distance, most, slack=0)


def _without_prior(where: str, A: FloatArray, doubt: Doubt | None) -> FloatArray:
    """Return the coefficients of the weak adversaries of a singular matrix."""
    n = len(A)
    a = np.ones(len(A))
    if np.all(np.abs(A.sum(axis=1)) <= 1e-12 * np.abs(A).sum(axis=1)):
        return np.full(n, n - 1.0)
    _safety.limit(where, "the number of tuples of a singular matrix that is no Laplacian", n, 200)
    others = [[j for j in range(n) if j != i] for i in range(n)]
    known = [matrices.settle_one(where, A, a, doubt, i, others[i]) for i in range(n)]
    return np.array([learnt.coefficient for learnt in known])


# --- the distribution of the output -------------------------------------------------------------


def _density_parts(
    t: FloatArray, scale: float, sigma: float
) -> tuple[npt.NDArray[np.bool_], FloatArray, FloatArray]:
    r"""Return where the normal factor of g leads, the root of its exponent there, and the rest.

    With :math:`a = \sigma/\lambda`, :math:`b = |t|/\sigma`, :math:`u_\pm = (a \pm b)/\sqrt2` and
    the scaled complementary error function, :math:`4\lambda g(t)` is :math:`e^{-b^2/2}
    (\mathrm{erfcx}\,u_+ + \mathrm{erfcx}\,u_-)` for :math:`u_- \ge 0`. For :math:`u_- < 0`, where
    erfcx overflows, it is :math:`e^{a^2/2 - ab} (\mathrm{erfc}\,u_- + e^{-u_-^2}
    \mathrm{erfcx}\,u_+)`. The results are whether :math:`u_- \ge 0`, :math:`u_-`, and the logarithm
    of the parenthesis, in which nothing overflows and nothing is subtracted.
    """
    a = sigma / scale
    b = np.abs(t) / sigma
    minus = (a - b) / math.sqrt(2)
    plus = erfcx((a + b) / math.sqrt(2))
    normal_leads = minus >= 0
    inside = np.log(erfcx(np.maximum(minus, 0)) + plus)
    outside = np.log(erfc(np.minimum(minus, 0)) + np.exp(-(minus**2)) * plus)
    return normal_leads, np.asarray(minus), np.where(normal_leads, inside, outside)


def _log_density(t: FloatArray, scale: float, sigma: float) -> FloatArray:
    """Return log g(t) for g = Laplace(scale) convolved with N(0, sigma^2)."""
    y = np.abs(t)
    # Without warnings: what overflows is in the branch not taken, or refused by the caller.
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        if sigma == 0:
            return np.asarray(-y / scale - math.log(2) - math.log(scale))
        normal_leads, _, rest = _density_parts(t, scale, sigma)
        a = np.float64(sigma / scale)
        normal = -((y / sigma) ** 2) / 2
        exponential = a**2 / 2 - y / scale
        leading = np.where(normal_leads, normal, exponential)
    return np.asarray(leading + rest - math.log(4) - math.log(scale))


def _log_ratio(t: FloatArray, shift: FloatArray, scale: float, sigma: float) -> FloatArray:
    """Return log g(t) - log g(t - shift) without the difference of two large logarithms."""
    # Without warnings: what overflows is in the branch not taken, or refused by the caller.
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        u = np.asarray(t - shift)
        nearer = np.abs(u) - np.abs(t)
        if sigma == 0:
            return np.asarray(nearer / scale)
        normal_t, minus_t, rest_t = _density_parts(t, scale, sigma)
        normal_u, minus_u, rest_u = _density_parts(u, scale, sigma)
        both_normal = (nearer / sigma) * ((np.abs(u) + np.abs(t)) / sigma) / 2
        otherwise = (
            nearer / scale - np.where(normal_t, minus_t**2, 0) + np.where(normal_u, minus_u**2, 0)
        )
        leading = np.where(normal_t & normal_u, both_normal, otherwise)
    return np.asarray(leading + rest_t - rest_u)


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
        If an argument holds no finite numbers, `scale` is not positive, `sigma` is negative, or
        the result is not within the range of floats.

    References
    ----------
    Equations (17) and (23); the density (23) has the factor 1/2 that Section 3.2 lacks.

    Examples
    --------
    >>> output_density([0.0, 3.0], 0.0, scale=1.0, sigma=1.0).round(6)
    array([0.261578, 0.040633])
    """
    r, shift, scale, sigma = _output_arguments("output_density", r, shift, scale, sigma)
    with np.errstate(over="ignore"):  # a distance that floats cannot hold has the density 0
        distance = np.asarray(r - shift)
    logs = _log_density(distance, scale, sigma)
    _require_range("output_density", logs < math.log(sys.float_info.max))
    return np.exp(logs)


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
        If an argument holds no finite numbers, `scale` is not positive, `sigma` is negative, or
        the result is not within the range of floats.

    References
    ----------
    Theorem 5.1, equation (25).

    Examples
    --------
    >>> log_ratio([-2.0, -5.0], 2.0, scale=1.0, sigma=1.0).round(8)
    array([1.91171533, 1.99999006])
    """
    t, shift, scale, sigma = _output_arguments("log_ratio", r, shift, scale, sigma)
    ratio = _log_ratio(t, shift, scale, sigma)
    _require_range("log_ratio", np.isfinite(ratio))
    return ratio


def _require_range(where: str, fine: npt.NDArray[np.bool_]) -> None:
    """Refuse arguments whose result floats cannot hold."""
    if not np.all(fine):
        raise ValueError(
            f"{where}: r, shift, scale and sigma must be so near to each other that the result is "
            "within the range of floats; choose other units"
        )


def _output_arguments(
    where: str, r: Any, shift: Any, scale: float, sigma: float
) -> tuple[Any, ...]:
    """Check the arguments of an output distribution."""
    places = checks.reals(where, "r", r), checks.reals(where, "shift", shift)
    scale = checks.positive(where, "scale", scale)
    sigma = checks.non_negative(where, "sigma", sigma)
    checks.bounded(where, "sigma / scale", sigma / scale, "be at most 1e300", lambda x: x <= 1e300)
    return *places, scale, sigma


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


def _known_mask(n: int) -> npt.NDArray[np.int64]:
    """Return the bit mask of K for each column of `all_coefficients`, shape (n, 2^(n-1))."""
    column = np.arange(2 ** (n - 1))
    i = np.arange(n)[:, None]
    return np.asarray((column & ((1 << i) - 1)) | (column >> i << (i + 1)))
