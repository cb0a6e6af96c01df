"""What claims rest on as their checks show it, beside what the lists of claims say."""

from __future__ import annotations

import json
import re
from pathlib import Path

import dependencies
import pytest
import reader
from dependencies import Seen

from privlib.kit.evidence import Check, Record, anchor

ROOT = Path(__file__).resolve().parent.parent
PARTS = reader.parts(ROOT)


# --- this book -----------------------------------------------------------------------------------


@pytest.mark.parametrize("part", PARTS)
def test_what_is_seen_is_typed_or_explained(part):
    """A new arrow wants `uses` in the list of claims, or a reason in ``book/seen.yml``."""
    found = [one for one in dependencies.seen(ROOT, part) if one.answer == "open"]
    assert not found, [f"{s.claim} calls {s.name}, which {s.states} state" for s in found]


def test_every_reason_is_needed():
    every = [one for part in PARTS for one in dependencies.seen(ROOT, part)]
    needed = [(s.claim, s.name) for s in every if s.answer == "explained"]
    for entry in dependencies.explanations(ROOT):
        ids = {k for k, name in needed if name.endswith(f".{entry['object']}")}
        assert ids >= set(entry["claims"]), entry


@pytest.mark.parametrize("part", PARTS)
def test_typed_arrows_that_are_seen_are_of_the_kind_that_is_counted(part):
    """Both sides call the object, by the evidence as it is stored."""
    calls = dependencies.called(ROOT, part)
    seen = {arrow: names for arrow, names in dependencies.arrows(ROOT, part).items() if names}
    assert seen
    for (claim_id, use), names in seen.items():
        for name in names:
            states = dependencies.computed(ROOT, part)[name]
            assert use in states
            assert name in calls[claim_id]
            assert any(name in calls.get(k, ()) for k in states)


def test_the_page_says_what_was_counted_and_gives_every_reason(html):
    text = (html / "book/status.html").read_text(encoding="utf-8")
    for part in PARTS:
        row = re.search(rf'<tr[^>]* id="seen-{part}">.*?</tr>', text, re.DOTALL)[0]
        numbers = [int(k) for k in re.findall(r"<td><p>(\d+)</p></td>", row)]
        assert numbers == list(dependencies.counts(ROOT, part).values())
    folded = re.search(r'<details class="seen-reasons">.*?</details>', text, re.DOTALL)[0]
    entries = dependencies.explanations(ROOT)
    assert folded.count("<tr") == 1 + len({entry["reason"] for entry in entries})
    for entry in entries:
        for claim_id in entry["claims"]:
            assert f'{anchor(claim_id)}">{claim_id}</a>' in folded


# --- the rule ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Theorem 5.1.", {("theorem", "5.1")}),
        ("the proof of Theorem 5.1", {("proof of theorem", "5.1")}),
        ("Theorem 5.1, (24), (25)", {("theorem", "5.1"), ("equation", "24"), ("equation", "25")}),
        ("equations (1) to (3)", {("equation", "1"), ("equation", "2"), ("equation", "3")}),
        ("Figures 4 and 5(b); section 4.1", {("section", "4.1")}),
        ("Definition 3.1 and\n    Algorithm 2", {("definition", "3.1"), ("algorithm", "2")}),
        ("Study note, chapter 8 and the appendix", {("chapter", "8"), ("appendix", "")}),
        ("Not in the paper. R. Chen (2012), 51 pages", set()),
    ],
)
def test_places(text, found):
    assert dependencies.places(text) == found


def test_a_method_without_references_stands_for_its_class():
    sketch = "privlib.sketch.count_mean.CountMeanSketch"
    for path in ("privlib.sketch.CountMeanSketch", "privlib.sketch.CountMeanSketch.aggregate"):
        assert dependencies._resolved(path)[0] == sketch
    assert "Section 2.2" in dependencies._resolved("privlib.sketch.CountMeanSketch")[1]
    name, text = dependencies._resolved("privlib.disclosure.pram.pk_level")
    assert (name, text) == ("privlib.disclosure.pram.pk_level", "Theorem 5.1.")


LEVEL, MINIMA = "privlib.disclosure.pram.pk_level", "privlib.disclosure.pram.ratio_minima"


