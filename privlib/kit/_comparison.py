"""When are two values the same, and how are they written? What the checks of the ledger share.

Exact values (integers, fractions, strings, sets, sympy expressions and matrices, and lists or
object arrays of these) are compared by equality, with sympy after simplifying the difference to
zero; floats are left to tolerances.
"""

from __future__ import annotations

import html
import re
from numbers import Rational
from typing import Any

import numpy as np


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
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "fc" or any(map(holds_float, value.flat))
    if isinstance(value, (list, tuple, set, frozenset)):
        return any(map(holds_float, value))
    has = getattr(value, "has", None)  # sympy expressions and matrices
    if has is None:
        return False
    from sympy import Float

    return bool(has(Float))


def _is_sympy(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] == "sympy"


def identical(left: Any, right: Any) -> tuple[bool, bool]:
    """Tell whether two exact values are the same, and whether they have free symbols."""
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        left, right = np.asarray(left, dtype=object), np.asarray(right, dtype=object)
        if left.shape != right.shape:
            return False, False
        left, right = list(left.flat), list(right.flat)
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        if len(left) != len(right):
            return False, False
        pairs = [identical(a, b) for a, b in zip(left, right)]
        return all(equal for equal, _ in pairs), any(symbols for _, symbols in pairs)
    if not (_is_sympy(left) or _is_sympy(right)):
        return bool(left == right), False
    import sympy

    left, right = sympy.sympify(left), sympy.sympify(right)
    if getattr(left, "shape", ()) != getattr(right, "shape", ()):
        return False, False
    symbols = bool(getattr(left, "free_symbols", None) or getattr(right, "free_symbols", None))
    if left == right:
        return True, symbols
    try:
        difference = sympy.simplify(left - right)
    except TypeError:  # truth values, sets: equal or not, nothing to subtract
        return False, symbols
    zero = difference.is_zero_matrix if hasattr(difference, "is_zero_matrix") else difference == 0
    return bool(zero), symbols


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
    escaped = html.escape(text, quote=False)
    pieces = re.split(r"\$([^$]+)\$", escaped)
    for k, piece in enumerate(pieces):
        plain = re.sub(r"`([^`]+)`", r"<code>\1</code>", stressed(piece))
        pieces[k] = rf"\({piece}\)" if k % 2 else plain
    return "".join(pieces)
