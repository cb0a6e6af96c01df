r"""Checked derivations: a chain of expressions, each step proved by sympy, shown as mathematics.

A derivation is a chain :math:`e_0 = e_1 \le e_2 = \dots` with a reason for each step. An equality
is proved by reducing the difference of both sides to zero; an inequality by a *certificate* for the
difference :math:`d \ge 0` of the larger side and the smaller:

``"sign"``
    sympy derives the sign from the assumptions on the symbols (positive, real, ...);
``"square"``
    after factoring, which shows squares and factors of one sign;
``"coefficients"``
    numerator and denominator are polynomials in non-negative symbols without a negative
    coefficient;
`increasing`
    :math:`d` is not negative at one end of a half-line and neither is its derivative (or: the
    derivative is not negative there either, and the second one nowhere; and so on), and all these
    are continuous there: made of functions without poles and jumps. Where the assumptions do not
    put the symbol on the half-line, that is a hypothesis, shown in the line.

A step that does not follow raises `StepError`, which names it. The certificate is for generic
values of the symbols within their assumptions; sympy's integrals hold where their conditions do.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

import sympy as sp
from sympy.printing.latex import LatexPrinter

from privlib.notebook._comparison import markup

Relation = Literal["=", r"\le", r"\ge"]
_PLAIN = {"=": "=", r"\le": "≤", r"\ge": "≥"}


class StepError(AssertionError):
    """A step of a derivation does not follow.

    Examples
    --------
    >>> x = sp.Symbol("x", positive=True)
    >>> derivation(x).at_most(x**2, "squares grow")
    Traceback (most recent call last):
    privlib.notebook.derivations.StepError: step 1 (squares grow): no proof by 'sign' that x ≤ x**2
    """


@dataclass(frozen=True)
class increasing:  # noqa: N801  (reads as a word: by=increasing(x, 0))
    """Certificate: the difference grows in `symbol` from `start` on, and is not negative there.

    Parameters
    ----------
    symbol : sympy symbol
        What the difference is a function of.
    start : sympy expression or number, optional
        Left end of the half-line.

    Examples
    --------
    The difference is 0 at x = 0, and so is its derivative; the second derivative is positive.

    >>> x = sp.Symbol("x", nonnegative=True)
    >>> print(derivation(1 + x).at_most(sp.exp(x), "convexity", by=increasing(x)))
    x + 1 ≤ exp(x)    convexity
    """

    symbol: sp.Symbol
    start: Any = 0


@dataclass(frozen=True)
class Step:
    r"""One step: relation to the expression before, the expression, the reason.

    Parameters
    ----------
    relation : {"=", r"\le", r"\ge"}
        How the expression before relates to this one, in LaTeX.
    expression : sympy expression
        What the step leads to.
    reason : str
        Why, in a few words.

    Examples
    --------
    >>> x = sp.Symbol("x")
    >>> derivation((x + 1) ** 2).equal(x**2 + 2 * x + 1, "expand").steps
    [Step(relation='=', expression=x**2 + 2*x + 1, reason='expand')]
    """

    relation: Relation
    expression: Any
    reason: str


class derivation:  # noqa: N801  (reads as a word: derivation(…).equal(…, "because"))
    r"""A chain of expressions whose steps are proved when they are added.

    Parameters
    ----------
    first : sympy expression
        Unevaluated integrals and sums are shown as they stand and evaluated for the proof.
    of : str, optional
        LaTeX of the quantity that the first expression is, shown on the left.
    names : mapping of symbol to str, optional
        LaTeX of symbols.

    Attributes
    ----------
    first, last : sympy expression
    steps : list of Step

    Raises
    ------
    StepError
        If a step does not follow.

    Examples
    --------
    >>> x, y = sp.symbols("x y", positive=True)
    >>> chain = derivation(2 * x * y, of=r"2xy").at_most(x**2 + y**2, "a square", by="square")
    >>> print(chain.equal((x + y) ** 2 - 2 * x * y, "expand"))
    2xy = 2*x*y
        ≤ x**2 + y**2            a square
        = -2*x*y + (x + y)**2    expand
    >>> chain.relation
    '≤'
    >>> chain.equal(x**2, "wrong")
    Traceback (most recent call last):
    privlib.notebook.derivations.StepError: step 3 (wrong): x**2 does not equal -2*x*y + (x + y)**2
    """

    def __init__(
        self, first: Any, *, of: str = "", names: Mapping[sp.Symbol, str] | None = None
    ) -> None:
        self.first = sp.sympify(first)
        self.steps: list[Step] = []
        self._of, self._names = of, dict(names or {})

    @property
    def last(self) -> Any:
        """The expression at the end; the first one if there is no step.

        Examples
        --------
        >>> x = sp.Symbol("x")
        >>> derivation(2 * x).equal(x + x + 0 * x, "twice").last
        2*x
        """
        return self.steps[-1].expression if self.steps else self.first

    @property
    def relation(self) -> str:
        """How the first expression relates to the last one, as ``"="``, ``"≤"`` or ``"≥"``.

        Examples
        --------
        >>> x = sp.Symbol("x", positive=True)
        >>> derivation(x).at_most(x + 1, "one more").relation
        '≤'
        """
        inequalities = {step.relation for step in self.steps} - {"="}
        return _PLAIN[inequalities.pop()] if inequalities else "="

    def equal(self, expression: Any, reason: str) -> Self:
        """Add an expression that equals the last one.

        Parameters
        ----------
        expression : sympy expression
            What equals the last expression.
        reason : str
            Why, in a few words; shown beside the step.

        Returns
        -------
        derivation
            The chain itself, so that the next step can follow.

        Raises
        ------
        StepError
            If the difference of the two is not reduced to zero.

        Examples
        --------
        >>> x = sp.Symbol("x")
        >>> print(derivation((x - 1) * (x + 1)).equal(x**2 - 1, "expand"))
        (x - 1)*(x + 1) = x**2 - 1    expand
        """
        right = sp.sympify(expression)
        if not _zero(self.last.doit() - right.doit()):
            raise self._error(reason, f"{right} does not equal {self.last}")
        return self._add("=", right, reason)

    def at_most(self, expression: Any, reason: str, *, by: str | increasing = "sign") -> Self:
        """Add an upper bound of the last expression, with its certificate.

        Parameters
        ----------
        expression : sympy expression
            The bound.
        reason : str
            Why, in a few words; shown beside the step.
        by : {"sign", "square", "coefficients"} or increasing, optional
            The certificate.

        Returns
        -------
        derivation
            The chain itself, so that the next step can follow.

        Raises
        ------
        StepError
            If the certificate does not prove the bound, or a step before runs the other way.
        ValueError
            If there is no such certificate.

        Examples
        --------
        >>> x, y = sp.symbols("x y", real=True)
        >>> print(derivation(2 * x * y).at_most(x**2 + y**2, "a square", by="square"))
        2*x*y ≤ x**2 + y**2    a square
        """
        return self._bound(r"\le", expression, reason, by)

    def at_least(self, expression: Any, reason: str, *, by: str | increasing = "sign") -> Self:
        """Add a lower bound of the last expression, with its certificate.

        Parameters
        ----------
        expression : sympy expression
            The bound.
        reason : str
            Why, in a few words; shown beside the step.
        by : {"sign", "square", "coefficients"} or increasing, optional
            The certificate.

        Returns
        -------
        derivation
            The chain itself, so that the next step can follow.

        Raises
        ------
        StepError
            If the certificate does not prove the bound, or a step before runs the other way.
        ValueError
            If there is no such certificate.

        Examples
        --------
        >>> x = sp.Symbol("x", positive=True)
        >>> print(derivation((1 + x) ** 3).at_least(1 + 3 * x, "Bernoulli", by="coefficients"))
        (x + 1)**3 ≥ 3*x + 1    Bernoulli
        """
        return self._bound(r"\ge", expression, reason, by)

    def _bound(self, how: Relation, expression: Any, reason: str, by: str | increasing) -> Self:
        if self.relation not in ("=", _PLAIN[how]):
            raise self._error(reason, "the chain runs the other way")
        right = sp.sympify(expression)
        difference = right.doit() - self.last.doit()
        if not _certified(difference if how == r"\le" else -difference, by):
            told = f"no proof by {by!r} that {self.last} {_PLAIN[how]} {right}"
            raise self._error(reason, told)
        if isinstance(by, increasing) and not sp.sympify(by.symbol - by.start).is_nonnegative:
            reason += rf", ${self._latex(by.symbol)} \ge {self._latex(sp.sympify(by.start))}$"
        return self._add(how, right, reason)

    def _error(self, reason: str, told: str) -> StepError:
        return StepError(f"step {len(self.steps) + 1} ({reason}): {told}")

    def _add(self, relation: Relation, expression: Any, reason: str) -> Self:
        self.steps.append(Step(relation, expression, reason))
        return self

    def _rows(self, write: Any) -> list[tuple[str, str, str, str]]:
        """Return left side, relation, right side, reason of each line."""
        left, lines = self._of, [Step("=", self.first, ""), *self.steps]
        if not left:  # the first step stands beside the first expression
            left, lines = write(self.first), self.steps or lines
        return [
            ("" if k else left, s.relation, write(s.expression), s.reason)
            for k, s in enumerate(lines)
        ]

    def __str__(self) -> str:
        rows = [(left, _PLAIN[how], right, why) for left, how, right, why in self._rows(str)]
        wide, wider = (max(len(row[k]) for row in rows) for k in (0, 2))
        lines = (f"{a:{wide}s} {how} {b:{wider}s}    {why}" for a, how, b, why in rows)
        return "\n".join(line.rstrip() for line in lines)

    def _latex(self, expression: Any) -> str:
        return str(_Printer({"symbol_names": self._names, "ln_notation": True}).doprint(expression))

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        rows = self._rows(self._latex)
        lines = [rf"{left} & {how} {right} && \text{{{why}}}" for left, how, right, why in rows]
        style = ' style="text-align:{};border:0;padding:.3em .4em"'.format
        cells = "".join(
            f"<tr><td{style('right')}>{_inline(left)}</td>"
            f"<td{style('left')}>{_inline(how + ' ' + right)}</td>"
            f"<td{style('left')}><small>{markup(why)}</small></td></tr>"
            for left, how, right, why in rows
        )
        return {
            "text/html": '<table class="derivation tex2jax_process mathjax_process">'
            f"{cells}</table>",
            "text/latex": "$$\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}$$",
            "text/plain": str(self),
        }


class _Printer(LatexPrinter):  # type: ignore[misc]
    """Writes sums as people do: 1 - x, not -x + 1."""

    def _as_ordered_terms(self, expr: Any, order: Any = None) -> list[Any]:
        terms = super()._as_ordered_terms(expr, order)
        return sorted(terms, key=lambda term: bool(term.could_extract_minus_sign()))


def _inline(latex: str) -> str:
    return rf"\(\displaystyle {html.escape(latex, quote=False)}\)" if latex.strip() else ""


_REDUCE = (
    sp.expand, sp.simplify, sp.factor,
    lambda e: sp.combsimp(sp.gammasimp(e)), lambda e: sp.simplify(sp.expand_log(e)),
)  # fmt: skip


def _zero(difference: Any) -> bool:
    return difference == 0 or any(reduce(difference) == 0 for reduce in _REDUCE)


def _certified(difference: Any, by: str | increasing) -> bool:
    """Tell whether the certificate proves that the difference is nowhere negative."""
    if isinstance(by, increasing):
        beyond = sp.Dummy("t", nonnegative=True)
        moved = difference.subs(by.symbol, by.start + beyond)
        for _ in range(5):
            if not (_continuous(moved, beyond) and _sign(moved.subs(beyond, 0))):
                return False
            moved = sp.diff(moved, beyond)
            if _sign(moved) or _coefficients(moved):
                return True
        return False
    if by not in _CERTIFICATES:
        raise ValueError(f"by must be one of {[*_CERTIFICATES]} or increasing(…), got {by!r}")
    return _CERTIFICATES[by](difference)


def _sign(difference: Any) -> bool:
    return bool(difference.is_nonnegative or sp.simplify(difference).is_nonnegative)


def _coefficients(difference: Any) -> bool:
    symbols = sorted(difference.free_symbols, key=str)
    if not symbols or not all(symbol.is_nonnegative for symbol in symbols):
        return False
    try:
        polynomials = [sp.Poly(side, *symbols) for side in sp.fraction(sp.together(difference))]
    except sp.PolynomialError:
        return False
    return all(c.is_nonnegative for side in polynomials for c in side.coeffs())


# Continuous at all real values; so is what is made of these, if no base and no logarithm gets to 0.
_SMOOTH = (sp.Add, sp.Mul, sp.exp, sp.sin, sp.cos, sp.sinh, sp.cosh, sp.tanh, sp.atan, sp.erf)


def _continuous(expression: Any, symbol: sp.Symbol) -> bool:
    """Tell whether an expression is seen to be continuous in a symbol; no derivative tells it."""
    return all(
        isinstance(part, _SMOOTH)
        or (part.is_Pow and part.exp.is_integer and part.exp.is_nonnegative)
        or (isinstance(part, (sp.Pow, sp.log)) and sp.simplify(part.args[0]).is_positive)
        for part in sp.preorder_traversal(expression)
        if part.has(symbol) and part != symbol
    )


_CERTIFICATES = {
    "sign": _sign,
    "square": lambda difference: bool(sp.factor(difference).is_nonnegative),
    "coefficients": _coefficients,
}
