"""Tests of `privlib.sketch.data` against the published file."""

from __future__ import annotations

import csv
import gzip
import hashlib
import os
from collections import Counter
from pathlib import Path

import pytest

from privlib.sketch.data import shop_counts

FOLDER = Path(os.environ.get("PRIVLIB_DATA", "no folder"))
RAW = FOLDER / "e-shop_clothing_2008.csv.gz"


def test_what_the_paper_says_of_the_data():
    counts = shop_counts()
    assert list(counts) == [f"A{i}" for i in range(1, 44)]
    assert counts["A2"] == 3013 == max(counts.values())
    # A18 and A34, on which the transfers are tried
    assert (counts["A18"], counts["A34"], sum(counts.values())) == (937, 558, 49742)


def test_the_two_rules_differ_by_one_click():
    category, letter = shop_counts(), shop_counts("letter")
    assert {d: letter[d] - category[d] for d in category if letter[d] != category[d]} == {"A18": 1}
    letter["A1"] = 0  # a new dictionary each time
    assert shop_counts("letter")["A1"] == 2265


def test_bad_rule():
    with pytest.raises(ValueError, match="rule must be one of category, letter, got 'b'"):
        shop_counts("b")


def test_the_derived_table():
    """The digest is that of a table derived from the published file by another program."""
    lines = ["model,count", *(f"{model},{count}" for model, count in shop_counts("letter").items())]
    digest = "4507f393cde4d638f25218d4cd985a82ac55da4f2de586544b4a8701c2663f79"
    assert hashlib.sha256(("\n".join(lines) + "\n").encode()).hexdigest() == digest


@pytest.mark.skipif(not RAW.exists(), reason="$PRIVLIB_DATA has no clickstream file")
def test_the_published_file():
    content = gzip.decompress(RAW.read_bytes())
    digest = "fcc167bbd0badd4c9685bd8543097e318f8228e48075335db7cd781cee88115d"
    assert hashlib.sha256(content).hexdigest() == digest
    rows = list(csv.DictReader(content.decode("utf-8").splitlines(), delimiter=";"))
    model, category, session = (
        [row[name] for row in rows]
        for name in ("page 2 (clothing model)", "page 1 (main category)", "session ID")
    )
    assert Counter(m for m in model if m.startswith("A")) == shop_counts("letter")
    assert Counter(m for m, c in zip(model, category) if c == "1") == shop_counts()
    assert len(set(session)) == 24_026
