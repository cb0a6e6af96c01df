r"""What a published histogram gives an attacker about one person.

The gain of "she is at *j* now" is the attacker's probability of it after the release over that
before it. Three classes know *P* and the histogram :math:`\pi` before: *MK* nothing else, *OPK*
the place *i* where she was, *NPK* everybody's. Given :math:`\pi`, the names of the others add
nothing, so OPK and NPK have one table over the pairs *(i, j)*, and it is its maximum that counts.

*As printed*: probabilities replaced by :math:`N! \max`. The factorials cancel, and with
:math:`\tilde\pi = \pi P` as the pseudo-observation of the prior

.. math:: \mathrm{Gain}_{ij} = \exp\big( G_{ij}(x) - G_{ij}(\tilde\pi) \big), \qquad
          \mathrm{Gain}_j = \exp\big( \max_i G_{ij}(x) - \max_i G_{ij}(\tilde\pi) \big)

for OPK and NPK, and for MK, where a person too many is left unrouted at no cost. A saving is that
of a whole person (*person*: where a release has less than one, or the others cannot make the rest
of it, the guess is impossible and its gain 0; a prediction of less than one has no person to
compare with) or, since *C* is homogeneous, that of an infinitely small share of a person
(*infinitesimal*: positive masses suffice).

*Exact*: the true probabilities, with the natural priors :math:`P_{ij}` and
:math:`\tilde\pi_j / N`,

.. math:: \mathrm{Gain}_{ij} = \frac{E[a_{ij} \mid \pi, x]}{\pi_i P_{ij}}, \qquad
          \mathrm{Gain}_j = \frac{x_j}{\tilde\pi_j}.

The second is the mean of the first with weights :math:`\pi_i P_{ij} / \tilde\pi_j`, so MK never
gains more than NPK. *Bridge* puts the Schroedinger bridge for the expectation. From one source the
flow is forced, :math:`G_{ij} = w_{ij}` for every *x*, and the printed gain is 1 whatever is
published: from (2, 0) to (0, 2) with even chances it is 1 where the exact one is 2.

**Over a day.** :math:`(X^u_t, \pi(t))` is a Markov chain, so over several true histograms the gains
about a person's path multiply: `path_gain`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import Array, FloatArray, IntArray
from privlib.location import exact, flow
from privlib.location import validation as valid

# What users may call; the other public names serve the modules of this part.
__all__ = ["UndefinedGainError", "gain_table", "max_gain", "path_gain"]

Params = ParamSpec("Params")
Result = TypeVar("Result")

ADVERSARIES = ("NPK", "OPK", "MK")
DEFINITIONS = ("printed", "exact", "bridge")
UNITS = ("person", "infinitesimal")


_UNDEFINED = "the release has probability 0, so the gain is not defined"
_QUICK = 100_000  # states times people, for a second computation of the gain about a path
_SLACK = 1e-9  # of the logarithm of a probability: what rounding is forgiven
_ROUNDING = 4 * float(np.finfo(np.float64).eps)


class UndefinedGainError(ValueError):
    """The gain asked for divides by a probability that is 0 or not defined; a repair is named.

    Examples
    --------
    Nobody can leave her place, so that this histogram has probability 0.

    >>> max_gain([2, 0], [0, 2], transition=[[1.0, 0.0], [0.0, 1.0]])
    Traceback (most recent call last):
    privlib.location.gain.UndefinedGainError: ...
    """


def quoting_no_truth(function: Callable[Params, Result]) -> Callable[Params, Result]:
    """Return a function whose errors do not tell how many people of the truth cannot be routed."""

    @wraps(function)
    def quiet(*args: Params.args, **options: Params.kwargs) -> Result:
        try:
            return function(*args, **options)
        except (flow.InfeasibleError, UndefinedGainError) as error:
            source = error if isinstance(error, flow.InfeasibleError) else error.__cause__
            if not isinstance(source, flow.InfeasibleError):
                raise
        # Out of the handler, so that no traceback shows the first error either.
        raise UndefinedGainError(
            f"{function.__name__}: along possible transitions somebody cannot be routed from "
            "before to what would be published: the gain is not defined"
        )

    return quiet


def gain_table(
    before: npt.ArrayLike,
    published: npt.ArrayLike,
    *,
    transition: Any,
    adversary: str = "NPK",
    definition: str = "printed",
    unit: str = "person",
    certify: bool = True,
) -> Any:
    r"""Return the gain of every guess.

    Parameters
    ----------
    before : array_like, shape (L,)
        The histogram before: people, or real masses.
    published : array_like, shape (L,)
        The histogram *x* that the attacker sees, with the same total.
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
        Row-stochastic matrix.
    adversary : {"NPK", "OPK", "MK"}
        Class of the attacker; NPK and OPK have the same table.
    definition : {"printed", "exact", "bridge"}
        How the gain is defined: by equation (3) in place of all probabilities; by the true
        probabilities; by the large-*N* limit of these.
    unit : {"person", "infinitesimal"}
        What is taken away in the printed definition; the others have no use for it.
    certify : bool
        Check the table by another route before it is returned (see Notes). For the infinitesimal
        unit and a hundred states this may double the time.

    Returns
    -------
    ndarray, shape (L, L) or (L,) for MK, or scipy.sparse.csr_array
        Gains. ``nan`` where the guess has no prior (nobody at *i*, :math:`P_{ij} = 0`,
        :math:`\tilde\pi_j = 0`), 0 where the release excludes it. Fractions by the exact
        definition for a matrix of fractions and whole histograms. A sparse matrix for a sparse
        transition by the printed definition with the infinitesimal unit and OPK or NPK: the stored
        entries are the pairs with a prior. Everything else is dense.

    Raises
    ------
    ValueError
        The histograms differ in their totals, or somebody is in a state that no transition leaves.
    TypeError
        An argument does not hold numbers, or `certify` is neither True nor False.
    UndefinedGainError
        No movement joins the histograms, so the release has probability 0: by every definition
        and for every class. Printed definition: `before` or the prediction has a mass between 0
        and 1, and no person to take away. Exact definition for OPK and NPK: real masses.
    UncertifiedError
        The second computation does not confirm the table.

    Notes
    -----
    What is checked before the table is returned: printed definition, that the duals of every flow
    prove it to be a cheapest one, and the shortest ways by the equations of Bellman; the exact
    definition and the bridge, that the expected movements add up to both histograms; MK, the prior
    once more.

    The gain is that of an attacker who knows `transition` and `before` and takes `published` for
    the true histogram. It says nothing of one who knows how `published` was made (see
    `privlib.location.mechanism`) or sees several releases (see `path_gain`).

    References
    ----------
    Definition 3.2 and equations (1) and (3).

    Examples
    --------
    >>> P = [[0.5, 0.5], [0, 1]]
    >>> gain_table([2, 0], [0, 2], transition=P)
    array([[ 0.,  1.],
           [nan, nan]])
    >>> gain_table([2, 0], [0, 2], transition=P, definition="exact")
    array([[ 0.,  2.],
           [nan, nan]])
    """
    where = "gain_table"
    options = (adversary, definition, unit)
    return _gains(where, before, published, transition, options, certify=certify)


def _gains(
    where: str,
    before: Any,
    published: Any,
    transition: Any,
    options: tuple[str, str, str],
    *,
    certify: bool,
) -> Any:
    """Check the arguments, adversary, definition and unit last, and return the table."""
    adversary, definition, unit = options
    certify = checks.flag(where, "certify", certify)
    checks.choice(where, "adversary", adversary, ADVERSARIES)
    checks.choice(where, "definition", definition, DEFINITIONS)
    checks.choice(where, "unit", unit, UNITS)
    pi, x, P = valid.step(where, before, published, transition, whole=False, name="published")
    if adversary == "MK" and definition != "printed":
        require_movement(where, pi, x, P)
    table = table_function(where, pi, P, adversary, definition, unit, certify=certify)
    return table(x, certify=certify)


def table_function(
    where: str,
    pi: Array,
    P: Any,
    adversary: str,
    definition: str,
    unit: str,
    *,
    certify: bool = True,
) -> Callable[..., Any]:
    """Return the function from a checked release to its table.

    It takes `certify`, which only the printed definition can do without.
    """
    if definition == "printed":
        return _printed(where, pi, valid.floats(where, P), adversary, unit, certify=certify)
    if adversary == "MK":
        return partial(_shares, where, pi, P)
    return partial(_expected, where, pi, P, definition)


def require_movement(where: str, pi: Array, x: Array, P: Any) -> None:
    """Raise unless some movement joins the histograms."""
    if not sparse.issparse(P) and (P[pi > 0][:, x > 0] > 0).all():
        return
    try:
        flow.movement_between(where, pi, x, P)
    except flow.InfeasibleError as error:
        raise UndefinedGainError(f"{error}: {_UNDEFINED}") from error


def _shares(where: str, pi: Array, P: Any, x: Array, *, certify: bool = True) -> Array:
    """Return what class MK gains: everybody's mass over its prediction."""
    del certify  # it costs nothing
    prior = np.asarray(pi @ P)
    impossible = np.flatnonzero((x > 0) & (prior == 0))
    if impossible.size:
        raise UndefinedGainError(
            f"{where}: the release counts people in state {impossible[0]}, where no transition "
            f"from an occupied state leads: {_UNDEFINED}"
        )
    if prior.dtype == object:
        if x.dtype.kind == "i":
            return _ratio(x, prior, np.ones(x.shape, dtype=bool))
        prior = _safety.exact_floats(where, "transition", prior)
    gains = _ratio(x, prior, np.ones(x.shape, dtype=bool))
    # Once more, as a sum over arcs.
    arcs = sparse.coo_array(valid.floats(where, P)).multiply(pi[:, None])
    again = np.asarray(arcs.sum(axis=0)).ravel()
    occupied = x > 0
    _safety.certify(where, "the mass over its prediction", (x[occupied] / again[occupied]),
                    gains[occupied], slack=_ROUNDING * x.size)  # fmt: skip
    return gains


