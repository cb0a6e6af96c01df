"""What pandas, networkx, scipy and numpy bring: the numbers as for lists, by position."""

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
from privlib.disclosure import anonymity, design, posterior, pram, sampling
from privlib.research import pram_estimation

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


def test_rewriting_drops_the_index_and_keeps_the_labels():
    plain = np.array(LABELS)[pram.apply_pram(CODES, A, rng=3)]
    for values, matrix, options in [
        (WORDS, FRAME, {}), (KINDS, FRAME, {}), (KINDS, A, {}), (WORDS, A, {"categories": LABELS}),
        (WORDS, drawn(A), {}), (WORDS.tolist(), FRAME, {}), (KINDS.array, A, {}),
    ]:  # fmt: skip
        shown = pram.apply_pram(values, matrix, rng=3, **options)
        assert type(shown) is np.ndarray
        assert shown.tolist() == plain.tolist()
    codes = pram.apply_pram(pd.Series(CODES, index=NAMES), A, rng=3)
    assert type(codes) is np.ndarray
    assert codes.tolist() == pram.apply_pram(CODES, A, rng=3).tolist()


def test_a_shown_category_may_have_a_name_of_its_own():
    wide = pd.DataFrame([[0.0, 1.0], [1.0, 0.0]], index=["a", "b"], columns=["hot", "cold"])
    values = pd.Series(["a", "b", "a"]).astype("category")
    assert pram.apply_pram(values, wide).tolist() == ["cold", "hot", "cold"]


def test_words_that_the_matrix_does_not_know_are_refused():
    with pytest.raises(
        ValueError, match="apply_pram: values must be among the categories, got 1 of 2"
    ) as refused:
        pram.apply_pram(["tea", "milk"], FRAME)
    assert "milk" not in str(refused.value)  # it is somebody's
    with pytest.raises(ValueError, match=r'values must have no missing values.*such as "missing"'):
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
    assert anonymity.pk_level(frame, np.int64(5), n_sampled=np.uint8(2)) == anonymity.pk_level(
        pram.retention_matrix(Fraction(1, 2), 3), 5, n_sampled=2
    )


@pytest.mark.parametrize(
    "matrix",
    [drawn(A), sparse.csr_array(np.array(A, dtype=float)), FRAME.astype(float)],
    ids=["networkx", "scipy", "pandas"],
)
def test_levels_of_other_matrices(matrix):
    level = float(anonymity.pk_level(A, 5, n_sampled=3))
    assert anonymity.pk_level(matrix, 5, n_sampled=3) == pytest.approx(level, rel=1e-14)
    assert anonymity.pk_level(FRAME, 5, n_sampled=3) == anonymity.pk_level(A, 5, n_sampled=3)
    table = CODES if sparse.issparse(matrix) else WORDS
    found = posterior.match_probability(table, table[:2], transition=matrix, record=0, slot=1)
    exact = posterior.match_probability(CODES, CODES[:2], transition=A, record=0, slot=1)
    assert found == pytest.approx(float(exact), rel=1e-12)


def test_a_row_that_nobody_leaves_is_refused():
    with pytest.raises(
        ValueError, match=r"every row of transition must sum to 1, got 0\.0 in row 1"
    ):
        pram.apply_pram([0], sparse.csr_array([[0.5, 0.5], [0.0, 0.0]]))


def test_matches_of_named_people():
    release = pd.Series(["coffee", "tea"], index=["first", "second"])
    plain = posterior.match_matrix(CODES, [1, 0], transition=A)
    for table, lines, matrix in [
        (WORDS, release, FRAME), (WORDS, ["coffee", "tea"], FRAME), (KINDS, KINDS[1::-1], A),
    ]:  # fmt: skip
        named = posterior.match_matrix(table, lines, transition=matrix)
        assert type(named) is np.ndarray
        assert (named == plain).all()
    values = posterior.match_matrix(WORDS, release, transition=FRAME, by="value")
    assert type(values) is np.ndarray
    assert values[LABELS.index("water"), LABELS.index("tea")] == plain[3, 1]
    assert posterior.membership_probability(WORDS, release, transition=FRAME, record=3) == (
        named[3].sum()
    )


def test_shares_go_by_position_or_by_a_mapping():
    release = WORDS[:4]
    shares = design.estimate_shares(release, FRAME, n=5)
    plain = design.estimate_shares(CODES[:4], A, n=5)
    assert type(shares.estimate) is type(shares.variance) is np.ndarray
    assert shares.estimate.tolist() == plain.estimate.tolist()
    assert shares.variance.tolist() == plain.variance.tolist()
    counts = WORDS.value_counts(normalize=True).sort_index()  # not in the order of the matrix
    assert list(counts.index) != LABELS
    with pytest.raises(ValueError, match=r"shares\.reindex\(categories, fill_value=0\)\.to_numpy"):
        design.share_variance(counts, FRAME, n=5, n_sampled=2)
    direct = design.share_variance(np.bincount(CODES) / 5, A, n=5, n_sampled=2)
    for given in (counts.reindex(LABELS, fill_value=0).to_numpy(), counts.to_dict()):
        variance = design.share_variance(given, FRAME, n=5, n_sampled=2)
        assert variance.tolist() == pytest.approx(direct.tolist(), rel=1e-14)
    only = design.share_variance({"tea": 1.0}, FRAME, n=5)
    assert only.tolist() == pytest.approx(design.share_variance([1, 0, 0], A, n=5).tolist())
    with pytest.raises(ValueError, match="shares must be labelled by categories, got milk"):
        design.share_variance({"tea": 0.5, "milk": 0.5}, FRAME, n=5)


