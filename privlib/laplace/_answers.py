"""Exact answers, taken without a word about what they are.

The exact answer of a query is private. So nothing of it may leave but the noisy numbers: not its
labels, not their order, and no value in the message of an exception. Both mechanisms of this part
read their input by `exact_answer`.
"""

from __future__ import annotations

import decimal
import numbers
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib._safety import LARGEST_EXACT, is_pandas

REMEDY = "answer.reindex(categories, fill_value=0).to_numpy() with categories that are public"


def exact_answer(where: str, name: str, value: Any) -> npt.NDArray[Any]:
    """Return an exact answer as an array that has the numbers as they are.

    Parameters
    ----------
    where, name : str
        The public function and what `value` is, for messages, which quote nothing of `value`.
    value : object
        A number or an array of numbers; anything from pandas must have its positions as labels.

    Returns
    -------
    ndarray
        Of integers, of floats (finite, of the width that they have), or of objects: integers
        beyond ``int64``, fractions, and floats beside them.

    Raises
    ------
    ValueError
        Labels are not the positions 0, 1, ... in order, entries are masked or not finite, or the
        array is not rectangular.
    TypeError
        There is something that is no real number, such as a truth value in a list.
    """
    _refuse_labels(where, name, value)
    if hasattr(value, "toarray"):
        raise TypeError(f"{where}: {name} must be dense, got a sparse matrix; pass its toarray()")
    not_masked(where, name, value)
    _refuse_truth_values(where, name, value)
    try:
        array = np.asarray(value)
    except (ValueError, TypeError):
        # Not chained: what NumPy says of the value is not ours to pass on.
        raise ValueError(f"{where}: {name} must be a rectangular array of numbers") from None
    mixed = array.dtype == np.float64 and not isinstance(value, np.ndarray)
    if mixed and array.size and bool(np.any(np.abs(array) >= LARGEST_EXACT)):
        # A list of integers and floats has become floats, which round its large integers.
        array = _as_objects(value)
    if array.dtype.kind == "O":
        return _checked_objects(where, name, value, array)
    if array.dtype.kind not in "iuf":
        kind = array.dtype.type.__name__  # the kind alone: the length of a string is private
        raise TypeError(f"{where}: {name} must hold real numbers, got {kind}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{where}: {name} must be finite")
    return array


def not_masked(where: str, name: str, value: Any) -> None:
    """Refuse masked entries, in an array or in arrays of a list: NumPy gives what is under them.

    Parameters
    ----------
    where, name : str
        The public function and what `value` is, for the message, which quotes nothing of `value`.
    value : object
        Numbers, however they are kept. A masked array that hides nothing passes.

    Raises
    ------
    ValueError
        An entry is masked.
    """
    if any(np.ma.is_masked(part) for part in _parts(value, np.ma.MaskedArray)):
        raise ValueError(f"{where}: {name} must have no masked entries")


def together(where: str, **arrays: npt.NDArray[Any]) -> None:
    """Refuse public arguments whose shapes do not broadcast, and name them."""
    shapes = {name: np.shape(array) for name, array in arrays.items()}
    try:
        np.broadcast_shapes(*shapes.values())
        return
    except ValueError:
        pass
    text = ", ".join(str(shape) for shape in shapes.values())
    raise ValueError(f"{where}: {', '.join(shapes)} must broadcast, got the shapes {text}")


def _parts(value: Any, kinds: type | tuple[type, ...]) -> Iterator[Any]:
    """Yield what is of some kinds, in a value and in its lists and their lists."""
    if isinstance(value, kinds):
        yield value
    if not isinstance(value, (list, tuple)):
        return
    # Millions of plain numbers have one or two types.
    wanted = {kind for kind in set(map(type, value)) if issubclass(kind, (list, tuple, kinds))}
    for entry in value if wanted else ():
        if type(entry) in wanted:
            yield from _parts(entry, kinds)


def _refuse_truth_values(where: str, name: str, value: Any) -> None:
    """Refuse True and False in a list, where NumPy makes integers of them beside integers."""
    if not isinstance(value, (list, tuple)):
        return
    for truth in _parts(value, (bool, np.bool_)):
        kind = type(truth).__name__
        raise TypeError(f"{where}: {name} must hold real numbers, got one of the type {kind}")


def _checked_objects(
    where: str, name: str, value: Any, array: npt.NDArray[Any]
) -> npt.NDArray[Any]:
    """Return an array of objects if all are finite real numbers."""
    for entry in array.flat:
        if isinstance(entry, checks.REFUSED) or not isinstance(entry, numbers.Real):
            kind = type(value if array.ndim == 0 else entry).__name__
            if isinstance(entry, decimal.Decimal):
                raise TypeError(
                    f"{where}: {name} must hold real numbers, got one of the type {kind}; pass "
                    "fractions.Fraction(answer), which is the same number exactly"
                )
            raise TypeError(
                f"{where}: {name} must hold real numbers, got one of the type {kind}; of a table "
                "of counts pass [counts[c] for c in categories] with categories that are public"
            )
        if not isinstance(entry, numbers.Rational) and not _is_finite(entry):
            raise ValueError(f"{where}: {name} must be finite")
    return array


def _as_objects(value: Any) -> npt.NDArray[Any]:
    # `asarray` would take a table through floats to objects.
    result = value.to_numpy(dtype=object) if is_pandas(value) else np.asarray(value, dtype=object)
    return np.asarray(result)


def _is_finite(entry: Any) -> bool:
    try:
        return bool(np.isfinite(float(entry)))
    except OverflowError:
        return False


def _refuse_labels(where: str, name: str, value: Any) -> None:
    """Refuse labels that are not positions: which there are, and in which order, is private."""
    if isinstance(value, (list, tuple)):
        # Millions of plain numbers have one or two types.
        nested = {kind for kind in set(map(type, value)) if _may_have_labels(kind)}
        for entry in value if nested else ():
            if type(entry) in nested:
                _refuse_labels(where, name, entry)
        return
    if not is_pandas(value):
        return
    for axis in ("index", "columns"):
        labels = getattr(value, axis, None)
        if labels is None:
            continue
        kind = getattr(getattr(labels, "dtype", None), "kind", "O")
        if kind not in "iu" and len(labels):  # neither 0.0 nor False is a position
            in_order = False
        else:
            in_order = list(labels) == list(range(len(labels)))
        if not in_order:
            raise ValueError(
                f"{where}: {name} must not carry labels out: its {axis} must be 0, 1, ... in "
                f"order; which labels occur in the data, and in which order, is private; pass "
                f"{REMEDY}"
            )


def _may_have_labels(kind: type) -> bool:
    return issubclass(kind, (list, tuple)) or (hasattr(kind, "to_numpy") and hasattr(kind, "index"))
