"""Derivations: every step is proved or raises; they are shown as mathematics and as text."""

from __future__ import annotations

import pytest
import sympy as sp

from privlib.notebook import derivation, increasing
from privlib.notebook.derivations import StepError

x, y, t = sp.symbols("x y t", positive=True)
r = sp.Symbol("r", real=True)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((x + y) ** 2, x**2 + 2 * x * y + y**2),
        (sp.Integral(sp.exp(-t), (t, x, sp.oo)), sp.exp(-x)),
        (sp.log(x * y), sp.log(x) + sp.log(y)),
        (sp.gamma(x + 1), x * sp.gamma(x)),
        (1 / x - 1 / (x + 1), 1 / (x * (x + 1))),
        (sp.sin(r) ** 2, 1 - sp.cos(r) ** 2),
    ],
)
def test_equalities_are_proved_and_their_neighbours_are_not(left, right):
    assert derivation(left).equal(right, "why").last == right
    for wrong in (2 * right, right + 1, -right):
        with pytest.raises(StepError, match=r"step 1 \(why\).*does not equal"):
            derivation(left).equal(wrong, "why")


@pytest.mark.parametrize(
    ("small", "large", "by"),
    [
        (0, x * y, "sign"),
        (2 * x * y, x**2 + y**2, "square"),
        (x / (1 + x), x, "coefficients"),
        (1 + r, r**2 + 3 * r + 2, "square"),
        (1 + x, sp.exp(x), increasing(x)),
        (1 + x + x**2 / 2, sp.exp(x), increasing(x)),
        (sp.log(1 + x), x, increasing(x)),
        (sp.log(x), x - 1, increasing(x, 1)),
    ],
)
def test_inequalities_need_a_certificate_that_fits(small, large, by):
    assert derivation(small).at_most(large, "why", by=by).relation == "≤"
    assert derivation(large).at_least(small, "why", by=by).relation == "≥"
    if not (isinstance(by, increasing) and by.start):  # log x ≤ x - 1 holds below 1 as well
        with pytest.raises(StepError, match="no proof by"):
            derivation(large).at_most(small, "why", by=by)
    with pytest.raises(StepError, match="no proof by"):
        derivation(large).at_most(large - 1, "why", by=by)


def test_no_certificate_proves_what_is_false_for_some_values():
    with pytest.raises(StepError):
        derivation(x).at_most(x**2, "false below 1", by="coefficients")
    with pytest.raises(StepError):
        derivation(r).at_most(r + r**3, "false below 0", by="coefficients")
    with pytest.raises(StepError):
        derivation(x**2).at_most(x, "grows too fast", by=increasing(x))
    with pytest.raises(ValueError, match="by must be one of"):
        derivation(x).at_most(2 * x, "why", by="faith")


def test_a_chain_runs_one_way():
    chain = derivation(x).at_most(2 * x, "more", by="sign")
    with pytest.raises(StepError, match="the other way"):
        chain.at_least(x, "less", by="sign")


def test_it_is_shown_aligned_with_a_reason_beside_each_step():
    chain = derivation(x + x, of=r"\Delta", names={x: r"\xi"})
    chain.equal(2 * x, "by $2 < 3$").at_most(3 * x, "more", by="sign")
    shown = chain._repr_mimebundle_()
    assert shown["text/latex"].splitlines() == [
        r"$$\begin{aligned}",
        r"\Delta & = 2 \xi && \text{} \\",
        r" & = 2 \xi && \text{by $2 < 3$} \\",
        r" & \le 3 \xi && \text{more}",
        r"\end{aligned}$$",
    ]
    assert shown["text/html"].count("<tr>") == 3
    assert r"\(2 &lt; 3\)" in shown["text/html"]
    assert shown["text/plain"].splitlines()[2].split() == ["≤", "3*x", "more"]


def test_what_the_assumptions_do_not_say_is_shown_as_a_hypothesis():
    chain = derivation(sp.log(x)).at_most(x - 1, "one", by=increasing(x, 1))
    assert chain.steps[0].reason == r"one, $x \ge 1$"
    assert derivation(1 + x).at_most(sp.exp(x), "one", by=increasing(x)).steps[0].reason == "one"
    assert derivation(r).at_least(0, "r", by=increasing(r)).steps[0].reason == r"r, $r \ge 0$"


def test_a_jump_grows_by_no_derivative():
    steps = sp.Piecewise((1, x < 1), (-1, True))
    with pytest.raises(StepError):
        derivation(steps).at_least(0, "constant on both sides", by=increasing(x))


@pytest.mark.parametrize(
    ("difference", "counterexample"),
    [
        (-sp.acot(x - 1), 2),  # of derivative 1/(1 + (x - 1)²), with a jump at 1
        (sp.atan(1 / (1 - x)), 2),
        (-1 / (x - 1), 2),
        (sp.tan(x), 2),
        (-sp.cot(x - 1) + 10, sp.Rational(101, 100)),
        (sp.exp(1 / (1 - x)) - 1 + 1 / (1 - x) / 4, 2),
        (sp.acsc(x - 3) * -1, 6),
    ],
)
def test_what_jumps_between_rising_pieces_is_not_certified(difference, counterexample):
    assert difference.subs(x, 0).evalf() >= 0
    assert difference.subs(x, counterexample).evalf() < 0
    with pytest.raises(StepError, match="no proof by"):
        derivation(0).at_most(difference, "why", by=increasing(x, 0))


@pytest.mark.parametrize(
    "difference",
    [
        sp.atan(x), x * sp.tanh(x), sp.erf(x), sp.sqrt(1 + x) - 1, 2**x - 1, (1 + x) ** y - 1,
        x / (1 + x), sp.log(1 + 1 / (1 + x)) + x, 1 - 1 / (x + y + 1),
    ],
)  # fmt: skip
def test_what_is_continuous_still_is(difference):
    assert derivation(0).at_most(difference, "why", by=increasing(x, 0)).relation == "≤"
    assert all(difference.subs({x: v / 4, y: 2}).evalf() >= 0 for v in range(40))
