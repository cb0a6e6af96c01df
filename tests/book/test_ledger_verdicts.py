"""Verdicts: they follow from claims and evidence, and claims and notebooks of the book agree."""

from __future__ import annotations

from pathlib import Path

import pytest
from ledger import evidence as ledger_evidence
from ledger import verdicts
from ledger.claims import Claim

from privlib.notebook import claims
from privlib.notebook.claims import Check, Record

ROOT = Path(__file__).resolve().parents[2]
PARTS = sorted(path.stem for path in (ROOT / "book" / "claims").glob("*.yml"))


def entry(claim_id, **fields):
    return Claim(**{"id": claim_id, "where": "", "kind": "remark", "says": "", **fields})


def checked(**sides):
    return {
        f"Y-{name}": [("n", Record(f"Y-{name}", (Check(side, "exact", "", "one example"),)))]
        for name, side in sides.items()
    }


def test_fully_verified_needs_all_that_it_rests_on():
    entries = [entry("Y-c", uses=("Y-b",)), entry("Y-b", uses=("Y-a",)), entry("Y-a")]
    good = verdicts.assess(entries, checked(a="supports", b="supports", c="supports"))
    assert [status.fully for status in good.values()] == [True, True, True]
    assert list(good) == ["Y-c", "Y-b", "Y-a"]
    bad = verdicts.assess(entries, checked(a="differs", b="supports", c="supports"))
    assert [status.verdict for status in bad.values()] == ["verified", "verified", "corrected"]
    assert not any(status.fully for status in bad.values())
    assumption = [entry("Y-c", uses=("Y-a",)), entry("Y-a", not_checkable="an assumption")]
    assert verdicts.assess(assumption, checked(c="supports"))["Y-c"].fully
    mended = {"Y-a": checked(a="differs")["Y-a"] + checked(a="supports")["Y-a"]}
    mended |= checked(b="supports", c="supports")
    for weight, fully in (("error", False), ("misprint", True)):
        rests = [*entries[:2], entry("Y-a", weight=weight)]
        found = verdicts.assess(rests, mended)
        assert [status.fully for status in found.values()] == [fully, fully, False]
    cracked = [entry("Y-c", uses=("Y-b",)), entry("Y-b", uses=("Y-a",), weight="misprint")]
    cracked.append(entry("Y-a", weight="error"))
    found = {"Y-b": mended["Y-a"], **checked(a="differs", c="supports")}
    assert not verdicts.assess(cracked, found)["Y-c"].fully  # a misprint hides no error beneath it
    open_ = verdicts.assess(entries, {})
    assert [status.verdict for status in open_.values()] == [None, None, None]


def test_evidence_of_several_notebooks_is_merged():
    merged = {"Y-a": checked(a="supports")["Y-a"] + checked(a="differs")["Y-a"]}
    status = verdicts.assess([entry("Y-a")], merged)["Y-a"]
    assert status.verdict == "corrected"
    assert [check.side for check in status.checks] == ["supports", "differs"]


def test_assess_refuses_strangers_and_evidence_on_claims_that_are_not_checkable():
    with pytest.raises(ValueError, match="n checks the unknown claim Y-b: describe it in"):
        verdicts.assess([entry("Y-a")], checked(b="supports"))
    opinion = [entry("Y-a", not_checkable="an opinion")]
    assert verdicts.assess(opinion, {})["Y-a"].verdict == "not checkable"
    with pytest.raises(ValueError, match="not checkable but has evidence"):
        verdicts.assess(opinion, checked(a="supports"))


