"""Exercises that answer back: right, or not yet and one hint.

Two formulas are the same function if their difference vanishes; whether it does is asked at points
drawn at random. Two different rational functions whose difference has a numerator of degree d agree
at one of N equally likely values with probability at most d/N, at six points with at most
(d/N)**6. Rational formulas are compared as fractions, without rounding.

The answers and hints stand in ``answers.json``, one entry an exercise: ``ask``, what is wanted;
``kind``, one of number, formula and choice; ``answer``, an expression or a list of them;
``digits``, to how many it has to be right; ``in``, the names of a formula, each with the range of
its values; ``of``, what there is to choose from; ``hint``.
"""

from __future__ import annotations

import ast
import json
import math
import operator
import random
from collections.abc import Mapping
from fractions import Fraction
from numbers import Rational
from pathlib import Path
from statistics import NormalDist
from typing import Any

_ENTRIES: Any = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
_EPSILON = dict.fromkeys(("epsilon", "varepsilon", "ε"), "eps")
_NAMES = {n: getattr(math, n) for n in ("exp", "log", "sqrt", "sin", "cos", "acosh", "e", "pi")}
_NAMES |= {"ln": math.log, "z": NormalDist().inv_cdf}


def _power(base: Any, exponent: Any) -> Any:
    """Return a power, rounded where the fraction would have thousands of digits (``9**9**9``)."""
    exact = not isinstance(base, float) and max(abs(base.numerator), base.denominator)
    return (float(base) if exact.bit_length() * abs(exponent) > 1e5 else base) ** exponent


_SIGNS: Any = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.Pow: _power,
}  # fmt: skip


def check(label: str, answer: Any) -> None:
    """Say whether the answer to an exercise is right; if it is not, give a hint.

    Parameters
    ----------
    label : str
        Label of the exercise without its ``ex-``.
    answer : number, str, sympy expression, function, or sequence of them
        ``...`` asks what is wanted. A formula is a text such as ``"k * exp(eps)"``, a sympy
        expression, or a function of the names that are asked for, in their order. A choice may
        be typed in upper or lower case.

    Raises
    ------
    ValueError
        If the exercise has no answer to check, a text is no formula in the names that are asked
        for, a formula has no value where it is compared, or a choice is none of those offered.
    TypeError
        If the answer is nothing of the kind that is asked for, or not as many of them.

    Examples
    --------
    >>> check("lap-01-group", "k * exp(eps)")
    Not yet. Hint: Change one record after the other and multiply.
    >>> check("lap-01-group", "exp(k * eps)")
    Right.
    """
    if label not in _ENTRIES:
        raise ValueError(f"check: label must be that of an exercise with a check, got {label!r}")
    entry = _ENTRIES[label]
    if answer is ...:
        print(f"No answer yet. Wanted: {entry['ask']} ({_form(entry)}).")
        return
    several = isinstance(entry["answer"], list)
    right, given = (entry["answer"], answer) if several else ([entry["answer"]], [answer])
    if isinstance(given, (str, set)) or not hasattr(given, "__len__") or len(given) != len(right):
        raise TypeError(f"check: answer must be {_form(entry)}, got {answer!r}")
    agreed = [_agrees(one, other, label, entry) for one, other in zip(given, right)]
    print("Right." if all(agreed) else f"Not yet. Hint: {entry['hint']}")


def _form(entry: Mapping[str, Any]) -> str:
    """Say what an answer looks like."""
    if entry["kind"] == "choice":
        what = " or ".join(f'"{word}"' for word in entry["of"])
    elif entry["kind"] == "formula":
        what = f"a formula in {', '.join(entry['in'])}, in quotes or as a function"
    else:
        what = f"a number to {entry['digits']} digits" if "digits" in entry else "a number"
    if isinstance(entry["answer"], str):
        return what
    return f"{len(entry['answer'])} answers in brackets, each {what}"


def _agrees(given: Any, right: str, label: str, entry: Mapping[str, Any]) -> bool:
    if entry["kind"] == "choice":
        word = given.strip().lower() if isinstance(given, str) else given
        if word not in entry["of"]:
            raise ValueError(f"check: answer must be {_form(entry)}, got {given!r}")
        return bool(word == right)
    rng, ranges = random.Random(label), entry.get("in", {})
    rtol = 5 / 10 ** entry["digits"] if "digits" in entry else 0
    points = [_point(rng, ranges) for _ in range(6 if ranges else 1)]
    return all(_same(_value(given, at), _value(right, at), rtol) for at in points)


def _point(rng: random.Random, ranges: Mapping[str, Any]) -> dict[str, Any]:
    """Draw where a formula is compared: whole numbers where both ends of a range are whole."""
    at: dict[str, Any] = {}
    for name, (low, high) in ranges.items():
        inside = Fraction(rng.randint(1, 996), 997) * (Fraction(high) - Fraction(low))
        at[name] = rng.randint(low, high) if isinstance(low, int) else Fraction(low) + inside
    return at


def _same(found: Any, truth: Any, rtol: float) -> bool:
    if isinstance(found, Rational) and isinstance(truth, Rational) and not rtol:
        return bool(found == truth)
    return math.isclose(found, truth, rel_tol=max(rtol, 1e-9), abs_tol=0 if truth else 1e-9)


def _value(given: Any, at: Mapping[str, Any]) -> Any:
    """Return the value of a number or formula, as a fraction where it has one."""
    said = f"check: answer must be {'a formula in ' + ', '.join(at) if at else 'a number'}"
    try:
        if isinstance(given, str):
            given = _read(ast.parse(given.strip(), mode="eval").body, {**_NAMES, **at})
        elif hasattr(given, "free_symbols"):
            given = given.subs({s: at[_EPSILON.get(s.name, s.name)] for s in given.free_symbols})
        elif callable(given) and at:
            given = given(*(v if isinstance(v, int) else float(v) for v in at.values()))
        if isinstance(given, (bool, str)):
            raise TypeError
        return Fraction(given) if isinstance(given, Rational) else float(given)
    except (SyntaxError, ValueError, KeyError, ArithmeticError) as error:
        raise ValueError(f"{said}, got {error}") from None
    except TypeError:
        raise TypeError(f"{said}, got {given!r}") from None


def _read(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """Return the value of an expression: numbers, names, + - * / ** and a few functions."""
    match node:
        case ast.Constant(value=int() | float() as number):
            return Fraction(str(number))
        case ast.Name(id=name) if _EPSILON.get(name, name) in names:
            return names[_EPSILON.get(name, name)]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_read(inner, names)
        case ast.BinOp(left=left, op=op, right=right) if sign := _SIGNS.get(type(op)):
            return sign(_read(left, names), _read(right, names))
        case ast.Call(func=ast.Name(id=name), args=[inner]) if name in _NAMES:
            return _NAMES[name](_read(inner, names))
    raise ValueError(f"{ast.unparse(node)!r}, which is none of {', '.join(names)}, + - * / **")
