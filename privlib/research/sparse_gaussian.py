r"""Leakage coefficients on large sparse graphs: certified maximum, and estimates for all tuples.

Let :math:`P = L + \operatorname{diag}(\tau)` with the Laplacian *L* of a graph with weights
:math:`w \ge 0` and priors :math:`\tau_i > 0`; put :math:`s = \sum_i \tau_i`,
:math:`D = \operatorname{diag}(P)`. The weak adversary that attacks tuple *i* has

.. math:: 1 + l_i = \frac{y_i}{V_i}, \qquad y = P^{-1} \mathbf 1, \quad V_i = (P^{-1})_{ii}.

**Deflation.** :math:`P \mathbf 1 = \tau`, so in the inner product :math:`a' P^{-1} b` the vector
:math:`\tau` is orthogonal to every *u* with :math:`u' \mathbf 1 = 0`. Hence, for any priors,

.. math:: V_i = \frac1s + u' P^{-1} u, \quad u = e_i - \frac{\tau}{s}, \qquad
          y = \frac ns \mathbf 1 + P^{-1} \Bigl(\mathbf 1 - \frac ns \tau\Bigr),

and both right-hand sides are orthogonal to **1**, the direction in which *P* is nearly singular
when the prior is weak. No digit is lost as :math:`\tau \to 0`, and for a uniform prior the second
term of *y* vanishes.

**Bounds for all tuples at once.** :math:`1/V_i` is the conductance from vertex *i* to ground when
every vertex *j* is tied to ground by :math:`\tau_j`. Cutting every edge that does not touch *i*
lowers it (Rayleigh): :math:`1/V_i \ge \tau_i + \sum_j w_{ij} \tau_j / (w_{ij} + \tau_j)`.
On the other side :math:`V_i \ge v_i^2 / v' P v` for every *v* (Cauchy--Schwarz); we take the best
*v* in the span of **1** and of *h*, where :math:`h_i = 1` and :math:`h_j = w_{ij} / P_{jj}`. For a
uniform prior this is sharper than :math:`l_i \le \min(n - 1, d_i/\tau)`.

**Bounds for one tuple.** Conjugate gradients for :math:`P x = u`, preconditioned by *D*, are the
Lanczos process of :math:`S = D^{-1/2} P D^{-1/2}`; the terms that they have summed after *k* steps
are the *k*-point Gauss rule for :math:`u' P^{-1} u`, a lower bound, and the Gauss--Radau rule with
a node :math:`a \le \lambda_{\min}(S)` is an upper bound. A valid node is
:math:`a = \min_i \tau_i / P_{ii}`, since :math:`S` is an M-matrix and the positive vector
:math:`D^{1/2} \mathbf 1` satisfies :math:`S D^{1/2} \mathbf 1 \ge a D^{1/2} \mathbf 1`.

Without a prior there is nothing to certify: then :math:`l_i = n - 1` on a connected graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sps
from scipy.special import gammaincinv

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import FloatArray
from privlib.correlated.adversary import Adversary

_EPS = float(np.finfo(np.float64).eps)
_BLOCK_ENTRIES = 4_000_000  # entries of one dense block: 32 MB
_RESIDUAL = 1e-11  # of the perturb-and-solve systems, far below any sampling error
_TOLERANCE = 1e-9  # of the total covariances in the estimates


class _Model(NamedTuple):
    """A validated precision matrix and what every routine needs of it."""

    P: Any  # scipy.sparse.csr_array, shape (n, n)
    diagonal: FloatArray  # shape (n,)
    tau: FloatArray  # row sums, shape (n,)
    total: float  # sum of tau

    @property
    def n(self) -> int:
        return self.diagonal.size

    @property
    def columns(self) -> int:
        """How many right-hand sides are worth solving together."""
        return int(np.clip(_BLOCK_ENTRIES // self.n, 1, 64))

    @property
    def unit(self) -> float:
        """What rounding may take of a product with a row, relative to its absolute terms."""
        return (8 + int(np.diff(self.P.indptr).max())) * _EPS


def _model(where: str, precision: Any) -> _Model:
    """Return the model of a matrix ``L + diag(tau)``, in floats, in a unit that is not tiny."""
    checks.no_graph(where, "precision", precision, "networks.precision(graph, tau, sparse=True)")
    if checks.is_pandas(precision):
        _safety.square_labels(where, "precision", precision)
        precision = precision.to_numpy()
    exact_sums = None
    if not sps.issparse(precision):
        given = precision
        precision = checks.reals(where, "precision", precision)
        if np.asarray(given).dtype.kind == "O":
            exact_sums = _exact_sums(where, given)
    elif precision.dtype.kind not in "iuf":
        raise TypeError(f"{where}: precision must hold real numbers, got {precision.dtype}")
    checks.square(where, "precision", precision.shape)
    P = sps.csr_array(precision, copy=True)
    P.sum_duplicates()
    P = sps.csr_array(
        (_safety.exact_floats(where, "precision", P.data), P.indices, P.indptr), shape=P.shape
    )
    P.eliminate_zeros()
    # Entries are multiplied by threes below; 1e100 cubed is within the range of floats.
    checks.refuse(where, "precision", P.data, "finite, at most 1e100", abs(P.data) <= 1e100)
    # Coefficients have no unit. A power of two rounds nothing, and products do not underflow then.
    top = float(P.diagonal().max(initial=0.0))
    shift = 0
    if 0 < top < 1e-20:
        shift = 1 - int(np.frexp(top)[1])
    if shift:
        P.data = np.ldexp(P.data, shift)
    diagonal = P.diagonal()
    rule = "at least 1e-100 of its largest entry"
    fine = (diagonal <= 0) | (diagonal >= 1e-100)  # what is not positive fails a row sum below
    checks.refuse(where, "the diagonal of precision", diagonal, rule, fine)
    n = P.shape[0]
    gap = abs(P - P.T)
    if gap.nnz and gap.max() > 0:
        got = f"entries that differ by {gap.max():.3g}; pass (P + P.T) / 2"
        raise ValueError(f"{where}: precision must be symmetric, got {got}")
    rows = np.repeat(np.arange(n), np.diff(P.indptr))
    off = P.data[rows != P.indices]
    checks.refuse(where, "off-diagonal entries of precision", off, "at most 0", off <= 0)
    largest = abs(P).max(axis=1).toarray().ravel()
    tau = _row_sums(P, largest)
    rule = "above rounding (they are the priors tau_i)"
    checks.refuse(where, "row sums of precision", tau, rule, tau > 4 * _EPS * largest)
    if exact_sums is not None:
        unit = Fraction(2) ** shift
        pairs = zip(tau, exact_sums)
        lost = np.array([abs(float(Fraction(float(t)) / (e * unit) - 1)) for t, e in pairs])
        rule = "the same in floats as exactly, to nine digits"
        checks.refuse(where, "row sums of precision", tau, rule, lost <= _safety.SLACK)
    return _Model(P, P.diagonal(), tau, float(tau.sum()))


def _exact_sums(where: str, precision: Any) -> list[Fraction]:
    """Return the row sums of a matrix whose entries may be exact, none of them 0."""
    entries = checks.reals(where, "precision", precision, exact=True, ndim=2)
    sums = [sum((Fraction(entry) for entry in row), Fraction(0)) for row in entries]
    if not all(total > 0 for total in sums):
        got = next(total for total in sums if total <= 0)
        raise ValueError(
            f"{where}: row sums of precision must be above rounding (they are the priors tau_i), "
            f"got {float(got):g}"
        )
    return sums


def _row_sums(P: Any, largest: FloatArray) -> FloatArray:
    """Return the row sums to nearly all their digits, though the diagonal cancels the rest.

    Every entry is split in a multiple of a unit of its row, of which sums are exact, and a rest
    that is :math:`2^{-25}` of the row at most.
    """
    unit = np.ldexp(1.0, np.frexp(np.where(largest > 0, largest, 1.0))[1] - 25)
    per_entry = np.repeat(unit, np.diff(P.indptr))
    coarse = np.round(P.data / per_entry) * per_entry
    ones = np.ones(P.shape[0])
    parts = [sps.csr_array((part, P.indices, P.indptr), shape=P.shape)
             for part in (coarse, P.data - coarse)]  # fmt: skip
    return np.asarray(parts[0] @ ones + parts[1] @ ones)


def _dots(A: FloatArray, B: FloatArray) -> FloatArray:
    """Inner products of the columns, summed in blocks: rounding grows like sqrt(n), not n."""
    starts = np.arange(0, len(A), max(1, int(len(A) ** 0.5)))
    return np.asarray(np.add.reduceat(A * B, starts, axis=0).sum(axis=0))


class _ConjugateGradients:
    r"""Independent runs of conjugate gradients on the columns of one right-hand side.

    After every step ``gauss <= b' P^{-1} b <= radau`` for each column *b*. The step lengths
    :math:`\gamma_k` and the ratios :math:`\delta_k` are the entries of the (Cholesky factor of
    the) Lanczos matrix, so the Gauss rule is a running sum and the Gauss--Radau rule one more
    scalar recurrence (Meurant and Tichý). So is ``size``, the squared norm :math:`x' D x` of the
    iterate, of which no term is negative; rounding counts in proportion to it.
    """

    def __init__(self, model: _Model, B: FloatArray, *, solve: bool) -> None:
        self._P, self._scale = model.P, 1.0 / model.diagonal[:, None]
        # Slightly inside: the recurrence divides by zero when the node is an eigenvalue.
        self._node = 0.999 * float(np.min(model.tau / model.diagonal))
        self._R = B
        self._Q = self._scale * B
        self.rho = _dots(self._R, self._Q)  # squared residual norms, b' D^{-1} b at the start
        self.x = np.zeros_like(B) if solve else None
        self.gauss = np.zeros(B.shape[1])
        self._weight = np.full(B.shape[1], 1.0 / self._node)
        self.radau = self._weight * self.rho
        self.size, self._cross, self._own = 0 * self.rho, 0 * self.rho, self.rho  # x'Dx, x'Dq, q'Dq

    def step(self) -> None:
        alive = self.rho > 1e-300  # a column that is solved exactly stays as it is
        PQ = self._P @ self._Q
        ones = np.ones_like(self.rho)
        gamma = np.divide(self.rho, _dots(self._Q, PQ), out=0 * ones, where=alive)
        self.gauss = self.gauss + gamma * self.rho
        self.size = self.size + gamma * (2 * self._cross + gamma * self._own)
        if self.x is not None:
            self.x += gamma * self._Q
        self._R = self._R - gamma * PQ
        Z = self._scale * self._R
        rho = _dots(self._R, Z)
        delta = np.divide(rho, self.rho, out=0 * ones, where=alive)
        # In exact arithmetic excess > 0; where rounding says otherwise start the rule afresh.
        excess = self._weight - gamma
        fresh = np.full_like(ones, 1.0 / self._node)
        sound = alive & (excess > 0)
        self._weight = np.divide(excess, self._node * excess + delta, out=fresh, where=sound)
        self.radau = np.minimum(self.radau, self.gauss + self._weight * rho)
        self._Q = Z + delta * self._Q
        self._cross = delta * (self._cross + gamma * self._own)
        self._own = rho + delta**2 * self._own
        self.rho = rho

    def energy(self, B: FloatArray) -> FloatArray:
        """Return ``2 b' x - x' P x``, a lower bound that needs nothing but the iterates *x*."""
        assert self.x is not None
        return 2 * _dots(B, self.x) - _dots(self.x, self._P @ self.x)

    def keep(self, mask: npt.NDArray[np.bool_]) -> None:
        """Drop the columns outside `mask`."""
        self._R, self._Q = self._R[:, mask], self._Q[:, mask]
        if self.x is not None:
            self.x = self.x[:, mask]
        for name in ("rho", "gauss", "radau", "size", "_weight", "_cross", "_own"):
            setattr(self, name, getattr(self, name)[mask])


def _solve(where: str, model: _Model, B: FloatArray, max_steps: int) -> FloatArray:
    """Return the columns of ``P^{-1} B`` to a relative residual of `_RESIDUAL`."""
    run = _ConjugateGradients(model, B, solve=True)
    goal = _RESIDUAL**2 * run.rho
    for _ in range(max_steps):
        if np.all(run.rho <= goal):
            break
        run.step()
    else:
        spent = f"max_steps={max_steps} steps of conjugate gradients were not enough"
        left = float(np.sqrt(np.max(run.rho / (goal / _RESIDUAL**2))))
        raise ValueError(f"{where}: {spent}, relative residual {left:.1e}")
    assert run.x is not None
    return run.x


def _total_covariance(
    where: str, model: _Model, tolerance: float, max_steps: int
) -> tuple[FloatArray, float]:
    r"""Return :math:`s\,y` and a bound of its relative error, :math:`y = P^{-1} \mathbf 1`.

    If ``|1 - P y| <= delta`` for an approximate *y* then, :math:`P^{-1}` having no negative
    entry, the exact one lies between ``y/(1 + delta)`` and ``y/(1 - delta)``, entry by entry.
    For a uniform prior, to rounding or to `tolerance`, ``y = n/s`` serves and nothing is solved.
    """
    defect = 1.0 - (model.n / model.total) * model.tau
    delta = float(np.max(np.abs(defect))) + 4 * _EPS
    if delta <= tolerance:
        return np.full(model.n, float(model.n)), delta
    x = _solve(where, model, defect[:, None], max_steps)[:, 0]
    residual = np.abs(defect - model.P @ x)
    rounding = 4 * _EPS * (1 + np.abs(defect) + 2 * abs(model.P) @ np.abs(x))
    return model.n + model.total * x, float(np.max(residual + rounding))


def _all_bounds(model: _Model) -> tuple[FloatArray, FloatArray]:
    """Bounds of ``1/(s V_i)`` for all tuples, from each vertex and its neighbours only.

    Rounding is included: the Gram determinant cancels when a graph is little more than a star.
    """
    (P, diagonal, tau, s), unit = model, model.unit
    rows = np.repeat(np.arange(model.n), np.diff(P.indptr))
    off = rows != P.indices
    i = rows[off]
    j = P.indices[off]
    w = -P.data[off]
    cut = tau + np.bincount(i, weights=w * tau[j] / (w + tau[j]), minlength=model.n)
    h = w / diagonal[j]
    rest = (diagonal[j] - w) / diagonal[j]
    energy = tau + np.bincount(i, weights=w * rest, minlength=model.n)
    cross = tau + np.bincount(i, weights=h * tau[j], minlength=model.n)
    # v = h + c 1 with the best c; the Gram matrix of (h, 1) is [[energy, cross], [cross, s]].
    gram = energy * s - cross**2 + 2 * unit * (energy * s + cross**2)
    reach = s * (energy + s - 2 * cross - unit * (energy + s + 2 * cross))
    one = (1 + unit) * energy / s
    high = np.divide(gram, reach, out=one.copy(), where=reach > 0)
    return (1 - unit) * cut / s, np.minimum(high, one)


@dataclass(frozen=True)
class LeakageBounds:
    r"""An interval for the largest leakage coefficient.

    Parameters
    ----------
    low, high : float
        :math:`\mathrm{low} \le \max_i l_i \le \mathrm{high}`.
    adversary : Adversary
        A weak adversary whose coefficient is at least `low`.

    Examples
    --------
    >>> P = sps.csr_array([[3.0, -1, -1], [-1, 2, 0], [-1, 0, 2]])
    >>> bounds = max_leakage_bounds(P)
    >>> bounds.adversary.target, bounds.low <= 1.0 <= bounds.high
    (0, True)
    """

    low: float
    high: float
    adversary: Adversary


def max_leakage_bounds(
    precision: Any, *, rtol: float = 1e-9, max_steps: int = 5000
) -> LeakageBounds:
    r"""Enclose the largest leakage coefficient of a sparse Gaussian correlation model.

    Parameters
    ----------
    precision : scipy.sparse array or matrix, or array_like, shape (n, n)
        Precision matrix :math:`P = L + \operatorname{diag}(\tau)`: exactly symmetric, off-diagonal
        entries at most 0, row sums :math:`\tau_i > 0`. The graph may be disconnected. A table has
        the same labels on both axes.
    rtol : float
        Relative width asked for, ``0 < rtol < 1``: on return
        ``1 + high <= (1 + rtol) (1 + low)``.
    max_steps : int
        Largest number of conjugate gradient steps for one tuple.

    Returns
    -------
    LeakageBounds
        The interval, and who attains its lower end.

    Raises
    ------
    TypeError
        If `precision` is no matrix of real numbers, or another argument no number.
    ValueError
        If the matrix is not of the form above, `rtol` is outside (0, 1) or below what rounding
        allows, or the interval is still too wide after `max_steps` for one tuple, or when more
        steps no longer help any; the message gives the most steps that a tuple took, the width
        reached, and what rounding alone takes of it.
    UncertifiedError
        If an upper end fails its second computation.

    See Also
    --------
    leakage_estimates : all coefficients, with sampling error.

    Notes
    -----
    By Theorem 5.2 of [1]_ no adversary leaks more than the best weak one when :math:`w \ge 0`,
    so this maximum calibrates the noise. It is taken over :math:`1 + l_i = y_i/V_i`; see the
    head of the module for the bounds. Tuples are treated in order of decreasing upper bound, the
    first alone, then in blocks; one is dropped as soon as its upper bound is not above
    ``(1 + rtol)`` times the best lower bound. One that rounding keeps above it is set aside, as
    long as another may lift that bound. On graphs with hubs a single run is the rule. The
    worst case is a graph all of whose tuples leak alike, such as a long cycle: then every tuple
    needs its run.

    The interval is certified in exact arithmetic. In floating point it is widened by the
    rounding of the inner products, ``(2 sqrt(n) + steps + 8) eps``, and of the products with *P*.
    Rounding makes of *P* in a product some :math:`P + E` with
    :math:`|E| \le \frac12 c\, \mathrm{eps}\, |P|`, *c* the entries in a row (and 8 to spare). As
    :math:`z' |P| z \le 2 z' D z` for every *z*, that changes :math:`s\, u' P^{-1} u` by at most
    :math:`c\, \mathrm{eps}\, s\, x' D x`, :math:`x = P^{-1} u`, to first order; its share of
    :math:`1 + s\, u' P^{-1} u` is at most :math:`c\, \mathrm{eps} \max_i P_{ii} / \tau_i`, and far
    less where *u* has no part of the modes that the prior alone holds. This does not
    cover the loss of orthogonality in conjugate gradients: that Gauss and Gauss--Radau rules hold
    up under it is known in theory to first order and in practice [2]_, [3]_. Therefore every upper
    end of a run is computed once more, from the iterates: :math:`u' P^{-1} u \ge 2 u' x - x' P x`
    for any *x*; and so are the four largest bounds of tuples that needed no run, from their trial
    vectors. The :math:`\tau_i` are the row sums of the matrix as stored, added without
    cancellation; with priors near ``eps`` times the degree, it no longer holds those that were
    meant.

    The bounds cover all adversaries (Theorem 5.2), for normal tuples with this precision and the
    plain sum. The noise scale that follows is ``width * (1 + high) / epsilon``.

    References
    ----------
    .. [1] Yang, Sato, Nakagawa, Theorem 5.2, equations (27) and (28).
    .. [2] Golub, Meurant, *Matrices, Moments and Quadrature with Applications*, Princeton 2010.
    .. [3] Meurant, Tichý, "On computing quadrature-based bounds for the A-norm of the error in
       conjugate gradients", Numerical Algorithms 62 (2013); Strakoš, Tichý, ETNA 13 (2002).

    Examples
    --------
    A star with centre 0 and n = 5 leaves the centre :math:`(n - 1)/(1 + \tau)`:

    >>> P = sps.csr_array([[5.0, -1, -1, -1, -1], [-1, 2, 0, 0, 0], [-1, 0, 2, 0, 0],
    ...                    [-1, 0, 0, 2, 0], [-1, 0, 0, 0, 2]])
    >>> bounds = max_leakage_bounds(P, rtol=1e-9)
    >>> bounds.adversary.target, round(bounds.low, 8), round(bounds.high, 8)
    (0, 2.0, 2.0)
    """
    where = "max_leakage_bounds"
    model = _model(where, precision)
    rtol = checks.real(where, "rtol", rtol)
    checks.bounded(where, "rtol", rtol, "be in (0, 1)", lambda x: 0 < x < 1)
    max_steps = checks.integer(where, "max_steps", max_steps, low=1)
    sy, error = _total_covariance(where, model, rtol / 16, max_steps)
    rounding = (2 * model.n**0.5 + 8) * _EPS
    if rtol < 4 * (error + rounding):
        rule = f"rtol must be at least {4 * (error + rounding):.1e} for this matrix (rounding)"
        raise ValueError(f"{where}: {rule}, got {rtol!r}")
    least = sy / (1 + error)
    most = sy / (1 - error)
    cut, reach = _all_bounds(model)
    low = least * cut / (1 + rounding)
    high = most * reach * (1 + rounding)

    # A tuple is treated once, and has a loss by rounding then: what converges too high still
    # passes if a later one lifts `low`.
    block = 1
    taken = 0
    lost = np.zeros(model.n)
    while (todo := np.flatnonzero((lost == 0) & (high > (1 + rtol) * low.max()))).size:
        todo = todo[np.argsort(-high[todo], kind="stable")[:block]]
        for run, steps in _candidate_runs(model, todo, max_steps):
            narrow = 1 + model.total * run.gauss
            wide = 1 + model.total * run.radau
            own = rounding + steps * _EPS + model.unit * model.total * run.size / narrow
            bottom = least[todo] / (wide * (1 + own))
            top = most[todo] * (1 + own) / narrow
            low[todo] = np.maximum(low[todo], bottom)
            high[todo] = np.minimum(high[todo], top)
            lost[todo] = own
            taken = max(taken, steps)
            keep = high[todo] > (1 + rtol) * low.max()
            done = not keep.any() or bool((wide <= narrow * (1 + rounding)).all())
            leaving = ~keep
            if done or steps == max_steps:
                leaving = np.ones(todo.size, dtype=bool)
            if leaving.any():
                _check_upper_ends(where, model, run, todo, leaving, most, top, own)
            if done:
                break  # or more steps do not help these
            if not keep.all():
                todo = todo[keep]
                run.keep(keep)
        else:
            break  # max_steps were not enough, and the next tuples may need as many
        block = min(4 * block, model.columns)
    if not high.max() <= (1 + rtol) * low.max():
        reached = f"rtol={rtol!r} was not reached in {taken} steps (max_steps={max_steps})"
        alone = lost[high.argmax()] + lost[low.argmax()]
        widths = f"{high.max() / low.max() - 1:.1e}, by rounding alone {alone:.1e}"
        raise ValueError(f"{where}: {reached}, relative width {widths}")
    _check_the_others(where, model, most, high, lost)
    index = int(np.argmax(low))
    bottom = max(float(np.nextafter(low[index] - 1, -np.inf)), 0.0)
    return LeakageBounds(bottom, float(_safety.next_up(high.max() - 1)), Adversary(index))


def _check_upper_ends(
    where: str, model: _Model, run: _ConjugateGradients, todo: npt.NDArray[np.intp],
    leaving: npt.NDArray[np.bool_], most: FloatArray, top: FloatArray, own: FloatArray,
) -> None:  # fmt: skip
    """Recompute the upper ends of tuples that are done, from the iterate and not the recurrence."""
    energy = run.energy(_deflated(model, todo))[leaving]
    recomputed = most[todo[leaving]] / (1 + model.total * energy)
    slack = float(own[leaving].max())
    _safety.certify(where, "the upper end of an interval", recomputed, top[leaving], slack=slack)


def _check_the_others(
    where: str, model: _Model, most: FloatArray, high: FloatArray, lost: FloatArray
) -> None:
    """Recompute the largest upper bounds of tuples that had no run, with their trial vectors."""
    others = np.flatnonzero(lost == 0)
    others = others[np.argsort(-high[others], kind="stable")[:4]]
    if not others.size:
        return
    ones = np.ones(model.n)
    V = np.zeros((model.n, others.size))
    for k, i in enumerate(others):
        row = slice(model.P.indptr[i], model.P.indptr[i + 1])
        neighbours = model.P.indices[row]
        h = np.zeros(model.n)
        h[neighbours] = -model.P.data[row] / model.diagonal[neighbours]
        h[i] = 1.0
        # The best c of h + c 1, from the Gram matrix of the two in the energy of P.
        energy = h @ (model.P @ h)
        cross = h @ model.tau
        lower = cross - model.total
        c = 0.0
        if lower:
            c = (cross - energy) / lower
        trial = h + c * ones
        V[:, k] = h
        if trial[i]:
            V[:, k] = trial / trial[i]
    # v' P v / v_i^2 is no less than 1/V_i; what rounding may have added is taken off.
    rounded = model.unit * _dots(V, model.diagonal[:, None] * V)
    conductance = (_dots(V, model.P @ V) - rounded) / np.square(V[others, np.arange(others.size)])
    recomputed = most[others] * conductance / model.total
    promise = "the upper bound of a tuple without a run"
    _safety.certify(where, promise, recomputed, high[others], slack=1e-6)


def _deflated(model: _Model, todo: npt.NDArray[np.intp]) -> FloatArray:
    """Return the columns ``e_i - tau/s``."""
    B = np.repeat(-model.tau[:, None] / model.total, todo.size, axis=1)
    B[todo, np.arange(todo.size)] += 1.0
    return B


def _candidate_runs(
    model: _Model, todo: npt.NDArray[np.intp], max_steps: int
) -> Iterator[tuple[_ConjugateGradients, int]]:
    """Run conjugate gradients for ``e_i - tau/s``, i in `todo`; yield after every step."""
    run = _ConjugateGradients(model, _deflated(model, todo), solve=True)
    for steps in range(1, max_steps + 1):
        run.step()
        yield run, steps


@dataclass(frozen=True)
class Estimates:
    r"""Estimated leakage coefficients of all tuples.

    Parameters
    ----------
    coefficients : ndarray, shape (n,)
        Estimates of :math:`l_i`.
    standard_error : ndarray, shape (n,)
        Their standard errors (first order).
    low : ndarray, shape (n,)
        Lower ends of confidence intervals, each of level `confidence` for its own tuple.
    high : ndarray, shape (n,)
        Their upper ends. They are no guarantee: each is too low with probability
        ``(1 - confidence) / 2``, and of many some are.

    Examples
    --------
    >>> P = sps.csr_array([[3.0, -1, -1], [-1, 2, 0], [-1, 0, 2]])
    >>> estimates = leakage_estimates(P, samples=4000, rng=1)
    >>> estimates.coefficients.shape, bool((estimates.low <= estimates.high).all())
    ((3,), True)
    """

    coefficients: FloatArray
    standard_error: FloatArray
    low: FloatArray
    high: FloatArray


def leakage_estimates(
    precision: Any,
    *,
    samples: int,
    rng: Any = None,
    confidence: float = 0.95,
    max_steps: int = 5000,
) -> Estimates:
    r"""Estimate the leakage coefficients of all tuples by perturb-and-solve sampling.

    Estimates are no guarantee, and neither are the ends of their intervals: no noise scale follows
    from them. `max_leakage_bounds` gives one.

    Parameters
    ----------
    precision : scipy.sparse array or matrix, or array_like, shape (n, n)
        Precision matrix as for `max_leakage_bounds`.
    samples : int
        Number of samples, that is of linear systems solved, from 2 to a million.
    rng : None, int or numpy.random.Generator
        Source of randomness, or its seed.
    confidence : float
        Level of the interval of each single tuple, in (0, 1).
    max_steps : int
        Largest number of conjugate gradient steps.

    Returns
    -------
    Estimates
        Coefficients, standard errors, exact confidence intervals.

    Raises
    ------
    TypeError, ValueError
        If `precision` is no symmetric matrix with off-diagonal entries of at most 0 and diagonally
        dominant, a number is out of its range, or a system was not solved in `max_steps`.

    Notes
    -----
    :math:`z = B' W^{1/2} g_1 + \tau^{1/2} g_2`, with the incidence matrix *B* and standard
    normal :math:`g_1, g_2`, has covariance *P*, so :math:`P^{-1} z` has covariance
    :math:`P^{-1}` [1]_. Two parts of :math:`V_i = (P^{-1})_{ii}` are known and are not sampled.

    - Given the others, :math:`x_i` has variance :math:`1/P_{ii}` and the mean
      :math:`m_i = \sum_j w_{ij} x_j / P_{ii}` (equations (13) to (16) of [2]_ with a prior):
      :math:`V_i = 1/P_{ii} + \operatorname{Var} m_i` (Rao--Blackwell).
    - :math:`x - \mathbf 1\, \tau' x / s`, the part of *x* that is P-orthogonal to **1**, has
      covariance :math:`P^{-1} - \mathbf 1 \mathbf 1'/s`. With :math:`\tilde m` made of it and
      :math:`d_i = \sum_j w_{ij}`,

      .. math:: V_i = \frac{1}{P_{ii}} + \frac{(d_i / P_{ii})^2}{s}
                      + \operatorname{Var} \tilde m_i .

    :math:`\tilde m_i` is normal with mean 0, so the sum of its squares over its variance is
    exactly chi-square with `samples` degrees of freedom, and the intervals are exact, each for
    its own tuple; they are not simultaneous. The estimate of :math:`V_i` is unbiased, that of
    :math:`l_i` is so to first order. Systems are solved to a relative residual of 1e-11.

    References
    ----------
    .. [1] Papandreou, Yuille, "Gaussian sampling by local perturbations", NIPS 2010.
    .. [2] Yang, Sato, Nakagawa, equations (13) to (16), Theorem 5.1.

    Examples
    --------
    >>> P = sps.csr_array([[3.0, -1, -1], [-1, 2, 0], [-1, 0, 2]])
    >>> estimates = leakage_estimates(P, samples=4000, rng=1)
    >>> bool(np.all(abs(estimates.coefficients - [1.0, 0.6, 0.6]) < 0.02))
    True
    """
    where = "leakage_estimates"
    model = _model(where, precision)
    samples = checks.integer(where, "samples", samples, low=2)
    _safety.limit(where, "samples", samples, 10**6)
    rng = checks.generator(where, rng)
    confidence = checks.real(where, "confidence", confidence)
    checks.bounded(where, "confidence", confidence, "be in (0, 1)", lambda x: 0 < x < 1)
    max_steps = checks.integer(where, "max_steps", max_steps, low=1)
    sy, _ = _total_covariance(where, model, _TOLERANCE, max_steps)

    squares = np.zeros(model.n)
    for z in _perturbations(model, samples, rng):
        x = _solve(where, model, z, max_steps)
        conditional_mean = x - (model.P @ x) / model.diagonal[:, None]
        squares += np.einsum("ij,ij->i", conditional_mean, conditional_mean)

    # Everything times s, as in the bounds: s V_i stays of order one for a weak prior.
    known = model.total / model.diagonal + (1 - model.tau / model.diagonal) ** 2
    sampled = model.total * squares / samples
    tail = (1 - confidence) / 2
    shrink, stretch = (samples / (2 * gammaincinv(samples / 2, q)) for q in (1 - tail, tail))
    ratio = sy / (known + sampled)
    error = ratio * sampled / (known + sampled) * (2 / samples) ** 0.5
    low, high = (sy / (known + factor * sampled) - 1 for factor in (stretch, shrink))
    return Estimates(ratio - 1, error, low, high)


def _perturbations(model: _Model, samples: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Yield blocks of columns with covariance ``P - tau tau'/s``, `samples` columns in all."""
    upper = sps.triu(model.P, k=1, format="coo")
    edges = upper.nnz
    root = np.sqrt(-upper.data)
    ends = np.concatenate([root, -root])
    rows = np.concatenate([upper.row, upper.col])
    incidence = sps.csr_array((ends, (rows, np.tile(np.arange(edges), 2))), shape=(model.n, edges))
    # Blocks are sized by the larger of the two dense draws, so memory does not grow with edges.
    width = int(np.clip(_BLOCK_ENTRIES // max(model.n, edges), 1, 64))
    for start in range(0, samples, width):
        k = min(width, samples - start)
        ground = np.sqrt(model.tau)[:, None] * rng.standard_normal((model.n, k))
        z = incidence @ rng.standard_normal((edges, k)) + ground
        yield z - model.tau[:, None] * (ground.sum(axis=0) / model.total)
