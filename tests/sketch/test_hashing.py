"""Tests of `privlib.sketch.hashing` and `privlib.sketch._bits`: families, items, exact coins."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from privlib.sketch import _bits, hashing
from privlib.sketch import items as items_module
from privlib.sketch.hashing import ExplicitFamily, TabulationFamily
from privlib.sketch.items import counted_items, distinct_items

ITEMS = st.one_of(st.text(max_size=4), st.integers(-(2**70), 2**70), st.integers(-3, 3))


# --- items ---------------------------------------------------------------------------------


def factorize(items):
    return distinct_items("f", items)


def assert_factorized(items, distinct, codes):
    assert len(set(distinct)) == len(distinct)
    assert set(distinct) == set(items)
    assert [distinct[code] for code in codes] == list(items)
    assert codes.dtype == np.int64
    assert all(type(item) in (str, int) for item in distinct)


@given(st.lists(ITEMS, max_size=30))
def test_factorize_takes_sequences_of_anything_that_is_an_item(items):
    assert_factorized(items, *factorize(items))
    array = np.empty(len(items), dtype=object)
    array[:] = items
    assert_factorized(items, *factorize(array))


@given(
    st.lists(st.integers(0, 255), max_size=30),
    st.sampled_from(["u1", "i2", ">i4", "i8", "u8"]),
    st.booleans(),
)
def test_factorize_takes_arrays_of_integers(numbers, kind, far):
    items = np.array(numbers, dtype=kind)
    if far and items.size:
        items[0] = np.iinfo(items.dtype).max  # too wide a range for presence flags
    assert_factorized(items.tolist(), *factorize(items))


@given(
    st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))),
    st.booleans(),
)
def test_factorize_takes_arrays_of_strings(names, swapped):
    items = np.array(names, dtype=str)
    if swapped:
        items = items.astype(items.dtype.newbyteorder())
    assert_factorized(items.tolist(), *factorize(items))


def test_more_strings_than_buckets_and_strings_that_only_differ_late():
    items = np.array([f"{'x' * 30}{i % 70_001}" for i in range(140_002)])
    distinct, codes = factorize(items)
    assert len(distinct) == 70_001
    np.testing.assert_array_equal(np.array(distinct)[codes], items)


def test_a_fingerprint_never_decides_alone(monkeypatch):
    monkeypatch.setattr(items_module, "_MULTIPLIERS", (0,))  # all strings in one bucket
    assert_factorized(["a", "b", "a"], *factorize(np.array(["a", "b", "a"])))


def test_one_item_is_a_sequence_of_one():
    assert factorize("A1")[0] == ["A1"]
    assert factorize(np.int8(7))[0] == [7]
    assert factorize(range(3))[0] == [0, 1, 2]
    family = TabulationFamily(3, 16, seed=0)
    assert not np.array_equal(family.positions("1"), family.positions(1))
    np.testing.assert_array_equal(family.positions("1"), family.positions(np.array(["1"])))
    np.testing.assert_array_equal(family.positions([7]), family.positions(np.array([7], "u1")))


@pytest.mark.parametrize(
    "items", [[1.0], [None], ["a", True], [np.bool_(1)], np.array([0.5]), np.array([True]),
              np.array([b"a"]), b"ab", 1.5, None, {"a": 1}, True, np.array([None, "a"])]
)  # fmt: skip
def test_what_is_no_item_is_refused(items):
    with pytest.raises(TypeError, match="f: items must"):
        factorize(items)


def test_arrays_of_items_have_one_dimension():
    with pytest.raises(ValueError, match=r"one dimension, got shape \(1, 2\)"):
        factorize(np.array([[1, 2]]))


# --- what pandas brings --------------------------------------------------------------------


@pytest.mark.parametrize("values", [["a", "b", "a"], [3, 1, 3], ["a", 1, "a"]])
@pytest.mark.parametrize("kind", [None, "category"])
def test_items_come_from_pandas(values, kind):
    series = pd.Series(values, index=[7, 8, 9], dtype=kind)
    for items in (series, pd.Index(values), series.array):
        assert_factorized(values, *factorize(items))


def test_what_pandas_holds_beside_items_is_refused():
    for wrong in (pd.Series([1.5]), pd.Series(["a", None]), pd.Series([True])):
        with pytest.raises(TypeError, match="f: items must hold str or int"):
            factorize(wrong)
    with pytest.raises(ValueError, match="one dimension"):
        factorize(pd.DataFrame({"a": [1]}))


def test_counts_come_from_mappings_and_from_value_counts():
    users = pd.Series(["x", "y", "x", "z", "x", "y"])
    for counts in (users.value_counts(), {"x": 3, "y": 2, "z": 1}, Counter(users),
                   pd.Series({"x": np.uint8(3), "y": 2, "z": 1}, dtype="Int64")):  # fmt: skip
        items, numbers = counted_items("f", counts)
        assert items == ["x", "y", "z"]
        assert numbers.tolist() == [3, 2, 1]
    for wrong, error, words in (
        (pd.Series([1, 2], index=["x", "x"]), ValueError, "each once"),
        (users.value_counts(normalize=True), TypeError, r"counts\['x'\] must be an integer"),
        (pd.Series([1], index=[1.5]), TypeError, "counts must hold .* of type float"),
        (users.to_frame().assign(v=1).value_counts(), TypeError, "counts must hold str or int"),
        (pd.DataFrame({"x": [1]}), TypeError, r"counts\['x'\] must be an integer"),
        (users.index, TypeError, "value_counts"),
    ):
        with pytest.raises(error, match=words):
            counted_items("f", wrong)


# --- tabulation ----------------------------------------------------------------------------


def tabulated(item, hashes, width, seed):
    """The same functions in plain Python, from the description alone."""
    label = f"privlib.sketch tabulation 1|{hashes}|{width}|{seed}".encode()
    stream = hashlib.shake_256(label).digest(8 * 8 * 256 * hashes)
    text = (f"s{item}" if isinstance(item, str) else f"i{item}").encode()
    digest = hashlib.blake2b(text, digest_size=8).digest()
    values = []
    for j in range(hashes):
        total = 0
        for place in range(8):
            at = 8 * ((place * 256 + digest[place]) * hashes + j)
            total += int.from_bytes(stream[at : at + 8], "little")
        values.append(total % width)
    return values


@pytest.mark.parametrize("width", [2, 3, 128, 1000, 2**24])
def test_tabulation_is_the_described_function(width):
    items = ["A1", "", "日本", 7, -7, 10**30]
    family = TabulationFamily(5, width, seed=11)
    assert family.positions(items).tolist() == [tabulated(x, 5, width, 11) for x in items]


def test_the_families_never_change_silently():
    assert TabulationFamily(4, 128, seed=1).positions(["A1", "A2", 1]).tolist() == [
        [24, 16, 102, 100], [111, 26, 24, 45], [21, 88, 84, 21]
    ]  # fmt: skip
    assert TabulationFamily(4, 100, seed=2**80).positions("A1").tolist() == [[21, 75, 58, 38]]
    assert TabulationFamily(4, 128, seed=1).fingerprint == 598499403
    assert ExplicitFamily({"a": [0, 1], 1: [1, 1]}, 2).fingerprint == 3891567768


def test_triples_of_hash_values_are_uniform():
    # 4096 independent functions: all 64 triples of values are equally probable.
    h = TabulationFamily(4096, 4, seed=5).positions(["a", "b", "c", "d"])
    for triple in itertools.combinations(h, 3):
        seen = np.bincount(triple[0] * 16 + triple[1] * 4 + triple[2], minlength=64)
        assert stats.chisquare(seen).pvalue > 1e-4


def test_values_are_uniform_to_two_percent():
    h = TabulationFamily(2000, 8, seed=6).positions(range(500))
    # Pairs within a row are independent, so the counts have nearly multinomial variance.
    counts = np.bincount(h.ravel(), minlength=8)
    assert abs(counts / 125_000 - 1).max() < 0.02


@pytest.mark.parametrize("cells", [hashing.LOOKUP_CELLS, 0])
def test_single_values_agree_with_the_table(monkeypatch, cells):
    monkeypatch.setattr(hashing, "LOOKUP_CELLS", cells)
    rng = np.random.default_rng(0)
    for width in (64, 1000):
        family = TabulationFamily(50, width, seed=3)
        items = [f"x{i}" for i in range(40)]
        codes, rows = rng.integers(40, size=90), rng.integers(50, size=90)
        np.testing.assert_array_equal(
            family.at(items, codes, rows=rows), family.positions(items)[codes, rows]
        )


def test_families_are_equal_by_content():
    family = TabulationFamily(4, 8, seed=0)
    assert family == TabulationFamily(np.int64(4), 8, seed=0)
    assert hash(family) == hash(TabulationFamily(4, 8, seed=0))
    assert (
        len(
            {
                TabulationFamily(k, m, seed=seed).fingerprint
                for k, m, seed in itertools.product([4, 5], [8, 9], [0, 1])
            }
        )
        == 8
    )
    table = ExplicitFamily({"a": [0, 1], "b": [1, 1]}, 2)
    assert table == ExplicitFamily({"b": (1, 1), "a": np.array([0, 1])}, 2)
    assert hash(table) == hash(ExplicitFamily({"b": (1, 1), "a": [0, 1]}, 2))
    assert table != ExplicitFamily({"b": (1, 1), "a": [0, 1]}, 3)
    assert table != ExplicitFamily({"b": (1, 1), "a": [0, 0]}, 2)
    assert table.fingerprint != ExplicitFamily({"b": (1, 1), "a": [0, 0]}, 2).fingerprint


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [((0, 8, 0), ValueError, "hashes"), ((2**16 + 1, 8, 0), ValueError, "hashes"),
     ((1, 1, 0), ValueError, "width"), ((1, 2**24 + 1, 0), ValueError, "width"),
     ((1, 8, -1), ValueError, "seed"), ((1, 8, 1.5), TypeError, "seed"),
     ((True, 8, 0), TypeError, "hashes")],
)  # fmt: skip
def test_bad_parameters_of_a_family(arguments, error, words):
    with pytest.raises(error, match=f"TabulationFamily: {words} must be"):
        TabulationFamily(*arguments[:2], seed=arguments[2])


def test_explicit_families():
    family = ExplicitFamily({"a": [0, 1, 2], 5: [2, 2, 0]}, 3)
    assert (family.hashes, family.width) == (3, 3)
    assert family.positions([5, "a", 5]).tolist() == [[2, 2, 0], [0, 1, 2], [2, 2, 0]]
    assert family.positions([]).shape == (0, 3)
    assert family.at(["a", 5], np.array([1, 0]), rows=np.array([0, 2])).tolist() == [2, 2]
    assert repr(family) == "ExplicitFamily(<2 items>, hashes=3, width=3)"
    with pytest.raises(ValueError, match="which item number 1 is not"):
        family.positions(["a", "b"])


@pytest.mark.parametrize(
    ("table", "width", "error", "words"),
    [({}, 2, ValueError, r"same number of rows, in 1..65536, got \[\]"),
     ({"a": []}, 2, ValueError, r"same number .* got \[0\]"),
     ({"a": [0], "b": [0, 1]}, 2, ValueError, r"same number .* got \[1, 2\]"),
     ({"a": [2]}, 2, ValueError, "a position must be in 0..1, got 2"),
     ({"a": [0.0]}, 2, TypeError, "a position"), ({"a": [0]}, 1, ValueError, "width"),
     ({None: [0]}, 2, TypeError, "ExplicitFamily: table must hold str or int, got None"),
     ({"a": [0] * (2**16 + 1)}, 2, ValueError, "in 1..65536, got .65537")],
)  # fmt: skip
def test_bad_tables(table, width, error, words):
    with pytest.raises(error, match=words):
        ExplicitFamily(table, width)


# --- coins ---------------------------------------------------------------------------------


class Lanes:
    """Words whose 64 lanes run through all prefixes of 6 binary digits, then zeros."""

    def __init__(self):
        self.place = 0

    def integers(self, low, high, size, **_):
        bits = [(lane >> (5 - self.place)) & 1 if self.place < 6 else 0 for lane in range(64)]
        self.place += 1
        return np.full(size, sum(bit << lane for lane, bit in enumerate(bits)), dtype=np.uint64)


@pytest.mark.parametrize("numerator", range(64))
def test_a_coin_is_exact_over_all_random_digits(numerator):
    out = np.zeros(3, dtype=np.uint64)
    _bits._fill(out, _bits._digits(numerator / 64), Lanes())
    # Each of the 64 prefixes came once, and so exactly `numerator` lanes are set.
    assert [int(word).bit_count() for word in out] == [numerator] * 3


def test_digits_are_those_of_the_double():
    for q in (0.0, 0.5, 0.1, 1 / 3, 5e-324, math.nextafter(1, 0)):
        digits = _bits._digits(q)
        numerator, denominator = q.as_integer_ratio()
        assert int("0" + "".join(map(str, digits)), 2) * denominator == numerator << len(digits)


@pytest.mark.parametrize("q", [0.0, 2.0**-30, 0.11, 1 / (1 + math.exp(0.5)), 0.4999, 0.97])
def test_coins_have_their_probability_and_are_independent(q):
    bits = np.unpackbits(
        _bits.bernoulli_bits(40_000, 64, q=q, rng=np.random.default_rng(1)), axis=1
    )
    size = bits.size
    for seen, p, trials in (
        (bits.sum(), q, size),
        ((bits & np.roll(bits, 1, axis=1)).sum(), q * q, size),  # neighbours in a word
        ((bits[1:] & bits[:-1]).sum(), q * q, size - 64),  # neighbouring words
    ):
        # The products overlap: twice the variance of independent ones is a safe scale.
        assert abs(float(seen) - trials * p) <= 4.5 * math.sqrt(2 * trials * p * (1 - p)) + 0.01


def test_late_digits_count():
    # Coins that are decided late: q and 1/2 differ by 2^-9, which 40 million coins tell apart.
    q = 0.5 + 2.0**-9
    words = _bits.bernoulli_bits(300_000, 64, q=q, rng=np.random.default_rng(2))
    seen = int(np.unpackbits(words).sum())
    z = (seen - 64 * 300_000 * q) / math.sqrt(64 * 300_000 * q * (1 - q))
    assert abs(z) < 4 < 2.0**-9 * math.sqrt(64 * 300_000) * 2 * 0.8


def test_rows_of_bits():
    packed = _bits.bernoulli_bits(5000, 11, q=0.3, rng=np.random.default_rng(0))
    assert packed.shape == (5000, 2)
    assert not (packed[:, 1] >> 3).any()
    bits = np.unpackbits(packed, axis=1, count=11, bitorder="little")
    np.testing.assert_allclose(bits.mean(axis=0), 0.3, atol=4.5 * math.sqrt(0.21 / 5000))
    assert _bits.bernoulli_bits(0, 8, q=0.3, rng=np.random.default_rng(0)).shape == (0, 1)


@settings(max_examples=40)
@given(st.integers(0, 3000), st.integers(1, 30), st.integers(1, 130), st.integers(0, 2**32))
def test_column_counts(n, groups, width, seed):
    rng = np.random.default_rng(seed)
    signs = rng.integers(0, 2, (n, width), dtype=np.uint8)
    rows = np.minimum(rng.geometric(0.2, n) - 1, groups - 1)  # uneven, some rows empty
    expected = np.zeros((groups, width), dtype=np.int64)
    np.add.at(expected, rows, signs)
    packed = np.packbits(signs, axis=1, bitorder="little")
    np.testing.assert_array_equal(
        _bits.column_counts(packed, rows, groups=groups, width=width), expected
    )


@pytest.mark.parametrize("q", [1.0, -0.1, float("nan")])
def test_a_probability_that_no_coin_has_is_refused(q):
    with pytest.raises(ValueError, match=r"bernoulli_bits: q must be in \[0, 1\)"):
        _bits.bernoulli_bits(1, 8, q=q, rng=np.random.default_rng(0))


@pytest.mark.parametrize(
    "family",
    [TabulationFamily(3, 8, seed=0), ExplicitFamily({"a": [0, 1, 2], "b": [3, 0, 1]}, 8)],
)
def test_pairs_of_an_item_and_a_row_are_checked(family):
    where = f"{type(family).__name__}.at"
    good = {"codes": np.array([0, 1]), "rows": np.array([2, 0])}
    for name, high in (("codes", 1), ("rows", 2)):
        for bad, kind, rule in (
            (np.array([0, -1]), ValueError, "at least 0, got -1"),
            (np.array([0, 3]), ValueError, f"at most {high}, got 3"),
            (np.array([0.0, 1.0]), TypeError, "hold integers"),
            (np.ma.masked_array([0, 1], mask=[False, True]), TypeError, "without a mask"),
        ):
            arguments = {**good, name: bad}
            with pytest.raises(kind, match=f"{where}: {name} must .*{rule}"):
                family.at(["a", "b"], arguments["codes"], rows=arguments["rows"])
    every = family.positions(["a", "b"])
    found = family.at(["a", "b"], [0, 1], rows=[2, 0])
    assert found.tolist() == [every[0, 2], every[1, 0]]


def test_items_of_pairs_are_a_sequence():
    for family in (TabulationFamily(3, 8, seed=0), ExplicitFamily({"a": [0, 1, 2]}, 8)):
        where = f"{type(family).__name__}.at"
        for items in (5, None, np.array(5)):
            with pytest.raises(TypeError, match=f"{where}: items must be a sequence of str or int"):
                family.at(items, np.array([0]), rows=np.array([0]))
