r"""Checks of what all of `privlib.location` asks for: a transition matrix and histograms.

States are 0, 1, … in the order of the transition matrix: of the rows of an array or DataFrame, or
of the nodes of a networkx graph (whose weights are probabilities). A histogram counts people by
state, in that order: integers, or real masses where a function says that it takes them. Labels are
never matched: what has labels of its own (a Series that ``value_counts()`` makes, a Counter, a
dict) is refused with the line that puts it into order.
"""

from __future__ import annotations

import datetime as dt
import itertools
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib import _safety

# What other folders of the package may use; the rest is for this part.
__all__ = ["states_of"]

SMALLEST = 1e-12  # share of the total that one state may hold
PRIVATE = ("true", "candidate")  # what a release protects, and what is made of it on the way
NORMAL = float(np.finfo(np.float64).tiny)
LARGEST_DENSE = 200_000_000  # entries of a dense matrix: 1.6 GB


def states_of(where: str, transition: Any) -> tuple[Any, Sequence[int]]:
    """Return a checked transition and the numbers of its states.

    Parameters
    ----------
    where : str
        Name of the public function, for the messages.
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
        Row-stochastic matrix. A sparse one may have empty rows; floats are 0 or at least 2.2e-308.

    Returns
    -------
    P : ndarray or scipy.sparse array, shape (L, L)
        What `checks.stochastic` makes of it: floats, or fractions if all entries are rational.
    states : range
        The numbers ``0..L-1``.

    Raises
    ------
    ValueError
        The matrix is not square or not row-stochastic, or a float is too small.
    TypeError
        Its entries are no numbers.

    Examples
    --------
    >>> P, states = states_of("prediction", [[0.5, 0.5], [0.0, 1.0]])
    >>> P.shape, states
    ((2, 2), range(0, 2))
    """
    P = checks.stochastic(where, "transition", transition)
    entries = P.data if hasattr(P, "tocsr") else P
    if entries.dtype != object:
        rule = f"0 or at least {NORMAL:.3g}: smaller floats lose their digits"
        checks.refuse(where, "transition", entries, rule, (entries == 0) | (entries >= NORMAL))
    return P, range(P.shape[0])


def dense(P: Any) -> npt.NDArray[Any]:
    """Return a checked transition as an array, of fractions if it holds them."""
    if not hasattr(P, "tocsr"):
        return np.asarray(P)
    size = int(P.shape[0]) * int(P.shape[1])
    _safety.limit("location", "entries of a transition as a dense array", size, LARGEST_DENSE)
    return np.asarray(P.toarray())


def floats(where: str, P: Any) -> Any:
    """Return a checked transition as ``float64``; a sparse one stays sparse.

    A fraction whose float would be 0 is refused: its transition would become impossible.
    """
    if hasattr(P, "tocsr"):
        return P
    return _safety.exact_floats(where, "transition", np.asarray(P))


def histogram(
    where: str, name: str, value: Any, states: Sequence[Any], *, whole: bool = True
) -> npt.NDArray[Any]:
    """Return ``int64`` counts over the `states`; real masses too, if not `whole`."""
    if hasattr(value, "keys") and not checks.is_pandas(value):
        raise TypeError(
            f"{where}: {name} is read by position, got a {type(value).__name__} with labels; pass "
            f"[{name}.get(state, 0) for state in states] in the order of the transition matrix"
        )
    masses = _masses(where, name, value, len(states))
    integral = masses == np.rint(masses)
    _refuse(where, name, masses, "below 2**53: larger floats skip people", masses < 2**53)
    if integral.all():
        return masses.astype(np.int64)
    if whole:
        _refuse(where, name, masses, "a histogram of whole counts", integral)
    rule = f"0 or at least {SMALLEST:g} of the total: less cannot be told from a rounding error"
    _refuse(where, name, masses, rule, (masses == 0) | (masses >= SMALLEST * masses.sum()))
    return masses


