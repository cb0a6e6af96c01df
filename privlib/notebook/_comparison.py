"""When are two values the same, and how are they written? What the checks of the ledger share.

Exact values (integers, fractions, strings, sets, sympy expressions and matrices, and lists or
object arrays of these) are compared by equality, with sympy after simplifying the difference to
zero, or finding it elsewhere in 50 digits; floats are left to tolerances.
"""

from __future__ import annotations

import html
import re
from contextlib import suppress
from numbers import Rational
from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib import _safety


def short(value: Any) -> str:
    """Write a value the way that an error message or the errata page shows it."""
    if isinstance(value, (float, np.floating)):
        return f"{float(value):.6g}"
    several = isinstance(value, (list, tuple)) and [isinstance(v, np.floating) for v in value]
    value = np.array(value) if several and all(several) else value
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        value = np.array2string(value, precision=6, threshold=12)
    text = " ".join(str(_simplified(value)).split())
    return text if len(text) <= 120 else text[:117] + "..."


def _simplified(value: Any) -> Any:
    if _is_sympy(value) and getattr(value, "free_symbols", None) and hasattr(value, "simplify"):
        simpler = value.simplify()  # a matrix is simplified in place
        return value if simpler is None else simpler
    return value


def typeset(value: Any) -> str:
    """Write a value as `short` does, but exact mathematics as ``$…$``, unless it is long."""
    plain = short(value)
    value = value.tolist() if isinstance(value, np.ndarray) else value
    if holds_float(value) or not _is_mathematics(value) or plain.endswith("..."):
        return plain
    from sympy import latex, sympify

    made = latex(_simplified(sympify(value)))
    return plain if plain.lstrip("-").isdigit() else f"${made}$"


def _is_mathematics(value: Any) -> bool:
    if isinstance(value, (list, tuple, set, frozenset)):
        return bool(value) and all(map(_is_mathematics, value))
    return (isinstance(value, Rational) or _is_sympy(value)) and str(value) not in ("True", "False")


def holds_float(value: Any) -> bool:
    """Tell whether there is a float anywhere in a value, however deep."""
    if isinstance(value, (float, complex, np.inexact)):
        return True
    if hasattr(value, "to_numpy"):  # of pandas
        value = value.to_numpy()
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "fc" or any(map(holds_float, value.flat))
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, (list, tuple, set, frozenset)):
        return any(map(holds_float, value))
    # Expressions and matrices of sympy have atoms.
    return hasattr(type(value), "atoms") and any(atom.is_Float for atom in value.atoms())


def _is_sympy(value: Any) -> bool:
    return any(str(kind.__module__).partition(".")[0] == "sympy" for kind in type(value).__mro__)


def _symbolic(value: Any) -> bool:
    """Tell whether something of sympy's is in a value, however deep, or in the keys of a dict."""
    several = isinstance(value, (list, tuple, set, frozenset, dict))
    return any(map(_symbolic, value)) if several else _is_sympy(value)


def _undefined(value: Any) -> bool:
    """Tell whether a NaN of any type is in a value, however deep, or in the keys of a dict.

    Containers compare their entries by identity first, so that one NaN would equal itself.
    """
    if isinstance(value, (list, tuple, set, frozenset, dict)):
        return any(map(_undefined, value))
    if _is_sympy(value):
        import sympy

        return hasattr(value, "has") and value.has(sympy.nan)
    unequal = value != value
    return not isinstance(unequal, (bool, np.bool_)) or bool(unequal)


def identical(left: Any, right: Any) -> tuple[bool | None, bool]:
    """Tell whether two exact values are the same, and whether they have free symbols.

    ``None`` if neither is seen: sympy finds their difference not to be 0, but not elsewhere either,
    something is NaN, sets or keys hold expressions that another form may equal, or the two are not
    of one kind and shape, or what pandas makes has other labels on one side than on the other.
    """
    masked = any(isinstance(side, np.ma.MaskedArray) for side in (left, right))
    if masked or not same_labels(left, right):
        return None, False
    left, right = (_frame_values(side) for side in (left, right))
    # Of arrays and matrices the nested lists, which have the same shape or are not compared.
    left, right = (side.tolist() if hasattr(side, "tolist") else side for side in (left, right))
    lists = [isinstance(s, (list, tuple)) or type(s).__name__ == "Tuple" for s in (left, right)]
    if any(lists):
        if not all(lists) or len(left) != len(right):
            return None, False
        found, symbols = zip((True, False), *map(identical, left, right))
        return min(found, key=(False, None, True).index), any(symbols)
    if not (_is_sympy(left) or _is_sympy(right)):
        if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
            if _undefined(left):
                return None, False
            return identical([*left.values()], [right[key] for key in left])
        kinds = type(left), type(right), Rational, (set, frozenset)
        alike = any(isinstance(left, kind) and isinstance(right, kind) for kind in kinds)
        if left == right:
            return (None if _undefined(left) or _undefined(right) else True), False
        return (False if alike and not _symbolic([left, right]) else None), False
    import sympy

    try:  # strict: a string is no expression
        left, right = (sympy.sympify(side, strict=True) for side in (left, right))
        free = any(getattr(side, "free_symbols", None) for side in (left, right))
        if left == right:
            return (None if left.has(sympy.nan) else True), free
        if isinstance(left, sympy.Set) and isinstance(right, sympy.Set):
            plain = not free and all(arg.is_Atom for side in (left, right) for arg in side.args)
            return (False if plain and (left ^ right).is_empty is False else None), free
        difference = sympy.simplify(left - right)
    except (TypeError, ValueError):  # nothing to subtract, but two truth values can be told apart
        return False if all(s in (sympy.true, sympy.false) for s in (left, right)) else None, False
    return difference == 0 or (False if _elsewhere(difference) else None), free


