"""What the functions of `privlib.disclosure` take: sizes, levels, labelled matrices, codes.

A transition matrix may carry labels of its true and of its shown categories: the index and the
columns of a pandas DataFrame, the nodes of a networkx graph. Tables and releases are then written
in these labels; without them, in codes from 0, or as a categorical Series of pandas. Results that
have one number for each category are arrays in the order of the matrix; so are counts and shares.

No message quotes a value of a table: a message is an output, too.
"""

from __future__ import annotations

import decimal
import itertools
import math
import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import Array

# What other folders of the package may use; the rest is for this part.
__all__ = ["by_position", "epsilon", "matrix", "sizes"]


def sizes(where: str, n: Any, n_sampled: Any, *, required: bool = False) -> tuple[int, int]:
    """Return the numbers of records and of sampled ones; all are, if `n_sampled` is ``None``.

    Where the size is `required`, nobody may have all records sampled by a ``None`` that slipped in.

    Parameters
    ----------
    where : str
        Name of the public function, for the messages.
    n : int
        Number of records, at least 1.
    n_sampled : int or None
        Number of sampled ones, in ``1..n``.
    required : bool, optional
        Whether ``None`` is refused.

    Returns
    -------
    tuple of int and int
        Both numbers.

    Raises
    ------
    ValueError
        A number is out of its range.
    TypeError
        A number is no integer, or the required one is ``None``.

    Examples
    --------
    >>> sizes("pk_level", 100, 10), sizes("pk_level", 100, None)
    ((100, 10), (100, 100))
    """
    records = checks.integer(where, "n", n, low=1)
    if required and n_sampled is None:
        raise TypeError(
            f"{where}: n_sampled must be an integer, got None; pass n_sampled=len(records) if all "
            "are meant"
        )
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


def epsilon(where: str, value: Any) -> float:
    """Return an epsilon that is not negative, perhaps infinite: no privacy is asked for.

    Parameters
    ----------
    where : str
        Name of the public function, for the messages.
    value : float
        The number, at least 0; ``math.inf`` is allowed.

    Returns
    -------
    float
        The number.

    Raises
    ------
    ValueError
        It is negative or NaN.
    TypeError
        It is no real number.

    Examples
    --------
    >>> epsilon("local_dp_pk_level", 2), epsilon("local_dp_pk_level", math.inf)
    (2.0, inf)
    """
    if isinstance(value, (float, np.floating)) and value == np.inf:
        return math.inf
    return checks.non_negative(where, "epsilon", value)


# --- matrices ----------------------------------------------------------------------------------


def matrix(where: str, transition: Any, table: Any = None) -> tuple[Array, Any, Any]:
    """Return a dense row-stochastic matrix, and the labels of its rows and columns or ``None``.

    The categories of a categorical `table` label both axes of a square matrix without labels.

    Parameters
    ----------
    where : str
        Name of the public function, for the messages.
    transition : array_like, DataFrame, sparse matrix or Graph, shape (N, M)
        Row-stochastic matrix; rows of floats sum to 1 within 1e-9.
    table : array_like or Series, optional
        The table whose categories label it, if they are categorical.

    Returns
    -------
    A : ndarray, shape (N, M)
        Floats, or fractions (dtype object) if all entries are rational.
    rows, columns : sequence of labels, or None
        Labels of both axes.

    Raises
    ------
    ValueError
        The matrix is not row-stochastic, or its labels are not in one order.
    TypeError
        It is no matrix of numbers.

    Examples
    --------
    >>> A, rows, columns = matrix("publish", [[1, 0], [0, 1]])
    >>> A.tolist(), rows is None
    ([[Fraction(1, 1), Fraction(0, 1)], [Fraction(0, 1), Fraction(1, 1)]], True)
    """
    rows = columns = None
    if checks.is_pandas(transition):
        if not hasattr(transition, "columns"):
            kind = type(transition).__name__
            raise TypeError(f"{where}: transition must be a matrix, got a {kind}")
        rows = transition.index
        columns = transition.columns
        _one_order(where, list(rows), list(columns))
        transition = transition.to_numpy()
    elif hasattr(transition, "nodes") and hasattr(transition, "edges"):
        _safety.square_labels(where, "transition", transition)
        rows = columns = transition.nodes
    weights = checks.weights_of(where, "transition", transition)
    dense = weights.toarray() if hasattr(weights, "toarray") else weights
    A = checks.stochastic(where, "transition", dense, any_shape=True)
    if rows is None and A.shape[0] == A.shape[1]:
        rows = columns = categories_of(table)  # one order of categories for both
        if rows is not None:
            _in_order(where, "the categories of the table", list(rows), "an ordering of your own")
    return A, rows, columns


