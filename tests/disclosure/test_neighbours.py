"""What pandas, networkx, scipy and numpy bring: the numbers as for lists, the labels kept."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import privlib
from privlib.disclosure import design, estimation, posterior, pram, sampling

LABELS = ["tea", "coffee", "water"]  # not sorted
A = [[Fraction(c, 10) for c in row] for row in [[6, 3, 1], [1, 4, 5], [7, 1, 2]]]
FRAME = pd.DataFrame(np.array(A, dtype=object), index=LABELS, columns=LABELS)
CODES = np.array([0, 1, 1, 2, 0])
NAMES = ["ann", "bob", "cy", "dee", "eve"]
WORDS = pd.Series(np.array(LABELS)[CODES], index=NAMES)
KINDS = WORDS.astype(pd.CategoricalDtype(LABELS))


def drawn(weights):
    """The matrix as a directed graph with weights, its nodes in the order of the labels."""
    graph = nx.DiGraph()
    graph.add_nodes_from(LABELS)
    for u, row in zip(LABELS, weights):
        graph.add_weighted_edges_from((u, v, float(a)) for v, a in zip(LABELS, row))
    return graph


def test_rewriting_keeps_index_and_categories():
    plain = np.array(LABELS)[pram.apply_pram(CODES, A, rng=3)]
    for values, matrix, options in [
        (WORDS, FRAME, {}), (KINDS, FRAME, {}), (KINDS, A, {}), (WORDS, A, {"categories": LABELS}),
        (WORDS, drawn(A), {}),
    ]:  # fmt: skip
        shown = pram.apply_pram(values, matrix, rng=3, **options)
        assert isinstance(shown, pd.Series)
        assert list(shown.index) == NAMES
        assert shown.tolist() == plain.tolist()
        assert (shown.dtype == KINDS.dtype) == (values is KINDS)
    shown = pram.apply_pram(WORDS.tolist(), FRAME, rng=3)
    assert isinstance(shown, np.ndarray)
    assert shown.tolist() == plain.tolist()
    codes = pram.apply_pram(pd.Series(CODES, index=NAMES), A, rng=3)
    assert codes.to_dict() == dict(zip(NAMES, pram.apply_pram(CODES, A, rng=3)))


def test_a_shown_category_may_have_a_name_of_its_own():
    wide = pd.DataFrame([[0.0, 1.0], [1.0, 0.0]], index=["a", "b"], columns=["hot", "cold"])
    values = pd.Series(["a", "b", "a"]).astype("category")
    assert pram.apply_pram(values, wide).tolist() == ["cold", "hot", "cold"]


def test_words_that_the_matrix_does_not_know_are_refused():
    with pytest.raises(
        ValueError, match="apply_pram: values must be among the categories, got mil"
    ):
        pram.apply_pram(["tea", "milk"], FRAME)
    with pytest.raises(ValueError, match="among the categories, got nan"):
        pram.apply_pram(pd.Series(["tea", np.nan]).astype("category"), [[1]])
    with pytest.raises(
        TypeError, match=r"values must hold integer codes \(or labels, of a transit"
    ):
        pram.apply_pram(WORDS, A)
    with pytest.raises(ValueError, match="categories must be 3 distinct labels, got"):
        pram.apply_pram(pd.Series(["tea"]).astype("category"), A)


def test_retention_of_labels():
    frame = pram.retention_matrix(Fraction(1, 2), LABELS)
    assert list(frame.index) == list(frame.columns) == LABELS
    assert (frame.to_numpy() == pram.retention_matrix(Fraction(1, 2), 3)).all()
    assert list(pram.retention_matrix(0.5, KINDS.cat.categories).index) == LABELS
    assert pram.pk_level(frame, np.int64(5), n_sampled=np.uint8(2)) == pram.pk_level(
        pram.retention_matrix(Fraction(1, 2), 3), 5, n_sampled=2
    )


@pytest.mark.parametrize(
    "matrix",
    [drawn(A), sparse.csr_array(np.array(A, dtype=float)), FRAME.astype(float)],
    ids=["networkx", "scipy", "pandas"],
)
def test_levels_of_other_matrices(matrix):
    level = float(pram.pk_level(A, 5, n_sampled=3))
    assert pram.pk_level(matrix, 5, n_sampled=3) == pytest.approx(level, rel=1e-14)
    assert pram.pk_level(FRAME, 5, n_sampled=3) == pram.pk_level(A, 5, n_sampled=3)
    table = CODES if sparse.issparse(matrix) else WORDS
    found = posterior.match_probability(table, table[:2], transition=matrix, record=0, slot=1)
    exact = posterior.match_probability(CODES, CODES[:2], transition=A, record=0, slot=1)
    assert found == pytest.approx(float(exact), rel=1e-12)


def test_a_row_that_nobody_leaves_is_refused():
    with pytest.raises(
        ValueError, match=r"every row of transition must sum to 1, got 0\.0 in row 1"
    ):
        pram.apply_pram([0], sparse.csr_array([[0.5, 0.5], [0.0, 0.0]]))


def test_matches_by_name():
    release = pd.Series(["coffee", "tea"], index=["first", "second"])
    plain = posterior.match_matrix(CODES, [1, 0], transition=A)
    named = posterior.match_matrix(WORDS, release, transition=FRAME)
    assert list(named.index) == NAMES
    assert list(named.columns) == ["first", "second"]
    assert (named.to_numpy() == plain).all()
    half = posterior.match_matrix(WORDS, ["coffee", "tea"], transition=FRAME)
    assert list(half.index) == NAMES
    assert list(half.columns) == [0, 1]
    kinds = posterior.match_matrix(KINDS, KINDS[1::-1], transition=A)
    assert list(kinds.columns) == ["bob", "ann"]
    assert (kinds.to_numpy() == plain).all()
    values = posterior.match_matrix(WORDS, release, transition=FRAME, by="value")
    assert values.loc["water", "tea"] == plain[3, 1]
    assert posterior.membership_probability(WORDS, release, transition=FRAME, record=3) == (
        named.loc["dee"].sum()
    )


def test_shares_by_name():
    release = WORDS[:4]
    shares = design.estimate_shares(release, FRAME, n=5)
    plain = design.estimate_shares(CODES[:4], A, n=5)
    assert list(shares.estimate.index) == list(shares.variance.index) == LABELS
    assert shares.estimate.tolist() == plain.estimate.tolist()
    assert shares.variance.tolist() == plain.variance.tolist()
    counts = WORDS.value_counts(normalize=True).sort_index()  # not in the order of the matrix
    assert list(counts.index) != LABELS
    variance = design.share_variance(counts, FRAME, n=5, n_sampled=2)
    direct = design.share_variance(np.bincount(CODES) / 5, A, n=5, n_sampled=2)
    assert variance[LABELS].tolist() == pytest.approx(direct.tolist(), rel=1e-14)
    only = design.share_variance(pd.Series({"tea": 1.0}), FRAME, n=5)
    assert only.tolist() == pytest.approx(design.share_variance([1, 0, 0], A, n=5).tolist())
    with pytest.raises(ValueError, match="shares must be labelled by categories, once, got milk"):
        design.share_variance(pd.Series({"tea": 0.5, "milk": 0.5}), FRAME, n=5)


def test_strata_by_name():
    sizes, samples = pd.Series({"north": 30, "south": 20}), pd.Series({"south": 5, "north": 6})
    levels = pram.stratified_pk_level(A, sizes, samples=samples)
    assert levels.to_dict() == dict(
        zip(["north", "south"], pram.stratified_pk_level(A, [30, 20], samples=[6, 5]))
    )
    with pytest.raises(TypeError, match="samples must hold integers"):
        pram.stratified_pk_level(A, sizes, samples=pd.Series({"north": 6, "east": 5}))
    odds = pd.Series([1.0, 2.0, 5.0], index=NAMES[:3])
    levels = pram.conditional_poisson_pk_level(A, odds, n_sampled=2)
    assert levels.to_dict() == dict(
        zip(NAMES, pram.conditional_poisson_pk_level(A, [1, 2, 5], n_sampled=2))
    )


def test_risks_of_value_counts():
    counts = WORDS.value_counts()
    risks = sampling.benedetti_franconi_risk(counts, 0.1)
    assert list(risks.index) == list(counts.index)
    assert risks.tolist() == sampling.benedetti_franconi_risk(counts.tolist(), 0.1).tolist()
    bound = sampling.identification_risk(np.int32(1000), np.int64(10), n_sampled=np.uint16(901))
    assert bound == Fraction(1, 10)
    assert isinstance(bound.denominator, int)


def test_the_part_lists_and_loads_what_it_has():
    part = privlib.disclosure
    assert {"sampling", "posterior", "pram", "design", "pk_level"} <= set(dir(part))
    for name in dir(part):
        assert getattr(part, name)
    assert part.pk_level is pram.pk_level
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        part.nothing  # noqa: B018


def test_table_and_release_share_one_order_of_categories():
    transition = np.full((3, 3), 0.125) + 0.625 * np.eye(3)
    table = pd.Series(pd.Categorical(list("aabc"), categories=list("abc")))
    results = {
        posterior.match_probability(
            table,
            pd.Series(pd.Categorical(["a", "b"], categories=list(order))),
            transition=transition, record=0, slot=0,
        )
        for order in ("abc", "cba", "bac")
    }  # fmt: skip
    assert len(results) == 1


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_the_label_reads_the_release_in_the_order_of_the_table(order):
    """The matrix has no labels: b is its first row and column, as in the table."""
    chance = {"b": {"b": Fraction(7, 10), "a": Fraction(3, 10)},
              "a": {"b": Fraction(1, 5), "a": Fraction(4, 5)}}  # fmt: skip
    people, lines = "bbbaabbb", "abb"
    total, right = Fraction(0), [{"a": Fraction(0), "b": Fraction(0)} for _ in lines]
    for chosen in itertools.permutations(people, 3):  # who stands behind which line
        weight = math.prod(chance[u][v] for u, v in zip(chosen, lines))
        total += weight
        for line, u in enumerate(chosen):
            right[line][u] += weight
    # the best guess names one of the people of a value
    best = [max(each[u] / total / people.count(u) for u in "ab") for each in right]
    table = pd.Series(pd.Categorical(list(people), categories=["b", "a"]))
    release = pd.Series(pd.Categorical(list(lines), categories=list(order)))
    A = [[chance[u][v] for v in "ba"] for u in "ba"]
    said = design.label(release, A, population_size=8, table=table)
    assert said.best_guess == (sum(best) / 3, max(best))
    codes = ["ba".index(x) for x in lines]
    assert said.error_of_a_share == design.label(codes, A, population_size=8).error_of_a_share
    matrix = pd.DataFrame(np.array(A), index=["b", "a"], columns=["b", "a"])
    assert said == design.label(list(lines), matrix, population_size=8, table=list(people))


def test_most_likely_shares_and_invariance_by_name():
    wide = pd.DataFrame(
        [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]], index=["yes", "no"], columns=["si", "non", "boh"]
    )
    # 9 yes and 3 no would show 5.25, 3.75 and 3: that is the most likely
    for counts in ({"boh": 12, "non": 15, "si": 21}, {"non": 15, "si": 21, "boh": 12, "eh": 0}):
        shares, missing = estimation.most_likely_shares(pd.Series(counts), wide)
        assert shares.to_dict() == pytest.approx({"yes": 0.75, "no": 0.25}, abs=1e-4)
        assert missing <= 1e-10
    for matrix in (wide, drawn(A)):  # one that is not mentioned counts 0
        first = matrix.columns[0] if matrix is wide else "coffee"
        shares, _ = estimation.most_likely_shares(pd.Series({first: 3}), matrix)
        plain = [3, 0, 0] if matrix is wide else [0, 3, 0]
        alike, _ = estimation.most_likely_shares(
            plain, matrix.to_numpy() if matrix is wide else np.array(A, dtype=float)
        )
        assert np.array_equal(shares, alike)
    for wrong in (pd.Series({"eh": 1}), pd.Series([1, 2], index=["si", "si"])):
        with pytest.raises(ValueError, match="counts must be labelled by categories, once, got"):
            estimation.most_likely_shares(wrong, wide)
    people = {"tea": 5, "coffee": 2, "water": 1}
    R = estimation.invariant_matrix(FRAME, pd.Series(people)[["water", "tea", "coffee"]])
    for w, label in enumerate(LABELS):
        assert sum(people[u] * R[i, w] for i, u in enumerate(LABELS)) == people[label]
