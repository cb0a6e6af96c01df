"""Exercises that answer back: right, or not yet and one hint.

Two formulas are the same function if their difference vanishes; whether it does is asked at points
drawn at random. Two different rational functions whose difference has a numerator of degree d agree
at one of N equally likely values with probability at most d/N, at six points with at most
(d/N)**6. Rational formulas are compared as fractions, without rounding.

A number to so many digits is right if it rounds to the same digits as the true value, or is within
half a unit of the last of them.

The answers and hints stand in ``exercises.json``, one entry an exercise: ``ask``, what is wanted;
``kind``, one of number, formula and choice; ``answer``, an expression or a list of them;
``digits``, to how many it has to be right (a formula: within five units of the next one); ``in``,
the names of a formula, each with the range of its values; ``of``, what there is to choose from;
``hint``. An exercise without an answer to check has one field, ``without``: why there is none.
"""

from __future__ import annotations

import ast
import json
import math
import operator
import random
import re
import reprlib
from collections.abc import Mapping
from fractions import Fraction
from numbers import Rational
from pathlib import Path
from statistics import NormalDist
from typing import Any

_STORED: Any = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
ENTRIES = {label: entry for label, entry in _STORED.items() if "without" not in entry}
"""Of each exercise that answers back, by label: what is asked, the answer, the hint."""
WITHOUT = {label: entry["without"] for label, entry in _STORED.items() if "without" in entry}
"""Of each exercise that does not answer back, by label: why not."""
_EPSILON = dict.fromkeys(("epsilon", "varepsilon", "ε"), "eps")
_NAMES = {n: getattr(math, n) for n in ("exp", "log", "sqrt", "sin", "cos", "acosh", "e", "pi")}
_NAMES |= {"ln": math.log, "z": NormalDist().inv_cdf}


RIGHT = "Right."
"""What `check` prints of a right answer."""

PERCENT = (
    "Not yet. Write a number without %: 0.25 for a share of 25%, or 25 if per cent are asked for."
)
"""What `check` prints of an answer with a percent sign."""

LONGEST = 500
"""Characters of an answer in quotes, beyond which Python's parser may give up."""

MOST_BITS = 10**5
"""Of a number that is computed exactly."""

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d]\w*)|"
    r"(?P<sign>\*\*|[-+*/()]))"
)
_AS_ON_PAPER = str.maketrans({"^": "**", "−": "-", "·": "*", "×": "*", "÷": "/"})


def _bits(number: Any) -> int:
    """Return the length of an integer or a fraction, 0 for anything else."""
    if not isinstance(number, Rational):
        return 0
    return max(int(number.numerator).bit_length(), int(number.denominator).bit_length())


def _rounded(number: Any) -> Any:
    """Return a number, as a float where the fraction has thousands of digits."""
    return float(number) if _bits(number) > MOST_BITS else number