def _expected(
    where: str, pi: Array, P: Any, definition: str, x: Array, *, certify: bool = True
) -> Any:
    """Return the table of expected movements over their priors."""
    del certify  # `expected_movement` always does
    if definition == "exact" and not pi.dtype.kind == x.dtype.kind == "i":
        raise UndefinedGainError(
            f'{where}: definition="exact" needs whole histograms; use definition="bridge" '
            "for real masses"
        )
    try:
        mean = exact.expected_movement(pi, x, transition=P, method=definition)
    except flow.InfeasibleError as error:
        raise UndefinedGainError(
            f"{where}: published has probability 0 given before, {error.shortfall:.6g} people "
            "cannot be routed; publish a histogram that some movement reaches"
        ) from error
    P = valid.dense(P)
    # The share of her place first: the product of a small mass and a small probability may be 0.
    people = np.where(pi > 0, pi, 1)[:, None]
    with np.errstate(over="ignore"):
        return _ratio(mean / people, P, (pi[:, None] > 0) & (P > 0))


def max_gain(
    before: npt.ArrayLike,
    published: npt.ArrayLike,
    *,
    transition: Any,
    adversary: str = "NPK",
    definition: str = "printed",
    unit: str = "person",
    certify: bool = True,
) -> Any:
    r"""Return the largest gain of any guess, to be compared with :math:`e^\varepsilon`.

    Parameters
    ----------
    before : array_like, shape (L,)
        The histogram before: people, or real masses.
    published : array_like, shape (L,)
        The histogram *x* that the attacker sees, with the same total.
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
        Row-stochastic matrix.
    adversary : {"NPK", "OPK", "MK"}
        Class of the attacker; `gain_table` says what each attacker does.
    definition : {"printed", "exact", "bridge"}
        How the gain is defined, as for `gain_table`.
    unit : {"person", "infinitesimal"}
        What is taken away in the printed definition.
    certify : bool
        Check the table by another route before its largest entry is returned.

    Returns
    -------
    float
        The largest entry of the table (a ``Fraction`` where the table holds fractions).

    Raises
    ------
    ValueError, TypeError, UndefinedGainError, UncertifiedError
        Where `gain_table` raises them.

    Examples
    --------
    >>> from fractions import Fraction as F
    >>> P = [[F(1, 2), F(1, 4), F(1, 4)], [F(1, 4), F(1, 2), F(1, 4)], [F(1, 8), F(3, 8), F(1, 2)]]
    >>> max_gain([2, 2, 1], [1, 2, 2], transition=P, definition="exact")
    Fraction(392, 265)
    >>> max_gain([2, 2, 1], [1, 2, 2], transition=P)
    2.5184
    """
    where = "max_gain"
    options = (adversary, definition, unit)
    return largest_defined(
        where, _gains(where, before, published, transition, options, certify=certify)
    )


