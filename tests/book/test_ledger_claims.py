"""The files of claims: what is refused, where a claim stands, whether a paper is listed whole."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest
from ledger import claims as ledger_claims
from ledger.claims import Claim

ROOT = Path(__file__).resolve().parents[2]
CLAIMS = ROOT / "book" / "claims"
PARTS = sorted(path.stem for path in CLAIMS.glob("*.yml"))
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


def entry(claim_id, **fields):
    return Claim(**{"id": claim_id, "where": "", "kind": "remark", "says": "", **fields})


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
        ledger_claims.load_claims(path)
    path.write_text(json.dumps({"claims": [{**full, "id": "Y-z", "kind": "remark"}] * 2}))
    if set(item) == {"id"}:
        with pytest.raises(ValueError, match="stands twice"):
            ledger_claims.load_claims(path)


def test_roots_and_sources_are_read(tmp_path):
    full = {"where": "w", "kind": "remark", "says": "s"}
    items = [
        {**full, "id": "Y-a"}, {**full, "id": "Y-b", "root": "Y-a"},
        {**full, "id": "Y-B1", "kind": "beyond", "source": "Laplace"},
    ]  # fmt: skip
    path = tmp_path / "correlated.yml"
    path.write_text(json.dumps({"claims": items}), encoding="utf-8")
    found = ledger_claims.load_claims(path)
    assert [(one.root, one.source) for one in found] == [("", ""), ("Y-a", ""), ("", "Laplace")]
    items.append({**full, "id": "Y-c", "root": "Y-b"})
    path.write_text(json.dumps({"claims": items}), encoding="utf-8")
    with pytest.raises(ValueError, match="root must be a claim without a root, got Y-b"):
        ledger_claims.load_claims(path)


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
    (claim,) = ledger_claims.load_claims(path)
    assert (claim.place, claim.lines) == (place, lines)


def test_claims_that_rest_on_each_other_in_a_circle_are_named():
    entries = [
        entry("Y-d", uses=("Y-b", "Y-c")), entry("Y-a", uses=("Y-d",)),
        entry("Y-b", uses=("Y-a",)), entry("Y-c", uses=("Y-a",)), entry("Y-e"),
    ]  # fmt: skip
    with pytest.raises(ValueError, match=r"in a circle: Y-\w( rests on Y-\w){3}$") as caught:
        ledger_claims.topological(entries)
    named = re.findall(r"Y-\w", str(caught.value))
    uses = {one.id: one.uses for one in entries}
    assert all(after in uses[before] for before, after in pairwise(named))


@pytest.mark.parametrize("part", PARTS)
class TestThisBook:
    """The real YAML against the real notebooks."""

    def test_every_claim_of_a_source_has_its_place_in_the_text(self, part):
        claims = ledger_claims.load_claims(CLAIMS / f"{part}.yml")
        assert [c.id for c in claims if bool(c.at) == (c.kind == "beyond")] == []
        whole = part == "laplace"  # one line, so that sentences are counted
        assert all(c.at.startswith("sentence") == whole for c in claims if c.at)
        assert all(first <= last for c in claims for first, last in c.lines)

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
        claims = [one for one in ledger_claims.load_claims(CLAIMS / f"{part}.yml") if one.at]
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
        known = {e.id for e in ledger_claims.load_claims(ROOT / "book" / "claims" / f"{part}.yml")}
        for statement, target in pairs:
            named = {word for word in target.split() if re.fullmatch(r"[NYKMS]-[\w.'-]+", word)}
            assert named <= known, f"{statement}: names claims that the ledger does not have"
            reason = target.strip().startswith("not listed,")
            assert named or reason, f"{statement}: names no claim and gives no reason"
        covered = {word for _, target in pairs for word in target.split()}
        beyond = {claim_id for claim_id in known if claim_id[2] == "B"}
        assert not known - covered - beyond
