"""Promises of `privlib.notebook`: `check` takes no wrong digit; wrong files do not stay."""

from __future__ import annotations

import decimal
import gzip
import hashlib
import io
import math
import random
import zipfile
from fractions import Fraction

import numpy as np
import pooch
import pytest
import sympy as sp

from privlib.notebook import check, datasets, exercises

ENTRIES = exercises.ENTRIES
ROUNDED = sorted(
    label
    for label, entry in ENTRIES.items()
    if entry["kind"] == "number" and "digits" in entry and isinstance(entry["answer"], str)
)


def said(capsys, label, answer):
    capsys.readouterr()
    check(label, answer)
    return capsys.readouterr().out


# --- digits ------------------------------------------------------------------------------------


def printed(number, digits):
    """A number with so many significant digits, by `decimal`, rounded half up."""
    context = decimal.Context(prec=digits, rounding=decimal.ROUND_HALF_UP)
    return context.create_decimal(decimal.Decimal(number))


@pytest.mark.parametrize("label", ROUNDED)
def test_a_number_that_differs_in_the_digits_asked_for_is_wrong(capsys, label):
    entry = ENTRIES[label]
    digits = entry["digits"]
    truth = float(exercises._value(entry["answer"], {}))
    shown = printed(truth, digits)
    unit = decimal.Decimal(1).scaleb(shown.adjusted() - digits + 1)
    taken = 0
    for step in range(-400, 401):
        given = truth + step / 100 * float(unit)
        right = said(capsys, label, given) == "Right.\n"
        within = abs(given - truth) <= float(unit) / 2 * (1 + 1e-9)
        same = printed(given, digits) == shown
        assert right == (same or within), (given, truth)
        taken += right
    assert taken >= 100
    assert said(capsys, label, float(shown)) == "Right.\n"
    assert said(capsys, label, Fraction(str(shown))) == "Right.\n"
    for wrong in (shown + 2 * unit, shown - 2 * unit, shown.copy_negate(), shown.scaleb(1)):
        assert said(capsys, label, float(wrong)).startswith("Not yet. ")


@pytest.mark.parametrize(
    ("value", "truth", "digits", "right"),
    [
        (3.14, math.pi, 3, True),
        (3.15, math.pi, 3, False),
        (3.146, math.pi, 3, True),  # half a unit
        (3.1467, math.pi, 3, False),
        (0.1, Fraction(1, 10), 3, True),
        (999.6, 999.6, 3, True),
        (1000, 999.6, 3, True),
        (1, 0.9996, 3, True),
        (1.0004, 0.9996, 3, True),  # both are 1.00
        (1.0011, 0.9996, 3, False),
        (-0.5, 0.5, 1, False),
        (0, Fraction(0), 2, True),
        (1e-5, Fraction(0), 2, False),
        (5e-324, 5e-324, 3, True),
        (0.0, 5e-324, 3, False),
        (1.7e308, 1.7e308, 3, True),
        (Fraction(10) ** 400, 1e300, 3, False),
        (math.inf, 1.0, 3, False),
        (math.nan, 1.0, 3, False),
    ],
)
def test_a_digit_is_a_digit(value, truth, digits, right):
    assert exercises._same_digits(value, truth, digits) is right


# --- what is no answer -------------------------------------------------------------------------

HOSTILE = [
    "2**5000",
    "-2**5000",
    "1e308*10",
    "1e400",
    "2**90000 * 2**90000 * 2**90000",
    "9**9**9",
    "9**9**9**9",
    "(9**9**9)**-1",
    "1e999**2",
    "2**0.5**1e300",
    "(0-8)**(1/3)",
    "0**-1",
    "1/0",
    "exp(1000)",
    "exp(exp(10))",
    "log(0)",
    "sqrt(0-1)",
    "z(2)",
    "acosh(0)",
    "-" * 400 + "1",
    "-" * 100_000 + "1",
    "+".join("1" * 200),
    "+".join("1" * 100_000),
    "(" * 150 + "1" + ")" * 150,
    "(" * 90_000 + "1" + ")" * 90_000,
    "1" * 400,
    "1" * 100_000,
    "[" * 200,
    "",
    " ",
    "\0",
    "1 if 1 else 2",
    "(lambda: 1)()",
    "__import__('os')",
    "log",
    "log + 1",
    "log(log)",
    "exp(*[1])",
    "1j",
    "True",
    "'1'",
    "b'1'",
    "...",
    "1;2",
    "x := 3",
    "2 eps",
    "E^(k eps)",
    "１＋１",
    "é" * 300,
    math.nan,
    -math.inf,
    10**5000,
    Fraction(10**5000, 3),
    Fraction(1, 10**5000),
    decimal.Decimal("1e5000"),
    decimal.Decimal("nan"),
    np.float32(1),
    np.array(1.0),
    np.array([1.0, 2.0]),
    np.array([]),
    np.bool_(True),
    sp.zoo,
    sp.oo,
    sp.I,
    sp.Symbol("q"),
    sp.Integer(2) ** 5000,
    sp.exp(sp.exp(sp.Integer(50))),
    None,
    object(),
    b"1",
    [],
    [1],
    [[1]],
    {1: 2},
    {1, 2},
    frozenset(),
    (i for i in range(3)),
    range(10**9),
    lambda: 1,
    lambda *_: 1 / 0,
    lambda *names: names[9],
    lambda *_: 10**5000,
    lambda *_: "1",
    print,
    type,
]


