r"""Exact leakage of a Laplace release on any finite joint law.

Let :math:`x = (x_1, \dots, x_n)` have a finite joint law, let :math:`f` be a real query and let
:math:`r = f(x) + \mathrm{Lap}(\lambda)` be released. What the adversary :math:`A(i, K)` compares
are the mixtures

.. math:: p(t \mid x_i, x_K) = \sum_v \Pr(f = v \mid x_i, x_K)\,
          \frac{1}{2\lambda} e^{-|t - v| / \lambda}

for two values of :math:`x_i`, and the leakage is the largest log ratio over
:math:`t, x_i, x_i', x_K`.

**The supremum over outputs is a maximum over finitely many.** Put
:math:`y = e^{t/\lambda}`. Between two neighbouring values of the query every such mixture is
:math:`A y + B / y` with :math:`A, B \ge 0`, so a ratio of two is a Moebius function of
:math:`y^2`: monotone. Below the smallest and above the largest value it is constant. Hence the
supremum sits at a value of the query.

**Several releases of one query.** Given :math:`f = v`, outputs :math:`t_1, \dots, t_k` have a
likelihood proportional to :math:`h(v) = e^{-\sum_j |t_j - v| / \lambda}`. Put
:math:`\kappa = k / \lambda`. As log *h* is concave and piecewise linear with slopes in
:math:`[-\kappa, \kappa]`, the measure :math:`\kappa^2 h - h''` is non-negative; and
:math:`e^{-\kappa |t - v|}` is, up to a factor, the Green function of
:math:`\kappa^2 - \partial^2`. Hence *h* is a mixture of kernels :math:`e^{-\kappa |t - v|}`, and
no ratio exceeds the largest one of a single release at :math:`\lambda / k`, which equal outputs
attain: *k* releases at :math:`\lambda` leak exactly what one at :math:`\lambda / k` leaks.

**Several numbers at once.** Let *f* have *d* coordinates, each with independent noise of its own.
Of the output keep all coordinates but one: in that one the mixtures are :math:`A y + B / y` again,
so that it can be moved to a value of its coordinate of the query without lowering the ratio. One
coordinate after the other: the supremum sits on the grid of these values, at a point that need not
be a value of *f*. Of *k* releases each coordinate's likelihood is a mixture of kernels again, so
that the last paragraph holds for a grid as well.

**More noise never leaks more.** The characteristic function of :math:`\mathrm{Lap}(\lambda)` is
:math:`1 / (1 + \lambda^2 t^2)`; for :math:`\lambda' > \lambda` and :math:`q = (\lambda/\lambda')^2`

.. math:: \frac{1}{1 + \lambda'^2 t^2} = \frac{1}{1 + \lambda^2 t^2}
          \left( q + \frac{1 - q}{1 + \lambda'^2 t^2} \right),

so the noisier release is the other one plus an independent variable: data processing.

**Conditions of probability zero.** The definition does not say what
:math:`\Pr(r \in S \mid x_i, x_K)` means when :math:`\Pr(x_i, x_K) = 0`. Two readings:
``"positive"`` conditions, so such pairs do not take part; ``"kernel"`` says that with nobody
unknown the law of *r* is the mechanism's own, whatever the probability of the data. If
:math:`x_1 = x_2` almost surely, then 1000 times their exclusive or, plus ``Lap(1)``, leaks 0 in
the first reading and 1000 in the second.
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property, partial, reduce
from itertools import permutations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib._checks import FloatArray
from privlib.correlated.adversary import Adversary, Worst, _checked, _noise, adversaries

if TYPE_CHECKING:
    import sympy


READINGS = ("positive", "kernel")
_TIE = 1e-12  # two leakages that differ by less, relatively, are the same


@dataclass(frozen=True, eq=False)
class FiniteLaw:
    r"""A finite joint law of n tuples, and the query that is released.

    Parameters
    ----------
    joint : array_like, shape (k_1, ..., k_n), or pandas object
        ``joint[x_1, ..., x_n]``, the probability of each database. An object array (fractions,
        sympy numbers or expressions) asks for closed forms. Of pandas: a table of two tuples, or
        what ``value_counts(normalize=True)`` makes of the columns of any number.
    values : sequence of n sequences, optional
        ``values[i][a]`` is the number that the *a*-th value of tuple *i* stands for; by default
        the labels of a pandas object, else ``0, 1, ..., k_i - 1``.
    weights : sequence of n numbers, optional
        The query is ``sum(weights[i] * x_i)``; default the plain sum.
    query : array_like, shape (k_1, ..., k_n) or (k_1, ..., k_n, d), optional
        Any query, by its value at each database; excludes `values` and `weights`. With a last axis
        *d* numbers are released, each with independent noise of the same scale (for scales of
        their own, divide each number by its scale and pass ``scale=1``). The time grows with the
        product of the numbers of values that the *d* numbers have, at most ``2**20``.
    conditions : {"positive", "kernel"}
        Reading of conditions of probability zero, see the module.

    Raises
    ------
    ValueError
        If `joint` is empty, has a negative entry or does not sum to 1, shapes do not fit, `query`
        comes with `values` or `weights`, or `conditions` is unknown. What asks for closed forms is
        checked when one is asked for.
    TypeError
        If entries are no numbers.

    Notes
    -----
    The guarantees are for the joint law given; its leakage is not a bound for any other law.

    Values of the query that only the rounding of a sum can tell apart are one value: those within
    a relative 2e-15 of the sum of the absolute terms. Not so integers, and multiples of a power of
    two that is at least twice the last place of the largest value: they have not been rounded, and
    are never taken for one another, however large they are. Subtract what is common to numbers
    that are closer than that, such as 1e15 and 1e15 + 0.125.

    Examples
    --------
    Two positively correlated bits, noise for 0.1-differential privacy:

    >>> law = FiniteLaw([[0.49, 0.01], [0.01, 0.49]])
    >>> round(law.bdp_leakage(0, scale=10), 7), round(law.bdp_leakage(0, [1], scale=10), 7)
    (0.1959937, 0.1)
    >>> round(law.noise_scale(0.1), 5)
    19.59984

    Both bits released, each with noise of its own, tell more about the first than the first alone:

    >>> both = FiniteLaw(law.joint, query=[[[0, 0], [0, 1]], [[1, 0], [1, 1]]])
    >>> alone = FiniteLaw(law.joint, query=[[0, 0], [1, 1]])
    >>> round(both.bdp_leakage(0, scale=1), 4), round(alone.bdp_leakage(0, scale=1), 4)
    (1.9535, 1.0)
    """

    joint: Any
    _: KW_ONLY
    values: Any = None
    weights: Any = None
    query: Any = None
    conditions: str = "positive"

    def __post_init__(self) -> None:
        checks.choice("FiniteLaw", "conditions", self.conditions, READINGS)
        if not self._exact:
            _ = self._law, self._table

    @cached_property
    def _given(self) -> tuple[Any, Any]:
        """The joint law as an array, or what is to become one, and its pandas axes."""
        joint = self.joint
        if not hasattr(joint, "to_numpy"):
            return joint, None
        axes = joint.axes
        if len(axes) == 1 and axes[0].nlevels > 1:
            axes = list(axes[0].levels)
            joint = joint.reindex(type(joint.index).from_product(axes), fill_value=0)
        return joint.to_numpy().reshape([len(axis) for axis in axes]), axes

    @cached_property
    def _exact(self) -> bool:
        """Whether the probabilities are exact."""
        try:
            return bool(np.asarray(self._given[0]).dtype == np.dtype(object))
        except ValueError:  # ragged: `_law` says so
            return False

    @cached_property
    def _law(self) -> FloatArray:
        """The joint law in floats, one axis a tuple."""
        where = "FiniteLaw"
        law = checks.reals(where, "joint", self._given[0]).copy()  # the caller's array may change
        _domain(where, law.shape)
        return checks.distribution(where, "joint", law)

    @cached_property
    def _table(self) -> FloatArray:
        """The query's value at each cell, in floats."""
        return self._queried(self._law.shape, partial(checks.reals, "FiniteLaw"))

    def _queried(self, shape: tuple[int, ...], convert: Any) -> npt.NDArray[Any]:
        """Return the query's value at each cell of a law of this shape."""
        where, n = "FiniteLaw", len(shape)
        if self.query is not None:
            if self.values is not None or self.weights is not None:
                raise ValueError(f"{where}: query excludes values and weights, got both")
            axes = getattr(self.joint, "axes", ())  # of pandas; the index of a list is a method
            table = convert("query", checks.aligned(where, "query", self.query, *axes))
            if table.shape[:n] != shape or table.ndim > n + 1 or not table.size:
                rule = f"query must have the joint's shape {shape}, perhaps with a last axis"
                raise ValueError(f"{where}: {rule}, got {table.shape}")
            return np.asarray(table)
        values = self._given[1] if self.values is None else self.values
        if values is None:
            values = [range(size) for size in shape]
        columns = [convert("values", list(column)) for column in values]
        if [column.shape for column in columns] != [(size,) for size in shape]:
            sizes = tuple(column.shape for column in columns)
            rule = f"values must be {n} sequences of the lengths {shape}"
            raise ValueError(f"{where}: {rule}, got shapes {sizes}")
        names = [axis.name for axis in self._given[1] or ()]
        known = names if names and None not in names else None
        weights = checks.aligned(where, "weights", self.weights, known)
        factors = convert("weights", [1] * n if weights is None else weights)
        if factors.shape != (n,):
            raise ValueError(f"{where}: weights must have length {n}, got shape {factors.shape}")
        return np.asarray(reduce(operator.add, np.ix_(*map(operator.mul, factors, columns))))

    def _scale(self, where: str, scale: Any) -> float:
        """Return a scale in which the range of the query can be expressed."""
        return _noise(where, scale, self._span)

    @cached_property
    def _span(self) -> float:
        """A bound on the change of the query, added up over its coordinates."""
        return float(np.ptp(self._table.reshape(self._law.size, -1), axis=0).sum())

    @cached_property
    def _grid(self) -> tuple[FloatArray, npt.NDArray[np.intp]]:
        """The grid of the values of each coordinate, and where on it the query is at each cell."""
        flat = self._table.reshape(self._law.size, -1)
        sizes = self._queried(self._law.shape, lambda *x: abs(checks.reals("FiniteLaw", *x)))
        levels = list(map(_distinct, flat.T, sizes.reshape(flat.shape).T))
        if (size := math.prod(level.size for level in levels)) > 1 << 20 and len(levels) > 1:
            rule = "query must have at most 2**20 combinations of the values of its numbers"
            raise ValueError(f"FiniteLaw: {rule}, got {size}")
        near = [np.searchsorted(a, b, side="right") - 1 for a, b in zip(levels, flat.T)]
        cells = np.ravel_multi_index(near, [level.size for level in levels])
        points = np.stack(np.meshgrid(*levels, indexing="ij"), axis=-1)
        return points.reshape(-1, *self._table.shape[self._law.ndim :]), cells

    def _mixtures(self, who: Adversary) -> _Mixtures | None:
        """Return the laws that an adversary compares, None if there are no two."""
        # With nobody unknown the condition fixes the query by itself.
        certain = self.conditions == "kernel" and len(who.known) == self._law.ndim - 1
        return _conditionals(np.ones_like(self._law) if certain else self._law, *self._grid, *who)

    def _everybody(self) -> dict[Adversary, _Mixtures | None]:
        """Return what every adversary compares."""
        return {who: self._mixtures(who) for who in adversaries(self._law.ndim)}

    def bdp_leakage(
        self, target: int, known: Iterable[int] = (), *, scale: float | sympy.Expr
    ) -> float | sympy.Expr:
        r"""Return the exact leakage of one adversary under a Laplace release.

        Parameters
        ----------
        target : int
            The tuple attacked.
        known : iterable of int
            The tuples known.
        scale : float or sympy.Expr
            Scale of the Laplace noise. A sympy expression, such as ``1 / eps`` with a positive
            symbol, asks for the closed form. For *k* releases with independent noise pass
            ``scale / k``, see the module.

        Returns
        -------
        float or sympy.Expr
            The leakage; 0 if no two values of the target can be compared. A closed form holds for
            every positive value of its symbols; it is a ``Max`` of logarithms if no single output
            is the worst for all of them (or if the probabilities carry symbols, which are taken as
            positive and whose order is not decided).

        Raises
        ------
        ValueError
            If `target` or `known` is out of range, `known` repeats a tuple or contains the target,
            or `scale` is not positive, or so small that the query's range in units of it overflows;
            if several numbers have more than ``2**20`` combinations of values; for a closed form
            of several numbers.
        TypeError
            For a closed form, if values of the query are not rational (a float stands for its
            shortest decimal).

        Notes
        -----
        At each value of the query the mixtures of all values of the target are evaluated as
        log-sum-exp; the largest minus the smallest is the largest log ratio there. When the whole
        range of the query is small against `scale` the densities are close to one another and
        ``log1p`` of a sum of ``expm1`` keeps the relative precision.

        For a closed form ``y = exp(-unit / scale)`` with the largest unit of which all differences
        of the query are multiples, so every candidate is a rational function of y, and which of
        two is larger on 0 < y < 1 is decided by counting the real roots of a polynomial.

        References
        ----------
        Yang, Sato, Nakagawa, Definition 4.1, equations (2), (4) and (6); Table 3.

        Examples
        --------
        >>> import sympy
        >>> eps = sympy.Symbol("eps", positive=True)
        >>> law = FiniteLaw([[0.49, 0.01], [0.01, 0.49]])
        >>> law.bdp_leakage(0, [1], scale=1 / eps)
        eps
        >>> law.bdp_leakage(0, scale=1 / eps)
        log((49 + exp(-eps))/(exp(-eps) + 49*exp(-2*eps)))
        """
        where, package = "bdp_leakage", sys.modules.get("sympy")
        if self._exact or (package is not None and isinstance(scale, package.Basic)):
            from privlib.correlated import _closed_form  # here: sympy takes time to import

            law = _closed_form.joint("FiniteLaw", self._given[0])
            _domain("FiniteLaw", law.shape)
            who, unknown = _checked(where, law.ndim, target, known)
            if self.conditions == "kernel" and not unknown:
                law = law * 0 + 1
            table = self._queried(law.shape, _closed_form.rationals)
            if table.ndim > law.ndim:
                rule = "query must be one number a database for a closed form"
                raise ValueError(f"{where}: {rule}, got shape {table.shape}")
            return _closed_form.leakage(law, table, *who, scale=_closed_form.scale(where, scale))
        who, _ = _checked(where, self._law.ndim, target, known)
        return _largest_log_ratio(self._mixtures(who), self._scale(where, scale))

    def all_leakages(self, *, scale: float) -> dict[Adversary, float]:
        """Return the leakage of every adversary, always in floating point.

        Parameters
        ----------
        scale : float
            Scale of the Laplace noise.

        Returns
        -------
        dict from Adversary to float
            One entry for each of the ``n * 2**(n - 1)`` adversaries, in the order of
            `adversary.adversaries`; an `Adversary` equals the plain pair ``(target, known)``.

        References
        ----------
        Yang, Sato, Nakagawa, equation (5) and Section 5.1 (number of adversaries).

        Examples
        --------
        >>> table = FiniteLaw([[0.49, 0.01], [0.01, 0.49]]).all_leakages(scale=10)
        >>> {(a.target, a.known): round(leak, 4) for a, leak in table.items()}
        {(0, ()): 0.196, (0, (1,)): 0.1, (1, ()): 0.196, (1, (0,)): 0.1}
        """
        lam = self._scale("all_leakages", scale)
        return {who: _largest_log_ratio(laws, lam) for who, laws in self._everybody().items()}

    def worst_adversary(self, *, scale: float) -> Worst:
        """Return the BDP level of a Laplace release and an adversary that attains it.

        Parameters
        ----------
        scale : float
            Scale of the Laplace noise.

        Returns
        -------
        Worst
            Among equals (to a relative 1e-12) the first target with the fewest known tuples.

        References
        ----------
        Yang, Sato, Nakagawa, Definition 4.1, equation (5).

        Examples
        --------
        With negative correlation the strong adversary is the worst:

        >>> FiniteLaw([[0.01, 0.49], [0.49, 0.01]]).worst_adversary(scale=10)
        Worst(adversary=Adversary(target=0, known=(1,)), leakage=0.1)
        """
        table = self.all_leakages(scale=scale)
        top = max(table.values())
        return next(Worst(*item) for item in table.items() if item[1] >= top * (1 - _TIE))

    def dp_level(self, *, scale: float) -> float:
        """Return the level of ordinary differential privacy of a Laplace release.

        Parameters
        ----------
        scale : float
            Scale of the Laplace noise.

        Returns
        -------
        float
            The largest change of the query when one tuple changes, divided by `scale`. All
            databases of the product domain take part, whatever their probability.

        References
        ----------
        Yang, Sato, Nakagawa, Definition 3.1, equation (1).

        Examples
        --------
        >>> FiniteLaw([[0.5, 0], [0, 0.5]]).dp_level(scale=10)
        0.1
        """
        lam, law = self._scale("dp_level", scale), self._law
        table = self._table.reshape(*law.shape, -1)
        sides = (np.moveaxis(table, axis, 0) for axis in range(law.ndim))
        return float(max(np.abs(v[:, None] - v).sum(axis=-1).max() for v in sides) / lam)

    def noise_scale(self, epsilon: float) -> float:
        r"""Return the smallest scale at which a Laplace release is `epsilon`-BDP.

        Parameters
        ----------
        epsilon : float
            The largest leakage allowed, positive.

        Returns
        -------
        float
            The scale, at most a relative 1e-11 above the smallest one and never below it as far as
            floating point can tell; 0 if even the query itself, without noise, leaks at most
            `epsilon`.

        Notes
        -----
        The leakage does not increase with the scale (see the module), so the root is bracketed: no
        adversary exceeds the range of the query divided by the scale, and as the scale tends to 0
        the leakage tends to that of the query itself, a log ratio of probabilities or infinity. It
        is not proportional to 1/scale, so scaling the noise by the excess does not do.

        References
        ----------
        Yang, Sato, Nakagawa, Section 4.2.3, where a smaller noise parameter is looked for.
        """
        from scipy.optimize import brentq  # a third of the import time, and needed here only

        eps = checks.positive("noise_scale", "epsilon", epsilon)
        every = self._everybody().values()

        def excess(log_scale: float) -> float:
            return max(_largest_log_ratio(laws, math.exp(log_scale)) for laws in every) - eps

        if max(_noiseless(laws) for laws in every) <= eps:
            return 0.0
        rule = "be large enough for a scale below 1e308"
        checks.bounded("noise_scale", "epsilon", eps, rule, lambda e: self._span / e < 1e308)
        high = low = math.log(self._span) - math.log(eps)
        while excess(low) <= 0:
            low -= 1.0
        if low == high:  # the group bound is attained, up to rounding
            return math.exp(high)
        root = brentq(excess, low, high, xtol=1e-13, rtol=1e-15)
        while excess(root) > 0:
            root += 2.0**-41 * max(1.0, abs(root))
        return math.exp(min(root, high))

    def wasserstein_distance(self, *, known: bool = False) -> float:
        r"""Return the largest :math:`W_\infty` between laws of the query for two values of a tuple.

        Parameters
        ----------
        known : bool
            Whether adversaries who know tuples take part; by default only those who know nobody.

        Returns
        -------
        float
            The distance *W*, 0 if nothing can be compared; the Wasserstein mechanism adds
            ``Lap(W / epsilon)``.

        Raises
        ------
        ValueError
            If several numbers are released: the distance is that of laws on a line.

        Notes
        -----
        :math:`W_\infty` is how far the mass that is moved furthest has to go if one law is made of
        the other and it goes as little as possible. On a line it is the largest distance of two
        quantiles of the same order. Both tails are compared, to a relative 1e-11, for what is
        unlikely counts as much as what is likely. The release with ``Lap(W / epsilon)`` leaks at
        most `epsilon`, so :math:`W/\varepsilon` is never below `noise_scale` if the adversaries
        are the same; along a chain `chain.wasserstein_distance` needs no joint law.

        References
        ----------
        Song, Wang, Chaudhuri, SIGMOD 2017, Algorithm 1; the example is their clique of four people
        of whom 0, ..., 4 have the flu with these probabilities.

        Examples
        --------
        >>> infected = [0.1, 0.15, 0.5, 0.15, 0.1]
        >>> law = FiniteLaw([[[[infected[a + b + c + d] / math.comb(4, a + b + c + d)
        ...         for d in (0, 1)] for c in (0, 1)] for b in (0, 1)] for a in (0, 1)])
        >>> law.wasserstein_distance(), round(law.noise_scale(1), 3)
        (2.0, 1.408)
        """
        n = self._law.ndim
        if self._table.ndim > n:
            rule = "query must be one number a database"
            raise ValueError(f"wasserstein_distance: {rule}, got shape {self._table.shape}")
        everybody = adversaries(n) if known else [Adversary(i, ()) for i in range(n)]
        return max(_furthest(self._mixtures(who)) for who in everybody)

    def posterior(
        self, target: int, known_values: Mapping[int, int], *, output: Any, scale: float
    ) -> Any:
        r"""Return what an adversary believes about the target after the release.

        Parameters
        ----------
        target : int
            The tuple attacked.
        known_values : mapping from int to int
            For each known tuple the position of its value on the tuple's axis of `joint`.
        output : float or array_like, shape (d,)
            The number released, or the numbers.
        scale : float
            Scale of the Laplace noise.

        Returns
        -------
        ndarray or Series, shape (k_target,)
            The probability of each value of the target, in floating point; with the labels of a
            pandas object.

        Raises
        ------
        ValueError
            If an argument does not fit, or the known values have probability zero.
        TypeError
            If `known_values` is no mapping of integers.

        Notes
        -----
        By Bayes the change of the log odds of two values is the log ratio of the densities at the
        output, so its supremum is the leakage.

        References
        ----------
        Yang, Sato, Nakagawa, Section 4.4.

        Examples
        --------
        The prior odds 1 : 1 become 0.55 : 0.45 when the released number is 0 or less:

        >>> law = FiniteLaw([[0.49, 0.01], [0.01, 0.49]])
        >>> law.posterior(0, {}, output=0, scale=10).round(4)
        array([0.5488, 0.4512])
        """
        where, law = "posterior", self._law
        lam = self._scale(where, scale)
        if not isinstance(known_values, Mapping):
            rule = "known_values must map tuples to positions"
            raise TypeError(f"{where}: {rule}, got {known_values!r}")
        (i, given), unknown = _checked(where, law.ndim, target, tuple(known_values))

        def position(j: int) -> int:
            name, last = f"known_values[{j}]", law.shape[j] - 1
            return checks.integer(where, name, known_values[j], low=0, high=last)

        cell = tuple(map(position, given))
        t = checks.reals(where, "output", output, shape=self._table.shape[law.ndim :])
        order = (*given, i, *unknown)
        far = np.abs(t - self._table).reshape(*law.shape, -1).sum(axis=-1) / lam
        prob, away = (a.transpose(order)[cell].reshape(law.shape[i], -1) for a in (law, far))
        if not prob.any():
            impossible = dict(known_values)
            raise ValueError(f"{where}: known_values have probability zero, got {impossible!r}")
        exponent = np.where(prob > 0, -away, -np.inf)
        mass = (prob * np.exp(exponent - exponent.max())).sum(axis=1)
        axes = self._given[1]
        return checks.labelled(mass / mass.sum(), axes and axes[i].to_series())


