r"""Closed forms of the leakage of a Laplace release, for `privlib.correlated.finite`.

Write the query's differences as integer multiples of a unit and put
:math:`y = e^{-\mathrm{unit} / \lambda}`, so :math:`0 < y < 1`. At every candidate output, that is
at every value of the query, the two mixtures are polynomials in y, and the leakage is the log of
the largest of finitely many rational functions. Whether one of two is never below the other on
(0, 1) is decided exactly: the numerator of the difference must not change its sign there, that
is, must have no root of odd multiplicity inside.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import numpy as np
import sympy

from privlib import _checks as checks
from privlib import _safety

_Y = sympy.Dummy("y", positive=True)
_TRIALS = (sympy.Rational(7, 5), sympy.Rational(3, 100))  # numbers in place of a symbol
LARGEST_DEGREE = 512
"""Largest degree of the polynomials of a closed form."""

_MOST = 4096  # databases times outputs that a closed form is compared at
_Distribution = dict[int, Any]


def leakage(
    distribution: Any, table: Any, target: int, known: Any, *, scale: sympy.Expr
) -> sympy.Expr:
    """Return the leakage of one adversary as an expression, for `FiniteDistribution`."""
    levels, unit = _levels(table)
    span = int(levels.max()) - int(levels.min())
    what = "the range of the query, in units that divide all its differences, for a closed form"
    hint = "probabilities that are floats, and a number as scale, have no such limit"
    _safety.limit("leakage", what, span, LARGEST_DEGREE, hint)
    ratios = {
        sympy.cancel(ratio)
        for distributions in _conditionals(distribution, levels, target, known)
        for ratio in _ratios(distributions)
    }
    best: list[sympy.Expr] = []  # those that no other one dominates
    for ratio in sorted(ratios, key=sympy.default_sort_key):
        if not any(_dominates(other, ratio) for other in best):
            best = [other for other in best if not _dominates(ratio, other)] + [ratio]
    y = sympy.exp(-unit / scale)
    if not best:  # no two values of the target can be compared
        return sympy.Integer(0)
    both = ([sympy.expand(part).subs(_Y, y) for part in sympy.fraction(ratio)] for ratio in best)
    return sympy.Max(*(sympy.log(above / below) for above, below in both))


def _rational(where: str, name: str, value: Any) -> sympy.Rational:
    """Return an exact rational; a float stands for its shortest decimal."""
    if isinstance(value, sympy.Rational):
        return value
    if isinstance(value, (float, np.floating, sympy.Float)):
        return sympy.Rational(str(checks.real(where, name, float(value))))
    exact = None if isinstance(value, sympy.Basic) else checks.rational(where, name, value)
    if not isinstance(exact, Fraction):
        raise TypeError(f"{where}: {name} must be rational for a closed form, got {value!r}")
    return sympy.Rational(exact.numerator, exact.denominator)


def _expression(where: str, name: str, value: Any) -> sympy.Expr:
    """Return a sympy expression, a rational one if `value` is a plain number."""
    if isinstance(value, sympy.Expr) and not isinstance(value, sympy.Float):
        return value
    return _rational(where, name, value)


def _array(where: str, name: str, data: Any, convert: Any) -> Any:
    """Return an object array whose every entry has passed `convert`."""
    array = np.array(data, dtype=object)
    converted = np.empty(array.size, dtype=object)
    converted[:] = [convert(where, name, entry) for entry in array.flat]
    return converted.reshape(array.shape)


def rationals(name: str, data: Any) -> Any:
    """Return values or weights of a query as exact rationals."""
    return _array("FiniteDistribution", name, data, _rational)


def scale(where: str, value: Any) -> sympy.Expr:
    """Return a scale that sympy knows to be positive and finite."""
    exact = _expression(where, "scale", value)
    if not (exact.is_positive and exact.is_finite is not False):
        hint = "declare symbols with positive=True"
        raise ValueError(f"{where}: scale must be positive, got {value!r} ({hint})")
    return exact


def joint(where: str, data: Any) -> Any:
    """Return the joint distribution as an object array of exact probabilities."""
    distribution = _array(where, "joint", data, _expression)
    negative = [entry for entry in distribution.flat if entry.is_negative]
    if negative:
        raise ValueError(f"{where}: joint must be without negative entries, got {negative[0]}")
    total = sympy.simplify(sympy.Add(*distribution.flat))
    if total != 1:
        raise ValueError(f"{where}: joint must sum to exactly 1 for a closed form, got {total}")
    return distribution


def _levels(values: Any) -> tuple[Any, Any]:
    """Return the query as integer multiples of a unit, from its value at the first cell."""
    shifted = [value - values.flat[0] for value in values.flat]
    common = math.lcm(*(int(d.q) for d in shifted))
    step = math.gcd(*(int(d * common) for d in shifted)) or 1
    levels = np.array([int(d * common) // step for d in shifted]).reshape(values.shape)
    return levels, sympy.Rational(step, common)


def _conditionals(
    distribution: Any, levels: Any, i: int, given: tuple[int, ...]
) -> Iterable[list[_Distribution]]:
    """Yield, for each value of the known tuples, the distribution of the level for each x_i."""
    for known in product(*(range(distribution.shape[j]) for j in given)):
        distributions = []
        for a in range(distribution.shape[i]):
            fixed = dict(zip((*given, i), (*known, a)))
            cell = tuple(fixed.get(axis, slice(None)) for axis in range(distribution.ndim))
            sums: _Distribution = {}
            for level, prob in zip(np.ravel(levels[cell]), np.ravel(distribution[cell])):
                if not prob.is_zero:
                    sums[int(level)] = sums.get(int(level), 0) + prob
            mass = sympy.Add(*sums.values())
            distributions += [{level: prob / mass for level, prob in sums.items()}] if sums else []
        yield distributions


def _ratios(distributions: list[_Distribution]) -> Iterable[sympy.Expr]:
    """Yield the ratio of two densities, for each ordered pair and each level."""
    support = sorted(set().union(*distributions))
    for out in support:
        densities = [
            sympy.Add(*(w * _Y ** abs(out - v) for v, w in distribution.items()))
            for distribution in distributions
        ]
        for above, below in permutations(densities, 2):
            yield above / below


def _dominates(first: sympy.Expr, second: sympy.Expr) -> bool:
    """Tell whether `first` is never below `second` for 0 < y < 1 (False also if undecided)."""
    top, bottom = sympy.fraction(sympy.together(first - second))
    if (top.free_symbols | bottom.free_symbols) - {_Y}:
        return False
    try:
        poly = sympy.Poly(top * bottom, _Y, domain="QQ")
    except sympy.CoercionFailed:  # an irrational probability: leave both in the maximum
        return False
    if poly.is_zero:
        return True
    unit, factors = poly.sqf_list()
    odd = sympy.Poly(unit, _Y, domain="QQ")
    for factor, multiplicity in factors:
        odd = odd * factor if multiplicity % 2 else odd
    for end in (0, 1):  # roots at the ends are no changes of sign inside
        odd = odd.quo(sympy.Poly(_Y - end, _Y)) * (-1) ** end if odd.eval(end) == 0 else odd
    if odd.eval(sympy.Rational(1, 2)) <= 0:
        return False
    # Continued fractions: Sturm's sequences take minutes where the query has a hundred levels.
    return odd.degree() < 1 or not odd.intervals(inf=0, sup=1, sqf=True)


def certify(
    where: str,
    form: sympy.Expr,
    distribution: Any,
    table: Any,
    target: int,
    known: Any,
    *,
    scale: Any,
) -> None:
    """Compare a closed form with the densities at numbers in place of its symbols.

    Outputs are all values of the query. Probabilities are logarithms of fractions, so that none is
    too small.
    """
    symbols = set(form.free_symbols) | set(scale.free_symbols)
    for entry in distribution.flat:
        symbols |= entry.free_symbols
    for trial in _TRIALS if symbols else _TRIALS[:1]:
        chosen = {symbol: trial / (position + 1)
                  for position, symbol in enumerate(sorted(symbols, key=str))}  # fmt: skip
        weights = [sympy.sympify(entry).subs(chosen) for entry in distribution.flat]
        if any(weight.is_negative for weight in weights):
            continue  # no distribution for these numbers
        noise = scale.subs(chosen)
        logs = np.reshape([_logarithm(weight) for weight in weights], distribution.shape)
        nearest = table - table.flat[0]
        outputs = sorted(set(nearest.flat))
        leakage_again, largest = _by_outputs(logs, nearest, outputs, target, known, noise)
        promised = float(sympy.N(form.subs(chosen), 30))
        unit = 8 * float(np.finfo(float).eps) * (largest + distribution.size)
        _safety.certify(where, "the closed form", leakage_again, promised, unit=unit)


def _logarithm(weight: Any) -> float:
    """Return the logarithm of a probability of any size."""
    if weight == 0:
        return -math.inf
    if weight.is_Rational:
        return math.log(int(weight.p)) - math.log(int(weight.q))
    return float(sympy.N(sympy.log(weight), 30))


def _by_outputs(
    logs: Any, table: Any, outputs: list[Any], target: int, known: Any, noise: Any
) -> tuple[float, float]:
    """Return the largest log ratio, database by database, and the largest logarithm met."""
    best, largest = 0.0, 0.0
    for output in outputs[: max(1, _MOST // max(logs.size, 1))]:
        away = np.reshape([float(abs(value - output) / noise) for value in table.flat], table.shape)
        for fixed in product(*(range(logs.shape[j]) for j in known)):
            densities = []
            for value in range(logs.shape[target]):
                cell: list[Any] = [slice(None)] * logs.ndim
                for axis, position in zip((*known, target), (*fixed, value)):
                    cell[axis] = position
                prior = np.ravel(logs[tuple(cell)])
                mass = np.logaddexp.reduce(prior)
                if mass > -math.inf:
                    densities.append(
                        np.logaddexp.reduce(prior - np.ravel(away[tuple(cell)])) - mass
                    )
            if densities:
                best = max(best, max(densities) - min(densities))
                largest = max(largest, *(abs(density) for density in densities))
    return float(best), float(largest)