def path_gain(
    paths: npt.ArrayLike, histograms: npt.ArrayLike, *, transition: Any, definition: str = "exact"
) -> FloatArray:
    r"""Return the log gain about whole paths after each release of a day.

    Parameters
    ----------
    paths : array_like of int, shape (people, T + 1)
        States of the persons whose paths are guessed, at the times 0, …, T. The attacker knows
        the first one.
    histograms : array_like of int, shape (T + 1, L)
        The true histograms, all published.
    transition : array_like, shape (L, L)
        Row-stochastic.
    definition : {"exact", "bridge"}
        How expected movements are computed; see `exact.expected_movement`.

    Returns
    -------
    ndarray, shape (people, T)
        :math:`\log P(x \mid X_0, \pi(0), \dots, \pi(t))` less :math:`\log P(x \mid X_0)`, with
        :math:`x = X_1 \dots X_t`.

    Raises
    ------
    ValueError
        A path takes a transition of probability 0, or starts where the first histogram has
        nobody: the guess then has no prior.
    UndefinedGainError
        No movement joins two of the histograms.
    UncertifiedError
        A second computation gives another gain, or a posterior probability above 1.

    Notes
    -----
    Given :math:`\pi(t)`, the step after *t* depends on nothing before, so the posterior of a path
    is the product of :math:`E[a_{ij} \mid \pi(t), \pi(t+1)] / \pi_i(t)` along it, with the prior
    :math:`\prod P_{ij}`: the log gains of OPK add up. Later releases add nothing about the
    steps before *t*, given :math:`\pi(t)`. With published histograms in place of true ones there
    is no such chain. A path that a histogram excludes has the log gain minus infinity from then on.

    The expected movements are checked to add up to both histograms, no posterior probability
    exceeds 1, and for few people the largest gain is computed once more from the probabilities of
    all histograms with and without her.

    References
    ----------
    Section 3.2.2, over several releases.

    Examples
    --------
    >>> P = [[0.5, 0.5], [0.5, 0.5]]
    >>> np.exp(path_gain([[0, 1, 1]], [[2, 0], [0, 2], [1, 1]], transition=P))
    array([[2., 2.]])
    """
    where = "path_gain"
    checks.choice(where, "definition", definition, ("exact", "bridge"))
    P = valid.states_of(where, transition)[0]
    table = checks.integers(where, "histograms", histograms, low=0, ndim=2)
    steps = checks.integers(where, "paths", paths, low=0, high=P.shape[0] - 1, ndim=2)
    if len(table) < 2 or not len(steps) or steps.shape[1] != len(table):
        raise ValueError(
            f"{where}: paths must have shape (people, T + 1) and histograms (T + 1, states), "
            f"T >= 1, got {steps.shape} and {table.shape}"
        )
    nobody = np.flatnonzero(table[0, steps[:, 0]] == 0)
    if nobody.size:
        u = nobody[0]
        raise ValueError(
            f"{where}: path {u} starts in state {steps[u, 0]}, where the first histogram has nobody"
        )
    chances = P.toarray() if sparse.issparse(P) else P
    for t in range(len(table) - 1):
        for u in np.flatnonzero(chances[steps[:, t], steps[:, t + 1]] == 0):
            raise ValueError(
                f"{where}: the step of path {u} from {steps[u, t]} to {steps[u, t + 1]} at time "
                f"{t} has no prior probability"
            )
    log_gains = np.empty((len(steps), len(table) - 1))
    log_prior = np.empty(log_gains.shape)
    for t, (old, new) in enumerate(itertools.pairwise(table)):
        every_gain = gain_table(old, new, transition=P, definition=definition)
        gains = every_gain[steps[:, t], steps[:, t + 1]]
        # Where the histogram has nobody, the one before has excluded the path already.
        gains = np.where(old[steps[:, t]] > 0, gains, 0).astype(np.float64)
        with np.errstate(divide="ignore"):
            log_gains[:, t] = np.log(gains)
        log_prior[:, t] = [_log_chance(P[a, b]) for a, b in steps[:, t : t + 2]]
    result = np.cumsum(log_gains, axis=1)
    posterior = np.cumsum(log_gains + log_prior, axis=1)
    promise = "the logarithm of a posterior probability"
    rounding = _SLACK * (1 + float(np.abs(log_prior).sum(axis=1).max()))
    _safety.certify(where, promise, posterior, 0.0, unit=rounding)
    if definition == "exact":
        _certify_path(where, steps, table, P, result)
    return result