def _one_order(where: str, rows: list[Any], columns: list[Any]) -> None:
    """Refuse labels of a table whose results by position would be read by label."""
    if rows != columns and len(rows) == len(columns) and set(rows) == set(columns):
        raise ValueError(
            f"{where}: transition has the same labels on both axes, so they must be in the same "
            f"order, got {_few(rows)} and {_few(columns)}; pass transition[transition.index]"
        )
    remedy = "transition.sort_index().sort_index(axis=1)"
    _in_order(where, "the index of transition", rows, remedy)
    _in_order(where, "the columns of transition", columns, remedy)


def _in_order(where: str, what: str, labels: list[Any], remedy: str) -> None:
    """Refuse the labels 0 to n - 1 in another order: codes and labels would be confused."""
    numeric = all(isinstance(label, (numbers.Real, np.bool_)) for label in labels)
    in_order = list(range(len(labels)))
    if numeric and labels != in_order and sorted(labels) == in_order:
        raise ValueError(
            f"{where}: {what}, the numbers 0 to {len(labels) - 1}, must be in order, for results "
            f"go by position, got {_few(labels)}; pass {remedy}"
        )


def _few(labels: list[Any]) -> str:
    """Return the first labels as text."""
    shown = [repr(label) for label in labels[:4]]
    if len(labels) > 4:
        shown.append("...")
    return f"[{', '.join(shown)}]"


def floats(where: str, A: Array) -> checks.FloatArray:
    """Return a matrix in floats, unless an entry would become 0."""
    return _safety.exact_floats(where, "transition", A)


# --- one number a category ---------------------------------------------------------------------


def by_position(where: str, name: str, values: Any, labels: Any) -> Any:
    """Return counts or shares in the order of the matrix.

    A Series must have its positions as index. A mapping has none: it goes by `labels`, and what
    it does not have counts 0.

    Parameters
    ----------
    where : str
        Name of the public function, for the messages.
    name : str
        Name of the argument, for the messages.
    values : array_like, Series or mapping
        One number for each category; a mapping goes from labels to numbers.
    labels : sequence or None
        Labels of the categories in the order of the matrix.

    Returns
    -------
    array_like
        The numbers in the order of the matrix; all but mappings as they were given.

    Raises
    ------
    ValueError
        A Series has another index than its positions, or a mapping has a number for something that
        is no category.
    TypeError
        A mapping is given and the matrix has no labels.

    Examples
    --------
    >>> by_position("share_variance", "counts", {"no": 3}, ["yes", "no"])
    [0, 3]
    """
    if not isinstance(values, Mapping):
        return _safety.positions(where, name, values)
    if labels is None:
        kind = type(values).__name__
        raise TypeError(
            f"{where}: {name} must have an order, and the matrix has no labels, got a {kind}; "
            f"pass [{name}.get(category, 0) for category in categories]"
        )
    there = set(labels)
    named = np.fromiter(values, dtype=object, count=len(values))
    known = np.array([label in there or not values[label] for label in named], dtype=bool)
    checks.refuse(where, name, named, "labelled by categories", known)
    _distinct(where, labels, len(labels), len(there))
    return [values.get(label, 0) for label in labels]


def _distinct(where: str, labels: Any, size: int, different: int) -> None:
    """Refuse labels that are not `size` ones, all `different`."""
    if len(labels) != size or different != size:
        raise ValueError(f"{where}: categories must be {size} distinct labels, got {list(labels)}")


# --- tables and releases -----------------------------------------------------------------------


def categories_of(values: Any) -> Any:
    """Return the categories of a categorical Series or array, else ``None``."""
    if getattr(values, "dtype", None) != "category":
        return None
    return values.cat.categories if hasattr(values, "cat") else values.categories