def _domain(where: str, shape: tuple[int, ...]) -> None:
    """Refuse a joint law without tuples or with a tuple that has no value."""
    if not shape or 0 in shape:
        rule = "joint must have one axis of length >= 1 for each tuple"
        raise ValueError(f"{where}: {rule}, got shape {shape}")


# --- the mixtures of Laplace densities that an adversary compares -----------------------------

_BLOCK = 1 << 22  # largest number of floats in one temporary of `_log_densities`


class _Mixtures(NamedTuple):
    """Laws of the query given ``(x_K, x_i)``; one row for each value of the known tuples."""

    weights: FloatArray  # (rows, values of x_i, atoms)
    feasible: npt.NDArray[np.bool_]  # (rows, values of x_i)
    atoms: FloatArray  # (rows, atoms), the last one repeated where a row has fewer; or + (d,)
    outputs: FloatArray  # those that matter: the atoms, or a grid of shape (1, points, d)


def _distinct(values: FloatArray, sizes: FloatArray) -> FloatArray:
    """Return the values in order, without those that only rounding tells from one before.

    The sum 0.1 + 0.2 and 0.3 are one value; `sizes` are the sums of the absolute terms. Integers,
    and multiples of a power of two that leave the last bit free, have not been rounded: no two of
    them are one value, whatever else there is.
    """
    order = np.lexsort((-sizes, values))
    v, size = values[order], np.minimum(sizes[order], np.finfo(float).max)
    exact = np.fmod(v, min(1.0, 2 * np.spacing(size.max()))) == 0
    slack = 8 * np.finfo(float).eps * np.maximum(size, np.roll(size, 1))
    step = np.diff(v, prepend=-np.inf)
    new = step > np.where(exact & np.roll(exact, 1), 0.0, slack)
    first = np.maximum.accumulate(np.where(new, np.arange(v.size), 0))  # of a run of neighbours
    return v[new | ((step > 0) & (v - v[first] > np.where(exact & exact[first], 0.0, slack)))]