def largest_defined(where: str, table: Any) -> Any:
    """Return the largest entry of a table that is defined."""
    entries = table.data if sparse.issparse(table) else np.asarray(table).ravel()
    defined = [value for value in entries.tolist() if value == value]
    if not defined:
        raise UndefinedGainError(f"{where}: no guess has a prior: {_UNDEFINED}")
    return max(defined)


def _ratio(posterior: Array, prior: Array, defined: Array) -> Array:
    """Return posterior over prior, ``nan`` where there is no prior."""
    good = defined & (prior > 0)
    fractions = prior.dtype.kind == "O" and posterior.dtype.kind in "iO"
    dtype = object if fractions else np.float64
    result = np.full(prior.shape, np.nan, dtype=dtype)
    result[good] = posterior[good] / prior[good]
    return result


def predicted_masses(pi: Array, P: Any) -> FloatArray:
    """Return the prediction, for P in floats, with rounding errors of whole people removed.

    A mass below 1 stays what it is: rounded to 0, its state would be one that nobody can be in.
    """
    masses = np.asarray(pi @ P, dtype=np.float64)
    masses *= pi.sum() / masses.sum()  # rows may be off by 1e-9
    near = np.rint(masses)
    whole = (near >= 1) & (np.abs(masses - near) <= 1e-12 * near)
    return np.where(whole, near, masses)