def own_categories(where: str, values: Any) -> Any:
    """Return the categories of categorical values, which must not look like codes in disorder."""
    labels = categories_of(values)
    if labels is not None:
        _in_order(where, "the categories of the values", list(labels), "them as plain integers")
    return labels


def label_array(labels: Any) -> Array:
    """Return labels as an array of one dimension; those of several kinds stay what they are."""
    entries = list(labels)
    array = np.empty(len(entries), dtype=object)
    array[:] = entries
    if any(isinstance(entry, (list, tuple)) for entry in entries):
        return array
    if len({_kind(entry) for entry in entries}) == 1:
        plain = np.asarray(entries)
        # Integers beyond 2**53 beside a float would become others.
        changed = plain.dtype.kind == "f" and any(
            isinstance(entry, (int, np.integer)) and int(entry) != int(number)
            for entry, number in zip(entries, plain.tolist())
        )
        # Text of a fixed width loses the NULs at its end, and makes text of numbers beside bytes.
        if plain.dtype.kind in "US":
            changed = plain.tolist() != entries
        array = array if plain.ndim != 1 or changed else plain
    return array


def _kind(entry: Any) -> type:
    """Return what a label is to numpy; True beside 1 would become 1."""
    for kind in (str, bool, np.bool_):
        if isinstance(entry, kind):
            return bool if kind is np.bool_ else kind
    return object


def codes(where: str, name: str, values: Any, size: int, *, labels: Any = None) -> checks.IntArray:
    """Return a non-empty vector of codes ``0..size-1``: `values`, or their places in `labels`.

    The rows of a Series are records: its index and its order say nothing.
    """
    array = _vector(where, name, values)
    if isinstance(labels, (set, frozenset)):
        kind = type(labels).__name__
        raise TypeError(f"{where}: categories must have an order, got a {kind}; pass a list")
    if labels is None:
        labels = own_categories(where, values)
    if labels is None:
        if array.dtype.kind not in "iu":
            if any(is_missing(entry) for entry in array.tolist()):
                raise missing(where, name)
            others = "(or labels, of a transition that has labels or of a categorical Series)"
            kind = type(array.flat[0]).__name__
            raise TypeError(f"{where}: {name} must hold integer codes {others}, got a {kind}")
        good = (array >= 0) & (array < size)
        if not good.all():
            raise _unknown(where, name, f"in 0..{size - 1}", good)
        return array.astype(np.int64)
    keys = list(labels)
    if any(is_missing(key) for key in keys):
        raise missing(where, "categories")
    entries = list(values) if checks.is_pandas(values) else array.tolist()
    if array.dtype.kind in "mM" and not checks.is_pandas(values):
        # NumPy writes dates as integers; the labels then, too.
        keys = np.asarray(labels).astype(array.dtype).tolist()
    place = {label: code for code, label in enumerate(keys)}
    _distinct(where, labels, size, len(place))
    try:
        positions = np.array([place.get(entry, -1) for entry in entries], dtype=np.int64)
    except TypeError as error:  # a list, say, is no label
        raise TypeError(f"{where}: {name} must hold labels, got what cannot be one") from error
    if (positions < 0).any():
        if any(is_missing(entry) for entry in entries):
            raise missing(where, name)
        raise _unknown(where, name, "among the categories", positions >= 0)
    one_writing(where, name, entries)
    return positions


def _vector(where: str, name: str, values: Any) -> Array:
    """Return a non-empty vector of values as they are, labels of several kinds among them."""
    advice = (
        "; of several columns make one of joint codes, "
        "np.ravel_multi_index(columns, sizes) with np.kron(A, B)"
    )
    checks.not_masked(where, name, values)
    if isinstance(values, (list, tuple)):
        if any(entry is np.ma.masked for entry in values):  # numpy would make it a number
            raise missing(where, name)
        plain = not any(isinstance(entry, (list, tuple, np.ndarray)) for entry in values)
        array = label_array(values) if plain and values else np.asarray(values, dtype=object)
    else:
        array = np.asarray(values)
    if array.ndim != 1 or not array.size:
        hint = advice if array.ndim == 2 else ""
        raise ValueError(
            f"{where}: {name} must be a non-empty vector, got shape {array.shape}{hint}"
        )
    return _integers(array) if array.dtype == object else array


