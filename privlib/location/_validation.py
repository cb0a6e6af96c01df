r"""Checks of what all of `privlib.location` asks for: a transition matrix and histograms.

States are those of the transition matrix: the labels of a DataFrame, the nodes of a networkx graph
(whose weights are probabilities), else 0, 1, …. A histogram counts people by state: integers, or
real masses where a function says that it takes them. One with labels (a Series such as
``value_counts()`` makes, a Counter, a dict) is put into the order of the states; a state that it
does not mention counts nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks

SMALLEST = 1e-12  # share of the total that one state may hold


def states_of(where: str, transition: Any) -> tuple[Any, Sequence[Any]]:
    """Return a checked transition (see `checks.stochastic`) and the labels of its states."""
    P = checks.stochastic(where, "transition", transition)
    if hasattr(transition, "columns"):
        labels = list(transition.index)
        if labels != list(transition.columns):
            raise ValueError(
                f"{where}: transition must have the same labels on rows and columns, in one "
                f"order, got {labels} and {list(transition.columns)}"
            )
        return P, labels
    return P, list(getattr(transition, "nodes", range(P.shape[0])))


def dense(P: Any) -> npt.NDArray[Any]:
    """Return a checked transition as an array, of fractions if it holds them."""
    return np.asarray(P.toarray() if hasattr(P, "tocsr") else P)


def floats(P: Any) -> Any:
    """Return a checked transition as ``float64``; a sparse one stays sparse."""
    return P if hasattr(P, "tocsr") else np.asarray(P, dtype=np.float64)


def histogram(
    where: str, name: str, value: Any, labels: Sequence[Any], *, whole: bool = True
) -> npt.NDArray[Any]:
    """Return ``int64`` counts over the states `labels`; real masses too, if not `whole`."""
    if hasattr(value, "keys"):
        unknown = [key for key in dict.fromkeys(value.keys()) if key not in labels]
        if unknown:
            raise ValueError(
                f"{where}: {name} must have the states of transition as labels, got {unknown[0]!r};"
                " pass the transition as a DataFrame or a networkx graph with these labels"
            )
        value = [value.get(label, 0) for label in labels]
    masses = checks.reals(where, name, value, "at least 0", lambda x: x >= 0, shape=(len(labels),))
    integral = masses == np.rint(masses)
    checks.refuse(where, name, masses, "below 2**53: larger floats skip people", masses < 2**53)
    if integral.all():
        return masses.astype(np.int64)
    if whole:
        checks.refuse(where, name, masses, "a histogram of whole counts", integral)
    rule = f"0 or at least {SMALLEST:g} of the total: less cannot be told from a rounding error"
    checks.refuse(where, name, masses, rule, (masses == 0) | (masses >= SMALLEST * masses.sum()))
    return masses


def same_total(where: str, before: Any, after: Any, name: str = "after") -> None:
    """Raise unless both histograms count the same, positive, number of people."""
    total, other = before.sum(), after.sum()
    whole = before.dtype.kind == after.dtype.kind == "i"
    if abs(total - other) > (0 if whole else checks.SUM_TOLERANCE * max(1, total)):
        raise ValueError(
            f"{where}: before and {name} must have the same total, got {total} and {other}"
        )
    if total <= 0:
        raise ValueError(f"{where}: before must count somebody, got {total}")


def level(where: str, epsilon: Any, most: float = 700) -> float:
    """Return a level whose exponential a float holds, or that a solver takes."""
    eps = checks.non_negative(where, "epsilon", epsilon)
    return checks.bounded(where, "epsilon", eps, f"be at most {most}", lambda e: e <= most)


def step(
    where: str, before: Any, after: Any, transition: Any, *, whole: bool = True, name: str = "after"
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], Any]:
    """Return the checked histogram before, that after, and transition."""
    P, labels = states_of(where, transition)
    first = histogram(where, "before", before, labels, whole=whole)
    second = histogram(where, name, after, labels, whole=whole)
    same_total(where, first, second, name)
    return first, second, P
