r"""What a published histogram gives an attacker about one person.

The gain of "she is at *j* now" is the attacker's probability of it after the release over that
before it. Three classes know *P* and the histogram :math:`\pi` before: *MK* nothing else, *OPK*
the place *i* where she was, *NPK* everybody's. Given :math:`\pi`, the names of the others add
nothing, so OPK and NPK have one table over the pairs *(i, j)*, and it is its maximum that counts.

*Printed* law: probabilities replaced by :math:`N! \max`. The factorials cancel, and with
:math:`\tilde\pi = \pi P` as the pseudo-observation of the prior

.. math:: \mathrm{Gain}_{ij} = \exp\big( G_{ij}(x) - G_{ij}(\tilde\pi) \big), \qquad
          \mathrm{Gain}_j = \exp\big( \max_i G_{ij}(x) - \max_i G_{ij}(\tilde\pi) \big)

for OPK and NPK, and for MK, where a person too many is left unrouted at no cost. A saving is that
of a whole person (*person*: needs masses of at least 1) or, since *C* is homogeneous, that of an
infinitely small share of everybody (*infinitesimal*: positive masses suffice).

*Exact* law: with the natural priors :math:`P_{ij}` and :math:`\tilde\pi_j / N`,

.. math:: \mathrm{Gain}_{ij} = \frac{E[a_{ij} \mid \pi, x]}{\pi_i P_{ij}}, \qquad
          \mathrm{Gain}_j = \frac{x_j}{\tilde\pi_j}.

The second is the mean of the first with weights :math:`\pi_i P_{ij} / \tilde\pi_j`, so MK never
gains more than NPK. *Bridge* puts the Schroedinger bridge for the expectation. From one source the
flow is forced, :math:`G_{ij} = w_{ij}` for every *x*, and the printed gain is 1 whatever is
published: from (2, 0) to (0, 2) with even chances it is 1 where the exact one is 2.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from privlib.location import _validation as checks
from privlib.location import exact
from privlib.location.flow import (
    InfeasibleError,
    _best,
    _costs,
    _savings,
    _transport,
)

Array = npt.NDArray[Any]
FloatArray = npt.NDArray[np.float64]

_ADVERSARIES = ("NPK", "OPK", "MK")
_LAWS = ("printed", "exact", "bridge")
_UNITS = ("person", "infinitesimal")
_WHERE = "gain_table"


class UndefinedGainError(ValueError):
    """The gain asked for divides by a probability that is 0 or not defined; a repair is named."""


def gain_table(
    published: npt.ArrayLike,
    before: npt.ArrayLike,
    transition: Any,
    *,
    adversary: str = "NPK",
    law: str = "printed",
    unit: str = "person",
) -> Any:
    r"""Return the gain of every guess.

    Parameters
    ----------
    published : array_like, shape (L,)
        The histogram *x* that the attacker sees: people, or real masses.
    before : array_like, shape (L,)
        The histogram before, with the same total.
    transition : array_like or sparse matrix, shape (L, L)
        Row-stochastic matrix.
    adversary : {"NPK", "OPK", "MK"}
        Class of the attacker; NPK and OPK have the same table.
    law : {"printed", "exact", "bridge"}
        Equation (3) in all probabilities; the true law; the true law with large-*N* expectations.
    unit : {"person", "infinitesimal"}
        What is taken away in the printed law; the other laws have no use for it.

    Returns
    -------
    array, shape (L, L) or (L,) for MK
        Gains. ``nan`` where the guess has no prior (nobody at *i*, :math:`P_{ij} = 0`,
        :math:`\tilde\pi_j = 0`), 0 where the release excludes it. Fractions under the exact law
        for a matrix of fractions and whole histograms. For a sparse transition under the printed
        law and OPK or NPK, a sparse matrix: the stored entries are the pairs with a prior.

    Raises
    ------
    TypeError, ValueError
        An argument breaks its rule.
    UndefinedGainError
        Printed law: a mass between 0 and 1 has no person to take away, or the histograms cannot
        be joined. Exact law: real masses, or a release of probability 0.

    References
    ----------
    Definition 3.2 and equations (1) and (3).

    Examples
    --------
    >>> P = [[0.5, 0.5], [0, 1]]
    >>> gain_table([0, 2], [2, 0], P)
    array([[ 0.,  1.],
           [nan, nan]])
    >>> gain_table([0, 2], [2, 0], P, law="exact")
    array([[ 0.,  2.],
           [nan, nan]])
    """
    checks.choice(_WHERE, "adversary", adversary, _ADVERSARIES)
    checks.choice(_WHERE, "law", law, _LAWS)
    checks.choice(_WHERE, "unit", unit, _UNITS)
    first, x, P = checks.pair(
        _WHERE, before, published, transition, integer=False, name="published"
    )
    if law == "printed":
        return _printed(x, first, checks.floats(P), adversary, unit)
    if adversary == "MK":
        return _ratio(x, first @ P, np.ones(x.shape, dtype=bool))
    dense = P.toarray() if sparse.issparse(P) else P
    try:
        mean = exact.expected_movement(first, x, P, method=law)
    except InfeasibleError as error:
        raise UndefinedGainError(
            f"{_WHERE}: published has probability 0 given before, {error.shortfall:.6g} people "
            "cannot be routed; publish a histogram that some movement reaches"
        ) from error
    except ValueError as error:
        if law == "exact" and "whole" in str(error):
            raise UndefinedGainError(
                f'{_WHERE}: law="exact" needs whole histograms; use law="bridge" for real masses'
            ) from error
        raise
    return _ratio(mean, first[:, None] * dense, dense > 0)


def max_gain(
    published: npt.ArrayLike,
    before: npt.ArrayLike,
    transition: Any,
    *,
    adversary: str = "NPK",
    law: str = "printed",
    unit: str = "person",
) -> Any:
    r"""Return the largest gain of any guess, to be compared with :math:`e^\varepsilon`.

    Parameters
    ----------
    published, before, transition, adversary, law, unit
        As for `gain_table`.

    Returns
    -------
    float
        The largest entry of the table (a ``Fraction`` where the table holds fractions).

    Raises
    ------
    TypeError, ValueError, UndefinedGainError
        As `gain_table`.

    Examples
    --------
    >>> from fractions import Fraction as F
    >>> P = [[F(1, 2), F(1, 4), F(1, 4)], [F(1, 4), F(1, 2), F(1, 4)], [F(1, 8), F(3, 8), F(1, 2)]]
    >>> max_gain([1, 2, 2], [2, 2, 1], P, law="exact")
    Fraction(392, 265)
    >>> max_gain([1, 2, 2], [2, 2, 1], P)
    2.5184
    """
    table = gain_table(published, before, transition, adversary=adversary, law=law, unit=unit)
    entries = table.data if sparse.issparse(table) else table.ravel()
    return max(value for value in entries.tolist() if value == value)


def _ratio(posterior: Array, prior: Array, defined: Array) -> Array:
    """Return posterior over prior, ``nan`` where there is no prior."""
    good = defined & (prior > 0)
    whole = prior.dtype.kind == "O" and posterior.dtype.kind in "iO"
    result = np.full(prior.shape, np.nan, dtype=object if whole else np.float64)
    result[good] = posterior[good] / prior[good]
    return result


def _printed(x: Array, before: Array, P: Any, adversary: str, unit: str) -> Any:
    """Return the table of equations (1) and (3)."""
    pseudo = np.asarray(before @ P)
    pseudo = checks.histogram(_WHERE, "prediction", _snap(pseudo), size=x.size, integer=False)
    if unit == "person":
        _persons(x, before, pseudo)
        P = P.toarray() if sparse.issparse(P) else P
    after, prior = (_log_odds(h, before, P, adversary, unit) for h in (x, pseudo))
    if adversary == "MK":
        with np.errstate(invalid="ignore"):  # -inf - -inf, where nobody can be
            table = np.where(x > 0, np.exp(after - prior), 0.0)
        table[pseudo <= 0] = np.nan
        return _defined(table, prior, pseudo > 0, unit)
    if not sparse.issparse(P):
        has_prior = (before[:, None] > 0) & (P > 0)
        with np.errstate(invalid="ignore"):  # -inf - -inf, where there is no prior
            table = np.where(x > 0, np.exp(after - prior), 0.0)
        table[~has_prior] = np.nan
        return _defined(table, prior, has_prior, unit)
    arcs = P.tocoo()
    keep = before[arcs.row] > 0
    i, j = arcs.row[keep], arcs.col[keep]
    table = np.zeros(i.size)
    seen = x[j] > 0
    i_seen, j_seen = i[seen], j[seen]
    if i_seen.size:
        table[seen] = np.exp(np.asarray(after[i_seen, j_seen] - prior[i_seen, j_seen]).ravel())
    return sparse.csr_matrix((table, (i, j)), shape=P.shape)


def _defined(table: FloatArray, prior: FloatArray, needed: Array, unit: str) -> FloatArray:
    """Refuse a prior of 0 under the printed law where the natural prior is positive."""
    bad = np.argwhere(needed & ~np.isfinite(prior))
    if bad.size:
        raise UndefinedGainError(
            f"{_WHERE}: taking a {unit} away from the prediction at {tuple(bad[0].tolist())} "
            'leaves histograms that cannot be joined; use unit="infinitesimal"'
        )
    return table


def _snap(masses: FloatArray) -> FloatArray:
    """Return `masses` with rounding errors of whole numbers removed."""
    near = np.rint(masses)
    return np.where(np.abs(masses - near) <= 1e-12 * np.maximum(1, near), near, masses)


def _persons(x: Array, before: Array, pseudo: Array) -> None:
    """Refuse masses strictly between 0 and 1: there is no person to take away."""
    for name, h in (("published", x), ("before", before), ("the prediction", pseudo)):
        bad = np.flatnonzero((h > 0) & (h < 1))
        if bad.size:
            raise UndefinedGainError(
                f"{_WHERE}: {name} has the mass {h[bad[0]]:.6g} in state {bad[0]}, less than one "
                'person to take away; use unit="infinitesimal"'
            )


def _log_odds(x: Array, before: Array, P: Any, adversary: str, unit: str) -> Any:
    """Return G for OPK and NPK, its maximum over the sources for MK."""
    try:
        best = _best(_WHERE, before, x, P)
    except InfeasibleError as error:
        raise UndefinedGainError(
            f"{error}: the printed gain is not defined; publish a histogram that can be reached, "
            "or mix in the prediction until every occupied state is fed"
        ) from error
    if unit == "person" and not (before.dtype.kind == x.dtype.kind == "i"):
        return _person_savings(x, before, P, best.cost, adversary)
    table = _savings(best.counts, P)
    if adversary != "MK":
        return table
    if sparse.issparse(table):
        arcs = table.tocoo()
        result = np.full(x.size, -np.inf)
        np.maximum.at(result, arcs.col, arcs.data)
        return result
    return np.max(np.where(np.isnan(table), -np.inf, table), axis=0)


def _person_savings(x: Array, before: Array, P: Array, cost: float, adversary: str) -> FloatArray:
    """Return what one person less saves between real masses, by solving again for every guess."""
    weights, size = _costs(P), x.size
    unrouted = adversary == "MK"
    result = np.full(size if unrouted else (size, size), np.nan)
    sinks = np.flatnonzero(x >= 1)
    sources: Any = [None] if unrouted else np.flatnonzero(before >= 1)
    for i in sources:
        for j in sinks:
            left, right = before.astype(float), x.astype(float)
            right[j] -= 1
            if i is None:  # a place at no cost for whoever is left unrouted
                rows, columns = left > 0, right > 0
                arcs = np.column_stack([weights[np.ix_(rows, columns)], np.zeros(rows.sum())])
                right = np.append(right[columns], 1.0)
                left = left[rows]
            else:
                left[i] -= 1
                rows, columns = left > 0, right > 0
                arcs, left, right = weights[np.ix_(rows, columns)], left[rows], right[columns]
            result[j if i is None else (i, j)] = cost - _total(left, right, arcs)
    return result


def _total(before: FloatArray, after: FloatArray, arcs: FloatArray) -> float:
    """Return the least cost between positive masses, infinite if some cannot be routed."""
    if not before.size or not after.size:
        return 0.0
    plan = _transport(before, after, arcs)
    if plan[np.isinf(arcs)].sum() > 1e-12 * before.sum():
        return math.inf
    return float(np.where(plan > 0, arcs, 0.0).ravel() @ plan.ravel())