def _power(base: Any, exponent: Any) -> Any:
    """Return a power, rounded where the fraction would have thousands of digits (``9**9**9``)."""
    large = _bits(base) * abs(exponent) > MOST_BITS
    return (float(base) if large else base) ** exponent


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
        expression, or a function of the names that are asked for, in their order. A text may be
        written as on paper: ``"k e^eps"``, ``"2 ln 3"``. A choice may be typed in upper or lower
        case. A number has no percent sign: 0.25, not ``"25%"``.

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
    >>> check("lap-01-group", "e^(k eps)")
    Right.
    >>> check("lap-01-small", [0.5, 26])
    Not yet. Right as far as it goes, but 3 digits are asked for.
    """
    if answer is ...:
        print(wanted(label))
        return
    entry = _entry(label)
    if isinstance(entry["answer"], list):
        right, given = entry["answer"], answer
    else:
        right, given = [entry["answer"]], [answer]
    if _length(given) != len(right):
        raise TypeError(f"check: answer must be {_form(entry)}, got {_shown(answer)}")
    if entry["kind"] != "choice" and any(isinstance(one, str) and "%" in one for one in given):
        print(PERCENT)
        return
    # All of them, so that one that is no answer is named wherever it stands.
    agreed = [_agrees(one, other, label, entry) for one, other in zip(given, right)]
    wrong = [pair for pair, fine in zip(zip(given, right), agreed) if not fine]
    if not wrong:
        print(RIGHT)
    elif all(_is_short(one, other, entry) for one, other in wrong):
        print(f"Not yet. Right as far as it goes, but {entry['digits']} digits are asked for.")
    else:
        print(f"Not yet. Hint: {entry['hint']}")


def _entry(label: str) -> Any:
    """Return what is stored for an exercise that answers back."""
    if label not in ENTRIES:
        raise ValueError(f"check: label must be that of an exercise with a check, got {label!r}")
    return ENTRIES[label]


def wanted(label: str) -> str:
    """Return what `check` prints of an exercise that has no answer yet.

    Parameters
    ----------
    label : str
        Label of the exercise without its ``ex-``.

    Returns
    -------
    str
        What is asked for, and in which form.

    Raises
    ------
    ValueError
        If the exercise has no answer to check.

    Examples
    --------
    >>> wanted("lap-03-size")
    'No answer yet. Wanted: the number of patients (a number).'
    """
    entry = _entry(label)
    return f"No answer yet. Wanted: {entry['ask']} ({_form(entry)})."


def _length(answers: Any) -> int:
    """Return how many answers in an order these are, -1 if they are none."""
    if isinstance(answers, (str, bytes, set, frozenset, Mapping)):
        return -1
    try:
        return len(answers)
    except TypeError:  # also what an array without axes says
        return -1


def _shown(value: Any) -> str:
    """Return a short text of anything at all."""
    try:
        return reprlib.repr(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits
        return f"a large {type(value).__name__}"


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
        word = given.strip().lower() if isinstance(given, str) else None
        if word not in entry["of"]:
            raise ValueError(f"check: answer must be {_form(entry)}, got {_shown(given)}")
        return bool(word == right)
    rng, ranges = random.Random(label), entry.get("in", {})
    points = [_point(rng, ranges) for _ in range(6 if ranges else 1)]
    pairs = [(_value(given, at), _value(right, at)) for at in points]
    if "digits" not in entry:
        return all(_same(value, truth, 1e-9) for value, truth in pairs)
    if entry["kind"] == "formula":
        return all(_same(value, truth, 5 / 10 ** entry["digits"]) for value, truth in pairs)
    return all(_same_digits(value, truth, entry["digits"]) for value, truth in pairs)


def _point(rng: random.Random, ranges: Mapping[str, Any]) -> dict[str, Any]:
    """Draw where a formula is compared: whole numbers where both ends of a range are whole."""
    at: dict[str, Any] = {}
    for name, (low, high) in ranges.items():
        inside = Fraction(rng.randint(1, 996), 997) * (Fraction(high) - Fraction(low))
        at[name] = rng.randint(low, high) if isinstance(low, int) else Fraction(low) + inside
    return at


def _same(value: Any, truth: Any, tolerance: float) -> bool:
    """Tell whether two numbers agree: fractions exactly, floats relatively."""
    if isinstance(value, float) and not math.isfinite(value):
        return False
    if isinstance(value, Fraction) and isinstance(truth, Fraction) and tolerance <= 1e-9:
        return bool(value == truth)
    # In fractions, for a number may be beyond the range of floats.
    largest = max(abs(Fraction(value)), abs(Fraction(truth))) if truth else Fraction(1)
    return bool(abs(Fraction(value) - Fraction(truth)) <= Fraction(tolerance) * largest)


def _same_digits(value: Any, truth: Any, digits: int) -> bool:
    """Tell whether two numbers agree in so many significant digits of the second."""
    if not truth or (isinstance(value, float) and not math.isfinite(value)):
        return _same(value, truth, 1e-9)
    value, truth = Fraction(value), Fraction(truth)
    # A true value that itself is a float or a printed number may be off in its last digits.
    order = math.floor(math.log10(abs(truth)) + 1e-12)
    unit = Fraction(10) ** (order - digits + 1)
    near = abs(value - truth) <= unit / 2 * (1 + Fraction(1, 10**9))
    return bool(near or round(value / unit) == round(truth / unit))


def _is_short(given: Any, right: str, entry: Mapping[str, Any]) -> bool:
    """Tell whether a typed number is the true value, rounded to fewer digits than asked for."""
    try:
        value, truth = Fraction(str(given)), Fraction(_value(right, {}))
    except (ValueError, ZeroDivisionError):  # an expression, a choice, a formula
        return False
    if entry["kind"] != "number" or not truth:
        return False
    order = math.floor(math.log10(abs(truth)) + 1e-12)
    fewer = range(1, entry.get("digits", 1))
    return any(value == round(truth, digits - 1 - order) for digits in fewer)


def _value(given: Any, at: Mapping[str, Any]) -> Any:
    """Return the value of a number or formula, as a fraction where it has one."""
    said = f"check: answer must be {'a formula in ' + ', '.join(at) if at else 'a number'}"
    short = _shown(given)
    try:
        if isinstance(given, str):
            names = {**_NAMES, **at}
            given = _read(_parsed(given, names), names)
        elif hasattr(given, "free_symbols"):
            given = given.subs({s: at[_EPSILON.get(s.name, s.name)] for s in given.free_symbols})
        elif callable(given) and at:
            given = given(*(v if isinstance(v, int) else float(v) for v in at.values()))
        if isinstance(given, (bool, str)):
            raise TypeError
        if isinstance(given, Rational):
            return Fraction(int(given.numerator), int(given.denominator))
        return float(given)
    except TypeError:
        short = _shown(given)
        kind: type[Exception] = TypeError
    except (RecursionError, MemoryError):
        short = f"{short}, which is too deep or too large"
        kind = ValueError
    except (SyntaxError, ValueError, LookupError, ArithmeticError, AttributeError) as error:
        short = str(error)
        kind = ValueError
    raise kind(f"{said}, got {short}")


def _parsed(text: str, names: Mapping[str, Any]) -> ast.expr:
    """Return the tree of an expression."""
    if len(text) > LONGEST:
        raise ValueError(f"one of {len(text)} characters, more than {LONGEST}")
    try:
        return ast.parse(_spelt_out(text, names).strip(), mode="eval").body
    except SyntaxError:
        remedy = "write a product as a * b, a power as a ** b, a function as log(a)"
        raise ValueError(f"invalid syntax in {text!r}: {remedy}") from None


def _spelt_out(text: str, names: Mapping[str, Any]) -> str:
    """Return an expression written as on paper with every sign that Python wants.

    ``2 eps`` becomes a product, ``e^x`` a power and ``ln 3`` a function of one number or name. What
    has other signs or unknown names stays as it is, for the parser and the reader to refuse.

    Raises
    ------
    ValueError
        If a product without a sign follows a division, or a function without brackets is followed
        by more than a sum: ``1/2 eps`` and ``ln 1/2`` may mean two things.
    """
    tokens = _tokens(text.translate(_AS_ON_PAPER))
    if any(kind == "name" and _EPSILON.get(word, word) not in names for kind, word in tokens):
        return text
    doubtful = f"{text!r}, which may mean two things: write * and brackets"
    written: list[str] = []
    before = ""  # what stands last: a value, a function, a sign, or a value that nothing may follow
    for kind, word in tokens:
        begins = kind in ("number", "name") or word == "("
        function = kind == "name" and callable(names[_EPSILON.get(word, word)])
        if before == "argument" and word not in "+-)":
            raise ValueError(doubtful)
        if before == "divisor" and begins:
            raise ValueError(doubtful)
        if before == "value" and begins:
            written.append("*")
        if before == "function" and word != "(" and begins and not function:
            written.append(f"({word})")
            before = "argument"
            continue
        after_division = bool(written) and written[-1] == "/"
        written.append(word)
        if function:
            before = "function"
        elif word == ")" or kind in ("number", "name"):
            before = "divisor" if after_division else "value"
        else:
            before = "sign"
    return " ".join(written) or text


def _tokens(text: str) -> list[tuple[str, str]]:
    """Return kind and text of each number, name and sign; none if anything else stands there."""
    found: list[tuple[str, str]] = []
    at = 0
    text = text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            return []
        found.append((str(match.lastgroup), match[match.lastgroup or 0]))
        at = match.end()
    return found


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
            return _rounded(sign(_read(left, names), _read(right, names)))
        case ast.Call(func=ast.Name(id=name), args=[inner]) if name in _NAMES:
            return _NAMES[name](_read(inner, names))
    said = reprlib.repr(ast.unparse(node))
    raise ValueError(f"{said}, which is none of {', '.join(names)}, + - * / **")
