"""The Japanese statements say what the English ones say, in words of ours.

``book/claims/ja/<part>.yml`` has each claim of ``book/claims/<part>.yml`` in Japanese, field by
field, with the printed form, its correction and its consequence from the notebooks. Whether a
translation is faithful only a reader can tell; formulas, numbers and citations can be compared.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
import yaml
from ledger import verdicts

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "book" / "claims" / "ja"
TEXTS = {
    "correlated": "000*.txt", "laplace": "001*.txt", "disclosure": "002*.txt",
    "location": "003*.txt", "sketch": "004*.txt",
}  # fmt: skip
PARTS = list(TEXTS)
SENTENCES = ("says", "reading", "not_checkable", "consequence")
LONGEST = 24  # characters in a row that a field may share with its paper, formulas apart

FORMULA, ROLE = re.compile(r"\$[^$]+\$"), re.compile(r"\{[a-z:]+\}`[^`]*`")
CODE = re.compile(r"`[^`]*`")
JAPANESE = re.compile(r"[\u3041-\u30ff\u4e00-\u9fff]")


def prose(text):
    """Return what stands between formulas, citations and code."""
    for pattern in (ROLE, FORMULA, CODE):
        text = pattern.sub("\0", text)
    return text


def marks(text):
    """Count the formulas, citations, pieces of code and numbers of a text; 8 million is 800 万."""
    text = re.sub(r"(\d+) million", lambda found: f"{100 * int(found[1])} 万", text)
    found = Counter(ROLE.findall(text)) + Counter(FORMULA.findall(ROLE.sub("", text)))
    found += Counter(CODE.findall(FORMULA.sub("", ROLE.sub("", text))))
    return found + Counter(re.findall(r"\d+(?:[.,]\d+)*", prose(text)))


def squeezed(text):
    """Return letters and digits of a text, in one Unicode form and in small letters."""
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", text)).lower()


def borrowed(text, paper):
    """Return the first stretch of a text that is longer than LONGEST and stands in the paper."""
    for piece in map(squeezed, prose(text).split("\0")):
        for start in range(len(piece) - LONGEST):
            if (stretch := piece[start : start + LONGEST + 1]) in paper:
                return stretch
    return ""


@cache
def english(part):
    found = {}
    for claim_id, status in verdicts.statuses(ROOT, part).items():
        claim = status.claim
        fields = {name: getattr(claim, name) for name in ("says", "reading", "not_checkable")}
        fields |= status.texts
        found[claim_id] = {name: text for name, text in fields.items() if text}
    return found


@cache
def japanese(part):
    return yaml.safe_load((FOLDER / f"{part}.yml").read_text(encoding="utf-8"))


def pairs(part):
    """Return name, English and Japanese of each field that both have."""
    ours = japanese(part)
    return [
        (f"{claim_id}, {name}", text, ours[claim_id][name])
        for claim_id, fields in english(part).items()
        for name, text in fields.items()
        if name in ours.get(claim_id, {})
    ]


@pytest.mark.parametrize("part", PARTS)
class TestThisBook:
    def test_claims_in_their_place_field_by_field(self, part):
        """All but a few: the Japanese of a new claim may come later, from somebody else."""
        text = (FOLDER / f"{part}.yml").read_text(encoding="utf-8")
        ours, fields = japanese(part), {k: list(found) for k, found in english(part).items()}
        here = [claim_id for claim_id in fields if claim_id in ours]
        assert re.findall(r"^([^\s#].*):$", text, re.MULTILINE) == here  # no other, none twice
        assert {claim_id: list(found) for claim_id, found in ours.items()} == {
            claim_id: fields[claim_id] for claim_id in here
        }
        assert len(here) >= 0.95 * len(fields), set(fields) - set(here)

    def test_formulas_numbers_and_citations_are_those_of_the_english(self, part):
        wrong = {
            name: (marks(en) - marks(ja), marks(ja) - marks(en))
            for name, en, ja in pairs(part)
            if marks(en) != marks(ja)
        }
        assert not wrong, "the English alone, the Japanese alone"

    def test_what_has_words_is_japanese(self, part):
        for name, en, ja in pairs(part):
            if re.search(r"[A-Za-z]{2}", prose(en)):
                assert JAPANESE.search(prose(ja)), name
            left = re.search(r"[A-Za-z]+(?:[ ,]+[A-Za-z]+){3}", prose(ja))
            assert not left, f"{name}: {left[0]!r} is English"

    def test_sentences_are_plain_statements(self, part):
        for name, _, ja in pairs(part):
            assert ja.endswith("。") == name.endswith(SENTENCES), f"{name}: full stop"
            foreign = re.search(
                r"です|ます。|ください|[，．]|(?<!\d),|,(?! ?\d)|\.(?!\w)", prose(ja)
            )
            assert not foreign, f"{name}: {foreign[0]!r}"

    def test_no_sentence_is_the_papers(self, part):
        """In the texts as they reached us, where these are at hand."""
        folder = os.environ.get("PRIVLIB_PAPERS")
        if not folder:
            pytest.skip("the papers' texts are not here: PRIVLIB_PAPERS names their folder")
        (path,) = Path(folder).glob(TEXTS[part])
        paper = squeezed(path.read_text(encoding="utf-8"))
        found = {name: borrowed(ja, paper) for name, _, ja in pairs(part)}
        assert not {name: stretch for name, stretch in found.items() if stretch}


@pytest.mark.parametrize(
    ("en", "ja", "same"),
    [
        ("at most $1/k$ for 3 %", "3 % では高々 $1/k$", True),
        ("at most $1/k$ for 3 %", "3 % では高々 $k$", False),
        ("at most $1/k$ for 3 %", "30 % では高々 $1/k$", False),
        ("both $p$ and $p$", "$p$ はいずれも", False),
        ("4,580 homes, see equation (1)", "4,580 戸（式 (1) を参照）", True),
        ("0.5 in {cite:p}`smith2009`", "{cite:p}`smith2009` では 0.5", True),
        ("0.5 in {cite:p}`smith2009`", "{cite:t}`smith2009` では 0.5", False),
        ("8 million", "800 万", True),
        ("8 million", "80 万", False),
        ("`m` of $2$", "$2$ の `m`", True),
        ("`m` of $2$", "$2$ の `n`", False),
    ],
)
def test_marks_tell_texts_apart(en, ja, same):
    assert (marks(en) == marks(ja)) is same


def test_a_borrowed_stretch_is_found_across_spaces_and_commas():
    sentence = "標本の大きさが母集団の大きさに比べて十分に小さいとき、両者の差は無視できる"
    paper = squeezed(f"序文。{sentence}。")
    assert len(squeezed(sentence)) > LONGEST
    assert borrowed(f"すなわち {sentence[:14]} {sentence[14:].replace('、', ', ')}。", paper)
    assert not borrowed(sentence[:LONGEST], paper)
    assert not borrowed(f"{sentence[:20]} $n$ {sentence[20:]}", paper)  # a formula parts it
