"""Tests of `privlib.location.paths`: brute force over people and times, blocks by definition."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privlib.location import paths


@st.composite
def walks(draw):
    size = draw(st.integers(1, 4))
    times = draw(st.integers(2, 7))
    people = draw(st.integers(1, 6))
    cell = st.integers(0, size - 1)
    rows = draw(
        st.lists(st.lists(cell, min_size=times, max_size=times), min_size=people, max_size=people)
    )
    return rows, draw(st.integers(1, times)), size


def windows(row, n):
    return [tuple(row[t : t + n]) for t in range(len(row) - n + 1)]


@settings(max_examples=80)
@given(walks())
def test_states_histograms_and_totals_by_brute_force(case):
    rows, n, size = case
    seen = paths.count_paths(rows, n, size=size)
    grams = [tuple(g) for g in seen.grams.tolist()]
    everyone = [windows(row, n) for row in rows]
    assert grams == sorted(set(grams))
    assert set(itertools.chain(*everyone)) <= set(grams)
    for t in range(len(everyone[0])):
        count = Counter(w[t] for w in everyone)
        assert seen.histograms()[t].tolist() == [count[g] for g in grams]
    total = Counter(itertools.chain(*everyone))
    assert seen.histograms().sum(axis=0).tolist() == [total[g] for g in grams]
    # what was added is exactly the staying-on of paths that are seen last only
    left = {w for row in everyone for w in row[:-1]}
    needed = set(itertools.chain(*everyone))
    for gram in (
        [row[-1] for row in everyone if row[-1] not in left]
        if len(everyone[0]) > 1
        else (list(needed))
    ):
        while (gram := (*gram[1:], gram[-1])) not in needed:
            needed.add(gram)
    assert set(grams) == needed


@settings(max_examples=80)
@given(walks())
def test_transition_by_brute_force(case):
    rows, n, size = case
    seen = paths.count_paths(rows, n, size=size)
    matrix = paths.transition(seen)
    grams = [tuple(g) for g in seen.grams.tolist()]
    steps = Counter(pair for row in rows for pair in itertools.pairwise(windows(row, n)))
    left = Counter(a for a, _ in steps.elements())
    dense = matrix.toarray()
    assert np.allclose(dense.sum(axis=1), 1, rtol=0, atol=1e-12)
    for i, a in enumerate(grams):
        for j, b in enumerate(grams):
            stay = Fraction(b == (*a[1:], a[-1]))
            expected = Fraction(steps[a, b], left[a]) if left[a] else stay
            assert dense[i, j] == pytest.approx(float(expected), rel=1e-12)
            if dense[i, j]:
                assert a[1:] == b[:-1]
    assert matrix.nnz == np.count_nonzero(dense)


@settings(max_examples=50)
@given(walks())
def test_sum_of_predictions_is_the_sum_of_the_truth(case):
    rows, n, size = case
    seen = paths.count_paths(rows, n, size=size)
    truth = seen.histograms()
    predictions = truth[:-1] @ paths.transition(seen)
    assert np.allclose(predictions.sum(axis=0), truth[1:].sum(axis=0), rtol=0, atol=1e-9)


@settings(max_examples=50)
@given(walks(), st.data())
def test_blocks_balance_for_true_histograms_and_by_definition(case, data):
    rows, n, size = case
    seen = paths.count_paths(rows, n, size=size)
    truth = seen.histograms()
    for before, after in itertools.pairwise(truth):
        assert not paths.imbalance(before, after, paths=seen).any()
    states = len(seen.grams)
    some = st.lists(st.integers(0, 9), min_size=states, max_size=states)
    before, after = data.draw(some), data.draw(some)
    grams = [tuple(g) for g in seen.grams.tolist()]
    contexts = sorted({g[1:] for g in grams} | {g[:-1] for g in grams})
    slow = [
        sum(p for g, p in zip(grams, before) if g[1:] == m)
        - sum(x for g, x in zip(grams, after) if g[:-1] == m)
        for m in contexts
    ]
    assert paths.imbalance(before, after, paths=seen).tolist() == slow
    # steps of the matrix stay inside a block
    origin, target = paths.transition(seen).nonzero()
    assert np.array_equal(seen.before_block[origin], seen.after_block[target])


def test_a_mixture_with_the_prediction_does_not_balance():
    """One person turns: (0, 0) -> (0, 1); mixing with the prediction shifts mass between blocks."""
    seen = paths.count_paths([[0, 0, 1, 1], [0, 0, 0, 0]], 2)
    P = paths.transition(seen).toarray()
    truth = seen.histograms()
    mixed = 0.5 * truth[1] + 0.5 * truth[0] @ P
    assert paths.imbalance(truth[1], truth[2], paths=seen).tolist() == [0, 0]
    assert paths.imbalance(mixed, truth[2], paths=seen) == pytest.approx([1 / 6, -1 / 6])


def test_order_one_is_one_block_and_a_large_support_is_no_table():
    rng = np.random.default_rng(5)
    rows = rng.integers(0, 400, (30, 12))
    seen = paths.count_paths(rows, 1, size=400)
    assert set(seen.before_block.tolist()) == set(seen.after_block.tolist()) == {0}
    assert paths.imbalance(*seen.histograms()[:2], paths=seen).tolist() == [0.0]
    wide = paths.count_paths(
        rows, 7, size=400
    )  # 400**7 paths, 30 * 6 of them seen, others to stay on
    assert wide.histograms().sum() == 30 * 6
    assert wide.grams[wide.index[3, 2]].tolist() == rows[3, 2:9].tolist()


def test_people_and_smoothing():
    seen = paths.count_paths([[0, 1, 1, 0, 1], [1, 0, 0, 1, 1]], 2, size=2)
    one = paths.transition(seen, people=[0]).toarray()
    assert np.array_equal(one, paths.transition(seen, people=[True, False]).toarray())
    # person 0: 01 -> 11 -> 10 -> 01; nobody left 00, so it stays
    assert one.tolist() == [[1, 0, 0, 0], [0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]]
    smooth = paths.transition(seen, people=[0], smoothing=0.5).toarray()
    expected = [[0.5, 0.5, 0, 0], [0, 0, 0.25, 0.75], [0.25, 0.75, 0, 0], [0, 0, 0.75, 0.25]]
    assert np.allclose(smooth, expected)


def test_a_state_without_a_known_stay_goes_anywhere_in_its_block():
    seen = paths.count_paths([[0, 1, 0, 1, 0, 1, 1], [1, 0, 1, 0, 1, 0, 1]], 2, size=2)
    assert seen.grams.tolist() == [[0, 1], [1, 0], [1, 1]]
    matrix = paths.transition(seen, people=[1]).toarray()
    assert matrix[2].tolist() == [0, 0, 1]
    # 10 has left by 01 only; somebody who never did: 00 is unknown, 01 the only one of the block
    nobody = paths.count_paths([[0, 1, 1, 1], [1, 1, 0, 1]], 2, size=2)
    assert paths.transition(nobody, people=[0]).toarray()[1].tolist() == [1, 0, 0]


def test_collapse_and_gram_counts():
    rng = np.random.default_rng(2)
    rows = rng.integers(0, 3, (40, 15))
    rows[0] = 2
    short = paths.drop_repeats(rows)
    slow = [[k for k, _ in itertools.groupby(row)] for row in rows.tolist()]
    assert [[x for x in row if x >= 0] for row in short.tolist()] == slow
    for n in (1, 2, 3):
        count = Counter(w for row in slow for w in windows(row, n))
        expected = [count[g] for g in itertools.product(range(3), repeat=n)]
        assert paths.gram_counts(short, n, size=3).tolist() == expected
    assert paths.gram_counts([[0, 1]], 3, size=2).tolist() == [0] * 8
    assert paths.gram_counts(rows, 3, size=3).sum() == 40 * 13


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda p: paths.count_paths([0, 1], 1),
            ValueError,
            r"count_paths: sequences must have 2 dimension\(s\)",
        ),
        (lambda p: paths.count_paths([[0.5, 1]], 1), TypeError, "sequences must hold integers"),
        (
            lambda p: paths.count_paths([[0, 5]], 1, size=4),
            ValueError,
            "sequences must be at most 3, got 5",
        ),
        (lambda p: paths.count_paths([[0, -1]], 1), ValueError, "got -1"),
        (lambda p: paths.count_paths([[0, 1]], 3), ValueError, r"order must be in 1..2, got 3"),
        (lambda p: paths.count_paths([[0, 1]], 0), ValueError, r"order must be in 1..2, got 0"),
        (lambda p: paths.count_paths([[0] * 9], 9, size=400), ValueError, "do not fit in 63 bits"),
        (lambda p: paths.drop_repeats(np.zeros((0, 4), int)), ValueError, "must count somebody"),
        (
            lambda p: paths.count_paths([[0] * 63], 63, size=2),
            ValueError,
            r"2\*\*63 paths do not fit",
        ),
        (
            lambda p: paths.count_paths([[0] * 99], 99, size=2),
            ValueError,
            r"2\*\*99 paths do not fit",
        ),
        (
            lambda p: paths.count_paths([[0]], 1, size=2**63),
            ValueError,
            "paths do not fit in 63 bits",
        ),
        (lambda p: paths.transition(p, smoothing=-1), ValueError, "smoothing must not be negative"),
        (
            lambda p: paths.transition(p, smoothing=1e308),
            ValueError,
            "must be at most 1e290, got 1e",
        ),
        (lambda p: paths.transition(p, people=[False, False]), ValueError, "at least one person"),
        (
            lambda p: paths.imbalance([1], [1], paths=p),
            ValueError,
            r"before must have shape \(3,\), got \(1,\)",
        ),
        (
            lambda p: paths.imbalance([1, 1, 1], [1, 1, np.nan], paths=p),
            ValueError,
            "after must be finite, got nan",
        ),
        (lambda p: paths.gram_counts([0, 1], 1, size=2), ValueError, r"must have 2 dimension\(s\)"),
        (
            lambda p: paths.gram_counts([[0, 2]], 1, size=2),
            ValueError,
            "sequences must be at most 1, got 2",
        ),
        (lambda p: paths.gram_counts([[0]], 9, size=14), ValueError, "more than 20 million"),
        (lambda p: paths.gram_counts([[0]], 10**12, size=2), ValueError, "more than 20 million"),
    ],
)
def test_bad_input(call, error, message):
    seen = paths.count_paths([[0, 1, 1, 1], [0, 1, 0, 1]], 2)
    with pytest.raises(error, match=message):
        call(seen)


def test_all_paths_of_63_bits_are_told_apart():
    """By Python's integers, which have no end."""
    for walk, n, size in (
        ([0] * 70, 63, 1), ([0, 1] * 35, 62, 2), ([2, 0, 1] * 20, 39, 3),
        ([0, 2_999_999_999, 1], 2, 3_000_000_000), ([2**63 - 2, 7], 1, 2**63 - 1),
    ):  # fmt: skip
        found = paths.count_paths([walk], n, size=size)
        seen = {tuple(w) for w in windows(walk, n)}
        assert seen <= {tuple(gram) for gram in found.grams.tolist()}
        assert [tuple(found.grams[i].tolist()) for i in found.index[0]] == windows(walk, n)
        codes = [sum(x * size**k for k, x in enumerate(g[::-1])) for g in found.grams.tolist()]
        assert codes == sorted(codes)
        assert max(codes) < 2**63


