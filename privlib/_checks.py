"""Checks of arguments, for all parts: one rule a concept.

Each takes the name of the public function first, so that the message says where, what, rule and
value: ``leakage: scale must be positive, got -1``. What is rational can stay rational
(``exact=True``: integers and fractions come back as ``Fraction``), which is what lets one function
give an exact answer or a fast one. Arrays of numpy, scipy.sparse matrices, networkx graphs and
what pandas makes are taken where numbers, matrices and tables are asked for.
"""

from __future__ import annotations

import importlib
import math
import numbers
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from privlib import _safety
from privlib._safety import is_pandas as is_pandas

Array = npt.NDArray[Any]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Number = Fraction | float
T = TypeVar("T", float, Number)

SUM_TOLERANCE = 1e-9
"""By how much probabilities in floats may miss 1 in sum; fractions may not."""

REFUSED = (bool, np.bool_, np.timedelta64)
"""What Python or numpy count among the numbers although nobody means one."""

# --- one number ------------------------------------------------------------------------------


def real(where: str, name: str, value: Any) -> float:
    """Return `value` as a finite float."""
    if isinstance(value, REFUSED) or not isinstance(value, (numbers.Real, np.integer, np.floating)):
        raise TypeError(f"{where}: {name} must be a real number, got {value!r}")
    if isinstance(value, (float, np.floating)) and not math.isfinite(value):
        raise ValueError(f"{where}: {name} must be finite, got {value!r}")
    return _safety.exact_float(where, name, value)


def rational(where: str, name: str, value: Any) -> Number:
    """Return `value` as a ``Fraction`` if it is rational, else as a finite float."""
    if isinstance(value, numbers.Rational) and not isinstance(value, REFUSED):
        return Fraction(int(value.numerator), int(value.denominator))
    return real(where, name, value)


def bounded(where: str, name: str, number: T, rule: str, holds: Callable[[T], bool]) -> T:
    """Return `number`, real or rational, if it `holds`; the message says that it must `rule`."""
    if not holds(number):
        raise ValueError(f"{where}: {name} must {rule}, got {_safety.short(number)}")
    return number


def privacy_level(where: str, name: str, value: Any) -> float:
    """Return `value` as a positive float, perhaps infinite: no privacy is asked for."""
    if isinstance(value, (float, np.floating)) and value == np.inf:
        return float("inf")
    return positive(where, name, value)


def positive(where: str, name: str, value: Any) -> float:
    """Return `value` as a positive finite float."""
    return bounded(where, name, real(where, name, value), "be positive", lambda x: x > 0)


def non_negative(where: str, name: str, value: Any) -> float:
    """Return `value` as a finite float that is not negative; no zero has a sign."""
    number = bounded(where, name, real(where, name, value), "not be negative", lambda x: x >= 0)
    return number + 0.0  # of -0.0 makes 0.0, by which 1 is divided without changing its sign


def probability(where: str, name: str, value: Any) -> float:
    """Return `value` as a float in [0, 1]; no zero has a sign."""
    rule = "be a probability in [0, 1]"
    number = bounded(where, name, real(where, name, value), rule, lambda x: 0 <= x <= 1)
    return number + 0.0


def integer(
    where: str, name: str, value: Any, *, low: int | None = None, high: int | None = None
) -> int:
    """Return `value` as an int in ``low..high`` (both inclusive, ``None``: no bound)."""
    if isinstance(value, REFUSED) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{where}: {name} must be an integer, got {value!r}")
    number = int(value)
    if (low is not None and number < low) or (high is not None and number > high):
        span = f"at least {low}" if high is None else f"in {low}..{high}"
        span = f"at most {high}" if low is None else span
        raise ValueError(f"{where}: {name} must be {span}, got {_safety.short(number)}")
    return number


