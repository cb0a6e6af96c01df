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
of a whole person (*person*: where a release has less than one, or the others cannot make the rest
of it, the guess is impossible and its gain 0; a prediction of less than one has no person to
compare with) or, since *C* is homogeneous, that of an infinitely small share of a person
(*infinitesimal*: positive masses suffice).

*Exact* law: with the natural priors :math:`P_{ij}` and :math:`\tilde\pi_j / N`,

.. math:: \mathrm{Gain}_{ij} = \frac{E[a_{ij} \mid \pi, x]}{\pi_i P_{ij}}, \qquad
          \mathrm{Gain}_j = \frac{x_j}{\tilde\pi_j}.

The second is the mean of the first with weights :math:`\pi_i P_{ij} / \tilde\pi_j`, so MK never
gains more than NPK. *Bridge* puts the Schroedinger bridge for the expectation. From one source the
flow is forced, :math:`G_{ij} = w_{ij}` for every *x*, and the printed gain is 1 whatever is
published: from (2, 0) to (0, 2) with even chances it is 1 where the exact one is 2.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from privlib import _checks as checks
from privlib._checks import Array, FloatArray
from privlib.location import _validation as valid
from privlib.location import exact, flow

ADVERSARIES = ("NPK", "OPK", "MK")
LAWS = ("printed", "exact", "bridge")
UNITS = ("person", "infinitesimal")
_WHERE = "gain_table"


class UndefinedGainError(ValueError):
    """The gain asked for divides by a probability that is 0 or not defined; a repair is named."""


def gain_table(
    before: npt.ArrayLike,
    published: npt.ArrayLike,
    *,
    transition: Any,
    adversary: str = "NPK",
    law: str = "printed",
    unit: str = "person",
) -> Any:
    r"""Return the gain of every guess.

    Parameters
    ----------
    before : array_like or Series, shape (L,)
        The histogram before: people, or real masses.
    published : array_like or Series, shape (L,)
        The histogram *x* that the attacker sees, with the same total.
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
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
        Gains, with the labels of a DataFrame of transitions. ``nan`` where the guess has no prior
        (nobody at *i*, :math:`P_{ij} = 0`, :math:`\tilde\pi_j = 0`), 0 where the release excludes
        it. Fractions under the exact law for a matrix of fractions and whole histograms. For a
        sparse transition under the printed law and OPK or NPK, a sparse matrix: the stored
        entries are the pairs with a prior.

    Raises
    ------
    UndefinedGainError
        Printed law: `before` or the prediction has a mass between 0 and 1, and no person to take
        away, or the histograms cannot be joined. Exact law: real masses, or a release of
        probability 0.

    References
    ----------
    Definition 3.2 and equations (1) and (3).

    Examples
    --------
    >>> P = [[0.5, 0.5], [0, 1]]
    >>> gain_table([2, 0], [0, 2], transition=P)
    array([[ 0.,  1.],
           [nan, nan]])
    >>> gain_table([2, 0], [0, 2], transition=P, law="exact")
    array([[ 0.,  2.],
           [nan, nan]])
    """
    checks.choice(_WHERE, "adversary", adversary, ADVERSARIES)
    checks.choice(_WHERE, "law", law, LAWS)
    checks.choice(_WHERE, "unit", unit, UNITS)
    pi, x, P = valid.step(_WHERE, before, published, transition, whole=False, name="published")
    return checks.labelled(_table(pi, P, adversary, law, unit)(x), transition)


def _table(pi: Array, P: Any, adversary: str, law: str, unit: str) -> Callable[[Array], Any]:
    """Return the function from a checked release to its table."""
    if law == "printed":
        return _printed(pi, valid.floats(P), adversary, unit)
    if adversary == "MK":
        return lambda x: _ratio(x, pi @ P, np.ones(x.shape, dtype=bool))
    return partial(_expected, pi, P, law)


def _expected(pi: Array, P: Any, law: str, x: Array) -> Any:
    """Return the table of expected movements over their priors."""
    if law == "exact" and not pi.dtype.kind == x.dtype.kind == "i":
        raise UndefinedGainError(
            f'{_WHERE}: law="exact" needs whole histograms; use law="bridge" for real masses'
        )
    try:
        mean = exact.expected_movement(pi, x, transition=P, method=law)
    except flow.InfeasibleError as error:
        raise UndefinedGainError(
            f"{_WHERE}: published has probability 0 given before, {error.shortfall:.6g} people "
            "cannot be routed; publish a histogram that some movement reaches"
        ) from error
    P = valid.dense(P)
    return _ratio(mean, pi[:, None] * P, P > 0)


def max_gain(
    before: npt.ArrayLike,
    published: npt.ArrayLike,
    *,
    transition: Any,
    adversary: str = "NPK",
    law: str = "printed",
    unit: str = "person",
) -> Any:
    r"""Return the largest gain of any guess, to be compared with :math:`e^\varepsilon`.

    Parameters
    ----------
    before, published, transition, adversary, law, unit
        Those of `gain_table`, whose errors it raises too.

    Returns
    -------
    float
        The largest entry of the table (a ``Fraction`` where the table holds fractions).

    Examples
    --------
    >>> from fractions import Fraction as F
    >>> P = [[F(1, 2), F(1, 4), F(1, 4)], [F(1, 4), F(1, 2), F(1, 4)], [F(1, 8), F(3, 8), F(1, 2)]]
    >>> max_gain([2, 2, 1], [1, 2, 2], transition=P, law="exact")
    Fraction(392, 265)
    >>> max_gain([2, 2, 1], [1, 2, 2], transition=P)
    2.5184
    """
    options = {"adversary": adversary, "law": law, "unit": unit}
    return _largest(gain_table(before, published, transition=transition, **options))