def test_the_largest_smoothing_makes_all_steps_alike():
    seen = paths.count_paths([[0, 1, 1, 1], [0, 1, 0, 1]], 2)
    matrix = paths.transition(seen, smoothing=1e290).toarray()
    assert matrix.tolist() == [[0, 0.5, 0.5], [1, 0, 0], [0, 0.5, 0.5]]


def test_people_under_a_mask_are_not_selected():
    seen = paths.count_paths([[0, 1, 1], [1, 1, 0]], 1)
    for people in ([True, True], [0, 1]):
        hidden = np.ma.masked_array(people, mask=[False, True])
        with pytest.raises(TypeError, match="transition: people must be without a mask"):
            paths.transition(seen, people=hidden)


def test_states_under_a_mask_are_not_taken():
    for name in ("grams", "index"):
        arrays = {"grams": np.array([[0], [1]]), "index": np.array([[0, 1], [1, 0]])}
        arrays[name] = np.ma.masked_array(arrays[name], mask=arrays[name] == 1)
        with pytest.raises(TypeError, match=f"Paths: {name} must be without a mask"):
            paths.Paths(1, 2, **arrays)


def test_what_are_no_paths_is_named():
    with pytest.raises(TypeError, match="transition: paths must be Paths, got int"):
        paths.transition(5)
    with pytest.raises(TypeError, match="imbalance: paths must be Paths, got list"):
        paths.imbalance([1, 0], [0, 1], paths=[[0], [1]])