def same_labels(*sides: Any) -> bool:
    """Tell whether all sides that pandas made have the same labels in the same order."""
    series = [side for side in sides if _safety.is_pandas(side)]
    labels = [(list(side.index), list(getattr(side, "columns", []))) for side in series]
    return all(some == labels[0] for some in labels)


def _frame_values(value: Any) -> Any:
    """Return a table of pandas as an array; everything else as it is."""
    return value.to_numpy() if hasattr(value, "columns") and hasattr(value, "to_numpy") else value


# --- numbers that a tolerance can compare ------------------------------------------------------

_NO_NUMBERS = (
    str, bytes, bytearray, complex, np.complexfloating, np.datetime64, np.timedelta64
)  # fmt: skip
"""What numpy turns into floats although it is no real number, or only a part of one."""


def real_numbers(where: str, value: Any) -> npt.NDArray[Any]:
    """Return real numbers as an array, not yet as floats; refuse everything else."""
    checks.not_masked(where, "a side", value)
    array = np.asarray(value)
    # Of a list of integers and floats numpy makes floats, which round integers beyond 2**53.
    merged = array.dtype.kind == "f" and not hasattr(value, "dtype")
    if merged and np.any(np.abs(array) >= _safety.LARGEST_EXACT):
        array = np.asarray(value, dtype=object)
    real = array.dtype.kind in "biuf"
    if array.dtype.kind == "O":
        real = all(
            hasattr(entry, "__float__") and not isinstance(entry, _NO_NUMBERS)
            for entry in array.flat
        )
    if not real:
        kind = checks.kind_of(value)
        raise TypeError(f"{where}: a side must hold real numbers, got {kind}")
    return array


def _elsewhere(difference: Any) -> bool:
    """Tell whether an expression is seen to be other than 0, at one of a handful of points."""
    import sympy

    values: dict[Any, list[Any]] = {}  # up to four of each symbol, that its assumptions allow
    for n, symbol in enumerate(sorted(difference.free_symbols, key=str), start=5):
        small, whole = sympy.Rational(n, 97), sympy.Integer(n)
        tries = [s * v for v in (small, whole + small, whole, whole + 1) for s in (1, -1)]
        rules = symbol.assumptions0.items()
        fit = [v for v in tries if all(getattr(v, f"is_{rule}") is told for rule, told in rules)]
        values[symbol] = fit[:4] or [symbol]
    for k in range(4 ** min(len(values), 2)):  # the signs in all ways, of up to four symbols
        point = {s: v[(k >> i % 4) % len(v)] for i, (s, v) in enumerate(values.items())}
        with suppress(ArithmeticError, TypeError, ValueError, NotImplementedError):
            # An error if no digit is certain, so also of what is hidden by a pole.
            value = difference.subs(point).evalf(50, strict=True)
            if getattr(value, "is_zero", None) is False:
                return True
    return False


def stressed(text: str) -> str:
    """Make ``*…*`` in a text ``<em>``; a star between factors stays one."""
    return re.sub(r"(?<![\w*)])\*(?=\S)([^*]+)\*(?![\w*(])", r"<em>\1</em>", text)


def markup(text: str) -> str:
    r"""Escape for HTML; ``$…$`` becomes ``\(…\)``, back-ticks ``<code>``, stars ``<em>``.

    A star between factors stays one.

    Examples
    --------
    >>> markup("$a < b$ is *strict*, 2*x*y")
    '\\(a &lt; b\\) is <em>strict</em>, 2*x*y'
    """
    pieces = re.split(r"\$([^$]+)\$", html.escape(text, quote=False))
    for k, piece in enumerate(pieces):
        plain = re.sub(r"`([^`]+)`", r"<code>\1</code>", stressed(piece))
        pieces[k] = rf"\({piece}\)" if k % 2 else plain
    return "".join(pieces)
