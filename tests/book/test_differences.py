"""Marks where two forms differ: as small as can be, and without them both forms are the same."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest
import works
from ledger import differences, japanese, verdicts

from privlib.notebook.claims import PARTS

ROOT = Path(__file__).resolve().parents[2]
STATUSES = {part: verdicts.statuses(ROOT, part) for part in PARTS.values()}
WRONG = [status for found in STATUSES.values() for status in found.values() if status.is_erratum]
CHANGED = r"\class{changed}{"


def without(text):
    """Return a text without what is marked: sentinels, and the TeX class, brace by brace."""
    text = re.sub(f"{differences.OPEN}[^{differences.CLOSE}]*{differences.CLOSE}", "", text)
    while CHANGED in text:
        start = end = text.index(CHANGED)
        end += len(CHANGED)
        depth = 1
        while depth:
            depth += (text[end] == "{") - (text[end] == "}") if text[end - 1] != "\\" else 0
            end += 1
        text = text[:start] + text[end:]
    return differences.bare(text.replace("$", ""))


def unmarked(text):
    """Return a text with its marks taken off."""
    text = text.replace(differences.OPEN, "").replace(differences.CLOSE, "")
    return text.replace(CHANGED + "{}", "").replace("{}}", "")


def corrections():
    """Yield the name of each correction with its two forms, in English and in Japanese."""
    for wrong in WRONG:
        name = wrong.claim.id
        both = wrong.texts, japanese.wording_of(ROOT, PARTS[name[0]])[name]
        yield name, [(texts["printed"], texts["corrected"]) for texts in both]


def test_each_correction_is_marked_and_without_its_marks_both_forms_are_the_same():
    in_part = 0
    for name, pairs in corrections():
        made = differences.differences(*pairs)
        left = [without(old) for old, _ in made]
        for pair, (old, new), rest in zip(pairs, made, left, strict=True):
            assert (unmarked(old), unmarked(new)) == pair, name
            assert (old, new) != pair, f"{name}: no mark"
            assert rest == without(new), name
        assert len({rest == "" for rest in left}) == 1, f"{name}: whole in one language only"
        in_part += left[0] != ""
    assert in_part > len(WRONG) / 3


def test_what_has_nothing_in_common_in_one_language_is_marked_as_a_whole_in_both():
    whole = differences.OPEN + "{}" + differences.CLOSE
    english, japanese = ("a long way", "a short way"), ("遠い", "近く、$x$")
    assert differences.differences(english)[0] != tuple(map(whole.format, english))
    assert differences.differences(english, japanese) == [
        tuple(map(whole.format, pair)) for pair in (english, japanese)
    ]


@pytest.mark.parametrize(
    ("printed", "instead", "old", "new"),
    [
        ("the variance", "the scale", "the [variance]", "the [scale]"),
        ("is $a$ here", "is $b$ here", "is [$a$] here", "is [$b$] here"),
        ("$\\max(s, 1)$", "$\\min(s, 1)$", "$<\\max>(s, 1)$", "$<\\min>(s, 1)$"),
        ("$\\frac Fk x$", "$\\frac{F}{k} x$", "$\\frac Fk x$", "$\\frac{F}{k} x$"),
        ("任意のデータ", "独立なデータ", "[任意の]データ", "[独立な]データ"),
        ("at $e = 2$: 25.58", "25.59", "[at $e = 2$: 25.58]", "[25.59]"),
        ("$\\gamma > g$", "$h \\le 1$", "[$\\gamma > g$]", "[$h \\le 1$]"),
    ],
)
def test_marks_are_as_small_as_can_be(printed, instead, old, new):
    (made,) = differences.differences((printed, instead))
    plain = [
        t.replace(differences.OPEN, "[").replace(differences.CLOSE, "]")
        .replace(CHANGED + "{}", "<").replace("{}}", ">")
        for t in made
    ]  # fmt: skip
    assert plain == [old, new]


@pytest.mark.parametrize(
    "tex",
    [
        r"\left(\frac{a}{b}\right)^{2} + c", r"\begin{pmatrix} 4 & 0 \\ 4 & 4 \end{pmatrix} x",
        r"\sqrt[3]{x} \bigl\{ y \bigr\}", r"x_{i}^{\mathsf T}' y", r"\{a \mid b\}",
        r"\binom11 0.25",
    ],
)  # fmt: skip
def test_atoms_are_the_formula_and_each_is_whole(tex):
    found = differences.atoms(tex)
    assert "".join(found) == tex
    for atom in found:
        bare = re.sub(r"\\[{}]", "", atom)
        assert bare.count("{") == bare.count("}"), atom
        assert atom.count(r"\left") == atom.count(r"\right")
        assert atom.count(r"\begin") == atom.count(r"\end")
    assert len(found) > 1


@pytest.mark.parametrize("tex", [r"\left( a", r"{a", "a\\"])
def test_a_formula_that_is_cut_off_is_refused(tex):
    with pytest.raises(ValueError, match="atoms: "):
        differences.atoms(tex)


def test_prose_is_escaped_and_cites():
    known = {"k": ("A & B", "1999", ""), "n": ("C", "", "")}
    cite = partial(works.linked, library="r.html", known=known)
    made = differences.prose('a < b, *so*, "x" {cite:p}`k,n` `c`', cite=cite)
    both = '<a href="r.html">A &amp; B, 1999</a>; <a href="r.html">C</a>'
    assert made == f"a &lt; b, <em>so</em>, “x” ({both}) <code>c</code>"
    assert differences.prose("{cite:t}`k`", cite=cite) == '<a href="r.html">A &amp; B (1999)</a>'