def test_strata_go_by_position_and_people_have_no_labels():
    sizes, samples = pd.Series({"north": 30, "south": 20}), pd.Series({"south": 5, "north": 6})
    with pytest.raises(ValueError, match=r"sizes is read by position.*sizes\.reindex"):
        anonymity.stratified_pk_level(A, sizes, samples=samples)
    with pytest.raises(ValueError, match=r"samples is read by position.*samples\.reindex"):
        anonymity.stratified_pk_level(A, sizes.to_numpy(), samples=samples)
    odds = pd.Series([1.0, 2.0, 5.0], index=NAMES[:3])
    levels = anonymity.conditional_poisson_pk_level(A, odds, n_sampled=2)
    assert type(levels) is np.ndarray
    assert (
        levels.tolist()
        == anonymity.conditional_poisson_pk_level(A, [1, 2, 5], n_sampled=2).tolist()
    )


def test_risks_of_value_counts():
    counts = WORDS.value_counts()
    risks = sampling.benedetti_franconi_risk(counts, 0.1)
    assert type(risks) is np.ndarray
    assert risks.tolist() == sampling.benedetti_franconi_risk(counts.tolist(), 0.1).tolist()
    rates = pd.Series(0.1, index=counts.index)
    assert risks.tolist() == sampling.benedetti_franconi_risk(counts, rates).tolist()
    with pytest.raises(ValueError, match="f and p must have the same index in the same order"):
        sampling.benedetti_franconi_risk(counts, rates[::-1])
    bound = sampling.identification_risk(np.int32(1000), np.int64(10), n_sampled=np.uint16(901))
    assert bound == Fraction(1, 10)
    assert isinstance(bound.denominator, int)


def test_the_part_lists_and_loads_what_it_has():
    part = privlib.disclosure
    assert {"sampling", "posterior", "pram", "design", "pk_level"} <= set(dir(part))
    for name in dir(part):
        assert getattr(part, name)
    assert part.pk_level is anonymity.pk_level
    with pytest.raises(AttributeError, match="attribute nothing"):
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
    said = design.risk_report(release, A, population_size=8, table=table)
    assert said.best_guess == (sum(best) / 3, max(best))
    codes = ["ba".index(x) for x in lines]
    assert said.error_of_a_share == design.risk_report(codes, A, population_size=8).error_of_a_share
    matrix = pd.DataFrame(np.array(A), index=["b", "a"], columns=["b", "a"])
    assert said == design.risk_report(list(lines), matrix, population_size=8, table=list(people))


def test_most_likely_shares_and_invariance_by_name():
    wide = pd.DataFrame(
        [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]], index=["yes", "no"], columns=["si", "non", "boh"]
    )
    # 9 yes and 3 no would show 5.25, 3.75 and 3: that is the most likely
    for counts in ({"boh": 12, "non": 15, "si": 21}, {"non": 15, "si": 21, "boh": 12, "eh": 0}):
        shares, missing = pram_estimation.mle_proportions(counts, wide)
        assert type(shares) is np.ndarray
        assert shares == pytest.approx(np.array([0.75, 0.25]), abs=1e-4)
        assert missing <= 1e-10
    for matrix in (wide, drawn(A)):  # one that is not mentioned counts 0
        first = matrix.columns[0] if matrix is wide else "coffee"
        shares, _ = pram_estimation.mle_proportions({first: 3}, matrix)
        plain = [3, 0, 0] if matrix is wide else [0, 3, 0]
        alike, _ = pram_estimation.mle_proportions(
            plain, matrix.to_numpy() if matrix is wide else np.array(A, dtype=float)
        )
        assert np.array_equal(shares, alike)
    for wrong in (pd.Series({"eh": 1}), pd.Series([1, 2], index=["si", "si"])):
        with pytest.raises(ValueError, match=r"counts\.reindex\(categories, fill_value=0\)"):
            pram_estimation.mle_proportions(wrong, wide)
    people = {"tea": 5, "coffee": 2, "water": 1}
    R = pram_estimation.invariant_matrix(FRAME, people)
    for w, label in enumerate(LABELS):
        assert sum(people[u] * R[i, w] for i, u in enumerate(LABELS)) == people[label]
    with pytest.raises(ValueError, match="shares is read by position"):
        pram_estimation.invariant_matrix(FRAME, pd.Series(people)[["water", "tea", "coffee"]])