@pytest.mark.parametrize("position", range(len(HOSTILE)))
@pytest.mark.parametrize("label", ["lap-03-size", "lap-02-median", "lap-01-group", "lo-02-lost"])
def test_whatever_is_typed_is_answered_or_named(capsys, label, position):
    """A verdict, or a short ValueError or TypeError that says what is wanted; within a second."""
    answer = HOSTILE[position]
    if answer is ...:
        return
    lists = [answer] if label != "lo-02-lost" else [answer, (answer, 1), (6, answer)]
    for given in lists:
        try:
            verdict = said(capsys, label, given)
        except (TypeError, ValueError) as error:
            verdict = str(error)
        assert verdict.startswith(("Not yet. Hint: ", "check: answer must be ")), given
        assert len(verdict) < 1000


def test_a_missing_sign_is_named_where_it_is_in_doubt():
    with pytest.raises(ValueError, match=r"'1/k eps', which may mean two things: write \* and br"):
        check("lap-01-group", "1/k eps")


@pytest.mark.parametrize("seed", range(4))
def test_random_expressions_are_answered_or_named(capsys, seed):
    rng = random.Random(seed)
    pieces = [
        "k",
        "eps",
        "exp(",
        ")",
        "(",
        "**",
        "*",
        "+",
        "-",
        "/",
        "9",
        "1e308",
        "log(",
        " ",
        ",",
    ]
    for _ in range(300):
        text = "".join(rng.choice(pieces) for _ in range(rng.randint(1, 40)))
        try:
            verdict = said(capsys, "lap-01-group", text)
        except (TypeError, ValueError) as error:
            verdict = str(error)
        assert verdict.startswith(("Right.", "Not yet.", "check: answer must be ")), text


# --- files -------------------------------------------------------------------------------------

CONTENT = b"1 2\n3 4\n" * 200


def zipped(content):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data.txt", content)
    return buffer.getvalue()


def empty_zip():
    buffer = io.BytesIO()
    zipfile.ZipFile(buffer, "w").close()
    return buffer.getvalue()


PAGE = b"<html>Please log in</html>"
DAMAGED = {
    "page.gz": PAGE,
    "empty.gz": b"",
    "cut.gz": gzip.compress(bytes(range(256)) * 40)[:200],
    "sum.gz": gzip.compress(CONTENT)[:-8] + bytes(8),
    "head.gz": gzip.compress(CONTENT)[:5],
    "inside.gz": gzip.compress(CONTENT)[:15] + b"\xff" * 40 + gzip.compress(CONTENT)[55:],
    "other.gz": gzip.compress(b"another file"),
    "twice.gz": gzip.compress(gzip.compress(CONTENT)),
    "page.zip": PAGE,
    "empty.zip": b"",
    "nothing.zip": empty_zip(),
    "cut.zip": zipped(CONTENT)[:60],
    "bits.zip": zipped(CONTENT).replace(zipped(CONTENT)[45:50], b"\0\0\0\0\0", 1),
    "other.zip": zipped(b"another file"),
    "page.txt": PAGE,
    "empty.txt": b"",
}
GOOD = {".gz": gzip.compress(CONTENT), ".zip": zipped(CONTENT), ".txt": CONTENT}


@pytest.fixture
def publisher(tmp_path, monkeypatch):
    """A publisher whose files are in a dictionary, and an empty cache."""
    files = {}

    def retrieve(url, known_hash, fname, path, progressbar):
        path.mkdir(parents=True, exist_ok=True)
        (path / fname).write_bytes(files[url])
        return str(path / fname)

    monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path / "cache" / name)
    monkeypatch.setattr(pooch, "retrieve", retrieve)
    monkeypatch.delenv("PRIVLIB_DATA", raising=False)

    def publish(name, content):
        files[f"https://publisher.invalid/{name}"] = content
        entry = datasets.Source(
            file="thing.txt",
            url=f"https://publisher.invalid/{name}",
            sha256=hashlib.sha256(CONTENT).hexdigest(),
            page="",
            terms="",
            cite="",
        )
        monkeypatch.setattr(datasets, "SOURCES", {"thing": entry})

    return publish


def left(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize("name", DAMAGED)
def test_a_wrong_download_is_named_and_does_not_stay(publisher, tmp_path, name):
    publisher(name, DAMAGED[name])
    with pytest.raises(ValueError, match=rf"^load: 'thing' from https://publisher.invalid/{name}"):
        datasets.load("thing")
    assert not left(tmp_path)
    publisher(name, GOOD[name[name.index(".") :]])  # the publisher repairs it
    assert datasets.load("thing") == CONTENT
    assert len(left(tmp_path)) == 1


@pytest.mark.parametrize("name", DAMAGED)
def test_a_wrong_file_that_was_left_in_the_cache_goes(publisher, tmp_path, name):
    suffix = name[name.index(".") :]
    publisher(f"good{suffix}", GOOD[suffix])
    kept = tmp_path / "cache" / "privlib" / ("thing.txt" + suffix.removesuffix(".txt"))
    kept.parent.mkdir(parents=True)
    kept.write_bytes(DAMAGED[name])
    with pytest.raises(ValueError, match=r"^load: 'thing' from .*thing\.txt"):
        datasets.load("thing")
    assert datasets.load("thing") == CONTENT


@pytest.mark.parametrize("name", DAMAGED)
def test_a_wrong_file_of_the_reader_is_named_and_stays(publisher, tmp_path, monkeypatch, name):
    suffix = name[name.index(".") :]
    publisher(f"good{suffix}", GOOD[suffix])
    own = tmp_path / "own" / ("thing.txt" + suffix.removesuffix(".txt"))
    own.parent.mkdir()
    own.write_bytes(DAMAGED[name])
    monkeypatch.setenv("PRIVLIB_DATA", str(own.parent))
    for _ in range(2):
        with pytest.raises(ValueError, match=r"^load: 'thing' from .*thing\.txt"):
            datasets.load("thing")
    assert own.read_bytes() == DAMAGED[name]
    assert not left(tmp_path / "cache")