def choice(where: str, name: str, value: Any, allowed: Sequence[str]) -> str:
    """Return `value` if it is one of the words `allowed`."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{where}: {name} must be one of {', '.join(allowed)}, got {value!r}")
    return value


def flag(where: str, name: str, value: Any) -> bool:
    """Return `value` if it is True or False: ``"False"`` would be taken as true, 2 as a number."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{where}: {name} must be True or False, got {value!r}")
    return bool(value)


def generator(where: str, rng: Any) -> np.random.Generator:
    """Return what ``numpy.random.default_rng`` makes of `rng`: ``None``, a seed or a generator."""
    if isinstance(rng, np.random.Generator):
        return rng
    if isinstance(rng, REFUSED) or not (rng is None or isinstance(rng, numbers.Integral)):
        raise TypeError(
            f"{where}: rng must be None, an integer seed or a numpy.random.Generator, "
            f"got {kind_of(rng)}"
        )
    if rng is not None and rng < 0:
        raise ValueError(f"{where}: rng must be a non-negative seed, got {rng!r}")
    return np.random.default_rng(None if rng is None else int(rng))


# --- arrays ----------------------------------------------------------------------------------


def not_masked(where: str, name: str, value: Any) -> None:
    """Refuse a masked array, also in lists: numpy gives what stands under the mask to all."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{where}: {name} must be without a mask; pass the values that are meant")
    if isinstance(value, (list, tuple)):
        for entry in value:
            # A single missing entry is not an array; who reads labels has a word for it.
            if isinstance(entry, (list, tuple, np.ma.MaskedArray)) and entry is not np.ma.masked:
                not_masked(where, name, entry)


def kind_of(value: Any) -> str:
    """Say what a value is, without its contents: they may be data, and a message is an output."""
    name = type(value).__name__
    dtype = getattr(value, "dtype", None)
    return f"{name} of {dtype}" if dtype is not None else name


def refuse(where: str, name: str, array: npt.NDArray[Any], rule: str, good: Any) -> None:
    """Raise ``ValueError`` with the first entry of `array` that is not `good`."""
    bad = array[~np.asarray(good, dtype=bool).reshape(array.shape)]
    if bad.size:
        raise ValueError(f"{where}: {name} must be {rule}, got {bad.flat[0]}")


def _as_array(where: str, name: str, value: Any, *, records: bool, ragged: str) -> npt.NDArray[Any]:
    """Return `value` as an array; what it must be if its rows differ in length is `ragged`."""
    not_masked(where, name, value)
    if isinstance(value, (list, tuple)) and any(entry is np.ma.masked for entry in value):
        not_masked(where, name, np.ma.masked)
    if not records:
        _safety.positions(where, name, value)
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{where}: {name} must be {ragged}") from error
    # Beside numbers numpy makes numbers of True and False, alone it does not.
    if array.dtype.kind in "iuf" and isinstance(value, (list, tuple)) and _truth_in(value):
        raise TypeError(f"{where}: {name} must hold numbers, got a truth value among them")
    return array


def _truth_in(value: Any) -> bool:
    """Tell whether a list or one of its lists holds True, False or a span of time."""
    if isinstance(value, (list, tuple)):
        return any(map(_truth_in, value))
    return isinstance(value, REFUSED)


def _require_dimensions(where: str, name: str, array: npt.NDArray[Any], ndim: int | None) -> None:
    """Refuse an array of another number of dimensions than `ndim`, where that is given."""
    if ndim is not None and array.ndim != ndim:
        raise ValueError(f"{where}: {name} must have {ndim} dimension(s), got shape {array.shape}")


def reals(
    where: str,
    name: str,
    value: Any,
    rule: str = "",
    holds: Callable[[Any], Any] | None = None,
    *,
    exact: bool = False,
    ndim: int | None = None,
    shape: tuple[int, ...] | None = None,
    records: bool = False,
) -> npt.NDArray[Any]:
    """Return `value` as an array of finite numbers, each of which `holds`.

    The result is ``float64``; with `exact`, it is an object array of ``Fraction`` if every entry is
    rational. `ndim` and `shape` are asked for where they are given. What pandas makes must have its
    positions as labels, unless its rows are `records`, whose labels and order say nothing.
    """
    if hasattr(value, "toarray"):
        raise TypeError(f"{where}: {name} must be dense, got a sparse matrix; pass its toarray()")
    ragged = f"a rectangular array, got {kind_of(value)}"
    array = _as_array(where, name, value, records=records, ragged=ragged)
    if array.dtype.kind not in "iufO":
        raise TypeError(f"{where}: {name} must hold real numbers, got {kind_of(value)}")
    if shape is not None and array.shape != shape:
        raise ValueError(f"{where}: {name} must have shape {shape}, got {array.shape}")
    _require_dimensions(where, name, array, ndim)
    if array.dtype.kind == "O" or (exact and array.dtype.kind != "f"):
        entries = [(rational if exact else real)(where, name, entry) for entry in array.flat]
        kept = exact and all(isinstance(entry, Fraction) for entry in entries)
        if not kept:  # a fraction beside floats becomes one, as itself or not at all
            entries = [_safety.exact_float(where, name, entry) for entry in entries]
        flat = np.empty(len(entries), dtype=object if kept else np.float64)
        flat[:] = entries
        array = flat.reshape(array.shape)
    else:
        if array.dtype.kind == "f":
            refuse(where, name, array, "finite", np.isfinite(array))
        array = _safety.exact_floats(where, name, array)
    if holds is not None:
        refuse(where, name, array, rule, holds(array))
    return array


def positives(where: str, name: str, value: Any) -> FloatArray:
    """Return `value` as an array of positive numbers."""
    return reals(where, name, value, "positive", lambda x: x > 0)


def non_negatives(where: str, name: str, value: Any) -> FloatArray:
    """Return `value` as an array of numbers that are not negative; no zero has a sign."""
    array: FloatArray = reals(where, name, value, "at least 0", lambda x: x >= 0)
    array += 0.0  # in place: it is a copy, and stays an array if it has no axes
    return array


def integers(
    where: str,
    name: str,
    value: Any,
    *,
    low: int | None = None,
    high: int | None = None,
    ndim: int | None = None,
    records: bool = False,
) -> IntArray:
    """Return `value` as an ``int64`` array with every entry in ``low..high``.

    Labels of pandas are taken as in `reals`.
    """
    ragged = "a rectangular array: its rows have different lengths"
    array = _as_array(where, name, value, records=records, ragged=ragged)
    if array.dtype.kind == "O" and array.size:
        array = _python_integers(where, name, array)
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"{where}: {name} must hold integers, got {kind_of(value)}")
    _require_dimensions(where, name, array, ndim)
    if array.dtype.kind == "u":
        refuse(where, name, array, "below 2**63", array < np.uint64(2**63))
    if low is not None:
        refuse(where, name, array, f"at least {low}", array >= low)
    if high is not None:
        refuse(where, name, array, f"at most {high}", array <= high)
    return array.astype(np.int64)


def _python_integers(where: str, name: str, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an array of Python integers as ``int64``; what holds others as it is."""
    whole = [isinstance(e, numbers.Integral) and not isinstance(e, REFUSED) for e in array.flat]
    if not all(whole):
        return array
    refuse(where, name, array, "in -2**63..2**63 - 1", [-(2**63) <= e < 2**63 for e in array.flat])
    return array.astype(np.int64)


