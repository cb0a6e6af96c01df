"""The file of comparisons: whole, sensitive to errors of ours, and shown by the book as it is."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from html import unescape
from types import SimpleNamespace

import numpy as np
import pytest
from ledger import outside, verdicts
from ledger.claims import yaml_loader

from privlib.notebook.claims import PARTS, anchor
from tests.outside import comparing, peers, record, test_disclosure, test_laplace
from tests.outside.comparing import (
    AGREE,
    ASKED,
    ASKED_BEFORE,
    CASES,
    FORMULA,
    KINDS,
    LOOSE,
    NUMBERS,
    OURS,
    PRINTED,
    ROOT,
    THEIRS,
    TRUTH,
    WRONG,
    compare,
)

EACH = pytest.mark.parametrize("case", CASES.values(), ids=str)


# --- the file -------------------------------------------------------------------------------------


def test_each_case_has_its_functions_and_no_other():
    assert len(CASES) == len(outside.compared(ROOT))
    assert set(OURS) == set(CASES)
    assert set(TRUTH) == {case.id for case in CASES.values() if case.outcome == WRONG}
    for case in CASES.values():
        if case.kind in (ASKED, FORMULA):
            assert case.id in THEIRS
        if case.kind == PRINTED:
            assert case.id not in THEIRS


@EACH
def test_it_is_said_how_theirs_came_about(case):
    assert case.kind in KINDS
    assert bool(case.package) == (case.kind == ASKED)
    assert bool(case.ask) == bool(case.install)
    assert bool(case.ask or case.by_hand) == (case.kind == ASKED_BEFORE)
    questions = [question.__name__ for question in peers.QUESTIONS]
    assert case.ask in ("", *questions)
    for package in case.install.split():
        assert re.fullmatch(r"[\w-]+(==[\d.]+)?", package)


EDITION = (
    r"[\w)-] \d+\.\d+(\.\w+)*\b|\(?revision [0-9a-f]{7,}\b|doi:10\.\d{4,}/\S+\d"
    r"|arXiv \d{4}\.\d{4,5}\b|\b20\d\d-\d\d-\d\d\b"
)


@EACH
def test_a_source_has_a_version_a_revision_a_number_or_a_day(case):
    assert re.search(EDITION, case.source), case.source
    if case.package:
        assert re.search(rf"{case.package} \d", case.source)


@pytest.mark.parametrize("vague", ["Dantzig (1963): 153.675", "issue 350", "OEIS A002817"])
def test_a_year_or_an_issue_is_no_edition(vague):
    assert not re.search(EDITION, vague)


@EACH
def test_a_wide_tolerance_has_a_reason(case):
    wide = case.rtol > 1e-7 or case.atol > 1e-6
    if case.outcome == AGREE and case.kind != PRINTED and wide:
        assert case.within
    if number := re.match(r"[0-9./]+", case.within):
        numerator, _, denominator = number[0].partition("/")
        tolerance = float(numerator) / float(denominator or 1)
        assert tolerance == pytest.approx(max(case.rtol, case.atol))


def test_every_outcome_occurs_and_only_a_wrong_number_has_a_story():
    outcomes = Counter(case.outcome for case in CASES.values())
    assert set(outcomes) == {AGREE, LOOSE, WRONG}
    for case in CASES.values():
        assert bool(case.story) == (case.outcome == WRONG)


def test_claims_are_known_judged_and_of_the_part_of_the_case():
    statuses = {part: verdicts.statuses(ROOT, part) for part in PARTS.values()}
    for case in CASES.values():
        assert len(set(case.claims)) == len(case.claims)
        for claim in case.claims:
            status = statuses[case.part][claim]
            assert status.verdict in ("verified", "verified, with a limit", "corrected", "refuted")
            (test,) = (test for test in status.outside if test[0] == case.id)
            assert test[1:3] == (case.source, case.outcome)
            assert test[3].startswith(f"theirs {outside.first_numbers(case.theirs[:1])}")
            assert f"; ours {outside.first_numbers(case.ours[:1])}" in test[3]
    claims = {claim for case in CASES.values() for claim in case.claims}
    assert len(CASES) >= 80
    assert len(claims) >= 60
    assert {case.part for case in CASES.values()} == set(PARTS.values())


# --- errors of ours are noticed -------------------------------------------------------------------


@EACH
def test_a_wrong_factor_in_ours_is_noticed(case):
    ours, theirs = np.array(case.ours), np.array(case.theirs)
    case.judge(ours, theirs)
    factors = [1.3]
    if case.outcome == LOOSE:  # just above the bound, where it is nearest, and far below
        assert case.least > 0
        factors = [1.001 * float((theirs / ours).min()), 0.99 * case.least, 0.0]
    for factor in factors:
        with pytest.raises(AssertionError):
            case.judge(factor * ours, theirs)


def test_a_wrong_factor_in_the_package_is_noticed(monkeypatch):
    right = test_disclosure.local_dp.amplified_epsilon
    monkeypatch.setattr(
        test_disclosure.local_dp, "amplified_epsilon", lambda e, p: 1.05 * right(e, p)
    )
    with pytest.raises(AssertionError, match="amplified: ours"):
        compare(CASES["amplified"])


@pytest.mark.parametrize("factor", [0.8, 1.2])
def test_a_wrong_scale_is_noticed_by_the_test_of_statdp(monkeypatch, factor):
    right = test_laplace.laplace_mechanism

    def wrong(*, epsilon, sensitivity, dimension=1):
        return right(epsilon=factor * epsilon, sensitivity=sensitivity, dimension=dimension)

    monkeypatch.setattr(test_laplace, "laplace_mechanism", wrong)
    with pytest.raises(AssertionError, match="level-by-statdp: ours"):
        compare(CASES["level-by-statdp"])


@pytest.mark.parametrize("side", ["ours", "theirs"])
def test_a_stored_number_that_is_not_computed_is_noticed(side):
    case = CASES["tolerances"]
    changed = [1.01 * number for number in getattr(case, side)]
    with pytest.raises(AssertionError, match=f"tolerances: .* as {side}; `make outside`"):
        compare(replace(case, **{side: changed}))


def test_a_claimed_disagreement_needs_one():
    case = CASES["alternating-sum"]
    with pytest.raises(AssertionError, match="theirs is right"):
        case.judge(case.ours, case.ours)


def test_a_bound_that_is_attained_everywhere_is_not_loose():
    case = CASES["first-names"]
    with pytest.raises(AssertionError, match="not loose"):
        case.judge(case.theirs, case.theirs)


def test_what_does_not_fit_or_is_not_finite_is_refused():
    case = replace(CASES["noise-law"], rtol=np.inf)
    with pytest.raises(AssertionError, match="2 numbers of ours, 3 of theirs"):
        case.judge(np.ones(2), np.ones(3))
    with pytest.raises(AssertionError, match="not finite"):
        case.judge([np.nan], [1.0])


def test_a_case_has_one_function_and_a_function_has_a_case():
    with pytest.raises(AssertionError, match="noise-law has a function already"):
        comparing.ours("noise-law")
    with pytest.raises(AssertionError, match=r"numbers\.yml has no case noise-lore"):
        comparing.ours("noise-lore")


# --- writing the file -----------------------------------------------------------------------------


def test_numbers_are_renewed_where_they_differ_by_more_than_rounding():
    text = NUMBERS.read_text(encoding="utf-8")
    case = CASES["tolerances"]
    near = np.array(case.ours) * (1 + 1e-9)
    assert record.renewed(text, case, "ours", near) == text
    for side in ("ours", "theirs"):
        new = np.array(getattr(case, side)) * 1.01
        changed = reader_load(record.renewed(text, case, side, new))
        before = reader_load(text)
        assert changed[case.id].pop(side) == new.tolist()
        before[case.id].pop(side)
        assert changed == before


@pytest.mark.parametrize("case", ["tolerances", "spherical-noise"])
def test_a_new_version_stands_in_the_source(case, monkeypatch):
    before = NUMBERS.read_text(encoding="utf-8")
    monkeypatch.setattr(record, "version", lambda package: "99.1.post2")
    after = reader_load(record.with_version(before, CASES[case]))
    changed = re.sub(rf"({CASES[case].package}) \d[\w.]*", r"\1 99.1.post2", CASES[case].source)
    assert changed != CASES[case].source
    assert after.pop(case)["source"] == changed
    unchanged = reader_load(before)
    unchanged.pop(case)
    assert after == unchanged


def reader_load(text):
    entries = record.yaml.load(text, Loader=yaml_loader())
    return {entry["id"]: entry for entry in entries}


# --- the book -------------------------------------------------------------------------------------


def test_the_notebook_on_the_classifier_has_the_stored_answers():
    name = "laplace-audit-what-you-read.md"
    text = (ROOT / "notebooks" / "research" / name).read_text(encoding="utf-8")
    for release, case in (("0.6.5", "noise-not-divided"), ("0.6.6", "private-classifier")):
        small, large = CASES[case].theirs
        assert f'"{release}": [{small:.6f}, {large:.6f}]' in text


def test_a_row_of_the_ledger_says_who_agrees_and_who_differs():
    base = pytest.importorskip("privlib_book.base")
    words = "{% from 'macros.html.jinja' import others with context %}{{ others(tests) }}"
    both = "theirs 1; ours 2"
    tests = [("a", "one, here", AGREE, both), ("b", "two: there", LOOSE, "theirs 3")]
    page = SimpleNamespace(uri=lambda name: name)
    made = base.templates().from_string(words)
    assert re.sub("<[^>]*>", "", made.render(page=page, tests=tests)).strip() == (
        "Others agree: one (theirs 1; ours 2); two, a loose bound (theirs 3)."
    )
    shown = made.render(page=page, tests=[("c", "three", WRONG, both)])
    text = re.sub("<[^>]*>", "", shown).strip()
    assert text == f"Others differ, and are wrong: three ({both})."
    assert 'href="book/outside#outside-c"' in shown


def test_the_page_has_every_case(html):
    page = (html / "book" / "outside.html").read_text(encoding="utf-8")
    for case in CASES.values():
        assert f'id="outside-{case.id}"' in page


LINK = r'<a title="([^"]*)" href="[^"]*outside\.html#outside-([\w-]+)">(.*?)</a>'
BADGE = r'class="claim-badge" id="([^"]+)".*?<small>(.*?)</small>'
IDS = [claim_id for part in PARTS.values() for claim_id in verdicts.statuses(ROOT, part)]


def test_a_badge_leads_to_who_agrees(html):
    """In the pages as they are built: each badge of a claim that others test, and no other."""
    expected = outside.by_claim(ROOT)
    seen = set()
    for page in html.glob("notebooks/**/*.html"):
        badges = re.findall(BADGE, page.read_text(encoding="utf-8"))
        for anchored, words in badges:
            (claim_id,) = (k for k in IDS if anchor(k) == anchored)
            link = re.search(LINK, words)
            assert bool(link) == (claim_id in expected), claim_id
            if link:
                seen.add(claim_id)
                case = CASES[link[2]]
                assert claim_id in case.claims
                theirs = outside.first_numbers(case.theirs)
                both = f"theirs {theirs}; ours {outside.first_numbers(case.ours)}"
                assert unescape(link[1]) == f"{case.source}: {both}"
                outcomes = {test[2] for test in expected[claim_id]}
                if AGREE in outcomes:
                    assert link[3] == "others agree"
                elif LOOSE in outcomes:
                    assert link[3] == "a bound of others holds"
                else:
                    assert link[3] == "others differ, and are wrong"
    assert seen == set(expected)
