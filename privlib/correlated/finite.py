r"""Exact leakage of a Laplace release on any finite joint distribution.

Let :math:`x = (x_1, \dots, x_n)` have a finite joint distribution, let :math:`f` be a real query
and let
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
unknown the distribution of *r* is the mechanism's own, whatever the probability of the data. If
:math:`x_1 = x_2` almost surely, then 1000 times their exclusive or, plus ``Lap(1)``, leaks 0 in
the first reading and 1000 in the second.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from functools import cached_property, partial, reduce
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import FloatArray
from privlib.correlated import validation as valid
from privlib.correlated.adversary import (
    Adversary,
    WorstCase,
    adversaries,
)
from privlib.correlated.noise_search import Leakage, smallest_scale

if TYPE_CHECKING:
    import sympy


READINGS = ("positive", "kernel")
LARGEST_GRID = 2**20
"""Most combinations of the values of several numbers."""
LARGEST_TABLE = 2**26
"""Most entries of the table of what one adversary compares."""
MOST_CELLS = 2**33
"""Most entries of the joint distribution that all adversaries together look at."""

_TIE = 1e-12  # two leakages that differ by less, relatively, are the same
_UNIT = float(np.finfo(np.float64).eps)
_TINY = 1e-290  # quotients below this may have lost digits
_UNSURE = 1e-10  # rounding that is more than this share of a leakage is added to it


@dataclass(frozen=True, eq=False, repr=False)
class FiniteDistribution(_safety.Rebuilt):
    r"""A finite joint distribution of n tuples, and the query that is released.

    Parameters
    ----------
    joint : array_like, shape (k_1, ..., k_n), or pandas object
        ``joint[x_1, ..., x_n]``, the probability of each database. It must be public: what was
        published before, or a model, never what is counted in the data that are to be released
        (their distribution is a release of its own, and noise computed from it protects nobody).
        An object array (fractions, sympy numbers or expressions) asks for closed forms. Of pandas:
        a table of two tuples, or a Series with one level of its index for each tuple; the labels
        are the numbers that the values stand for.
    values : sequence of n sequences, optional
        ``values[i][a]`` is the number that the *a*-th value of tuple *i* stands for; by default
        the labels of a pandas object, else ``0, 1, ..., k_i - 1``. Read by position.
    weights : sequence of n numbers, optional
        The query is ``sum(weights[i] * x_i)``; default the plain sum. Read by position.
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
        comes with `values` or `weights`, or `conditions` is unknown; if the labels of a pandas
        object repeat, miss (NaN) or have levels on their columns; if the query's values are
        further apart than floats reach, or nearer than they tell. What asks for closed forms is
        checked when one is asked for; a probability whose float would be 0 is then kept by
        `leakage`, and refused by all that computes in floats.
    TypeError
        If entries are no numbers, or labels are none and `values` is not given.

    Notes
    -----
    The guarantees are for the joint distribution given; its leakage is not a bound for any other
    distribution. If the distribution is known up to a class, the noise for the class is the largest
    of its members' (the second example); a distribution that was estimated from a sample is one
    guess of a class.

    Rows with a missing value are dropped by ``value_counts`` and ``crosstab`` of pandas without a
    word: 700 households of up to six people, with NaN where there is nobody, become those of
    exactly six. Give the missing a value of its own (``fillna``), or each size a distribution of
    its own.

    The weighted sum is made exactly, from the floats, integers or fractions given: integers beyond
    ``2**53`` are told apart, and so are 0.1 + 0.2 and 0.3, which are two floats. Where rounding may
    be more than a relative 1e-10 of a leakage (much noise, and conditional distributions that
    nearly agree), the bound of the rounding is added to it.

    The array is copied; results are plain arrays in the order of `joint`. The levels of a Series
    with several are in the order of ``index.levels``, which `values` shows.

    Examples
    --------
    A table published last year: whether two people of a household had the flu.

    >>> import pandas as pd
    >>> published = pd.DataFrame([[0.49, 0.01], [0.01, 0.49]], index=[0, 1], columns=[0, 1])
    >>> distribution = FiniteDistribution(published)
    >>> [round(distribution.leakage(0, known, scale=10), 7) for known in ([], [1])]
    [0.1959937, 0.1]
    >>> round(distribution.noise_scale(0.1), 5)
    19.59984

    If all that is public is that they agree in 90 to 98 % of all households, the distribution is
    one of a class, and the noise has to be enough for each:

    >>> agree = (0.90, 0.94, 0.98)
    >>> members = [FiniteDistribution([[a / 2, (1 - a) / 2], [(1 - a) / 2, a / 2]]) for a in agree]
    >>> round(max(member.noise_scale(0.1) for member in members), 5)
    19.59984

    Both bits released, each with noise of its own, tell more about the first than the first alone:

    >>> both = FiniteDistribution(distribution.joint, query=[[[0, 0], [0, 1]], [[1, 0], [1, 1]]])
    >>> alone = FiniteDistribution(distribution.joint, query=[[0, 0], [1, 1]])
    >>> round(both.leakage(0, scale=1), 4), round(alone.leakage(0, scale=1), 4)
    (1.9535, 1.0)
    """

    joint: Any
    _: KW_ONLY
    values: Any = None
    weights: Any = None
    query: Any = None
    conditions: str = "positive"

    def __post_init__(self) -> None:
        checks.choice("FiniteDistribution", "conditions", self.conditions, READINGS)
        self._take_over()
        if not self._exact:
            _ = self._probabilities, self._table, self._levels

    def __repr__(self) -> str:
        return f"FiniteDistribution(shape={self.joint.shape})"

    def _take_over(self) -> None:
        """Replace what the caller may change by arrays of our own."""
        where = "FiniteDistribution"
        joint = self.joint
        labels = None
        if checks.is_pandas(joint):
            joint, labels = _labelled(where, joint)
        elif hasattr(joint, "toarray"):
            checks.reals(where, "joint", joint)  # says what to pass instead
        if self.query is not None and (self.values is not None or self.weights is not None):
            raise ValueError(f"{where}: query excludes values and weights, got both")
        values = self.values
        if values is None and labels is not None and self.query is None:
            values = _numeric(where, labels)
        if values is not None:
            valid.require_order(where, "values", values)
            if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
                rule = "values must be a sequence of sequences of numbers"
                raise TypeError(f"{where}: {rule}, got {values!r}")
            values = tuple(_copied(where, "values", column) for column in values)
        # The class is frozen for its users; these are the last changes.
        object.__setattr__(self, "joint", _copied(where, "joint", joint))
        object.__setattr__(self, "values", values)
        for name in ("weights", "query"):
            given = getattr(self, name)
            if given is not None:
                object.__setattr__(self, name, _copied(where, name, given))

    @cached_property
    def _exact(self) -> bool:
        """Whether the probabilities are exact."""
        return bool(self.joint.dtype == np.dtype(object))

    @cached_property
    def _probabilities(self) -> FloatArray:
        """The joint distribution in floats, one axis a tuple."""
        where = "FiniteDistribution"
        distribution = checks.reals(where, "joint", self.joint)
        _domain(where, distribution.shape)
        return _safety.owned(checks.distribution(where, "joint", distribution))

    @cached_property
    def _table(self) -> FloatArray:
        """The query's value at each cell, in floats: rounded, see `_levels`."""
        with np.errstate(over="ignore"):
            table = self._queried(self._probabilities.shape, _as_floats)
        return _safety.owned(table)

    def _queried(self, shape: tuple[int, ...], convert: Any) -> npt.NDArray[Any]:
        """Return the query's value at each cell of a distribution of this shape."""
        if self.query is not None:
            return np.asarray(self._asked(shape, convert))
        return np.asarray(reduce(np.add.outer, self._terms(shape, convert)))

    def _asked(self, shape: tuple[int, ...], convert: Any) -> npt.NDArray[Any]:
        """Return the query that was given by its values."""
        table = convert("query", self.query)
        n = len(shape)
        if table.shape[:n] != shape or table.ndim > n + 1 or not table.size:
            rule = f"query must have the joint's shape {shape}, perhaps with a last axis"
            raise ValueError(f"FiniteDistribution: {rule}, got {table.shape}")
        return np.asarray(table)

    def _terms(self, shape: tuple[int, ...], convert: Any) -> list[npt.NDArray[Any]]:
        """Return what each value of each tuple adds to the query."""
        where = "FiniteDistribution"
        n = len(shape)
        values = self.values
        if values is None:
            values = [np.arange(size) for size in shape]
        columns = [convert("values", column) for column in values]
        if [column.shape for column in columns] != [(size,) for size in shape]:
            sizes = tuple(column.shape for column in columns)
            rule = f"values must be {n} sequences of the lengths {shape}"
            raise ValueError(f"{where}: {rule}, got shapes {sizes}")
        weights = np.ones(n, dtype=np.int64) if self.weights is None else self.weights
        factors = convert("weights", weights)
        if factors.shape != (n,):
            raise ValueError(f"{where}: weights must have length {n}, got shape {factors.shape}")
        return [factor * column for factor, column in zip(factors, columns)]

    @cached_property
    def _levels(self) -> list[_Levels]:
        """For each number of the query its distinct values, exactly, and which each cell has."""
        shape = self._probabilities.shape
        if self.query is None:
            with np.errstate(over="ignore"):
                terms = self._terms(shape, _as_given)
            if all(term.dtype != object for term in terms):
                whole = all(np.all(term == np.floor(term)) for term in terms)
                largest = sum(float(np.abs(term).max()) for term in terms)
                if whole and largest < _safety.LARGEST_EXACT:  # then floats add exactly
                    return [_distinct_floats(reduce(np.add.outer, terms).ravel())]
            return [_distinct_sums(self._terms(shape, _as_fractions))]
        table = self._asked(shape, _as_given)
        columns = table.reshape(self._probabilities.size, -1).T
        if table.dtype == object:
            return [_distinct_sums([_object_array(column)]) for column in columns]
        return [_distinct_floats(column) for column in columns]

    def _scale(self, where: str, scale: Any) -> float:
        """Return a scale in which the range of the query can be expressed."""
        return valid.noise_scale(where, scale, self._span)

    @cached_property
    def _span(self) -> float:
        """A bound on the change of the query, added up over its coordinates."""
        span = sum(float(level.high[-1] - level.high[0]) for level in self._levels)
        if not math.isfinite(span):
            rule = "the values of the query must be within the range of floats of one another"
            raise ValueError(
                f"FiniteDistribution: {rule}, got a range of more than {sys.float_info.max}"
            )
        return span

    @cached_property
    def _grid(self) -> tuple[_Points, npt.NDArray[np.intp]]:
        """The grid of the values of each coordinate, and where on it the query is at each cell."""
        levels = self._levels
        sizes = [len(level.high) for level in levels]
        if len(levels) > 1 and math.prod(sizes) > LARGEST_GRID:
            rule = "query must have at most 2**20 combinations of the values of its numbers"
            enough = _safety.round_up(self._span)
            raise ValueError(
                f"FiniteDistribution: {rule}, got {math.prod(sizes)}; whatever the distribution, "
                f"noise of the scale {enough} / epsilon, the range of all numbers, is enough"
            )
        cells = np.ravel_multi_index([level.at for level in levels], sizes)
        vector = self._table.ndim > self._probabilities.ndim
        parts = []
        for name in ("high", "low"):
            axes = np.meshgrid(*(getattr(level, name) for level in levels), indexing="ij")
            grid = np.stack(axes, axis=-1).reshape(-1, len(levels))
            if not vector:
                grid = grid[:, 0]
            parts.append(grid)
        return _Points(*parts), cells

    def _mixtures(self, who: Adversary) -> _Mixtures | None:
        """Return the distributions that an adversary compares, None if there are no two."""
        # With nobody unknown the condition fixes the query by itself.
        certain = self.conditions == "kernel" and len(who.known) == self._probabilities.ndim - 1
        return _conditionals(
            np.ones_like(self._probabilities) if certain else self._probabilities, *self._grid, *who
        )

    def _everybody(self, where: str) -> _Compared:
        """Return what every adversary compares."""
        n = self._probabilities.ndim
        size = n * 2 ** (n - 1) * self._probabilities.size
        what = "the number of adversaries times that of databases"
        instead = (
            "`MarkovChain` and `MarkovRandomField` of `privlib.research` need no joint distribution"
        )
        _safety.limit(where, what, size, MOST_CELLS, instead)
        return _Compared(self._mixtures, list(adversaries(n)), kept=size <= _KEPT_CELLS)

    def leakage(
        self,
        target: int,
        known: Iterable[int] = (),
        *,
        scale: float | sympy.Expr,
        certify: bool = True,
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
        certify : bool
            Whether to compute the result a second time before it is returned, which takes about as
            long again.

        Returns
        -------
        float or sympy.Expr
            The leakage; 0 if no two values of the target can be compared. It is compared with
            a second computation before it is returned. It says nothing about adversaries who know
            other tuples, nor about any other joint distribution. A closed form holds for
            every positive value of its symbols; it is a ``Max`` of logarithms if no single output
            is the worst for all of them (or if the probabilities carry symbols, which are taken as
            positive and whose order is not decided).

        Raises
        ------
        ValueError
            If `target` or `known` is out of range, `known` repeats a tuple or contains the target,
            or `scale` is not positive, or so small that the query's range in units of it overflows;
            if several numbers have more than ``2**20`` combinations of values; for a closed form
            of several numbers; `UncertifiedError` if a second computation gives more.
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
        >>> distribution = FiniteDistribution([[0.49, 0.01], [0.01, 0.49]])
        >>> distribution.leakage(0, [1], scale=1 / eps)
        eps
        >>> distribution.leakage(0, scale=1 / eps)
        log((49 + exp(-eps))/(exp(-eps) + 49*exp(-2*eps)))
        """
        where = "leakage"
        package = sys.modules.get("sympy")
        if self._exact or (package is not None and isinstance(scale, package.Basic)):
            return self._closed_form(where, target, known, scale, certify=certify)
        who, _ = valid.adversary_and_unknown(where, self._probabilities.ndim, target, known)
        lam = self._scale(where, scale)
        mixtures = self._mixtures(who)
        leakage = _largest_log_ratio(mixtures, lam)
        if certify:
            self._certify_one(where, who, mixtures, lam, leakage)
            self._certify_worst(where, {who: leakage}, lam)
        return leakage

    def _closed_form(
        self, where: str, target: int, known: Iterable[int], scale: Any, *, certify: bool
    ) -> Any:
        """Return the leakage of one adversary as an expression."""
        from privlib.correlated import _closed_form  # here: sympy takes time to import

        distribution = _closed_form.joint("FiniteDistribution", self.joint)
        _domain("FiniteDistribution", distribution.shape)
        who, unknown = valid.adversary_and_unknown(where, distribution.ndim, target, known)
        if self.conditions == "kernel" and not unknown:
            distribution = distribution * 0 + 1
        table = self._queried(distribution.shape, _closed_form.rationals)
        if table.ndim > distribution.ndim:
            rule = "query must be one number a database for a closed form"
            raise ValueError(f"{where}: {rule}, got shape {table.shape}")
        noise = _closed_form.scale(where, scale)
        leakage = _closed_form.leakage(distribution, table, *who, scale=noise)
        if certify:
            _closed_form.certify(where, leakage, distribution, table, *who, scale=noise)
        return leakage

    def _certify_one(
        self,
        where: str,
        who: Adversary,
        distributions: _Mixtures | None,
        scale: float,
        allowed: float,
    ) -> None:
        """Compare what an adversary may learn with what distribution functions say."""
        leakage_again, rounding = _by_distribution_functions(distributions, scale)
        promise = f"the leakage to {tuple(who)} at scale {scale:.6g}"
        _safety.certify(where, promise, leakage_again, allowed, unit=rounding)

    def _certify_worst(self, where: str, leakages: dict[Adversary, float], scale: float) -> None:
        """Compare the largest leakage with what the databases say, one by one."""
        worst = max(leakages, key=lambda who: leakages[who])
        leakage_again, rounding = self._cell_by_cell(worst, scale)
        promise = f"the leakage to {tuple(worst)} at scale {scale:.6g}"
        _safety.certify(where, promise, leakage_again, leakages[worst], unit=rounding)

    def _cell_by_cell(self, who: Adversary, scale: float) -> tuple[float, float]:
        """Return a leakage without conditional distributions, and its rounding.

        Both are 0 where that takes long.
        """
        points, cells = self._grid
        distribution = self._probabilities
        if self.conditions == "kernel" and len(who.known) == distribution.ndim - 1:
            distribution = np.ones_like(distribution)
        if len(points.high) * distribution.size > _CELL_BY_CELL:
            return 0.0, 0.0
        order = (*who.known, who.target, *_others(distribution.ndim, who))
        shape = (
            math.prod(distribution.shape[j] for j in who.known),
            distribution.shape[who.target],
            -1,
        )
        logs = _log(distribution.transpose(order).reshape(shape))
        at = cells.reshape(distribution.shape).transpose(order).reshape(shape)
        belief = _log_sum(logs)
        compared = (belief > -np.inf).sum(axis=1) >= 2
        logs = logs[compared]
        at = at[compared]
        belief = belief[compared]
        possible = belief > -np.inf
        best = 0.0
        largest = -float(_log(distribution)[distribution > 0].min()) + distribution.size
        for output in range(len(points.high)):
            # A value that is impossible gets the belief 0, so that infinities do not meet.
            joint = _log_sum(logs - _distances(points, at, output) / scale)
            weight = joint - np.where(possible, belief, 0.0)
            most = np.where(possible, weight, -np.inf).max(axis=1)
            least = np.where(possible, weight, np.inf).min(axis=1)
            best = max(best, float((most - least).max(initial=0.0)))
            largest = max(largest, -float(least.min(initial=0.0)))
        return best, 8 * _UNIT * largest

    def all_leakages(self, *, scale: float, certify: bool = True) -> dict[Adversary, float]:
        """Return the leakage of every adversary, always in floating point.

        Parameters
        ----------
        scale : float
            Scale of the Laplace noise.
        certify : bool
            Whether to compute the result a second time before it is returned, which takes about as
            long again.

        Returns
        -------
        dict from Adversary to float
            One entry for each of the ``n * 2**(n - 1)`` adversaries, in the order of
            `adversary.adversaries`; an `Adversary` equals the plain pair ``(target, known)``.

        Raises
        ------
        ValueError
            If `scale` is not positive, or the number of adversaries times that of databases is
            above ``2**33`` (16 bits); `UncertifiedError` if a second computation gives more.

        Notes
        -----
        Each is computed a second time from distribution functions, the largest also from the
        databases one by one where there are few.

        References
        ----------
        Yang, Sato, Nakagawa, equation (5) and Section 5.1 (number of adversaries).

        Examples
        --------
        >>> table = FiniteDistribution([[0.49, 0.01], [0.01, 0.49]]).all_leakages(scale=10)
        >>> {(a.target, a.known): round(leak, 4) for a, leak in table.items()}
        {(0, ()): 0.196, (0, (1,)): 0.1, (1, ()): 0.196, (1, (0,)): 0.1}
        """
        return self._all_leakages("all_leakages", scale, certify=certify)

    def _all_leakages(self, where: str, scale: Any, *, certify: bool) -> dict[Adversary, float]:
        """Return the leakage of every adversary."""
        lam = self._scale(where, scale)
        leakages = {}
        for who, distributions in self._everybody(where):
            leakages[who] = _largest_log_ratio(distributions, lam)
            if certify:
                self._certify_one(where, who, distributions, lam, leakages[who])
        if certify:
            self._certify_worst(where, leakages, lam)
        return leakages

    def worst_adversary(self, *, scale: float, certify: bool = True) -> WorstCase:
        """Return the BDP level of a Laplace release and an adversary that attains it.

        Parameters
        ----------
        scale : float
            Scale of the Laplace noise.
        certify : bool
            Whether to compute the result a second time before it is returned, which takes about as
            long again.

        Returns
        -------
        WorstCase
            Among equals (to a relative 1e-12) the first target with the fewest known tuples. It
            covers the adversaries of Definition 4.1 and the joint distribution given, and one
            release: a second one of the same data adds to it.

        Raises
        ------
        ValueError
            As `all_leakages`.

        References
        ----------
        Yang, Sato, Nakagawa, Definition 4.1, equation (5).

        Examples
        --------
        With negative correlation the strong adversary is the worst:

        >>> FiniteDistribution([[0.01, 0.49], [0.49, 0.01]]).worst_adversary(scale=10)
        WorstCase(adversary=Adversary(target=0, known=(1,)), leakage=0.1)
        """
        table = self._all_leakages("worst_adversary", scale, certify=certify)
        top = max(table.values())
        return next(
            WorstCase(who, top) for who, leakage in table.items() if leakage >= top * (1 - _TIE)
        )

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
            databases of the product domain take part, whatever their probability. It covers who
            knows all other tuples, and nobody who uses correlation.

        Raises
        ------
        ValueError
            If `scale` is not positive; `UncertifiedError` if the largest signed change is more.

        References
        ----------
        Yang, Sato, Nakagawa, Definition 3.1, equation (1).

        Examples
        --------
        >>> FiniteDistribution([[0.5, 0], [0, 0.5]]).dp_level(scale=10)
        0.1
        """
        where = "dp_level"
        lam = self._scale(where, scale)
        distribution = self._probabilities
        high = np.stack([level.high[level.at] for level in self._levels], axis=-1)
        low = np.stack([level.low[level.at] for level in self._levels], axis=-1)
        high = high.reshape(*distribution.shape, -1)
        low = low.reshape(*distribution.shape, -1)
        change = 0.0
        for axis in range(distribution.ndim):
            one = np.moveaxis(high, axis, 0)
            two = np.moveaxis(low, axis, 0)
            for a, b in combinations(range(distribution.shape[axis]), 2):
                moved = np.abs((one[a] - one[b]) + (two[a] - two[b])).sum(axis=-1)
                change = max(change, float(moved.max()))
        level = change / lam
        # The sum of absolute changes is the largest signed sum; with many numbers, of one sign.
        for signs in _signs(high.shape[-1]):
            for axis in range(distribution.ndim):
                moved = np.ptp(high @ signs, axis=axis) + np.ptp(low @ signs, axis=axis)
                largest_change = float(moved.max())
                rounding = 8 * _UNIT * (float(np.abs(high).max()) * high.shape[-1] + change)
                promise = "the change of the query in units of the noise"
                _safety.certify(where, promise, largest_change / lam, level, unit=rounding / lam)
        return level

    def noise_scale(self, epsilon: float) -> float:
        r"""Return the smallest scale at which a Laplace release is `epsilon`-BDP.

        Parameters
        ----------
        epsilon : float
            The largest leakage allowed, positive; infinite: no privacy is asked for.

        Returns
        -------
        float
            The scale, at most a relative 1e-11 above the smallest one (a little more where
            rounding may be more than 1e-10 of `epsilon`, see the class). 0 if even the query
            itself, without noise, leaks at most `epsilon`, or if that is infinite. Nobody of the
            adversaries of Definition 4.1 leaks more under the joint distribution given, from one
            release. Under another distribution they may.

        Raises
        ------
        ValueError
            If `epsilon` is not positive, the scale were outside 1e-300 to 1e308, or the number of
            adversaries times that of databases is above ``2**33``; `UncertifiedError` if a second
            computation finds more than `epsilon` at the scale.

        Notes
        -----
        The leakage does not increase with the scale (see the module), so the root is bracketed: no
        adversary exceeds the range of the query divided by the scale, and as the scale tends to 0
        the leakage tends to that of the query itself, a log ratio of probabilities or infinity. It
        is not proportional to 1/scale, so scaling the noise by the excess does not do. The
        adversary who is the worst at one scale says which scale to try next.

        Before it is returned every adversary is computed again from distribution functions, and
        the worst from the databases one by one where there are few.

        References
        ----------
        Yang, Sato, Nakagawa, Section 4.2.3, where a smaller noise parameter is looked for.

        Examples
        --------
        Two fair bits, first independent and then equal; equal ones move the sum by 2.

        >>> FiniteDistribution([[0.25, 0.25], [0.25, 0.25]]).noise_scale(0.5)
        2.0
        >>> FiniteDistribution([[0.5, 0.0], [0.0, 0.5]]).noise_scale(0.5)
        4.0
        """
        where = "noise_scale"
        eps = checks.privacy_level(where, "epsilon", epsilon)
        if eps == math.inf:
            return 0.0
        everybody = self._everybody(where)
        if max(_noiseless(distributions) for _, distributions in everybody) <= eps:
            leakage_of_all = max(_by_ratios(distributions) for _, distributions in everybody)
            _safety.certify(where, "the leakage without noise", leakage_of_all, eps)
            return 0.0
        rule = "be large enough for a scale below 1e308"
        checks.bounded(where, "epsilon", eps, rule, lambda e: self._span / e < 1e308)
        rule = "be small enough for a scale above 1e-300"
        checks.bounded(where, "epsilon", eps, rule, lambda e: self._span / e > 1e-300)

        def worst_at(scale: float) -> tuple[float, Leakage]:
            most = -1.0
            worst = None
            for _, distributions in everybody:
                leakage = _largest_log_ratio(distributions, scale)
                if leakage > most:
                    most = leakage
                    worst = distributions
            return most, partial(_largest_log_ratio, worst)

        scale = smallest_scale(where, worst_at, eps, self._span / eps)
        leakages = {}
        for who, distributions in everybody:
            leakages[who] = _largest_log_ratio(distributions, scale)
            self._certify_one(where, who, distributions, scale, eps)
        self._certify_worst(where, leakages, scale)
        return scale

    def wasserstein_distance(self, *, known: bool = False) -> float:
        r"""Return the largest :math:`W_\infty` of the query given one value of a tuple or another.

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
            If several numbers are released: the distance is that of distributions on a line;
            `UncertifiedError` if noise of the distance leaks more than 1.
        TypeError
            If `known` is no bool.

        Notes
        -----
        :math:`W_\infty` is how far the mass that is moved furthest has to go if one distribution is
        made of the other and it goes as little as possible. On a line it is the largest distance of
        two quantiles of the same order. Both tails are compared, for what is unlikely counts as
        much as what is likely. Tails that are equal to rounding (some 1e-14, relatively) count as
        equal: without that no distribution in floats had independent tuples. The release with
        ``Lap(W / epsilon)`` leaks at most `epsilon`, and what rounding may hide, so
        :math:`W/\varepsilon` is never below `noise_scale` if the adversaries are the same; along
        a chain `MarkovChain.wasserstein_distance` needs no joint distribution.

        References
        ----------
        Song, Wang, Chaudhuri, SIGMOD 2017, Algorithm 1; the example is their clique of four people
        of whom 0, ..., 4 have the flu with these probabilities.

        Examples
        --------
        >>> infected = [0.1, 0.15, 0.5, 0.15, 0.1]
        >>> clique = np.zeros((2, 2, 2, 2))
        >>> for people in np.ndindex(clique.shape):
        ...     clique[people] = infected[sum(people)] / math.comb(4, sum(people))
        >>> distribution = FiniteDistribution(clique)
        >>> distribution.wasserstein_distance(), round(distribution.noise_scale(1), 3)
        (2.0, 1.408)
        """
        where = "wasserstein_distance"
        n = self._probabilities.ndim
        if not isinstance(known, (bool, np.bool_)):
            raise TypeError(f"{where}: known must be True or False, got {known!r}")
        if self._table.ndim > n:
            rule = "query must be one number a database"
            raise ValueError(f"{where}: {rule}, got shape {self._table.shape}")
        if known:
            everybody = self._everybody(where)
        else:
            everybody = _Compared(self._mixtures, [Adversary(i, ()) for i in range(n)], kept=True)
        distance = max(_furthest(distributions) for _, distributions in everybody)
        for _, distributions in everybody:
            if distance == 0:
                leakage_again = _by_ratios(distributions)
                rounding = 0.0
                promise = "the leakage without noise"
                allowed = 0.0
            else:
                leakage_again, rounding = _by_distribution_functions(distributions, distance)
                promise = "the leakage with noise of the distance as its scale"
                allowed = 1.0
            _safety.certify(
                where,
                promise,
                leakage_again,
                allowed,
                unit=rounding + _tail_rounding(distributions),
            )
        return distance

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
        ndarray, shape (k_target,)
            The probability of each value of the target, in floating point, in the order of the
            tuple's axis of `joint` (of its `values`).

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

        >>> distribution = FiniteDistribution([[0.49, 0.01], [0.01, 0.49]])
        >>> distribution.posterior(0, {}, output=0, scale=10).round(4)
        array([0.5488, 0.4512])
        """
        where = "posterior"
        distribution = self._probabilities
        lam = self._scale(where, scale)
        if not isinstance(known_values, Mapping):
            rule = "known_values must map tuples to positions"
            raise TypeError(f"{where}: {rule}, got {known_values!r}")
        (i, given), unknown = valid.adversary_and_unknown(
            where, distribution.ndim, target, tuple(known_values)
        )
        cell = []
        for j in given:
            name = f"known_values[{j}]"
            last = distribution.shape[j] - 1
            cell.append(checks.integer(where, name, known_values[j], low=0, high=last))
        t = checks.reals(where, "output", output, shape=self._table.shape[distribution.ndim :])
        order = (*given, i, *unknown)
        with np.errstate(over="ignore"):
            far = np.abs(t - self._table).reshape(*distribution.shape, -1).sum(axis=-1) / lam
        if not np.isfinite(far).all():
            rule = "output must not be so far from the query's values that sums overflow"
            raise ValueError(f"{where}: {rule}, got {output!r}")
        logs, away = (
            array.transpose(order)[tuple(cell)].reshape(distribution.shape[i], -1)
            for array in (_log(distribution), far)
        )
        if not (logs > -np.inf).any():
            impossible = dict(known_values)
            raise ValueError(f"{where}: known_values have probability zero, got {impossible!r}")
        exponent = logs - away
        mass = np.exp(exponent - exponent.max()).sum(axis=1)
        belief = mass / mass.sum()
        # The same in odds against the likeliest value, value by value.
        odds = _log_sum(exponent)
        again = np.exp(odds - _log_sum(odds))
        _safety.certify(where, "a probability", np.abs(belief - again), 0.0, unit=1e-9)
        return belief


def _domain(where: str, shape: tuple[int, ...]) -> None:
    """Refuse a joint distribution without tuples or with a tuple that has no value."""
    if not shape or 0 in shape:
        rule = "joint must have one axis of length >= 1 for each tuple"
        raise ValueError(f"{where}: {rule}, got shape {shape}")


def _others(n: int, who: Adversary) -> tuple[int, ...]:
    """Return the tuples that an adversary does not know, without the target."""
    return tuple(j for j in range(n) if j != who.target and j not in who.known)


# --- what is given -----------------------------------------------------------------------------


def _labelled(where: str, joint: Any) -> tuple[npt.NDArray[Any], list[list[Any]]]:
    """Return the joint distribution of a pandas object, and the labels of each tuple's values."""
    axes = list(joint.axes)
    if len(axes) == 2 and max(axis.nlevels for axis in axes) > 1:
        rule = "joint must be a table of two tuples without levels, or a Series"
        raise ValueError(f"{where}: {rule}; pass joint.stack() of all its levels")
    for axis in axes:
        labels = list(axis)
        for label in labels:
            parts = [label]
            if axis.nlevels > 1:
                parts = list(label)
            for part in parts:
                if _is_missing(part):
                    raise ValueError(
                        f"{where}: the labels of joint must not be missing, got {part!r}; give the "
                        "missing a value"
                    )
        if len(set(labels)) != len(labels):
            twice = next(label for label in labels if labels.count(label) > 1)
            raise ValueError(f"{where}: the labels of joint must be distinct, got {twice!r} twice")
    if axes[0].nlevels > 1:
        axes = list(axes[0].levels)
        joint = joint.reindex(type(joint.index).from_product(axes), fill_value=0)
    array = joint.to_numpy().reshape([len(axis) for axis in axes])
    return array, [list(axis) for axis in axes]


def _is_missing(label: Any) -> bool:
    """Tell whether a label is None, NaN, NaT or pandas' NA."""
    if label is None or type(label).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(label, (float, np.floating)) and math.isnan(label)


def _numeric(where: str, labels: list[list[Any]]) -> list[list[Any]]:
    """Return labels that are numbers; ask for `values` if they are not."""
    for axis in labels:
        for label in axis:
            try:  # True and False are refused, too
                checks.rational(where, "values", label)
            except TypeError as error:
                rule = "values must be given where the labels of joint are no numbers"
                raise TypeError(f"{where}: {rule}, got the label {label!r}") from error
    return labels


def _copied(where: str, name: str, given: Any) -> npt.NDArray[Any]:
    """Return an array of our own; its entries are checked where they are used."""
    valid.require_order(where, name, given)
    if not hasattr(given, "__array__") and not isinstance(given, (list, tuple)):
        given = list(given) if isinstance(given, Iterable) else given
    try:
        array = np.array(given)
    except ValueError:
        return checks.reals(where, name, given)  # ragged: says so
    return _safety.owned(array)


def _as_floats(name: str, given: Any) -> FloatArray:
    """Return numbers as the nearest floats, whatever their size."""
    exact = _as_given(name, given)
    if exact.dtype != object:
        return exact
    nearest = np.empty(exact.size)
    for position, number in enumerate(exact.flat):
        try:
            nearest[position] = float(number)
        except OverflowError as error:
            rule = f"{name} must be within the range of floats"
            raise ValueError(f"FiniteDistribution: {rule}, got a larger number") from error
    return nearest.reshape(exact.shape)


def _as_given(name: str, given: Any) -> npt.NDArray[Any]:
    """Return numbers as they are: floats, or fractions if they are all rational."""
    array = np.asarray(given)
    if array.dtype.kind in "iu" and array.size:
        largest = max(abs(int(array.max())), abs(int(array.min())))
        if largest <= _safety.LARGEST_EXACT:
            return array.astype(np.float64)
    return valid.rationals("FiniteDistribution", name, given)


def _as_fractions(name: str, given: Any) -> npt.NDArray[Any]:
    """Return numbers as fractions; a float is the dyadic number that it is."""
    return _object_array([Fraction(number) for number in _as_given(name, given).flat])


def _object_array(entries: Iterable[Any]) -> npt.NDArray[Any]:
    """Return a vector of Python objects."""
    entries = list(entries)
    array = np.empty(len(entries), dtype=object)
    array[:] = entries
    return array


# --- the values of the query -------------------------------------------------------------------


class _Levels(NamedTuple):
    """The distinct values of one number: `high` + `low`, in order, and which one each cell has."""

    high: FloatArray
    low: FloatArray
    at: npt.NDArray[np.intp]


class _Points(NamedTuple):
    """Values of the query, as `high` + `low`: shape (points,), or (points, d)."""

    high: FloatArray
    low: FloatArray


def _distinct_floats(column: FloatArray) -> _Levels:
    """Return the levels of numbers that floats hold exactly."""
    high, at = np.unique(column, return_inverse=True)
    with np.errstate(over="ignore"):
        span = high[-1] - high[0]
    if not np.isfinite(span):
        _too_far_apart(span)
    return _Levels(high, np.zeros_like(high), at.reshape(-1))


def _distinct_sums(terms: list[npt.NDArray[Any]]) -> _Levels:
    """Return the levels of the sums of fractions, one of each of `terms`, exactly.

    From the least sum on, so that what all have in common takes no digits: rounded to a float, and
    what is missing.
    """
    common = math.lcm(*(term.denominator for column in terms for term in column))
    whole = [_object_array([int(term * common) for term in column]) for column in terms]
    if sum(max(abs(term) for term in column) for column in whole) < 2**62:
        whole = [column.astype(np.int64) for column in whole]
    sums = reduce(np.add.outer, whole).ravel()
    distinct, at = np.unique(sums, return_inverse=True)
    least = int(distinct[0])
    high = np.empty(len(distinct))
    low = np.empty(len(distinct))
    for position, level in enumerate(distinct):
        above = int(level) - least
        try:
            high[position] = above / common
        except OverflowError:
            _too_far_apart(Fraction(above, common))
        low[position] = float(Fraction(above, common) - Fraction(high[position]))
    near = (np.diff(high) + np.diff(low)) <= 0
    if near.any():
        raise ValueError(
            "FiniteDistribution: values of the query must be equal or differ by what a float can "
            "hold, got two that differ by less; multiply the query and divide the noise by one "
            "number"
        )
    return _Levels(high, low, at.reshape(-1))


def _too_far_apart(span: Any) -> None:
    """Refuse a query whose range no float holds."""
    rule = "the values of the query must be within the range of floats of one another"
    raise ValueError(
        f"FiniteDistribution: {rule}, got a range of more than {sys.float_info.max:.3g}"
    )


def _distances(points: _Points, at: npt.NDArray[np.intp], output: int) -> FloatArray:
    """Return how far points are from one of them, added up over the numbers."""
    away = points.high[at] - points.high[output] + (points.low[at] - points.low[output])
    return np.asarray(np.abs(away).sum(axis=-1) if points.high.ndim == 2 else np.abs(away))


def _signs(numbers: int) -> Iterable[FloatArray]:
    """Yield signs of several numbers: all, up to a common one, of up to eight; else one alone."""
    if numbers > 8:
        yield from np.eye(numbers)
        return
    for pattern in range(2 ** (numbers - 1)):
        yield np.array([1.0 if pattern >> j & 1 else -1.0 for j in range(numbers)])


# --- the mixtures of Laplace densities that an adversary compares -----------------------------

_BLOCK = 1 << 22  # largest number of floats in one temporary of `_log_densities`
_CELL_BY_CELL = 1 << 18  # databases times outputs that are worth a look at each
_KEPT_CELLS = 1 << 23  # databases times adversaries whose tables are kept


class _Mixtures(NamedTuple):
    """Distributions of the query given ``(x_K, x_i)``; a row for each value of the known tuples."""

    weights: FloatArray  # (rows, values of x_i, atoms)
    logs: FloatArray  # of the weights, also of those that no float holds
    feasible: npt.NDArray[np.bool_]  # (rows, values of x_i)
    atoms: _Points  # (rows, atoms), the last one repeated where a row has fewer; or + (d,)
    outputs: _Points  # those that matter: the atoms, or a grid of shape (1, points, d)
    terms: int  # that were added up for one weight, at most, and weights of one distribution


class _Compared:
    """What each of some adversaries compares: kept, or made again each time one goes through."""

    def __init__(
        self, make: Callable[[Adversary], _Mixtures | None], who: list[Adversary], *, kept: bool
    ) -> None:
        self._make = make
        self._who = who
        self._kept = [make(adversary) for adversary in who] if kept else None

    def __iter__(self) -> Iterator[tuple[Adversary, _Mixtures | None]]:
        if self._kept is not None:
            return zip(self._who, self._kept)
        return ((who, self._make(who)) for who in self._who)


def _log(array: Any) -> FloatArray:
    """Return logarithms, minus infinity for 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(array))


def _log_sum(logs: FloatArray) -> FloatArray:
    """Return the logarithm of a sum along the last axis."""
    peak = np.maximum(logs.max(axis=-1, keepdims=True), np.finfo(float).min)
    return np.asarray(peak[..., 0] + _log(np.exp(logs - peak).sum(axis=-1)))


def _conditionals(
    distribution: FloatArray,
    points: _Points,
    cells: npt.NDArray[np.intp],
    i: int,
    known: tuple[int, ...],
) -> _Mixtures | None:
    """Return the conditional distributions of the query, or None if there is nothing to compare."""
    order = (*known, i, *_others(distribution.ndim, Adversary(i, known)))
    rows = math.prod(distribution.shape[j] for j in known)
    size = distribution.shape[i]
    prob = distribution.transpose(order).reshape(rows, size, -1)
    value = cells.reshape(distribution.shape).transpose(order).reshape(rows, size, -1)
    comparable = (prob.sum(axis=2) > 0).sum(axis=1) >= 2
    if not comparable.any():
        return None
    prob = prob[comparable]
    value = value[comparable]
    rows = len(prob)
    mass = prob.sum(axis=2)
    flat = value.reshape(rows, -1)
    weight = prob.reshape(rows, -1)
    # A value of probability zero is no breakpoint: replace it by one of the row that is.
    likely = np.take_along_axis(flat, weight.argmax(axis=1)[:, None], axis=1)
    flat = np.where(weight > 0, flat, likely)
    apart = flat + np.arange(rows)[:, None] * len(points.high)  # the rows have no cell in common
    rank = np.unique(apart, return_inverse=True)[1].reshape(flat.shape)
    rank -= rank.min(axis=1, keepdims=True)
    count = int(rank.max()) + 1
    what = "the entries of the table of what one adversary compares"
    _safety.limit("FiniteDistribution", what, rows * size * count, LARGEST_TABLE)
    at = np.repeat(flat.max(axis=1, keepdims=True), count, axis=1)
    np.put_along_axis(at, rank, flat, axis=1)
    group = np.arange(rows * size).reshape(rows, size, 1)
    bins = group * count + rank.reshape(rows, size, -1)
    summed = np.bincount(bins.ravel(), weights=prob.ravel(), minlength=rows * size * count)
    summed = summed.reshape(rows, size, count)
    whole = np.where(mass > 0, mass, 1.0)[:, :, None]
    weights = summed / whole
    logs = _log(weights)
    tiny = (summed > 0) & (weights < _TINY)
    if tiny.any():  # a quotient that small has lost digits, or all of them
        logs = np.where(tiny, _log(summed) - np.log(whole), logs)
    atoms = _Points(points.high[at], points.low[at])
    outputs = atoms if points.high.ndim == 1 else _Points(points.high[None], points.low[None])
    return _Mixtures(weights, logs, mass > 0, atoms, outputs, prob.shape[2] + count)


def _largest_log_ratio(given: _Mixtures | None, scale: float) -> float:
    """Return the largest log ratio over rows, pairs of values and outputs.

    Rounding that may be more than a share `_UNSURE` of it is added.
    """
    if given is None:
        return 0.0
    block = max(1, _BLOCK // max(given.weights.size, given.atoms.high.size))
    best = 0.0
    for start in range(0, given.outputs.high.shape[1], block):
        logs, rounding = _log_densities(given, slice(start, start + block), scale)
        spread = _spread(given, logs)
        unsure = _differ(given) & (rounding > _UNSURE * spread)
        best = max(best, float(np.where(unsure, spread + rounding, spread).max()))
    return best


def _spread(given: _Mixtures, logs: FloatArray) -> FloatArray:
    """Largest less smallest of logarithms (rows, values of x_i, outputs) of feasible values."""
    feasible = given.feasible[:, :, None]
    high = np.where(feasible, logs, -np.inf).max(axis=1)
    return np.asarray(high - np.where(feasible, logs, np.inf).min(axis=1))


def _log_densities(given: _Mixtures, block: slice, scale: float) -> tuple[FloatArray, FloatArray]:
    """Return log densities, shape (rows, values of x_i, outputs), less a common constant.

    And, of shape (rows, outputs), how far rounding may move the difference of two.
    """
    distance = np.abs(
        (given.outputs.high[:, block, None] - given.atoms.high[:, None, :])
        + (given.outputs.low[:, block, None] - given.atoms.low[:, None, :])
    )
    distance = distance / scale
    if distance.ndim == 4:
        distance = distance.sum(axis=3)
    feasible = given.feasible[:, :, None]
    if distance.max() <= 0.5:  # the densities are nearly 1: keep the digits of their difference
        missing = (given.weights[:, :, None, :] * -np.expm1(-distance)[:, None]).sum(axis=3)
        largest = np.where(feasible, missing, 0.0).max(axis=1)
        return np.asarray(np.log1p(-missing)), 4 * _UNIT * (given.terms + 16) * largest
    terms = given.logs[:, :, None, :] - distance[:, None]
    peak = np.maximum(terms.max(axis=3, keepdims=True), np.finfo(float).min)
    with np.errstate(divide="ignore"):
        logs = np.log(np.exp(terms - peak).sum(axis=3)) + peak[..., 0]
    largest = np.abs(np.where(feasible, logs, 0.0)).max(axis=1)
    return np.asarray(logs), 2 * _UNIT * (given.terms + 8 * (largest + math.log(given.terms) + 2))


def _noiseless(given: _Mixtures | None) -> float:
    """Return the leakage of the query itself: the limit as the scale tends to 0."""
    if given is None:
        return 0.0
    with np.errstate(invalid="ignore"):  # a repeated atom: -inf less -inf
        spread = _spread(given, given.logs)
    real = _real_atoms(given)
    spread = spread[real]
    rounding = 2 * _UNIT * (given.terms + 8 + np.where(np.isfinite(spread), spread, 0.0))
    unsure = np.broadcast_to(_differ(given), real.shape)[real] & (rounding > _UNSURE * spread)
    return float(np.where(unsure, spread + rounding, spread).max())


def _differ(given: _Mixtures) -> npt.NDArray[np.bool_]:
    """Tell in which rows (rows, 1) two distributions are not the same to the last digit."""
    first = given.feasible.argmax(axis=1)[:, None, None]
    same = given.logs == np.take_along_axis(given.logs, first, axis=1)
    return np.asarray((given.feasible & ~same.all(axis=2)).any(axis=1)[:, None])


def _real_atoms(given: _Mixtures) -> npt.NDArray[np.bool_]:
    """Tell which atoms of a row are no repetition of the one before."""
    shape = given.atoms.high.shape[:2]
    step = np.diff(given.atoms.high, axis=1) + np.diff(given.atoms.low, axis=1)
    real = np.ones(shape, dtype=bool)
    real[:, 1:] = step.any(axis=2) if step.ndim == 3 else step != 0
    return real


# --- the same by other routes ------------------------------------------------------------------


def _by_distribution_functions(given: _Mixtures | None, scale: float) -> tuple[float, float]:
    """Return the largest log ratio of one number by sums along the line, and its rounding.

    Between an atom and the next, of distance g, a mass C that has been passed loses
    :math:`C (1 - e^{-g})` of what it adds to the density: one cumulative sum for each side. With
    much noise all terms are positive, and the differences keep their digits.
    """
    if given is None:
        return 0.0, 0.0
    if given.atoms.high.ndim == 3:
        return _by_coordinates(given, scale)
    high, low = given.atoms
    gaps = ((high[:, 1:] - high[:, :-1]) + (low[:, 1:] - low[:, :-1])) / scale
    place = np.zeros(high.shape)
    np.cumsum(gaps, axis=1, out=place[:, 1:])
    reach = float(place[:, -1].max())
    feasible = given.feasible[:, :, None]
    if reach <= 0.5:
        below = given.weights.cumsum(axis=2)[..., :-1]
        above = given.weights[..., ::-1].cumsum(axis=2)[..., -2::-1]
        lost = np.zeros_like(given.weights)
        step = (np.exp(place[:, :-1]) * np.expm1(gaps))[:, None]
        lost[..., 1:] = np.exp(-place[:, None, 1:]) * (below * step).cumsum(axis=2)
        step = (np.exp(-place[:, :-1]) * -np.expm1(-gaps))[:, None]
        back = (above * step)[..., ::-1].cumsum(axis=2)[..., ::-1]
        lost[..., :-1] += np.exp(place[:, None, :-1]) * back
        logs = np.log1p(-lost)
        largest = float(np.where(feasible, lost, 0.0).max())
        rounding = 8 * _UNIT * (given.terms + 16) * largest
    else:
        position = place[:, None]
        logs = np.logaddexp.accumulate(given.logs + position, axis=2) - position
        back = np.logaddexp.accumulate((given.logs - position)[..., ::-1], axis=2)[..., ::-1]
        logs[..., :-1] = np.logaddexp(logs[..., :-1], back[..., 1:] + position[..., :-1])
        least = -float(given.logs[given.logs > -np.inf].min())
        rounding = 8 * _UNIT * (given.terms + reach + least)
    return float(_spread(given, logs).max(initial=0.0)), rounding


def _by_coordinates(given: _Mixtures, scale: float) -> tuple[float, float]:
    """Return the largest log ratio of several numbers, with one kernel for each coordinate."""
    best = 0.0
    largest = 0.0
    feasible = given.feasible[:, :, None]
    for output in range(given.outputs.high.shape[1]):
        terms = given.logs
        for j in range(given.atoms.high.shape[2]):
            away = given.atoms.high[..., j] - given.outputs.high[:, output, None, j]
            away = away + (given.atoms.low[..., j] - given.outputs.low[:, output, None, j])
            terms = terms - (np.abs(away) / scale)[:, None]
        logs = np.logaddexp.reduce(terms, axis=2)[..., None]
        best = max(best, float(_spread(given, logs).max()))
        largest = max(largest, float(np.abs(np.where(feasible, logs, 0.0)).max()))
    return best, 8 * _UNIT * (given.terms + largest)


def _by_ratios(given: _Mixtures | None) -> float:
    """Return the leakage of the query itself from ratios of probabilities, not of logarithms."""
    if given is None:
        return 0.0
    best = 1.0
    real = _real_atoms(given)
    for v, w in permutations(range(given.weights.shape[1]), 2):
        both = (given.feasible[:, v] & given.feasible[:, w])[:, None] & real
        one = given.weights[:, v][both]
        two = given.weights[:, w][both]
        seen = given.logs[:, v][both] > -np.inf
        with np.errstate(divide="ignore", over="ignore"):
            best = max(best, float((one[seen] / two[seen]).max(initial=1.0)))
    return math.log(best) if best < math.inf else math.inf


def _furthest(given: _Mixtures | None) -> float:
    """Return the largest distance of equal quantiles over rows and pairs of values."""
    if given is None:
        return 0.0
    best = 0.0
    equal = 1 + _tail_rounding(given)
    # No tail is so small that it has lost digits.
    shares = given.weights
    if given.logs[given.logs > -np.inf].min() < math.log(_TINY):
        shares = np.exp(given.logs + 60)
    for step in (1, -1):  # either tail, each with relative precision
        tail = shares[..., ::step].cumsum(axis=-1)
        high = step * given.atoms.high[:, ::step]
        low = step * given.atoms.low[:, ::step]
        for v, w in permutations(range(tail.shape[1]), 2):
            reached = (tail[:, w, None] * equal < tail[:, v, :, None]).sum(axis=-1)
            there = np.minimum(reached, high.shape[1] - 1)
            moved = np.take_along_axis(high, there, axis=1) - high
            moved = moved + (np.take_along_axis(low, there, axis=1) - low)
            best = max(best, moved[given.feasible[:, [v, w]].all(axis=1)].max(initial=0))
    return float(best)


def _tail_rounding(given: _Mixtures | None) -> float:
    """Return by how much two tails may differ, relatively, by rounding alone."""
    return 0.0 if given is None else 4 * _UNIT * (given.terms + 8)
