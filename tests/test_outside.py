"""Our numbers beside those of others: all are recomputed; what is off by a factor goes red."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from dataclasses import replace
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest
from ledger import freshness, verdicts
from ledger import outside as ledger_outside

from benchmarks import outside
from privlib.notebook.claims import PARTS, anchor

ROOT = Path(__file__).resolve().parent.parent
STORED = json.loads(outside.STORED.read_text(encoding="utf-8"))
FOUND = {found["id"]: found for found in STORED["cases"]}
CASES = list(outside.CASES.values())


def plain(text):
    """The text without versions, which may be others than when the results were stored."""
    return re.sub(r" \d[\w.]*(?![\w-])", "", text)


def by_id(cases):
    return {"argvalues": cases, "ids": [case.id for case in cases]}


@pytest.mark.parametrize("case", **by_id(CASES))
def test_others_agree_and_the_stored_result_is_in_step(case):
    try:
        found = case.result(STORED["answers"])
    except outside.NotHereError as error:
        pytest.skip(str(error))
    stored = FOUND[case.id]
    np.testing.assert_allclose(stored["ours"], found["ours"], rtol=1e-6, atol=1e-9)
    if case.story:  # what is left of a sum that cancels differs between machines
        ours, theirs = np.array(stored["ours"]), np.array(stored["theirs"])
        case.judge(ours, theirs)
        assert stored["story"] == case.story(theirs, ours)
    else:
        np.testing.assert_allclose(stored["theirs"], found["theirs"], rtol=1e-6, atol=1e-9)
    assert plain(stored["source"]) == plain(found["source"])
    texts = found.keys() - {"theirs", "ours", "story", "source"}
    assert {name: stored[name] for name in texts} == {name: found[name] for name in texts}


@pytest.mark.parametrize("case", **by_id(CASES))
def test_a_wrong_factor_in_ours_is_noticed(case):
    stored = FOUND[case.id]
    ours, theirs = np.array(stored["ours"]), np.array(stored["theirs"])
    case.judge(ours, theirs)
    factors = [1.3]
    if case.outcome == outside.LOOSE:  # just above the bound, where it is nearest, and far below
        assert case.least > 0
        factors = [1.001 * float((theirs / ours).min()), 0.99 * case.least, 0.0]
    for factor in factors:
        with pytest.raises(AssertionError):
            case.judge(factor * ours, theirs)


def test_a_wrong_factor_in_the_package_is_noticed(monkeypatch):
    case = outside.CASES["amplified"]
    right = outside.pram.amplified_epsilon
    monkeypatch.setattr(outside.pram, "amplified_epsilon", lambda e, p: 1.05 * right(e, p))
    with pytest.raises(AssertionError, match="amplified"):
        case.result(STORED["answers"])


def test_a_wrong_scale_is_noticed_by_the_test_of_statdp(monkeypatch):
    case, right = outside.CASES["level-by-statdp"], outside.laplace
    for factor in (0.8, 1.2):
        wrong = {"epsilon": factor * outside.SOLD[1], "sensitivity": 1.0}
        monkeypatch.setattr(
            outside,
            "laplace",
            lambda wrong=wrong, dimension=1, **_: right(**wrong, dimension=dimension),
        )
        with pytest.raises(AssertionError, match="level-by-statdp"):
            case.result({})


def test_stored_are_just_the_cases():
    assert list(FOUND) == list(outside.CASES)


def test_claims_are_known_judged_and_of_the_part_of_the_case():
    statuses = {part: verdicts.statuses(ROOT, part) for part in PARTS.values()}
    for case in CASES:
        for claim in case.claims:
            status = statuses[case.part][claim]
            assert status.verdict in ("verified", "corrected")
            stored = FOUND[case.id]
            (told,) = (one for one in status.outside if one[0] == case.id)
            assert told[1:3] == (stored["source"], case.outcome)
            assert told[3].startswith(f"theirs {stored['theirs'][0]:.6g}")
            assert f"; ours {stored['ours'][0]:.6g}" in told[3]
        assert len(set(case.claims)) == len(case.claims)
    claims = {claim for case in CASES for claim in case.claims}
    assert len(CASES) >= 40
    assert len(claims) >= 60
    assert {case.part for case in CASES} == set(PARTS.values())


@pytest.fixture
def copy(tmp_path):
    """The package and the stored results in a folder of their own."""
    shutil.copytree(ROOT / "privlib", tmp_path / "privlib")
    (tmp_path / ledger_outside.COMPARED).parent.mkdir(parents=True)
    shutil.copy(ROOT / ledger_outside.COMPARED, tmp_path / ledger_outside.COMPARED)
    return tmp_path


def test_no_result_outlives_its_code(copy):
    """A book with results of other code is not built; words change nothing."""
    privlib_book = pytest.importorskip("privlib_book")  # not with the package's own extras alone
    path = copy / "privlib" / "disclosure" / "pram.py"
    source = path.read_text(encoding="utf-8")
    path.write_text(source + "\n# a remark at the end\n", encoding="utf-8")
    app = SimpleNamespace(srcdir=copy)
    privlib_book.refuse_stale(app)
    path.write_text(source + "\nLATER = 1\n", encoding="utf-8")
    assert freshness.stale(copy) == {ledger_outside.COMPARED: ["privlib.disclosure.pram"]}
    told = "(?s)`make notebooks outside`.*results/outside.json: privlib.disclosure.pram$"
    with pytest.raises(privlib_book.ExtensionError, match=told):
        privlib_book.refuse_stale(app)


def test_the_digests_are_of_all_that_the_cases_load():
    found = [getattr(x, "__module__", getattr(x, "__name__", "")) for x in vars(outside).values()]
    modules = {name for name in found if str(name).startswith("privlib.")}
    assert len(modules) > 10
    assert STORED["modules"].keys() - set(outside.NO_CODE) >= modules - set(outside.NO_CODE)
    assert {"privlib._checks", "privlib.sketch.scheme"} <= outside.digests().keys()


def test_renewed_numbers_stay_where_they_differ_by_rounding_alone():
    stored = FOUND["alternating-sum"]
    near = {side: (np.array(stored[side]) * (1 + 1e-9)).tolist() for side in ("theirs", "ours")}
    assert outside.settled({**stored, **near, "story": "new"}, stored) == stored
    far = {**stored, "ours": (np.array(stored["ours"]) * 1.01).tolist()}
    assert outside.settled(far, stored) == far
    assert outside.settled(stored, {}) == stored
    plain = FOUND["noise-law"]
    assert outside.settled(plain, plain) == plain


def test_every_outcome_occurs_and_only_a_wrong_number_has_a_story():
    outcomes = Counter(case.outcome for case in CASES)
    assert set(outcomes) == {outside.AGREE, outside.LOOSE, outside.WRONG}
    for case in CASES:
        wrong = case.outcome == outside.WRONG
        assert (case.truth is not None) == (case.story is not None) == wrong


def test_a_claimed_disagreement_needs_one():
    case = outside.CASES["alternating-sum"]
    ours = np.array(FOUND[case.id]["ours"])
    with pytest.raises(AssertionError, match="theirs is right"):
        case.judge(ours, ours)


def test_a_bound_that_is_attained_everywhere_is_not_loose():
    case = outside.CASES["first-names"]
    theirs = np.array(FOUND[case.id]["theirs"])
    with pytest.raises(AssertionError, match="not loose"):
        case.judge(theirs, theirs)


def test_what_does_not_fit_or_is_not_finite_is_refused():
    case = replace(outside.CASES["noise-law"], rtol=np.inf)
    with pytest.raises(AssertionError, match=r"\(2,\) and \(3,\) numbers"):
        case.judge(np.ones(2), np.ones(3))
    with pytest.raises(AssertionError, match="not finite"):
        case.judge(np.array([np.nan]), np.ones(1))


EDITION = (
    r"[\w)-] \d+\.\d+(\.\w+)*\b|\(?revision [0-9a-f]{7,}\b|doi:10\.\d{4,}/\S+\d"
    r"|arXiv \d{4}\.\d{4,5}\b|\b20\d\d-\d\d-\d\d\b"
)


@pytest.mark.parametrize("case", **by_id(CASES))
def test_a_source_has_a_version_a_revision_a_number_or_a_day(case):
    assert re.search(EDITION, case.source), case.source


@pytest.mark.parametrize("vague", ["Dantzig (1963): 153.675", "issue 350", "OEIS A002817"])
def test_a_year_or_an_issue_is_no_edition(vague):
    assert not re.search(EDITION, vague)


def test_a_name_is_given_once():
    with pytest.raises(AssertionError, match="noise-law"):
        outside.case("N-6", "", "", 0.0)(outside.noise_law)


def test_a_peer_that_cannot_be_had_keeps_its_answers(monkeypatch, capsys):
    monkeypatch.setattr(outside.peers, "start", lambda *_, **__: "no network")
    assert outside.asked(STORED["answers"]) == STORED["answers"]
    assert "not asked: no network" in capsys.readouterr().out


def test_who_was_asked_by_hand_keeps_the_answers(monkeypatch, capsys):
    by_hand = {outside.IN_R.name, outside.SONG.name}
    cases = {name: case for name, case in outside.CASES.items() if not pip_of(case)}
    monkeypatch.setattr(outside, "CASES", cases)
    assert outside.asked(STORED["answers"]) == STORED["answers"]
    said = capsys.readouterr().out.splitlines()
    assert set(said) == {f"{name}: was asked by hand" for name in by_hand}


def pip_of(case):
    return getattr(case.theirs, "install", ())


def test_what_theirs_is_and_why_a_tolerance_is_wide():
    assert {case.what for case in CASES} == set(outside.KINDS)
    for case in CASES:
        wide = case.rtol > 1e-7 or case.atol > 1e-6
        if case.outcome == outside.AGREE and case.what != outside.PRINTED and wide:
            assert case.within, case.id
        if number := re.match(r"[0-9./]+", case.within):
            up, _, down = number[0].partition("/")
            room = float(up) / float(down or 1)
            assert room == pytest.approx(max(case.rtol, case.atol)), case.id


REPORT = (ROOT / "book" / "reports.md").read_text(encoding="utf-8")


def true_risk(f, p):
    return mpmath.mpf(p) / f * mpmath.hyp2f1(1, 1, f + 1, 1 - mpmath.mpf(p))


def test_the_report_has_the_numbers_of_the_answers():
    told = STORED["answers"][outside.IN_R.name]
    with mpmath.workdps(50):
        true = true_risk(12, mpmath.mpf(12) / 13)
        assert f"with 20 digits it is {mpmath.nstr(true, 20)}." in REPORT
        grid = [float(true_risk(f, p)) for (f, _), p in zip(outside.GRID, outside.RATES)]
    assert f"**Printed:** `{told['twelve'][0]:.7g}`. **Expected:** `{float(true):.7g}`" in REPORT
    assert f"{(12 / 13) / (12 - 1 / 13):.7g} here" in REPORT
    at = dict(zip(outside.GRID, told["grid"]))
    assert f"{at[40, 0.99]:.1e} {at[30, 0.7]:.1e}" == "1.8e+73 -1.4e+04"
    assert "$1.8 \\cdot 10^{73}$" in REPORT
    assert "$-1.4 \\cdot 10^{4}$" in REPORT
    theirs = np.array(told["grid"])
    off = np.abs(theirs / grid - 1) > 0.01
    assert (((theirs < 0) | (theirs > 1)).sum(), off.sum(), len(grid)) == (11, 13, 63)
    assert "eleven are outside of $[0, 1]$ and thirteen off" in REPORT
    assert f"digits: {11 * np.log10(25):.1f} in the example" in REPORT
    assert 4 * np.log10(1.06 / 0.94) < 0.5
    sampled, weights = outside.frequencies()
    assert max(sampled) <= 5
    assert max(sampled / weights) < 0.06


def test_the_repair_of_the_report_is_the_one_that_was_run():
    told = STORED["answers"][outside.IN_R.name]
    assert f"```r\n{told['repair']}```" in REPORT
    with mpmath.workdps(50):
        for (f, _), p, found in zip(outside.GRID, outside.RATES, told["repaired"], strict=True):
            assert abs(mpmath.mpf(found) / true_risk(f, p) - 1) < 2e-15
    printed = FOUND["individual-risk"]["theirs"]
    np.testing.assert_allclose(told["eight, repaired"], printed, rtol=0, atol=5.1e-9)


def test_a_row_of_the_ledger_says_who_agrees_and_who_differs():
    base = pytest.importorskip("privlib_book.base")
    words = "{% from 'macros.html.jinja' import others with context %}{{ others(tests) }}"
    both = "theirs 1; ours 2"
    tests = [("a", "one, here", "agree", both), ("b", "two: there", outside.LOOSE, "theirs 3")]
    page = SimpleNamespace(uri=lambda name: name)
    made = base.templates().from_string(words)
    assert re.sub("<[^>]*>", "", made.render(page=page, tests=tests)).strip() == (
        "Others agree: one (theirs 1; ours 2); two, a loose bound (theirs 3)."
    )
    shown = made.render(page=page, tests=[("c", "three", outside.WRONG, both)])
    said = re.sub("<[^>]*>", "", shown).strip()
    assert said == f"Others differ, and are wrong: three ({both})."
    assert 'href="book/outside#outside-c"' in shown


LINK = r'<a title="([^"]*)" href="[^"]*outside\.html#outside-([\w-]+)">(.*?)</a>'
BADGE = r'class="claim-badge" id="([^"]+)".*?<small>(.*?)</small>'
IDS = [claim_id for part in PARTS.values() for claim_id in verdicts.statuses(ROOT, part)]


def test_a_badge_leads_to_who_agrees(html):
    """In the pages as they are built: each badge of a claim that others test, and no other."""
    cases = {case["id"]: case for case in STORED["cases"]}
    expected, seen = ledger_outside.by_claim(ROOT), set()
    for page in html.glob("notebooks/*/*.html"):
        badges = re.findall(BADGE, page.read_text(encoding="utf-8"))
        for anchored, told in badges:
            (claim_id,) = (k for k in IDS if anchor(k) == anchored)
            link = re.search(LINK, told)
            assert bool(link) == (claim_id in expected), claim_id
            if link:
                seen.add(claim_id)
                case = cases[link[2]]
                assert claim_id in case["claims"]
                first = ledger_outside.first_numbers
                both = f"theirs {first(case['theirs'])}; ours {first(case['ours'])}"
                assert unescape(link[1]) == f"{case['source']}: {both}"
                outcomes = {case[2] for case in expected[claim_id]}
                agree, loose = outside.AGREE in outcomes, outside.LOOSE in outcomes
                weaker = "a bound of others holds" if loose else "others differ, and are wrong"
                assert link[3] == ("others agree" if agree else weaker)
    assert seen == set(expected)