def _integers(array: Array) -> Array:
    """Return an object array as integers if it holds nothing else."""
    plain = all(
        isinstance(entry, numbers.Integral) and not isinstance(entry, checks.REFUSED)
        for entry in array
    )
    small = plain and all(-(2**63) <= entry < 2**63 for entry in array)
    return array.astype(np.int64) if small else array


def is_missing(entry: Any) -> bool:
    """Tell whether a value is None, masked, NaT, NA, or NaN of any type, or has one in a tuple."""
    if isinstance(entry, (str, int)):
        return False
    if isinstance(entry, float):
        return entry != entry
    if entry is None or type(entry).__name__ in ("NAType", "NaTType", "MaskedConstant"):
        return True
    if isinstance(entry, decimal.Decimal):  # a signalling NaN cannot be compared
        return entry.is_nan()
    if isinstance(entry, tuple):
        return any(is_missing(part) for part in entry)
    numeric = isinstance(entry, (numbers.Number, np.number, np.datetime64))
    return numeric and bool(entry != entry)


def missing(where: str, name: str) -> ValueError:
    """Return the error that refuses missing values, with the remedy."""
    return ValueError(
        f"{where}: {name} must have no missing values, got some; give them a category of their "
        'own, such as "missing", in the transition too (values.fillna("missing"))'
    )


def _unknown(where: str, name: str, rule: str, good: Array) -> ValueError:
    wrong = int((~good).sum())
    return ValueError(f"{where}: {name} must be {rule}, got {wrong} of {good.size} that are not")


# --- a release beside its table ----------------------------------------------------------------


def one_kind(where: str, transition: Any, release: Any, table: Any, *, coded: bool = False) -> None:
    """Refuse codes beside labels: a category of the one would be read as another of the other.

    A matrix with labels says what the values are. Without them, a categorical release or table is
    read by its categories, and plain integers are codes; `coded` if the release is known to be.
    """
    labelled = checks.is_pandas(transition) or hasattr(transition, "nodes")
    of_release = categories_of(release)
    of_table = categories_of(table)
    if labelled or (of_release is None) == (of_table is None):
        return
    labels = list(own_categories(where, release) if of_table is None else of_table)
    if labels == list(range(len(labels))):  # the codes themselves
        return
    shape = np.shape(transition)
    square = len(shape) == 2 and shape[0] == shape[1]
    numeric = any(isinstance(label, (numbers.Number, np.generic)) for label in labels)
    if square and of_release is None and not numeric and not coded:
        return  # the categories of the table are those of both axes, and no code is one
    raise TypeError(
        f"{where}: release and table must both be categorical or both be codes, got one of each; "
        "pass both as pandas.Categorical(values, categories), or a transition with labels"
    )


def possible(where: str, name: str, A: Array, shown: Array) -> None:
    """Refuse shown codes that no true value leads to."""
    values = np.unique(shown)
    never = int((~A[:, values].astype(bool).any(axis=0)).sum())
    if never:
        raise ValueError(
            f"{where}: {name} must be possible under transition, got {never} of {values.size} "
            "shown values that no true value leads to"
        )


def one_writing(where: str, name: str, *parts: list[Any]) -> None:
    """Refuse equal values that are written in two ways, for a reader tells them apart."""
    types = {kind for part in parts for kind in set(map(type, part))}
    if types <= {int, str, bytes} or types <= {bool, str, bytes}:
        return
    first: dict[Any, Any] = {}
    for entry in itertools.chain(*parts):
        writing = _writing(entry)
        if first.setdefault(entry, writing) != writing:
            raise ValueError(
                f"{where}: {name} must write equal values in one way, got some in two (True beside "
                "1, 0.0 beside -0.0, one instant in two time zones); convert the column to one "
                "type first, in release and table"
            )


def _writing(entry: Any) -> tuple[type, Any]:
    """Return the type and the text of a value; those of numpy count as Python's."""
    if type(entry) in (float, np.float64):  # of two equal ones only zeros differ
        return float, math.copysign(1, entry)
    if isinstance(entry, np.generic) and entry.dtype.kind not in "mM":
        item = entry.item()
        return type(item), str(entry) if entry.dtype.kind in "fc" else repr(item)
    return type(entry), repr(entry)
