"""Claims in notebooks: checks that fail raise, verdict and strength follow from the checks."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sympy as sp
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from ledger import claims as ledger_claims

from privlib.notebook import _comparison, claims, derivation
from privlib.notebook.claims import Check, CheckFailedError, Record, claim, verdict_of

ROOT = Path(__file__).resolve().parents[2]
CLAIMS = ROOT / "book" / "claims"
PARTS = sorted(path.stem for path in CLAIMS.glob("*.yml"))
x, y = sp.symbols("x y", positive=True)
USUAL = {
    "symbolic": "proved", "exact": "one example", "numeric": "one example",
    "statistical": "simulated",
}  # fmt: skip


def silent(claim_id="Y-1.a", **texts):
    return claim(claim_id, show=False, **texts)


# --- single checks ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "right", "method"),
    [
        (Fraction(1, 3), Fraction(2, 6), "exact"),
        (sp.Rational(1, 3), Fraction(1, 3), "exact"),
        ((x + 1) ** 2, x**2 + 2 * x + 1, "symbolic"),
        (sp.Matrix([[x, 1], [1, x]]).det(), x**2 - 1, "symbolic"),
        (sp.Matrix([x * y]), sp.Matrix([y * x]), "symbolic"),
        ([x + x, 3], [2 * x, 3], "symbolic"),
        ({1, 2}, {2, 1}, "exact"),
        (np.array([1, 2]), np.array([1, 2]), "exact"),
        (np.array([Fraction(1, 2)], dtype=object), [Fraction(1, 2)], "exact"),
        ("weak", "weak", "exact"),
    ],
)
def test_exact_accepts_identities(left, right, method):
    with silent() as c:
        c.exact(left, right, "label")
    assert c.record.checks == (Check("supports", method, "label", USUAL[method]),)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Fraction(1, 3), Fraction(1, 4)),
        ((x + 1) ** 2, x**2 + 1),
        (sp.Matrix([x]), sp.Matrix([x, x])),
        (sp.Matrix([x]), sp.Matrix([y])),
        ([1, 2], [1, 2, 3]),
        (np.array([1, 2]), np.array([1, 2, 3])),
        ({1}, {2}),
        (sp.true, sp.false),
    ],
)
def test_exact_rejects_and_prints_both_sides(left, right):
    with pytest.raises(CheckFailedError, match=r"(?s)Y-1\.a.*left:.*right:"), silent() as c:
        c.exact(left, right)


@pytest.mark.parametrize(
    "value", [0.5, np.float64(0.5), np.array([0.5]), [1, 0.5], sp.Float(0.5) * x, {0.5}]
)
def test_exact_refuses_floats(value):
    with pytest.raises(TypeError, match="use close"), silent() as c:
        c.exact(value, value)


def test_close_states_its_tolerance():
    with silent() as c:
        c.close([1.0, 2.0], [1.0, 2.0 + 1e-10], "two routes", rtol=1e-9)
        c.close(0.0, 1e-13, rtol=0, atol=1e-12)
    assert c.record.checks[0] == Check(
        "supports", "numeric", "two routes (rtol 1e-09)", "one example"
    )
    assert c.record.checks[1].text == "two routes agree (atol 1e-12)"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1.0, 1.1),
        ([1.0, 2.0], [1.0, 2.0, 3.0]),
        (float("nan"), float("nan")),
        (float("inf"), float("inf")),
    ],
)
def test_close_rejects(left, right):
    with pytest.raises(CheckFailedError), silent() as c:
        c.close(left, right, rtol=1e-3)


def test_close_refuses_one_object_twice():
    value = np.ones(3)
    with pytest.raises(ValueError, match="same object twice"), silent() as c:
        c.close(value, value)


def test_at_most():
    with silent() as c:
        c.at_most(Fraction(1, 3), Fraction(1, 2), "thirds")
        c.at_most(np.array([1.0, 2.0]), 2.0)
        c.at_most(1.0, 0.999, "nearly", slack=0.01)
    assert [check.method for check in c.record.checks] == ["exact", "numeric", "numeric"]
    assert c.record.checks[2].text == "nearly (slack 0.01)"
    for left, right in ((Fraction(1, 2), Fraction(1, 3)), ([1.0, 3.0], 2.0), (float("nan"), 1.0)):
        with pytest.raises(CheckFailedError), silent() as c:
            c.at_most(left, right)


def test_holds_and_fails_want_booleans():
    with silent() as c:
        c.holds(condition=True, label="a truth")
        c.holds(np.bool_(True), "numpy's", method="numeric")
        c.holds(sp.true, "sympy's", method="symbolic")
        c.fails(condition=False, label="printed statement at n = 4")
    assert verdict_of(c.record.checks) == "corrected"
    with pytest.raises(CheckFailedError), silent() as c:
        c.holds(condition=False, label="a falsehood")
    with pytest.raises(CheckFailedError, match="but it is true"), silent() as c:
        c.fails(condition=True, label="the print is right after all")
    for condition in ([1], 1, "yes", None):
        with pytest.raises(TypeError, match="must be a bool"), silent() as c:
            c.holds(condition, "not a truth value")
    with pytest.raises(ValueError, match="method must be one of symbolic, exact"), silent() as c:
        c.holds(condition=True, label="l", method="statistical")


def test_sampled_is_a_z_test():
    with silent() as c:
        c.sampled([1.02, 2.0], [1.0, 2.1], "means", stderr=[0.01, 0.1], threshold=3)
    assert c.record.checks[0] == Check(
        "supports", "statistical", "means (|z| = 2.0, allowed 3)", "simulated"
    )
    with pytest.raises(CheckFailedError, match=r"\|z\| = 5\.00 > 4"), silent() as c:
        c.sampled(1.5, 1.0, stderr=0.1)
    with pytest.raises(ValueError, match="stderr must be positive"), silent() as c:
        c.sampled(1.0, 1.0, stderr=0.0)


def test_differs_keeps_both_values_and_refuses_agreement():
    with silent() as c:
        c.differs(Fraction(10, 3), 1, "star, n = 3")
        c.differs(0.5, 0.25)
        c.differs(x + 1, x - 1)
    assert [check.text for check in c.record.checks] == [
        r"star, n = 3: the printed form gives $\frac{10}{3}$, the truth is 1",
        "the printed form gives 0.5, the truth is 0.25",
        "the printed form gives $x + 1$, the truth is $x - 1$",
    ]
    assert [check.method for check in c.record.checks] == ["exact", "numeric", "symbolic"]
    assert verdict_of(c.record.checks) == "corrected"
    with silent() as c:  # values are shown simplified
        c.differs((x**2 - 1) / (x - 1), x - 1)
        c.differs(sp.Matrix([x * (1 + y) - x]), sp.Matrix([x]))
    assert c.record.checks[0].text == "the printed form gives $x + 1$, the truth is $x - 1$"
    assert "gives $\\left[\\begin{matrix}x y" in c.record.checks[1].text
    for printed, truth in ((1, 1), (0.1, 0.1 + 1e-9), (2 * x, x + x)):
        with pytest.raises(CheckFailedError, match="both sides agree"), silent() as c:
            c.differs(printed, truth)


# --- what no check may pass -------------------------------------------------------------------

BIG = 2**53 + 1  # its nearest float is 2**53


@pytest.mark.parametrize("check", ["close", "at_most", "sampled", "differs", "limit"])
@pytest.mark.parametrize(
    "value",
    [
        np.array([1 + 5j]),
        np.complex128(1 + 5j),
        [np.complex64(1)],
        np.array([np.complex128(1 + 5j)], dtype=object),
        "1",
        ["1", 2.0],
        np.array([1.0, "2"], dtype=object),
        b"1",
        np.array(["2020"], dtype="M8[Y]"),
        np.array([np.timedelta64(1, "s")]),
        {"a": 0.5},
        [1.0, None],
    ],
)
def test_checks_in_floats_refuse_what_is_no_real_number(check, value):
    more = {"sampled": {"stderr": 1.0}, "limit": {"label": "l"}}.get(check, {})
    for sides in ((value, 1.0), (1.0, value)):
        with pytest.raises(TypeError, match="a side must hold real numbers, got"), silent() as c:
            getattr(c, check)(*sides, **more)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (BIG, 2.0**53),
        ([BIG, 0.5], [2.0**53, 0.5]),  # a list of which numpy makes floats
        (np.array([BIG]), np.array([2.0**53])),
        (np.array([BIG], dtype=np.uint64), 2.0**53),
        (sp.Integer(BIG), 2.0**53),
        (10**400 + 1, 0.5),
        (Fraction(1, 10**400), 0.0),
        (sp.exp(-1000), 0.0),
        (Decimal("1e-400"), 0.0),
    ],
)
def test_numbers_that_floats_do_not_hold_are_refused(left, right):
    for sides in ((left, right), (right, left)):
        for check in ("close", "at_most"):
            with pytest.raises(ValueError, match="a side must"), silent() as c:
                getattr(c, check)(*sides, **({"slack": 1} if check == "at_most" else {}))


def test_integers_beyond_floats_are_compared_as_integers_or_refused():
    with pytest.raises(CheckFailedError, match="violated"), silent() as c:
        c.at_most(BIG, 2**53)
    with pytest.raises(TypeError, match="a side must hold real numbers, got str"), silent() as c:
        c.at_most(2, 1, slack="1")
    with pytest.raises(ValueError, match="an integer that a float holds"), silent() as c:
        c.sampled(BIG, 2**53, stderr=0.1)
    with silent() as c:
        c.at_most(2**53, BIG)
        c.differs(BIG, 2**53)
        c.close(float(math.comb(80, 40)), 1.0750720873333165e23, rtol=1e-12)


def test_what_notebooks_compare_goes_on_passing():
    with silent() as c:
        c.close(np.float32(0.5), Fraction(1, 2), rtol=0)
        c.close([1, Fraction(1, 3), np.float64(2)], (1.0, 1 / 3, 2), rtol=0)
        c.close(((1, 2.0), (3, 4)), [[1.0, 2], [3.0, 4]], rtol=0)
        c.close(sp.Matrix([[sp.sqrt(2), sp.pi]]), [[2**0.5, np.pi]])
        c.close([sp.Rational(1, 3), sp.E], [1 / 3, np.e], rtol=1e-15)
        c.close([True, False], [1.0, 0.0])
        c.close(sp.sin(1) ** 2 + sp.cos(1) ** 2 - 1, 0.0, atol=1e-12)
        c.close(pd.Series([0.5, 1], index=["a", "b"]), [0.5, 1.0])
        c.at_most(np.int64(3), Fraction(7, 2))
        c.at_most([1, 2.5], [1, sp.Rational(5, 2)])
        c.at_most(1e300, 1.5e300)
        c.exact({"a": [1, Fraction(1, 2)]}, {"a": (1, sp.Rational(1, 2))})
        c.exact(pd.Series([1, 2], index=["a", "b"]), [1, 2])
        c.exact({sp.oo, 1}, {1, sp.oo})


@pytest.mark.parametrize(
    "value",
    [
        {sp.nan},
        frozenset({(1, sp.nan)}),
        {sp.nan: 1},
        {"a": {sp.nan}},
        [sp.nan],
        {Decimal("nan")},
        sp.FiniteSet(sp.nan),
        {sp.nan + x},
    ],
)
def test_nan_is_not_identical_to_itself(value):
    with pytest.raises(CheckFailedError, match="sides differ"), silent() as c:
        c.exact(value, value)


@pytest.mark.parametrize("value", [{"a": 0.5}, {0.5: 1}, {"a": [{0.5}]}, pd.Series([0.5, 1.0])])
def test_exact_finds_floats_in_dicts_and_series(value):
    with pytest.raises(TypeError, match="use close"), silent() as c:
        c.exact(value, value)


def test_what_pandas_makes_is_compared_with_its_labels():
    ab, ba = (pd.Series([1, 2], index=list(order)) for order in ("ab", "ba"))
    tables = [pd.DataFrame([[1, 2]], columns=list(order)) for order in ("ab", "ba")]
    for left, right in ((ab, ba), tables, ({"k": ab}, {"k": ba}), ([ab], [ba])):
        with pytest.raises(CheckFailedError, match="sides differ"), silent() as c:
            c.exact(left, right)
        with pytest.raises(CheckFailedError, match="not seen to differ"), silent() as c:
            c.differs(left, right)
    for left, right in ((ab, ba), tables):
        for check, more in (("close", {}), ("at_most", {}), ("sampled", {"stderr": 1})):
            with pytest.raises(CheckFailedError, match="or labels"), silent() as c:
                getattr(c, check)(left, right, **more)
            with pytest.raises(CheckFailedError, match="or labels"), silent() as c:
                getattr(c, check)(left / 2, right / 2, **more)
    with silent() as c:
        c.exact(ab, ab.copy())
        c.exact(tables[0], tables[0].copy())
        c.close(ab / 2, ab.copy() / 2)
        c.differs(ab, ab + 1)


def test_masked_values_are_not_read():
    masked = np.ma.array([1, 2], mask=[False, True])
    for check in ("close", "at_most"):
        with pytest.raises(TypeError, match="without a mask"), silent() as c:
            getattr(c, check)(masked, [1.0, 2.0])
    with pytest.raises(TypeError, match="use close"), silent() as c:  # the mask is NaN to numpy
        c.exact(masked, masked.copy())


def test_missing_must_say_what():
    with silent() as c:
        c.missing("the image")
        c.holds(condition=True, label="a trend")
    assert verdict_of(c.record.checks) == "not reproducible"
    with pytest.raises(ValueError, match="what is missing"), silent() as c:
        c.missing(" ")


def test_a_block_needs_a_check_and_lets_errors_through():
    with pytest.raises(ValueError, match="without a check"), silent():
        pass
    with pytest.raises(ZeroDivisionError), silent():
        _ = 1 / 0
    with pytest.raises(ValueError, match="at least one check"):
        verdict_of([])


@pytest.mark.parametrize("claim_id", ["", "Y", "Y-", "X-1", "y-1", "Y 1", 'Y-"1'])
def test_malformed_ids(claim_id):
    with pytest.raises(ValueError, match="claim_id must be"):
        claim(claim_id)


def test_long_values_are_cut():
    with pytest.raises(CheckFailedError) as caught, silent() as c:
        c.exact(list(range(1000)), [])
    assert max(map(len, str(caught.value).splitlines())) < 140


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (Fraction(1, 2), r"$\frac{1}{2}$"),
        ([Fraction(1, 2), 1], r"$\left[ \frac{1}{2}, \  1\right]$"),
        ({Fraction(1, 2)}, r"$\left\{\frac{1}{2}\right\}$"),
        (sp.Matrix([[x, 1]]), r"$\left[\begin{matrix}x & 1\end{matrix}\right]$"),
        (np.array([Fraction(1, 3)], dtype=object), r"$\left[ \frac{1}{3}\right]$"),
        (7, "7"), (True, "True"), (sp.true, "True"), ("a_1", "a_1"), (["a_1"], "['a_1']"),
        ([0.5], "[0.5]"), (set(), "set()"),
        (list(range(1000)), _comparison.short(list(range(1000)))),
    ],
)  # fmt: skip
def test_exact_mathematics_is_typeset(value, written):
    assert _comparison.typeset(value) == written


@pytest.mark.parametrize("values", [np.array([0.1, 1 / 3]), [np.float64(0.1), np.float64(1 / 3)]])
def test_arrays_are_shown_rounded(values):
    with pytest.raises(CheckFailedError, match=r"left:  \[0\.1 +0\.333333\]"), silent() as c:
        c.close(values, [0.1, 0.4], rtol=1e-3)


# --- the strength of the evidence ---------------------------------------------------------------


def test_the_weakest_decisive_check_gives_the_strength():
    with silent() as c:
        c.exact(x + x, 2 * x, "beside it")
        c.decisive("exhaustive").exact(Fraction(1, 2), Fraction(2, 4), "n up to 5")
        c.decisive().sampled(1.0, 1.1, stderr=1.0)
        c.differs(1, 2)
    checks = c.record.checks
    assert [check.decisive for check in checks] == [False, True, True, False]
    assert claims.strength_of(checks) == "simulated"
    assert claims.strength_of(checks[:2]) == "exhaustive"
    assert claims.strength_of(checks[:1]) == "proved"  # a lone support decides
    assert claims.strength_of(checks[3:]) == "one example"
    unmarked = [Check("supports", "exact", "a", "one example"), Check("supports", "symbolic", "b")]
    assert claims.strength_of(unmarked) == ""
    assert claims.verdict_line(unmarked) == "verified, symbolic"


def test_decisive_wants_a_known_strength_and_a_check():
    message = "strength must be one of proved, exhaustive"
    with pytest.raises(ValueError, match=message), silent() as c:
        c.decisive("everything")
    block = silent()
    block.exact(1, 1)
    block.decisive()
    with pytest.raises(ValueError, match="no check follows"):
        block.__exit__(None, None, None)


def test_a_limit_never_supports():
    with silent() as c:
        c.exact(1, 1)
        c.limit(sp.exp(-1), 2 * sp.exp(-1), "two coordinates")
    assert verdict_of(c.record.checks) == "verified"
    assert claims.notes_on(c.record.checks) == ["with a limit"]
    assert claims.verdict_line(c.record.checks) == "verified, one example, with a limit"
    assert "verified, one example, with a limit" in claims.badge_html(c.record)
    text = r"two coordinates: $e^{-1}$ would follow, $\frac{2}{e}$ is so"
    assert c.record.checks[1].text == text
    with pytest.raises(ValueError, match="that is no limit"):
        verdict_of(c.record.checks[1:])
    with pytest.raises(CheckFailedError, match=r"limit\(\) but both sides agree"), silent() as c:
        c.limit(0.5, 0.5, "none")


def test_what_our_copy_lacks_may_be_rebuilt():
    with silent() as c:
        c.source_incomplete("the figure")
    assert verdict_of(c.record.checks) == "not reproducible"
    assert claims.verdict_line(c.record.checks) == "not reproducible"
    with silent() as c:
        c.source_incomplete("the figure")
        c.exact(1, 1)
    assert verdict_of(c.record.checks) == "not reproducible"
    assert claims.verdict_line(c.record.checks) == "not reproducible, rebuilt"
    assert "not reproducible, rebuilt" in claims.badge_html(c.record)
    with silent() as c:  # what the paper withholds is not rebuilt
        c.source_incomplete("the figure")
        c.missing("the numbers in it")
        c.exact(1, 1)
    assert claims.verdict_line(c.record.checks) == "not reproducible"
    with pytest.raises(ValueError, match="say what is missing"), silent() as c:
        c.source_incomplete(" ")


def test_a_derivation_supports_a_claim_only_from_end_to_end():
    chain = derivation((x + y) ** 2).at_least(4 * x * y, "a square", by="square")
    with silent() as c:
        c.decisive().derived(chain, (y + x) ** 2, 4 * x * y, "the means")
    check = c.record.checks[0]
    assert (check.method, check.strength) == ("symbolic", "proved")
    for first, last in ((x, 4 * x * y), ((x + y) ** 2, 5 * x * y)):
        with pytest.raises(CheckFailedError, match="leads elsewhere"), silent() as c:
            c.derived(chain, first, last)


# --- badges -----------------------------------------------------------------------------------


def test_a_record_survives_being_stored_and_shows_on_a_badge():
    record = Record(
        "Y-P5.1'", (Check("differs", "exact", 'a "quote" & <tag>'),), "$a<b$", "`c`", "d"
    )
    badge = claims.badge_html(record)
    assert Record.from_dict(json.loads(json.dumps(asdict(record)))) == record
    assert r"\(a&lt;b\)" in badge
    assert "<code>c</code>" in badge
    assert 'id="claim-Y-P5-1p"' in badge
    assert "../../book/ledger/correlated.html#claim-Y-P5-1p" in badge


@pytest.mark.skipif(not CLAIMS.exists(), reason="a source archive has no claims")
def test_display_in_a_terminal_and_in_a_notebook(capsys, monkeypatch, tmp_path):
    with claim("Y-1.a") as c:
        c.exact(1, 1)
    says = {one.id: one.says for one in ledger_claims.load_claims(CLAIMS / "correlated.yml")}[
        "Y-1.a"
    ]
    assert capsys.readouterr().out == f"Y-1.a: verified, one example. {says}\n"
    monkeypatch.chdir(tmp_path)  # outside a copy of the book nobody knows the sentence
    rows = [
        ("Y-1.d", "$a$", "$b$", lambda c: (c.differs(1, 2), c.exact(2, 2))),
        ("Y-3.b", "c", "d", lambda c: c.exact(2, 2)),
    ]
    InteractiveShell.instance()
    try:
        with capture_output() as captured:
            records = claims.misprints(rows)
    finally:
        InteractiveShell.clear_instance()
    (output,) = captured.outputs
    stored = output.metadata["privlib"]["claims"]
    assert tuple(Record.from_dict(record) for record in stored) == records
    assert output.data["text/plain"].splitlines() == [
        "Y-1.d: corrected, one example.",
        "Y-3.b: verified, one example.",
    ]
    assert records[0].printed == "$a$"