def _largest(table: Any) -> Any:
    """Return the largest entry of a table that is defined."""
    entries = table.data if sparse.issparse(table) else np.asarray(table).ravel()
    return max(value for value in entries.tolist() if value == value)


def _ratio(posterior: Array, prior: Array, defined: Array) -> Array:
    """Return posterior over prior, ``nan`` where there is no prior."""
    good = defined & (prior > 0)
    whole = prior.dtype.kind == "O" and posterior.dtype.kind in "iO"
    result = np.full(prior.shape, np.nan, dtype=object if whole else np.float64)
    result[good] = posterior[good] / prior[good]
    return result


def _predicted(pi: Array, P: Any) -> FloatArray:
    """Return the prediction with rounding errors of whole numbers removed."""
    masses = np.asarray(pi @ valid.floats(P), dtype=np.float64)
    masses *= pi.sum() / masses.sum()  # rows may be off by 1e-9
    near = np.rint(masses)
    return np.where(np.abs(masses - near) <= 1e-12 * np.maximum(1, near), near, masses)


def _printed(before: Array, P: Any, adversary: str, unit: str) -> Callable[[Array], Any]:
    """Return the function from a release to the table of equations (1) and (3)."""
    least = 1.0 if unit == "person" else 0.0  # what there must be to take it away
    labels = range(before.size)
    pseudo = valid.histogram(_WHERE, "prediction", _predicted(before, P), labels, whole=False)
    P = valid.dense(P) if unit == "person" else P
    _enough(least, before=before, prediction=pseudo)
    prior = _log_odds(pseudo, before, P, adversary, unit)
    scattered = adversary != "MK" and sparse.issparse(P)
    if scattered:
        arcs = P.tocoo()
        has_prior = (before[arcs.row] > 0) & (arcs.data > 0)
    else:
        has_prior = pseudo > 0 if adversary == "MK" else (before[:, None] > 0) & (P > 0)
    for at in np.argwhere(has_prior & ~np.isfinite(prior)):
        raise UndefinedGainError(
            f"{_WHERE}: taking a {unit} away from the prediction at {tuple(at.tolist())} "
            'leaves histograms that cannot be joined; use unit="infinitesimal"'
        )

    def table(x: Array) -> Any:
        after, seen = _log_odds(x, before, P, adversary, unit), (x > 0) & (x >= least)
        with np.errstate(invalid="ignore"):  # -inf - -inf, where there is no prior
            gains = np.where(seen[arcs.col] if scattered else seen, np.exp(after - prior), 0.0)
        if not scattered:
            return np.where(has_prior, gains, np.nan)
        place = arcs.row[has_prior], arcs.col[has_prior]
        return sparse.csr_array((gains[has_prior], place), shape=P.shape)

    return table


def _enough(least: float, **masses: Array) -> None:
    """Raise if a mass is positive but less than what is to be taken away."""
    for name, h in masses.items():
        for j in np.flatnonzero((h > 0) & (h < least)):
            raise UndefinedGainError(
                f"{_WHERE}: {name} has the mass {h[j]:.6g} in state {j}, less than "
                'one person to take away; use unit="infinitesimal"'
            )


def _log_odds(x: Array, before: Array, P: Any, adversary: str, unit: str) -> Any:
    """Return G for OPK and NPK (at the stored arcs of a sparse P), its maximum over i for MK."""
    scattered = sparse.issparse(P) and adversary != "MK"
    try:
        found = flow._sparse_plan(_WHERE, before, x, P) if scattered else None
        if found is not None:
            return found[1]
        best = flow._movement(_WHERE, before, x, P)
    except flow.InfeasibleError as error:
        raise UndefinedGainError(
            f"{error}: the printed gain is not defined; publish a histogram that can be reached, "
            "or mix in the prediction until every occupied state is fed"
        ) from error
    if unit == "person" and not (before.dtype.kind == x.dtype.kind == "i"):
        return _person_savings(x, before, flow._costs(P), best.cost, adversary)
    table = flow._savings(best.counts, P)
    if adversary != "MK":
        return np.asarray(table[P.tocoo().coords]).ravel() if scattered else table
    if sparse.issparse(table):
        arcs = table.tocoo()
        result = np.full(x.size, -np.inf)
        np.maximum.at(result, arcs.col, arcs.data)
        return result
    return np.max(np.where(np.isnan(table), -np.inf, table), axis=0)


def _person_savings(
    x: Array, before: Array, cost: FloatArray, total: float, adversary: str
) -> FloatArray:
    """Return what one person less saves between real masses, by solving again for every guess."""
    sources: list[int | None] = [*np.flatnonzero(before >= 1).tolist()]
    if adversary == "MK":
        sources = [None]
    result = np.full((before.size, x.size), np.nan)
    for i in sources:
        for j in np.flatnonzero(x >= 1).tolist():
            try:
                rest = flow._least_cost(_WHERE, *flow._without(before, x, cost, i=i, j=j))[0]
            except flow.InfeasibleError:
                rest = np.inf
            result[i or 0, j] = total - rest
    return result[0] if adversary == "MK" else result
