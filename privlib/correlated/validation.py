"""Checks of what the models of correlated data take: adversaries, scales, values and potentials.

Each takes the name of the public function first, as those of `privlib._checks` do.
"""

from __future__ import annotations

import numbers
import sys
from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib import _safety
from privlib.correlated.adversary import Adversary

__all__ = ["adversary_and_unknown", "noise_scale", "rationals", "require_order"]


def adversary_and_unknown(
    where: str, n: int, target: Any, known: Iterable[Any]
) -> tuple[Adversary, tuple[int, ...]]:
    """Return the adversary and the tuples unknown to it; refuse indices that do not fit.

    Parameters
    ----------
    where : str
        Name of the public function, for the messages.
    n : int
        Number of tuples.
    target : int
        Tuple that is attacked, in ``0..n-1``.
    known : iterable of int
        Tuples that are known, in any order.

    Returns
    -------
    adversary : Adversary
        Its known tuples are sorted.
    unknown : tuple of int
        The other tuples, without the target, sorted.

    Raises
    ------
    ValueError
        An index is out of its range, a known tuple comes twice, or the target is among them.
    TypeError
        An index is no integer, or `known` no sequence.

    Examples
    --------
    >>> adversary_and_unknown("leakage", 5, 2, [4, 0])
    (Adversary(target=2, known=(0, 4)), (1, 3))
    """
    i = checks.integer(where, "target", target, low=0, high=n - 1)
    if isinstance(known, (str, bytes)) or not isinstance(known, Iterable):
        raise TypeError(f"{where}: known must be a sequence of tuple indices, got {known!r}")
    indices = [checks.integer(where, "known", j, low=0, high=n - 1) for j in known]
    if len(set(indices)) != len(indices):
        raise ValueError(f"{where}: known must not repeat a tuple, got {tuple(indices)}")
    if i in indices:
        raise ValueError(f"{where}: known must not contain the target {i}, got {tuple(indices)}")
    outside = {i, *indices}
    unknown = tuple(j for j in range(n) if j not in outside)
    return Adversary(i, tuple(sorted(indices))), unknown


def noise_scale(where: str, scale: Any, span: Any) -> float:
    """Return a scale in units of which the range of the query can be expressed.

    Parameters
    ----------
    where : str
        Name of the public function, for the messages.
    scale : float
        Scale of the noise, positive and finite.
    span : float
        Range of the query: largest minus least answer.

    Returns
    -------
    float
        The scale.

    Raises
    ------
    ValueError
        The scale is not positive or not finite, or `span` over it is beyond 1.8e302.
    TypeError
        The scale is no real number.

    Examples
    --------
    >>> noise_scale("leakage", 2, 10.0)
    2.0
    """
    number = checks.positive(where, "scale", scale)
    if span > number * (sys.float_info.max / 1e6):
        raise ValueError(f"{where}: scale must not be so small that sums overflow, got {number}")
    return number


def require_order(where: str, name: str, given: Any) -> None:
    """Refuse labels that are no positions, what has no order, and masks, at any depth of lists.

    Parameters
    ----------
    where : str
        Name of the public function, for the messages.
    name : str
        Name of the argument, for the messages.
    given : object
        What is read by position: numbers, lists of them at any depth, arrays, what pandas makes.

    Raises
    ------
    TypeError
        There is a set, a mapping, a masked array, or bytes, which Python reads as integers.
    ValueError
        Something that pandas makes has other labels than its positions 0, 1, ....

    Examples
    --------
    >>> require_order("GaussianModel", "weights", [1, 0.5])
    >>> require_order("GaussianModel", "weights", {1, 0.5})
    Traceback (most recent call last):
        ...
    TypeError: GaussianModel: weights must be in order, got a set
    """
    if isinstance(given, (Set, Mapping)):
        raise TypeError(f"{where}: {name} must be in order, got a {type(given).__name__}")
    if isinstance(given, (bytes, bytearray)):
        raise TypeError(f"{where}: {name} must hold numbers, got {type(given).__name__}")
    checks.not_masked(where, name, given)
    if isinstance(given, (list, tuple)):
        for entry in given:
            if not isinstance(entry, numbers.Number):
                require_order(where, name, entry)
    else:
        _safety.positions(where, name, given)


def rationals(where: str, name: str, value: Any, **shape: Any) -> npt.NDArray[Any]:
    """Return numbers as fractions if all are rational, else as floats none of which became 0.

    Parameters
    ----------
    where : str
        Name of the public function, for the messages.
    name : str
        Name of the argument, for the messages.
    value : array_like
        Finite numbers.
    **shape
        ``ndim=`` or ``shape=`` that the array must have.

    Returns
    -------
    ndarray
        Of dtype object with fractions, or ``float64``.

    Raises
    ------
    ValueError
        A number is not finite or becomes 0 as a float, or the shape is another one.
    TypeError
        Something is no real number.

    Examples
    --------
    >>> rationals("FiniteDistribution", "values", [0, 2], ndim=1)
    array([Fraction(0, 1), Fraction(2, 1)], dtype=object)
    >>> rationals("FiniteDistribution", "values", [0, 0.5])
    array([0. , 0.5])
    """
    array = checks.reals(where, name, value, exact=True, **shape)
    if array.dtype != object and np.asarray(value).dtype == object:
        return checks.reals(where, name, value, **shape)  # fractions beside floats, one by one
    return array