def is_exact(matrix: Any) -> bool:
    """Tell whether `matrix` is a sympy matrix or an object array (asked without sympy)."""
    if isinstance(matrix, np.ndarray):
        return bool(matrix.dtype == object)
    return type(matrix).__module__.partition(".")[0] == "sympy"


def square(where: str, name: str, shape: tuple[int, ...]) -> None:
    """Refuse everything but a non-empty square matrix."""
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] == 0:
        raise ValueError(f"{where}: {name} must be a non-empty square matrix, got shape {shape}")


def weights_of(where: str, name: str, graph: Any) -> Any:
    """Return the sparse matrix of weights of a networkx graph; anything else as it is."""
    if hasattr(graph, "nodes") and hasattr(graph, "edges") and not is_pandas(graph):
        import networkx as nx

        for _, _, weight in graph.edges(data="weight", default=1):
            # Text and booleans would become numbers, and an exact weight whose float is 0 would
            # be an edge less.
            real(where, f"a weight of {name}", weight)
        return nx.to_scipy_sparse_array(graph, dtype=np.float64)
    return graph


def no_graph(where: str, name: str, value: Any, instead: str) -> None:
    """Refuse a graph where its matrix is wanted, and say what to pass."""
    if hasattr(value, "nodes") and hasattr(value, "edges") and not is_pandas(value):
        kind = type(value).__name__
        raise TypeError(f"{where}: {name} must be a matrix, got a {kind}; pass {instead}")