def _printed(
    where: str, before: Array, P: Any, adversary: str, unit: str, *, certify: bool
) -> Callable[..., Any]:
    """Return the function from a release to the table of equations (1) and (3)."""
    least = 1.0 if unit == "person" else 0.0  # what there must be to take it away
    states = range(before.size)
    pseudo = valid.histogram(where, "prediction", predicted_masses(before, P), states, whole=False)
    if unit == "person":
        P = valid.dense(P)
    require_enough(where, least, before=before, prediction=pseudo)
    prior = _log_odds(where, pseudo, before, P, adversary, unit, certify=certify)
    scattered = adversary != "MK" and sparse.issparse(P)
    if scattered:
        arcs = P.tocoo()
        has_prior = (before[arcs.row] > 0) & (arcs.data > 0)
    elif adversary == "MK":
        has_prior = pseudo > 0
    else:
        has_prior = (before[:, None] > 0) & (P > 0)
    for at in np.argwhere(has_prior & ~np.isfinite(prior)):
        raise UndefinedGainError(
            f"{where}: taking a {unit} away from the prediction at {tuple(at.tolist())} "
            'leaves histograms that cannot be joined; use unit="infinitesimal"'
        )

    def table(x: Array, *, certify: bool = True) -> Any:
        after = _log_odds(where, x, before, P, adversary, unit, certify=certify)
        seen = (x > 0) & (x >= least)
        if scattered:
            seen = seen[arcs.col]
        # -inf - -inf where there is no prior; beyond floats the gain is infinite.
        with np.errstate(invalid="ignore", over="ignore"):
            gains = np.where(seen, np.exp(after - prior), 0.0)
        if not scattered:
            return np.where(has_prior, gains, np.nan)
        place = arcs.row[has_prior], arcs.col[has_prior]
        return sparse.csr_array((gains[has_prior], place), shape=P.shape)

    return table