def test_a_status_has_the_strength_of_its_decisive_checks():
    def status(*checks):
        record = Record("Y-a", checks)
        return verdicts.assess([entry("Y-a")], {"Y-a": [("n", record)]})["Y-a"]

    lone = Check("supports", "exact", "one", "exhaustive")
    marked = Check("supports", "exact", "two", "sampled", True)
    limit = Check("limit", "exact", "two coordinates")
    assert status(lone).strength == "exhaustive"
    assert status(lone).decisive == (lone,)
    assert status(lone, marked).strength == "sampled"
    assert status(lone, marked).decisive == (marked,)
    assert status(lone, lone).strength == verdicts.UNSTATED
    proof = Check("supports", "symbolic", "d = 1", "proved")
    assert (status(proof, marked).method, status(proof, lone).method) == ("exact", "symbolic")
    assert status(Check("supports", "symbolic", "", "proved", True), marked).method == "exact"
    assert status(lone, Check("missing", "", "the table")).strength == ""
    assert status(Check("differs", "exact", "n = 2")).strength == "one example"
    limited = status(lone, limit)
    assert (limited.verdict, limited.fully) == ("verified", True)
    assert (limited.strength, limited.limits) == ("exhaustive", ("two coordinates",))
    assert limited.notes == ("with a limit",)
    lacking = status(lone, Check("source incomplete", "", "the picture"))
    assert (lacking.verdict, lacking.missing) == ("not reproducible", ("the picture",))
    assert (lacking.rebuilt, lacking.notes) == (True, ("rebuilt",))
    assert verdicts.assess([entry("Y-a", not_checkable="an opinion")], {})["Y-a"].strength == ""


@pytest.mark.parametrize("part", PARTS)
class TestThisBook:
    """The real YAML against the real notebooks."""

    def test_every_claim_has_a_verdict(self, part):
        statuses = verdicts.statuses(ROOT, part)
        without = [claim_id for claim_id, status in statuses.items() if status.verdict is None]
        assert not without

    def test_evidence_stays_in_its_part(self, part):
        ids = {record.id for n in ledger_evidence.notebooks(ROOT, part) for record in n.claims}
        assert all(claims.part_of(claim_id) == part for claim_id in ids)

    def test_one_block_a_claim_a_notebook(self, part):
        for notebook in ledger_evidence.notebooks(ROOT, part):
            ids = [record.id for record in notebook.claims]
            assert len(ids) == len(set(ids)), notebook.name

    def test_what_needs_repair_says_how(self, part):
        for status in verdicts.statuses(ROOT, part).values():
            if status.verdict == "corrected":
                records = [record for _, record in status.evidence]
                assert any(record.printed for record in records), status.claim.id
                assert any(record.corrected for record in records), status.claim.id
                # What stands instead of the printed form has a check of its own.
                assert status.decisive, status.claim.id
                if status.claim.weight == "error":
                    assert any(record.consequence for record in records), status.claim.id

    def test_own_results_are_never_errata(self, part):
        statuses = verdicts.statuses(ROOT, part).values()
        own = {s.claim.id for s in statuses if s.claim.kind == "beyond"}
        assert all(s.verdict == "verified" for s in statuses if s.claim.id in own)
        letter = next(letter for letter, name in claims.PARTS.items() if name == part)
        numbered = {s.claim.id for s in statuses if s.claim.id.startswith(f"{letter}-B")}
        assert numbered <= own  # not the converse: a result may extend a numbered statement

    def test_what_follows_from_an_erratum_is_one_and_so_is_its_root(self, part):
        statuses = verdicts.statuses(ROOT, part)
        for status in statuses.values():
            if status.claim.root:
                for one in (status, statuses[status.claim.root]):
                    assert one.claim.kind != "beyond", status.claim.id
                    assert one.verdict == "corrected", status.claim.id

    def test_every_result_beyond_the_paper_names_its_source(self, part):
        beyond = [
            s.claim for s in verdicts.statuses(ROOT, part).values() if s.claim.kind == "beyond"
        ]
        assert not [claim.id for claim in beyond if not claim.source]

    def test_every_verdict_has_a_strength(self, part):
        statuses = verdicts.statuses(ROOT, part).values()
        assert not [s.claim.id for s in statuses if s.strength == verdicts.UNSTATED]
