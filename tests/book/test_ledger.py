"""The ledger: checks that fail raise, verdicts follow from evidence, YAML and notebooks agree."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from dataclasses import asdict
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import reader
import sympy as sp
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from reader import Claim

from privlib.notebook import _comparison, claims, derivation
from privlib.notebook.claims import Check, CheckFailedError, Record, claim, verdict_of

ROOT = Path(__file__).resolve().parents[2]
CLAIMS = ROOT / "book" / "claims"
PARTS = sorted(path.stem for path in CLAIMS.glob("*.yml"))
x, y = sp.symbols("x y", positive=True)
USUAL = {
    "symbolic": "proved", "exact": "one case", "numeric": "one case", "statistical": "simulated",
}  # fmt: skip


TEXTS = {
    "correlated": "000*.txt", "laplace": "001*.txt", "disclosure": "002*.txt",
    "location": "003*.txt", "sketch": "004*.txt",
}  # fmt: skip
# Claims none of whose terms stands near their place.
ELSEWHERE = {
    "correlated": {"Y-1.a"},  # printed with another letter there
    "disclosure": {"K-0.3"},  # the abstract in English
    "location": {"M-A2"},  # the word of the title
    "sketch": {"S-4.20"},  # the text has the verb
}


def squeezed(text):
    """Return a text in one Unicode form, in small letters, without spaces."""
    return re.sub(r"\s", "", unicodedata.normalize("NFKC", text)).lower()


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
    assert c.record.checks[0] == Check("supports", "numeric", "two routes (rtol 1e-09)", "one case")
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
    assert verdict_of(c.record.checks) == "refuted"
    with silent() as c:  # values are shown simplified
        c.differs((x**2 - 1) / (x - 1), x - 1)
        c.differs(sp.Matrix([x * (1 + y) - x]), sp.Matrix([x]))
    assert c.record.checks[0].text == "the printed form gives $x + 1$, the truth is $x - 1$"
    assert "gives $\\left[\\begin{matrix}x y" in c.record.checks[1].text
    for printed, truth in ((1, 1), (0.1, 0.1 + 1e-9), (2 * x, x + x)):
        with pytest.raises(CheckFailedError, match="both sides agree"), silent() as c:
            c.differs(printed, truth)


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


# --- how far a verdict reaches ------------------------------------------------------------------


def test_the_weakest_carrying_support_says_how_far_a_verdict_reaches():
    with silent() as c:
        c.exact(x + x, 2 * x, "beside it")
        c.carries("complete").exact(Fraction(1, 2), Fraction(2, 4), "n up to 5")
        c.carries().sampled(1.0, 1.1, stderr=1.0)
        c.differs(1, 2)
    checks = c.record.checks
    assert [check.carries for check in checks] == [False, True, True, False]
    assert claims.reach_of(checks) == "simulated"
    assert claims.reach_of(checks[:2]) == "complete"
    assert claims.reach_of(checks[:1]) == "proved"  # a lone support carries
    assert claims.reach_of(checks[3:]) == "one case"
    unmarked = [Check("supports", "exact", "a", "one case"), Check("supports", "symbolic", "b")]
    assert claims.reach_of(unmarked) == ""
    assert claims.summary(unmarked) == "symbolic"


def test_carries_wants_a_known_reach_and_a_check():
    with pytest.raises(ValueError, match="reach must be one of proved, complete"), silent() as c:
        c.carries("everything")
    block = silent()
    block.exact(1, 1)
    block.carries()
    with pytest.raises(ValueError, match="no check follows"):
        block.__exit__(None, None, None)


def test_a_limit_never_supports():
    with silent() as c:
        c.exact(1, 1)
        c.limit(sp.exp(-1), 2 * sp.exp(-1), "two coordinates")
    assert verdict_of(c.record.checks) == "verified, with a limit"
    text = r"two coordinates: $e^{-1}$ would follow, $\frac{2}{e}$ is so"
    assert c.record.checks[1].text == text
    with pytest.raises(ValueError, match="that is no limit"):
        verdict_of(c.record.checks[1:])
    with pytest.raises(CheckFailedError, match=r"limit\(\) but both sides agree"), silent() as c:
        c.limit(0.5, 0.5, "none")


def test_what_we_did_not_see_may_be_rebuilt():
    with silent() as c:
        c.unseen("the figure")
    assert verdict_of(c.record.checks) == "not seen"
    assert claims.summary(c.record.checks) == ""
    with silent() as c:
        c.unseen("the figure")
        c.exact(1, 1)
    assert verdict_of(c.record.checks) == "not seen"
    assert claims.summary(c.record.checks) == "rebuilt"
    assert "not seen" in claims.badge_html(c.record)
    with pytest.raises(ValueError, match="say what is missing"), silent() as c:
        c.unseen(" ")


def test_a_derivation_carries_a_claim_only_from_end_to_end():
    chain = derivation((x + y) ** 2).at_least(4 * x * y, "a square", by="square")
    with silent() as c:
        c.carries().derived(chain, (y + x) ** 2, 4 * x * y, "the means")
    check = c.record.checks[0]
    assert (check.method, check.reach) == ("symbolic", "proved")
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


def test_display_in_a_terminal_and_in_a_notebook(capsys, monkeypatch, tmp_path):
    with claim("Y-1.a") as c:
        c.exact(1, 1)
    says = {one.id: one.says for one in reader.load_claims(CLAIMS / "correlated.yml")}["Y-1.a"]
    assert capsys.readouterr().out == f"Y-1.a: verified, one case. {says}\n"
    monkeypatch.chdir(tmp_path)  # outside a copy of the book nobody knows the sentence
    rows = [
        ("Y-1.d", "$a$", "$b$", lambda c: (c.differs(1, 2), c.exact(2, 2))),
        ("Y-3.b", "c", "d", lambda c: c.exact(2, 2)),
    ]
    InteractiveShell.instance()
    try:
        with capture_output() as captured:
            records = claims.slips(rows)
    finally:
        InteractiveShell.clear_instance()
    (output,) = captured.outputs
    stored = output.metadata["privlib"]["claims"]
    assert tuple(Record.from_dict(record) for record in stored) == records
    assert output.data["text/plain"].splitlines() == [
        "Y-1.d: corrected, one case.",
        "Y-3.b: verified, one case.",
    ]
    assert records[0].printed == "$a$"


# --- from YAML and notebooks to statuses ------------------------------------------------------


def entry(claim_id, **fields):
    return Claim(**{"id": claim_id, "where": "", "kind": "remark", "says": "", **fields})


def checked(**sides):
    return {
        f"Y-{name}": [("n", Record(f"Y-{name}", (Check(side, "exact", "", "one case"),)))]
        for name, side in sides.items()
    }


def test_fully_verified_needs_all_that_it_rests_on():
    entries = [entry("Y-c", uses=("Y-b",)), entry("Y-b", uses=("Y-a",)), entry("Y-a")]
    good = reader.assess(entries, checked(a="supports", b="supports", c="supports"))
    assert [status.fully for status in good.values()] == [True, True, True]
    assert list(good) == ["Y-c", "Y-b", "Y-a"]
    bad = reader.assess(entries, checked(a="differs", b="supports", c="supports"))
    assert [status.verdict for status in bad.values()] == ["verified", "verified", "refuted"]
    assert not any(status.fully for status in bad.values())
    assumption = [entry("Y-c", uses=("Y-a",)), entry("Y-a", read="an assumption")]
    assert reader.assess(assumption, checked(c="supports"))["Y-c"].fully
    mended = {"Y-a": checked(a="differs")["Y-a"] + checked(a="supports")["Y-a"]}
    mended |= checked(b="supports", c="supports")
    for weight, fully in (("error", False), ("slip", True)):
        rests = [*entries[:2], entry("Y-a", weight=weight)]
        found = reader.assess(rests, mended)
        assert [status.fully for status in found.values()] == [fully, fully, False]
    cracked = [entry("Y-c", uses=("Y-b",)), entry("Y-b", uses=("Y-a",), weight="slip")]
    cracked.append(entry("Y-a", weight="error"))
    found = {"Y-b": mended["Y-a"], **checked(a="differs", c="supports")}
    assert not reader.assess(cracked, found)["Y-c"].fully  # a slip hides no error beneath it
    open_ = reader.assess(entries, {})
    assert [status.verdict for status in open_.values()] == [None, None, None]


def test_evidence_of_several_notebooks_is_merged():
    merged = {"Y-a": checked(a="supports")["Y-a"] + checked(a="differs")["Y-a"]}
    status = reader.assess([entry("Y-a")], merged)["Y-a"]
    assert status.verdict == "corrected"
    assert [check.side for check in status.checks] == ["supports", "differs"]


def test_assess_refuses_strangers_and_evidence_on_read_claims():
    with pytest.raises(ValueError, match="unknown claims"):
        reader.assess([entry("Y-a")], checked(b="supports"))
    read = [entry("Y-a", read="an opinion")]
    assert reader.assess(read, {})["Y-a"].verdict == "read"
    with pytest.raises(ValueError, match="'read' but has evidence"):
        reader.assess(read, checked(a="supports"))


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ({"id": "Y-a", "kind": "opinion"}, "kind must be"),
        ({"id": "Y-a", "weight": "heavy"}, "weight must be"),
        ({"id": "K-a"}, "belongs to disclosure"),
        ({"id": "Y-a", "uses": ["Y-b"]}, "unknown claims"),
        ({"id": "Y-a", "uses": ["Y-a"]}, "in a circle: Y-a rests on Y-a"),
        ({"id": "Y-a", "verdict": "verified"}, "verdict"),
        ({"id": "Y-a!"}, "claim_id must be"),
        ({"id": "Y-a", "root": "Y-b"}, "root must be a claim without a root, got Y-b"),
        ({"id": "Y-a", "root": "Y-a"}, "root must be a claim without a root, got Y-a"),
        ({"id": "Y-a", "source": "Laplace"}, "only a result beyond the paper has a source"),
        ({"id": "Y-a", "at": "row 3"}, "Y-a: at must be like '¶2, line 114'.* got 'row 3'"),
        ({"id": "Y-a", "at": "¶2"}, "at must be like"),
        ({"id": "Y-a", "at": "¶2, line 3 ; ¶3, line 5"}, "at must be like"),
        ({"id": "Y-a", "at": "¶2-3, lines 3-5"}, "at must be like"),
    ],
)
def test_load_claims_validates(tmp_path, item, message):
    full = {"where": "w", "kind": "remark", "says": "s", **item}
    path = tmp_path / "correlated.yml"
    path.write_text(json.dumps({"claims": [full]}), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        reader.load_claims(path)
    path.write_text(json.dumps({"claims": [{**full, "id": "Y-z", "kind": "remark"}] * 2}))
    if set(item) == {"id"}:
        with pytest.raises(ValueError, match="stands twice"):
            reader.load_claims(path)


def test_roots_and_sources_are_read(tmp_path):
    full = {"where": "w", "kind": "remark", "says": "s"}
    items = [
        {**full, "id": "Y-a"}, {**full, "id": "Y-b", "root": "Y-a"},
        {**full, "id": "Y-B1", "kind": "beyond", "source": "Laplace"},
    ]  # fmt: skip
    path = tmp_path / "correlated.yml"
    path.write_text(json.dumps({"claims": items}), encoding="utf-8")
    found = reader.load_claims(path)
    assert [(one.root, one.source) for one in found] == [("", ""), ("Y-a", ""), ("", "Laplace")]
    items.append({**full, "id": "Y-c", "root": "Y-b"})
    path.write_text(json.dumps({"claims": items}), encoding="utf-8")
    with pytest.raises(ValueError, match="root must be a claim without a root, got Y-b"):
        reader.load_claims(path)


@pytest.mark.parametrize(
    ("where", "at", "place", "lines"),
    [
        ("section 4.3", "¶2, line 114", "section 4.3, ¶2", ((114, 114),)),
        ("section 4.3", "¶2–3, lines 114–118", "section 4.3, ¶2–3", ((114, 118),)),
        ("section 4", "¶2, line 9; ¶5, lines 20–21", "section 4, ¶2; ¶5", ((9, 9), (20, 21))),
        ("section 6, Table 3", "Table 3, line 210", "section 6, Table 3", ((210, 210),)),
        ("section 6", "Table 3, line 9; Table 3, line 7", "section 6, Table 3", ((9, 9), (7, 7))),
        ("section 5, title", "title, line 9", "section 5, title", ((9, 9),)),
        ("section 5", "footnote 1, line 9", "section 5, footnote 1", ((9, 9),)),
        ("reference 4", "line 9", "reference 4", ((9, 9),)),
        (
            "Figures 1 and 2",
            "Figure 1, line 9; Figure 2, line 3",
            "Figures 1 and 2",
            ((9, 9), (3, 3)),
        ),
        ("sections 1, 3", "¶2, line 9; ¶2, line 30", "sections 1, 3, ¶2; ¶2", ((9, 9), (30, 30))),
        ("section 1", "¶2, line 9; ¶2, line 11", "section 1, ¶2", ((9, 9), (11, 11))),
        ("chapter 8", "sentence 12", "chapter 8, sentence 12", ()),
        ("chapter 8", "sentences 12–13", "chapter 8, sentences 12–13", ()),
        ("beyond the paper", "", "beyond the paper", ()),
    ],
)
def test_the_place_of_a_claim(tmp_path, where, at, place, lines):
    item = {"id": "Y-a", "where": where, "kind": "remark", "says": "s", "at": at}
    path = tmp_path / "correlated.yml"
    path.write_text(json.dumps({"claims": [item]}) + "\n", encoding="utf-8")
    (claim,) = reader.load_claims(path)
    assert (claim.place, claim.lines) == (place, lines)


def test_claims_that_rest_on_each_other_in_a_circle_are_named():
    entries = [
        entry("Y-d", uses=("Y-b", "Y-c")), entry("Y-a", uses=("Y-d",)),
        entry("Y-b", uses=("Y-a",)), entry("Y-c", uses=("Y-a",)), entry("Y-e"),
    ]  # fmt: skip
    with pytest.raises(ValueError, match=r"in a circle: Y-\w( rests on Y-\w){3}$") as caught:
        reader.topological(entries)
    named = re.findall(r"Y-\w", str(caught.value))
    uses = {one.id: one.uses for one in entries}
    assert all(after in uses[before] for before, after in pairwise(named))


def test_a_status_says_how_far_its_verdict_reaches():
    def status(*checks):
        record = Record("Y-a", checks)
        return reader.assess([entry("Y-a")], {"Y-a": [("n", record)]})["Y-a"]

    lone = Check("supports", "exact", "one", "complete")
    marked = Check("supports", "exact", "two", "sampled", True)
    limit = Check("limit", "exact", "two coordinates")
    assert status(lone).reach == "complete"
    assert status(lone).carrying == (lone,)
    assert status(lone, marked).reach == "sampled"
    assert status(lone, marked).carrying == (marked,)
    assert status(lone, lone).reach == reader.UNSTATED
    proof = Check("supports", "symbolic", "d = 1", "proved")
    assert (status(proof, marked).method, status(proof, lone).method) == ("exact", "symbolic")
    assert status(Check("supports", "symbolic", "", "proved", True), marked).method == "exact"
    assert status(lone, Check("missing", "", "the table")).reach == ""
    assert status(Check("differs", "exact", "n = 2")).reach == "one case"
    stops = status(lone, limit)
    assert (stops.verdict, stops.fully) == ("verified, with a limit", True)
    assert (stops.reach, stops.limits) == ("complete", ("two coordinates",))
    assert reader.assess([entry("Y-a", read="an opinion")], {})["Y-a"].reach == ""


@pytest.mark.parametrize("part", PARTS)
class TestThisBook:
    """The real YAML against the real notebooks."""

    def test_every_claim_has_a_verdict(self, part):
        statuses = reader.statuses(ROOT, part)
        without = [claim_id for claim_id, status in statuses.items() if status.verdict is None]
        assert not without

    def test_evidence_stays_in_its_part(self, part):
        ids = {record.id for n in reader.notebooks(ROOT, part) for record in n.claims}
        assert all(claims.part_of(claim_id) == part for claim_id in ids)

    def test_one_block_a_claim_a_notebook(self, part):
        for notebook in reader.notebooks(ROOT, part):
            ids = [record.id for record in notebook.claims]
            assert len(ids) == len(set(ids)), notebook.name

    def test_what_needs_repair_says_how(self, part):
        for status in reader.statuses(ROOT, part).values():
            if status.verdict in ("corrected", "refuted"):
                records = [record for _, record in status.evidence]
                assert any(record.printed for record in records), status.claim.id
                if status.verdict == "corrected":
                    assert any(record.corrected for record in records), status.claim.id
                if status.claim.weight == "error":
                    assert any(record.consequence for record in records), status.claim.id

    def test_own_results_are_never_errata(self, part):
        statuses = reader.statuses(ROOT, part).values()
        own = {s.claim.id for s in statuses if s.claim.kind == "beyond"}
        good = {"verified", "verified, with a limit"}
        assert all(s.verdict in good for s in statuses if s.claim.id in own)
        letter = next(letter for letter, name in claims.PARTS.items() if name == part)
        numbered = {s.claim.id for s in statuses if s.claim.id.startswith(f"{letter}-B")}
        assert numbered <= own  # not the converse: a result may extend a numbered statement

    def test_what_follows_from_an_erratum_is_one_and_so_is_its_root(self, part):
        statuses = reader.statuses(ROOT, part)
        for status in statuses.values():
            if status.claim.root:
                for one in (status, statuses[status.claim.root]):
                    assert one.claim.kind != "beyond", status.claim.id
                    assert one.verdict in ("corrected", "refuted"), status.claim.id

    def test_every_claim_of_a_source_has_its_place_in_the_text(self, part):
        claims = reader.load_claims(CLAIMS / f"{part}.yml")
        assert [c.id for c in claims if bool(c.at) == (c.kind == "beyond")] == []
        whole = part == "laplace"  # one line, so that sentences are counted
        assert all(c.at.startswith("sentence") == whole for c in claims if c.at)
        assert all(first <= last for c in claims for first, last in c.lines)

    def test_every_result_beyond_the_paper_names_its_source(self, part):
        beyond = [s.claim for s in reader.statuses(ROOT, part).values() if s.claim.kind == "beyond"]
        assert not [claim.id for claim in beyond if not claim.source]

    def test_every_verdict_says_how_far_it_reaches(self, part):
        statuses = reader.statuses(ROOT, part).values()
        assert not [s.claim.id for s in statuses if s.reach == reader.UNSTATED]

    def test_a_term_of_each_claim_stands_at_its_place(self, part):
        """In the texts as they reached us, where these are at hand; spaces do not count.

        Lines: within three. Sentences of the note, which has no full stops to count by: as far from
        the beginning as their number says, within a twelfth of the whole.
        """
        folder = os.environ.get("PRIVLIB_PAPERS")
        if not folder:
            pytest.skip("the papers' texts are not here: PRIVLIB_PAPERS names their folder")
        (path,) = Path(folder).glob(TEXTS[part])
        text = path.read_text(encoding="utf-8")
        lines, whole = [squeezed(line) for line in text.splitlines()], squeezed(text)
        claims = [one for one in reader.load_claims(CLAIMS / f"{part}.yml") if one.at]
        numbers = {one.id: [int(k) for k in re.findall(r"\d+", one.at)] for one in claims}
        last = max(max(found) for found in numbers.values())
        away = set()
        for one in claims:
            terms = [squeezed(term) for term in re.split("[,、]", one.ja) if term.strip()]
            assert all(b <= len(lines) for _, b in one.lines), f"{one.id}: the text ends before"
            near = "".join(line for a, b in one.lines for line in lines[max(a - 4, 0) : b + 3])
            there = any(term in near for term in terms)
            if not one.lines:
                at = [m.start() for term in terms for m in re.finditer(re.escape(term), whole)]
                wanted = numbers[one.id][0] / last
                there = any(abs(k / len(whole) - wanted) < 1 / 12 for k in at)
            if terms and not there:
                away.add(one.id)
        assert away == set(ELSEWHERE.get(part, ()))

    def test_every_claim_of_the_inventory_is_listed(self, part):
        lines = (ROOT / "tests" / part / "inventory.txt").read_text(encoding="utf-8").splitlines()
        pairs = [line.split(":", 1) for line in lines if line.strip() and not line.startswith("#")]
        known = {e.id for e in reader.load_claims(ROOT / "book" / "claims" / f"{part}.yml")}
        for statement, target in pairs:
            named = {word for word in target.split() if re.fullmatch(r"[NYKMS]-[\w.'-]+", word)}
            assert named <= known, f"{statement}: names claims that the ledger does not have"
            reason = target.strip().startswith("not listed,")
            assert named or reason, f"{statement}: names no claim and gives no reason"
        covered = {word for _, target in pairs for word in target.split()}
        beyond = {claim_id for claim_id in known if claim_id[2] == "B"}
        assert not known - covered - beyond