def distribution(where: str, name: str, probabilities: FloatArray) -> FloatArray:
    """Return `probabilities`, of any shape, if none is negative and they sum to 1."""
    refuse(where, name, probabilities, "without negative entries", probabilities >= 0)
    if abs(probabilities.sum() - 1) > SUM_TOLERANCE:
        raise ValueError(f"{where}: {name} must sum to 1, got {probabilities.sum()}")
    return probabilities


def stochastic(where: str, name: str, value: Any, *, any_shape: bool = False) -> Any:
    """Return a row-stochastic matrix: ``float64``, object array of ``Fraction``, or CSR.

    Rows of floats sum to 1 within `SUM_TOLERANCE`, rows of fractions exactly. A sparse matrix stays
    sparse (``float64``), and may have empty rows: states that nobody was seen to leave. The weights
    of a networkx graph are probabilities. It is square unless it may have `any_shape`. The labels
    of a table or graph must be the same on both axes, in one order, which is that of the result.
    """
    if not any_shape and _safety.square_labels(where, name, value) is not None:
        value = value.to_numpy() if is_pandas(value) else value
    value = weights_of(where, name, value)
    if hasattr(value, "tocsr"):
        from scipy import sparse

        if value.dtype.kind not in "iuf":
            raise TypeError(f"{where}: {name} must hold real numbers, got {value.dtype}")
        matrix = sparse.csr_array(value, dtype=np.float64, copy=True)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        entries, empty = matrix.data, np.diff(matrix.indptr) == 0
        sums = np.where(empty, 1.0, matrix.sum(axis=1))
    else:
        matrix = entries = reals(where, name, value, exact=True)
        sums = matrix.sum(axis=-1) if matrix.ndim else matrix
    if any_shape and (len(matrix.shape) != 2 or 0 in matrix.shape):
        raise ValueError(f"{where}: {name} must be a non-empty matrix, got shape {matrix.shape}")
    if not any_shape:
        square(where, name, matrix.shape)
    refuse(where, name, entries, "without negative entries", entries >= 0)
    tolerance = 0 if matrix.dtype == object else SUM_TOLERANCE
    bad = np.flatnonzero(~(abs(sums - 1) <= tolerance))
    if bad.size:
        i = int(bad[0])
        raise ValueError(f"{where}: every row of {name} must sum to 1, got {sums[i]} in row {i}")
    return matrix


# --- optional packages -----------------------------------------------------------------------


# What is installed under another name than it is imported by.
INSTALLED_AS = {"nacl": "pynacl", "sklearn": "scikit-learn", "ot": "pot"}


def optional(where: str, module: str) -> Any:
    """Import a module that the package does not require; without it say what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        top = module.partition(".")[0]
        package = INSTALLED_AS.get(top, top)
        raise ImportError(f"{where}: needs {package}; pip install {package}") from error