@pytest.fixture
def book(tmp_path):
    """A book of a few claims about Theorem 5.1, all with checks that call `pk_level`."""

    def make(claims, serves, reasons=(), differs=()):
        for folder in ("book/claims", "book/evidence/disclosure"):
            (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        items = [{"where": "section 6", "kind": "remark", "says": "S.", **one} for one in claims]
        path = tmp_path / "book/claims/disclosure.yml"
        path.write_text(json.dumps({"claims": items}), encoding="utf-8")
        (tmp_path / "book/seen.yml").write_text(json.dumps(list(reasons)), encoding="utf-8")
        sides = {one["id"]: ("supports", "differs")[one["id"] in differs] for one in claims}
        records = tuple(
            Record(k, (Check(side, "exact", "", "one case"),)) for k, side in sides.items()
        )
        name = "notebooks/disclosure/01-one"
        told = reader.Evidence(name, "", 1, 1, claims=records, serves=serves)
        reader.path_of(tmp_path, name).write_text(told.to_json(), encoding="utf-8")
        reader._read.cache_clear()
        return tmp_path

    return make


THEOREM = {"id": "K-1", "where": "section 5.1, Theorem 5.1", "kind": "theorem"}


def answers(root):
    return {one.claim: one.answer for one in dependencies.seen(root, "disclosure")}


def test_the_answers(book):
    serves = dict.fromkeys(("K-1", "K-2", "K-3", "K-4", "K-5"), (LEVEL,))
    claims = [
        {**THEOREM, "uses": ["K-5"]}, {"id": "K-2", "uses": ["K-1"]},
        {"id": "K-3", "uses": ["K-2"]}, {"id": "K-4"}, {"id": "K-5"}, {"id": "K-6"},
    ]  # fmt: skip
    root = book(claims, serves)
    told = {"K-2": "typed", "K-3": "typed", "K-4": "open", "K-5": "other way"}
    assert answers(root) == told
    typed = {("K-1", "K-5"): (), ("K-2", "K-1"): (LEVEL,), ("K-3", "K-2"): ()}
    assert dependencies.arrows(root, "disclosure") == typed
    counts = dependencies.counts(root, "disclosure")
    assert (counts["typed"], counts["typed and seen"], counts["seen, typed"]) == (3, 1, 2)
    reason = {"object": "pram.pk_level", "claims": ["K-4"], "reason": "A comparison."}
    root = book(claims, serves, [reason])
    assert answers(root) == told | {"K-4": "explained"}
    last = dependencies.seen(root, "disclosure")[2]
    assert last == Seen("K-4", LEVEL, ("K-1",), "explained", "A comparison.")
    assert answers(book(claims, serves, differs={"K-1"})) == told | {"K-4": "corrected"}
    slip = [{**claims[0], "weight": "slip"}, *claims[1:]]
    assert answers(book(slip, serves, differs={"K-1"})) == told


def test_which_claims_state_an_object(book):
    def stated(*claims, serves):
        return dependencies.computed(book(claims, serves), "disclosure")

    both = {"K-1": (LEVEL,), "K-2": (LEVEL,)}
    user = {"id": "K-2"}
    assert stated(THEOREM, user, serves=both) == {LEVEL: ("K-1",)}
    # Nobody at the theorem calls it; it is our own result; a remark; the proof.
    assert stated(THEOREM, user, serves={"K-2": (LEVEL,)}) == {}
    for other in ({"kind": "beyond"}, {"kind": "remark"}, {"where": "proof of Theorem 5.1"}):
        assert stated({**THEOREM, **other}, user, serves=both) == {}
    # Where one calls it, the others at the theorem state it too.
    beside = {"id": "K-3", "where": "Theorem 5.1", "kind": "equation"}
    assert stated(THEOREM, user, beside, serves=both) == {LEVEL: ("K-1", "K-3")}
    # "Section 2.1": what stands in its text and calls, not what has a number of its own.
    matrix = "privlib.disclosure.pram.retention_matrix"
    there = {"id": "K-1", "where": "section 2.1", "kind": "definition"}
    also = {"id": "K-2", "where": "section 2.1", "kind": "equation"}
    third = {"id": "K-3", "where": "section 2.1, equation (4)", "kind": "equation"}
    found = stated(there, also, third, serves={"K-1": (matrix,), "K-3": (matrix,)})
    assert found == {matrix: ("K-1",)}


def test_a_reason_says_why(book):
    entry = {"object": "pram.pk_level", "claims": ["K-2"]}
    for wrong in (entry, {**entry, "reason": ""}, {**entry, "reason": "r", "more": 1}):
        root = book([THEOREM], {}, [wrong])
        with pytest.raises(ValueError, match="has object, claims and reason"):
            dependencies.explanations(root)
    other = [{**entry, "reason": "r", "object": "level"}]
    assert dependencies.explained("K-2", LEVEL, other) == ""
    assert dependencies.explained("K-2", MINIMA, [{**entry, "reason": "r"}]) == ""