def require_enough(where: str, least: float, **masses: Array) -> None:
    """Raise if a mass is positive but less than what is to be taken away."""
    for name, h in masses.items():
        for j in np.flatnonzero((h > 0) & (h < least)):
            raise UndefinedGainError(
                f"{where}: {name} has the mass {h[j]:.6g} in state {j}, less than "
                'one person to take away; use unit="infinitesimal"'
            )


def _log_odds(
    where: str, x: Array, before: Array, P: Any, adversary: str, unit: str, *, certify: bool
) -> Any:
    """Return G for OPK and NPK (at the stored arcs of a sparse P), its maximum over i for MK."""
    scattered = sparse.issparse(P) and adversary != "MK"
    try:
        if scattered:
            sparse_plan = flow.cheapest_sparse_plan(where, before, x, P, certify=certify)
            if sparse_plan is not None:
                _, savings = sparse_plan
                return savings
        best = flow.movement_between(where, before, x, P, certify=certify)
    except flow.InfeasibleError as error:
        raise UndefinedGainError(
            f"{error}: the printed gain is not defined; publish a histogram that can be reached, "
            "or mix in the prediction until every occupied state is fed"
        ) from error
    if unit == "person" and not (before.dtype.kind == x.dtype.kind == "i"):
        costs = flow.arc_costs(P)
        return _person_savings(where, x, before, costs, best.cost, adversary, certify=certify)
    table = flow.savings_table(best.counts, P, certify=certify)
    if scattered:
        return np.asarray(table[P.tocoo().coords]).ravel()
    if adversary != "MK":
        return table
    if sparse.issparse(table):
        arcs = table.tocoo()
        result = np.full(x.size, -np.inf)
        np.maximum.at(result, arcs.col, arcs.data)
        return result
    return np.max(np.where(np.isnan(table), -np.inf, table), axis=0)


def _person_savings(
    where: str,
    x: Array,
    before: Array,
    cost: FloatArray,
    total: float,
    adversary: str,
    *,
    certify: bool,
) -> FloatArray:
    """Return what one person less saves between real masses, by solving again for every guess."""
    sources: list[int | None] = [*np.flatnonzero(before >= 1).tolist()]
    if adversary == "MK":
        sources = [None]
    result = np.full((before.size, x.size), np.nan)
    for i in sources:
        for j in np.flatnonzero(x >= 1).tolist():
            try:
                others = flow.without_person(before, x, cost, i=i, j=j)
                rest = flow.least_cost(where, *others, certify=certify)[0]
            except flow.InfeasibleError:
                rest = np.inf
            result[i or 0, j] = total - rest
    return result[0] if adversary == "MK" else result


def _log_chance(probability: Any) -> float:
    """Return the logarithm of a probability, also of a fraction that floats do not hold."""
    if isinstance(probability, Fraction):
        return math.log(probability.numerator) - math.log(probability.denominator)
    return math.log(probability)


def _certify_path(where: str, steps: IntArray, table: IntArray, P: Any, result: FloatArray) -> None:
    """Compute the largest last gain anew, from probabilities with and without her, if quick."""
    people = int(table[0].sum())
    states = 0  # of the dynamic programme for the largest histogram
    for row in table[1:]:
        box = math.prod((row + 1).tolist()) // (int(row.max()) + 1)
        states = max(states, box)
    if states * people > _QUICK or not np.isfinite(result[:, -1]).any():
        return
    worst = int(np.argmax(result[:, -1]))
    again = 0.0
    for t, (old, new) in enumerate(itertools.pairwise(table)):
        here = steps[worst, t]
        there = steps[worst, t + 1]
        both = exact.transition_probability(old, new, transition=P, log=True)
        others = 0.0
        if people > 1:
            left = old.copy()
            right = new.copy()
            left[here] -= 1
            right[there] -= 1
            others = exact.transition_probability(left, right, transition=P, log=True)
        again += others - both
    rounding = _SLACK * (1 + abs(again))
    promise = "the logarithm of the largest gain"
    _safety.certify(where, promise, again, float(result[worst, -1]), unit=rounding)
