"""What the functions of `privlib.disclosure` take: sizes, levels, labelled matrices, codes.

A transition matrix may carry labels of its true and of its shown categories: the index and the
columns of a pandas DataFrame, the nodes of a networkx graph. Tables and releases are then written
in these labels; without them, in codes from 0, or as a categorical Series of pandas.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from privlib import _checks as checks
from privlib._checks import Array


def sizes(where: str, n: Any, n_sampled: Any) -> tuple[int, int]:
    """Return the numbers of records and of sampled ones; all are, if `n_sampled` is ``None``."""
    records = checks.integer(where, "n", n, low=1)
    sample = records if n_sampled is None else n_sampled
    return records, checks.integer(where, "n_sampled", sample, low=1, high=records)


def level(where: str, k: Any) -> checks.Number:
    """Return a level *k* of at least 1."""
    number = checks.rational(where, "k", k)
    return checks.bounded(where, "k", number, "be at least 1", lambda x: x >= 1)


def sampling_rate(where: str, p: Any) -> checks.Number:
    """Return a probability that is not 0."""
    rate = checks.rational(where, "p", p)
    return checks.bounded(where, "p", rate, "be in (0, 1]", lambda x: 0 < x <= 1)


def matrix(where: str, transition: Any, table: Any = None) -> tuple[Array, Any, Any]:
    """Return a dense row-stochastic matrix, and the labels of its rows and columns or ``None``.

    The categories of a categorical `table` label both axes of a square matrix without labels.
    """
    rows = columns = getattr(transition, "nodes", None)
    if checks.is_pandas(transition):
        rows, columns = transition.index, transition.columns
    weights = checks.weights_of(transition)
    dense = weights.toarray() if hasattr(weights, "toarray") else weights
    A = checks.stochastic(where, "transition", dense, any_shape=True)
    if rows is None and A.shape[0] == A.shape[1]:
        rows = columns = categories_of(table)  # one order of categories for both
    return A, rows, columns


def by_labels(where: str, name: str, values: Any, labels: Any) -> Any:
    """Return what has labels in the order of `labels`, 0 where it has none; others as they are."""
    if labels is not None and isinstance(values, Mapping):
        there, named = set(labels), np.fromiter(values, dtype=object, count=len(values))
        known = np.array([label in there or not values[label] for label in named], dtype=bool)
        checks.refuse(where, name, named, "labelled by categories", known)
        _distinct(where, labels, len(labels), len(there))
        values = [values.get(label, 0) for label in labels]
    if labels is not None and checks.is_pandas(values) and values.ndim == 1:
        known = (values.index.isin(labels) | (values.to_numpy() == 0)) & ~values.index.duplicated()
        checks.refuse(where, name, np.asarray(values.index), "labelled by categories, once", known)
        values = values.reindex(labels, fill_value=0)
        _distinct(where, labels, len(labels), values.index.nunique(dropna=False))
    return values


def _distinct(where: str, labels: Any, size: int, different: int) -> None:
    """Refuse labels that are not `size` ones, all `different`."""
    if len(labels) != size or different != size:
        raise ValueError(f"{where}: categories must be {size} distinct labels, got {list(labels)}")


def categories_of(values: Any) -> Any:
    """Return the categories of a categorical Series, else ``None``."""
    return values.cat.categories if getattr(values, "dtype", None) == "category" else None


def codes(where: str, name: str, values: Any, size: int, *, labels: Any = None) -> checks.IntArray:
    """Return a non-empty vector of codes ``0..size-1``: `values`, or their places in `labels`."""
    array = np.asarray(values)
    if array.ndim != 1 or not array.size:
        raise ValueError(f"{where}: {name} must be a non-empty vector, got shape {array.shape}")
    labels = categories_of(values) if labels is None else labels
    if labels is None:
        if array.dtype.kind not in "iu":
            others = "(or labels, of a transition that has labels or of a categorical Series)"
            raise TypeError(f"{where}: {name} must hold integer codes {others}, got {values!r}")
        return checks.integers(where, name, array, low=0, high=size - 1)
    place = {label: code for code, label in enumerate(np.asarray(labels).tolist())}
    _distinct(where, labels, size, len(place))
    found = np.array([place.get(value, -1) for value in array.tolist()])
    checks.refuse(where, name, array, "among the categories", found >= 0)
    return found