def _conditionals(
    law: FloatArray, points: FloatArray, cells: npt.NDArray[np.intp], i: int, known: tuple[int, ...]
) -> _Mixtures | None:
    """Return the conditional laws of the query, or None if there is nothing to compare."""
    order = (*known, i, *(j for j in range(law.ndim) if j not in (i, *known)))
    rows = math.prod(law.shape[j] for j in known)
    size = law.shape[i]
    prob = law.transpose(order).reshape(rows, size, -1)
    value = cells.reshape(law.shape).transpose(order).reshape(rows, size, -1)
    comparable = (prob.sum(axis=2) > 0).sum(axis=1) >= 2
    if not comparable.any():
        return None
    prob, value = prob[comparable], value[comparable]
    rows = len(prob)
    mass = prob.sum(axis=2)
    flat, weight = value.reshape(rows, -1), prob.reshape(rows, -1)
    # A value of probability zero is no breakpoint: replace it by one of the row that is.
    likely = np.take_along_axis(flat, weight.argmax(axis=1)[:, None], axis=1)
    flat = np.where(weight > 0, flat, likely)
    apart = flat + np.arange(rows)[:, None] * len(points)  # the rows have no cell in common
    rank = np.unique(apart, return_inverse=True)[1].reshape(flat.shape)
    rank -= rank.min(axis=1, keepdims=True)
    count = int(rank.max()) + 1
    at = np.repeat(flat.max(axis=1, keepdims=True), count, axis=1)
    np.put_along_axis(at, rank, flat, axis=1)
    group = np.arange(rows * size).reshape(rows, size, 1)
    bins = group * count + rank.reshape(rows, size, -1)
    summed = np.bincount(bins.ravel(), weights=prob.ravel(), minlength=rows * size * count)
    conditional = summed.reshape(rows, size, count) / np.where(mass > 0, mass, 1.0)[:, :, None]
    atoms = points[at]
    return _Mixtures(conditional, mass > 0, atoms, atoms if points.ndim == 1 else points[None])