def _masses(where: str, name: str, value: Any, size: int) -> npt.NDArray[Any]:
    """Return numbers that are not negative; an error about what is private quotes none of it."""
    try:
        return checks.reals(where, name, value, "at least 0", lambda x: x >= 0, shape=(size,))
    except (TypeError, ValueError) as error:
        if name not in PRIVATE:
            raise
        kind = type(error)
        # Neither numbers nor labels: those that `value_counts` makes stand in the true ranking.
        rule, _, ending = str(error).partition(", got ")
        remedy = ending.rpartition("; pass ")[2] if "; pass " in ending else ""
    # Out of the handler, so that no traceback shows the first error either.
    if remedy:
        raise kind(f"{rule}; pass {remedy}")
    raise kind(rule)


def in_time(where: str, name: str, value: Any) -> None:
    """Refuse people's sequences whose times are labelled by numbers that do not ascend.

    Times are the columns of a table, or the labels of every Series in a list.
    """
    rows = value if isinstance(value, (list, tuple)) else []
    axes = [row.index for row in rows if checks.is_pandas(row)]
    if checks.is_pandas(value) and hasattr(value, "columns"):
        axes.append(value.columns)
    for axis in axes:
        labels = list(axis)
        ordered = all(isinstance(label, (numbers.Real, dt.date)) for label in labels)
        if ordered and any(late <= early for early, late in itertools.pairwise(labels)):
            raise ValueError(
                f"{where}: {name} must have its times in ascending order, from left to right; "
                "sort them by their labels: table.sort_index(axis=1)"
            )


def _refuse(
    where: str,
    name: str,
    masses: npt.NDArray[Any],
    rule: str,
    good: npt.NDArray[np.bool_],
) -> None:
    """Raise if a mass is not good; of a truth that is to be protected the message has no number."""
    if name not in PRIVATE:
        checks.refuse(where, name, masses, rule, good)
    bad = np.flatnonzero(~good)
    if bad.size:
        raise ValueError(f"{where}: {name} must be {rule}; in state {bad[0]} it is not")


def exits(where: str, before: npt.NDArray[Any], P: Any) -> None:
    """Refuse people in a state that no transition leaves (an empty row of a sparse matrix)."""
    if not hasattr(P, "tocsr"):
        return
    stuck = np.flatnonzero((before > 0) & (np.diff(P.tocsr().indptr) == 0))
    if stuck.size:
        raise ValueError(
            f"{where}: before counts people in state {stuck[0]}, but transition has no "
            "probability in that row: nobody was seen to leave it; give the row its probabilities"
        )


def same_total(where: str, before: Any, after: Any, name: str = "after") -> None:
    """Raise unless both histograms count the same, positive, number of people."""
    total = before.sum()
    other = after.sum()
    whole = before.dtype.kind == after.dtype.kind == "i"
    tolerance = 0 if whole else checks.SUM_TOLERANCE * max(1, total)
    if abs(total - other) > tolerance:
        numbers = "" if name in PRIVATE else f", got {total} and {other}"
        raise ValueError(f"{where}: before and {name} must have the same total{numbers}")
    if total <= 0:
        raise ValueError(f"{where}: before must count somebody, got {total}")


def level(where: str, epsilon: Any, most: float = 700) -> float:
    """Return a level whose exponential a float holds, or that a solver takes."""
    eps = checks.non_negative(where, "epsilon", epsilon)
    return checks.bounded(where, "epsilon", eps, f"be at most {most}", lambda e: e <= most)


def privacy_level(where: str, epsilon: Any, most: float = 700) -> float:
    """Return a level as `level` does, or infinity: no privacy is asked for."""
    if isinstance(epsilon, (float, np.floating)) and epsilon == np.inf:
        return float("inf")
    return level(where, epsilon, most)


def step(
    where: str, before: Any, after: Any, transition: Any, *, whole: bool = True, name: str = "after"
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], Any]:
    """Return the checked histogram before, that after, and transition."""
    P, states = states_of(where, transition)
    first = histogram(where, "before", before, states, whole=whole)
    second = histogram(where, name, after, states, whole=whole)
    same_total(where, first, second, name)
    exits(where, first, P)
    return first, second, P


def step_size(where: str, step: Any) -> float:
    """Return the step of Algorithm 1, a weight between 0 and 1."""
    size = checks.real(where, "step", step)
    checks.bounded(where, "step", size, "be in (0, 1)", lambda s: 0 < s < 1)
    # Of a smaller one, floats do not hold how many there are.
    rule = f"be at least {NORMAL:.3g}"
    return checks.bounded(where, "step", size, rule, lambda s: s >= NORMAL)