def _largest_log_ratio(given: _Mixtures | None, scale: float) -> float:
    """Return the largest log ratio over rows, pairs of values and outputs."""
    if given is None:
        return 0.0
    block = max(1, _BLOCK // max(given.weights.size, given.atoms.size))
    best = 0.0
    for start in range(0, given.outputs.shape[1], block):
        logs = _log_densities(given, given.outputs[:, start : start + block], scale)
        best = max(best, float(_spread(given, logs).max()))
    return best


def _furthest(given: _Mixtures | None) -> float:
    """Return the largest distance of equal quantiles over rows and pairs of values."""
    if given is None:
        return 0.0
    best = 0.0
    for step in (1, -1):  # either tail, each with relative precision
        tail, at = given.weights[..., ::step].cumsum(axis=-1), step * given.atoms[:, ::step]
        for v, w in permutations(range(tail.shape[1]), 2):
            reached = (tail[:, w, None] * (1 + 1e-11) < tail[:, v, :, None]).sum(axis=-1)
            moved = np.take_along_axis(at, np.minimum(reached, at.shape[1] - 1), axis=1) - at
            best = max(best, moved[given.feasible[:, [v, w]].all(axis=1)].max(initial=0))
    return float(best)


def _spread(given: _Mixtures, logs: FloatArray) -> FloatArray:
    """Largest less smallest of logarithms (rows, values of x_i, outputs) of feasible values."""
    feasible = given.feasible[:, :, None]
    high = np.where(feasible, logs, -np.inf).max(axis=1)
    return np.asarray(high - np.where(feasible, logs, np.inf).min(axis=1))


def _log_densities(given: _Mixtures, outputs: FloatArray, scale: float) -> FloatArray:
    """Return log densities, shape (rows, values of x_i, outputs), less a common constant."""
    distance = np.abs(outputs[:, :, None] - given.atoms[:, None, :]) / scale
    if distance.ndim == 4:
        distance = distance.sum(axis=3)
    weights = given.weights[:, :, None, :]
    if distance.max() <= 0.5:  # the densities are nearly 1: keep the digits of their difference
        return np.asarray(np.log1p((weights * np.expm1(-distance)[:, None]).sum(axis=3)))
    with np.errstate(divide="ignore"):
        terms = np.log(weights) - distance[:, None]
        peak = np.maximum(terms.max(axis=3, keepdims=True), np.finfo(float).min)
        return np.asarray(np.log(np.exp(terms - peak).sum(axis=3)) + peak[..., 0])


def _noiseless(given: _Mixtures | None) -> float:
    """Return the leakage of the query itself: the limit as the scale tends to 0."""
    if given is None:
        return 0.0
    real = np.ones(given.atoms.shape[:2], dtype=bool)
    real[:, 1:] = np.diff(given.atoms.reshape(*real.shape, -1), axis=1).any(axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):  # a repeated atom: -inf less -inf
        return float(_spread(given, np.log(given.weights))[real].max())
