"""What `privlib.disclosure.columns` promised too much for, found by tests that meant harm."""

from __future__ import annotations

import datetime as dt
import decimal
import itertools
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from privlib.disclosure import _matching as matching
from privlib.disclosure import columns, posterior, publish, risk_report
from privlib.disclosure.pram import retention_matrix

F = Fraction
FLIP = [[0.9, 0.1], [0.1, 0.9]]
KEEP = retention_matrix(F(9, 10), 2)
UTC = dt.UTC
EAST = dt.timezone(dt.timedelta(hours=1))


def test_the_rows_of_one_matrix_are_not_the_matrices_of_columns():
    rule = "transitions must be one matrix for each column"
    dense = np.array(FLIP)
    stacked = np.array([FLIP, FLIP])
    formats = [sparse.csr_matrix, sparse.lil_matrix, sparse.dok_matrix, sparse.csr_array]
    wrong = [make(dense) for make in formats]
    wrong += [dense, stacked, FLIP, tuple(FLIP), list(dense), {0: FLIP[0]}]
    wrong += [list(sparse.csr_matrix(dense)), [F(1, 2), F(1, 2)]]
    wrong += [pd.DataFrame(dense), iter([dense]), memoryview(dense)]
    for transitions in wrong:
        with pytest.raises(TypeError, match=rule):
            columns.pk_level_of_lines(transitions, 1000)
    right = columns.pk_level_of_lines([FLIP], 1000)
    assert right == pytest.approx(1 + 999 / 81, rel=1e-12)
    for transitions in ([sparse.csr_matrix(dense)], (sparse.lil_matrix(dense),), {"a": FLIP}):
        assert columns.pk_level_of_lines(transitions, 1000) == right
    lines = {0: [0, 1], 1: [0, 1]}
    for make in formats:
        with pytest.raises(TypeError, match="transitions must be a mapping"):
            risk_report(lines, transitions=make(dense), population_size=3)
    with pytest.raises(TypeError, match="labelled by tuples"):
        risk_report(lines, transitions={(0, 1): sparse.csr_matrix(dense)}, population_size=3)


def test_products_below_the_floats_keep_their_ratio():
    u = 2.0**-537
    one = {"x": [0], "y": [0]}
    table = {"x": [0, 1], "y": [0, 0]}

    def guess(X, Y):
        transitions = {"x": X, "y": Y}
        report = risk_report(one, transitions=transitions, population_size=2, table=table)
        assert report.best_guess[1] * report.k_this_table <= 1 + 1e-9
        return report.best_guess[1]

    X = [[1.49 * u, 1.0], [0.51 * u, 1.0]]
    assert F(guess(X, [[u, 1.0]])) >= F(1.49 * u) / (F(1.49 * u) + F(0.51 * u))
    assert guess(X, [[u, 1.0]]) == pytest.approx(0.745, rel=1e-12)
    # No scale of a column brings these among the floats: the ratio is 2**-1074 times 2**-537.
    wide = [[2.0**-1074, 1.0], [1.0, 0.0]]
    assert guess(wide, [[u, 1.0]]) == 1.0
    # As many columns as the exponents of floats: neither 0 nor infinite.
    for entry in (0.7, 1e-3):
        A = [[1 - entry, entry], [0.5, 0.5]]
        names = [f"c{i}" for i in range(1200)]
        many = {name: [1] for name in names}
        people = {name: [0, 1] for name in names}
        weights = dict.fromkeys(names, A)
        report = risk_report(many, transitions=weights, population_size=2, table=people)
        assert report.best_guess[1] == 1.0
    lines = {"x": [0, 1], "y": [0, 1]}
    z = 1e-200
    A = [[1.0, z], [0.5, 0.5]]
    weights = {"x": A, "y": A}
    exact = {name: [[1 - F(z), F(z)], [F(1, 2), F(1, 2)]] for name in "xy"}
    people = {"x": [0, 0, 1], "y": [0, 1, 1]}
    floats = risk_report(lines, transitions=weights, population_size=3, table=people)
    right = risk_report(lines, transitions=exact, population_size=3, table=people)
    for rounded, truth in zip(floats.best_guess, right.best_guess):
        assert rounded == pytest.approx(float(truth), rel=1e-12)
    # A fraction whose float has lost its digits beside a matrix of floats.
    tiny = F(3, 2) / 2**1074
    fractions = [[tiny, 1 - tiny], [F(1, 2) / 2**1074, 1 - F(1, 2) / 2**1074]]
    with pytest.raises(ValueError, match="so small that its float is 0"):
        guess(fractions, [[1.0]])
    fractions[1] = [F(1) / 2**1074, 1 - F(1) / 2**1074]
    assert guess(fractions, [[1.0]]) == pytest.approx(3 / 5, rel=1e-12)


@pytest.mark.parametrize("exact", [True, False])
def test_many_small_classes_are_limited_before_the_first_matrix(monkeypatch, exact):
    A = retention_matrix(F(1, 2) if exact else 0.5, 3)
    rng = np.random.default_rng(0)
    classes = np.repeat(np.arange(40), 30)
    lines = {name: rng.integers(3, size=1200) for name in "ab"} | {"class": classes}
    options = {"transitions": {"a": A, "b": A}, "population_size": 1200, "table": lines}
    report = risk_report(lines, **options)
    assert report.classes == 40

    def work(*_):
        raise AssertionError("a matrix was made")

    monkeypatch.setattr(columns, "MAX_CLASS_ENTRIES", 5000)
    monkeypatch.setattr(columns._Class, "of", work)
    with pytest.raises(ValueError, match=r"40 different classes.*at most 5000, got \d+; report on"):
        risk_report(lines, **options)
    # Without the table there are no matrices; nor in classes that are bounded anyway.
    risk_report(lines, transitions={"a": A, "b": A}, population_size=1200)
    monkeypatch.setattr(columns, "_MAX_ENTRIES", 1)
    risk_report(lines, **options)


def test_one_large_matrix_is_counted_in_each_class(monkeypatch):
    A = retention_matrix(F(1, 2), 60)
    rng = np.random.default_rng(0)
    lines = {"a": rng.integers(60, size=200), "class": np.arange(200) // 2}
    monkeypatch.setattr(columns, "MAX_CLASS_ENTRIES", 20_000)
    with pytest.raises(ValueError, match="different classes"):
        risk_report(lines, transitions={"a": A}, population_size=200, table=lines)


WRITINGS = [
    [0.0, -0.0],
    [True, 1],
    [np.True_, 1.0],
    [F(1, 2), 0.5],
    [decimal.Decimal("1.0"), decimal.Decimal("1.00")],
    [dt.datetime(2020, 1, 1, 0, tzinfo=UTC), dt.datetime(2020, 1, 1, 1, tzinfo=EAST)],
    [pd.Timestamp("2020-01-01 00:00+00:00"), pd.Timestamp("2020-01-01 01:00+01:00")],
    [(1, "a"), (True, "a")],
    [complex(0, 0.0), complex(0, -0.0)],
]


@pytest.mark.parametrize("values", WRITINGS)
def test_equal_values_that_are_written_differently_can_be_told_apart(values):
    assert values[0] == values[1]
    rule = "must write equal values in one way.*convert the column to one type first"
    whole = {"transitions": {}, "population_size": 2}
    with pytest.raises(ValueError, match=rule) as refused:
        risk_report({"d": values}, **whole)
    assert "2020" not in str(refused.value)
    with pytest.raises(ValueError, match=rule):
        risk_report({"d": pd.Series(values, dtype=object)}, **whole)
    alike = {"d": [values[0]] * 2}
    assert risk_report(alike, **whole, table=alike).k_this_table == 2
    with pytest.raises(ValueError, match=rule):
        risk_report(alike, **whole, table={"d": values})
    labels = pd.Index([values[0], "other"], dtype=object)
    if isinstance(values[0], tuple):
        return
    A = pd.DataFrame(KEEP, labels, labels)
    with pytest.raises(ValueError, match=rule):  # of a rewritten column, too, and of one alone
        risk_report({"d": values}, transitions={"d": A}, population_size=2)
    with pytest.raises(ValueError, match=rule):
        risk_report(values, A, population_size=2)
    pairs = pd.MultiIndex.from_tuples([(values[0], 0), ("other", 1)])
    joint = pd.DataFrame(KEEP, pairs, pairs)
    lines = {"d": values, "e": [0, 0]}
    with pytest.raises(ValueError, match=rule):
        risk_report(lines, transitions={("d", "e"): joint}, population_size=2)


def test_codes_beside_truth_values_are_no_codes():
    for values in ([True, 1], [1, False], [np.True_, 1]):
        with pytest.raises(TypeError, match="must hold integer codes"):
            risk_report(values, KEEP, population_size=2)
        with pytest.raises(TypeError, match="must hold integer codes"):
            risk_report({"d": values}, transitions={"d": KEEP}, population_size=2)


def test_the_same_values_in_other_containers_are_written_alike():
    for values in ([1, 2], [0.5, 0.0], ["a", "b"], [True, False]):
        kinds = [list, tuple, np.array, pd.Series, pd.Categorical]
        for first, second in itertools.product(kinds, repeat=2):
            report = risk_report(
                {"d": first(values)}, transitions={}, population_size=2, table={"d": second(values)}
            )
            assert report.k_this_table == 1
    days = pd.Series(pd.date_range("2020-01-01", periods=2, tz="UTC"))
    report = risk_report({"d": days}, transitions={}, population_size=2, table={"d": days})
    assert report.k_this_table == 1


JOINT = [[F(97, 100), F(1, 100), F(1, 100), F(1, 100)], [F(1, 4)] * 4,
         [F(1, 10), F(1, 5), F(3, 5), F(1, 10)],
         [F(1, 2), F(1, 10), F(1, 10), F(3, 10)]]  # fmt: skip


def test_the_levels_of_a_joint_matrix_are_those_of_its_key():
    index = pd.MultiIndex.from_product([[0, 1], [0, 1]], names=["a", "b"])
    plain = pd.MultiIndex.from_product([[0, 1], [0, 1]])
    table = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}
    release = {"a": [1], "b": [0]}
    options = {"population_size": 4, "table": table}
    for rows, shown in itertools.product([index, plain], repeat=2):
        A = pd.DataFrame(JOINT, rows, shown)
        report = risk_report(release, transitions={("a", "b"): A}, **options)
        assert report.best_guess[1] == F(5, 8)
        if rows is index or shown is index:
            with pytest.raises(ValueError, match="levels of the matrix of b × a must be named"):
                risk_report(release, transitions={("b", "a"): A}, **options)
    A = pd.DataFrame(JOINT, index, index)
    turned = A.reorder_levels(["b", "a"]).reorder_levels(["b", "a"], axis=1)
    report = risk_report(release, transitions={("b", "a"): turned}, **options)
    assert report.best_guess[1] == F(5, 8)
    other = pd.DataFrame(KEEP).rename_axis(index="b")
    with pytest.raises(ValueError, match="levels of the matrix of a must be named"):
        risk_report(release, transitions={"a": other}, **options)
    named = pd.DataFrame(KEEP).rename_axis(index="true", columns="shown")
    risk_report(release, transitions={"a": named, "b": KEEP}, **options)


def test_codes_and_labels_do_not_meet():
    numbers = pd.Categorical([1, 1], categories=[1, 2])
    words = pd.Categorical(["n", "n"], categories=["n", "y"])
    codes = [1, 0, 0, 0]
    labelled = pd.Categorical([2, 1, 1, 1], categories=[1, 2])
    three = retention_matrix(F(9, 10), 3)[:2]
    cases = [
        (numbers, codes, KEEP),
        (pd.Series(numbers), codes, KEEP),
        (words, codes, KEEP),
        ([1, 1], labelled, KEEP),
        ([1, 1], labelled, three),
        ([1, 1], pd.Categorical(list("yxxx"), categories=["x", "y"]), three),
    ]
    for release, table, A in cases:
        kind = "must both be categorical or both be codes"
        lines = {"d": release}
        with pytest.raises(TypeError, match=kind):
            risk_report(lines, transitions={"d": A}, population_size=4, table={"d": table})
        with pytest.raises(TypeError, match=kind):
            risk_report(release, A, population_size=4, table=table)
        with pytest.raises(TypeError, match=kind):
            posterior.match_matrix(table, release, transition=A)
    right = risk_report({"d": [0, 0]}, transitions={"d": KEEP}, population_size=4,
                        table={"d": codes}).best_guess  # fmt: skip
    same = [
        (numbers, labelled),
        ([1, 1], [2, 1, 1, 1]),
        (words, pd.Categorical(list("ynnn"), categories=["n", "y"])),
        (["n", "n"], pd.Categorical(list("ynnn"), categories=["n", "y"])),
        (pd.Categorical([0, 0], categories=[0, 1]), codes),
        ([0, 0], pd.Categorical(codes, categories=[0, 1])),
    ]
    for release, table in same:
        A = KEEP if not isinstance(table, list) or 2 not in table else pd.DataFrame(
            KEEP, [1, 2], [1, 2])  # fmt: skip
        lines = {"d": release}
        report = risk_report(lines, transitions={"d": A}, population_size=4, table={"d": table})
        assert report.best_guess == right
        assert posterior.match_matrix(table, release, transition=A).max() == right[1]


def test_a_publication_of_codes_has_no_table_of_labels():
    codes = np.array([0, 1, 1, 1])
    published = publish(codes, n_sampled=2, transition=KEEP, rng=1)
    words = pd.Categorical(list("nyyy"), categories=["y", "n"])
    with pytest.raises(TypeError, match="must both be categorical or both be codes"):
        risk_report(published, table=words)
    assert risk_report(published, table=codes).best_guess


NAN = decimal.Decimal("NaN")
MISSING = [
    [NAN] * 2,
    [decimal.Decimal("sNaN")] * 2,
    [complex("nan")] * 2,
    [np.datetime64("NaT")] * 2,
    [np.timedelta64("NaT")] * 2,
    np.array(["NaT", "NaT"], "M8[D]"),
    [np.float32("nan")] * 2,
    [(np.nan, 1)] * 2,
    [pd.NaT] * 2,
    [np.ma.masked] * 2,
]


@pytest.mark.parametrize("values", MISSING)
def test_values_that_are_missing_are_refused_whatever_their_type(values):
    rule = "must have no missing values"
    with pytest.raises(ValueError, match=rule):
        risk_report({"d": values}, transitions={}, population_size=2)
    whole = {"d": ["a", "b"]}
    with pytest.raises(ValueError, match=rule):
        risk_report(whole, transitions={}, population_size=2, table={"d": values})


def test_a_category_is_not_missing():
    for gap in (None, np.nan, pd.NaT, NAN):
        labels = pd.Index(["a", gap], dtype=object)
        A = pd.DataFrame(KEEP, labels, labels)
        with pytest.raises(ValueError, match="must have no missing values"):
            risk_report({"d": ["a", gap]}, transitions={"d": A}, population_size=2)
        with pytest.raises(ValueError, match="must have no missing values"):
            risk_report(["a", gap], A, population_size=2)


def test_what_is_under_a_mask_is_not_published():
    masked = np.ma.array([0, 0, 1, 1], mask=[0, 1, 0, 1])
    for transitions in ({"d": KEEP}, {}):
        with pytest.raises(TypeError, match="without a mask"):
            risk_report({"d": masked}, transitions=transitions, population_size=4)
        with pytest.raises(TypeError, match="without a mask"):
            risk_report({"d": [0]}, transitions=transitions, population_size=4, table={"d": masked})
    with pytest.raises(TypeError, match="without a mask"):
        risk_report(masked, KEEP, population_size=4)
    with pytest.raises(ValueError, match="must have no missing values"):
        risk_report([0, np.ma.masked], KEEP, population_size=4)


def test_a_value_that_nobody_can_show_was_not_released():
    never = [[1, 0], [1, 0]]
    rule = "must be possible under transition, got 1 of 1 shown values"
    with pytest.raises(ValueError, match=rule):
        risk_report({"a": [1]}, transitions={"a": never}, population_size=1000)
    with pytest.raises(ValueError, match=rule):
        risk_report([1], never, population_size=1000)
    assert risk_report({"a": [0]}, transitions={"a": never}, population_size=9).k_table_known == 9


def test_a_class_that_is_bounded_must_be_possible_too(monkeypatch):
    monkeypatch.setattr(matching, "MAX_WORK", -1)
    lines = {"a": [0, 1], "ward": ["x", "y"]}
    people = {"a": [0, 0, 1, 1], "ward": ["x", "y", "x", "x"]}  # in y nobody shows 1
    with pytest.raises(ValueError, match="release must be possible under transition, got 1 of 1"):
        risk_report(lines, transitions={"a": np.eye(2)}, population_size=4, table=people)


def test_a_column_has_one_value_for_each_person():
    frame = pd.DataFrame({"x": [1, 3], "y": [2, 4]})
    wrong = ["xx", b"xx", bytearray(b"xx"), {0, 1}, frozenset([0, 1]), {0: 5, 1: 5}, frame,
             {0: 5, 1: 5}.values(), np.zeros((2, 2)), np.array(3), sparse.csr_array([[0, 1]]),
             memoryview(b"xx")]  # fmt: skip
    for column in wrong:
        with pytest.raises(TypeError, match=r"release\['a'\] must be a vector"):
            risk_report({"a": column}, transitions={}, population_size=3)
        with pytest.raises(TypeError, match=r"table\['a'\] must be a vector"):
            risk_report({"a": [0]}, transitions={}, population_size=2, table={"a": column})
    for column in ([0, 1], (0, 1), range(2), np.arange(2), pd.Series([0, 1]), pd.Index([0, 1])):
        risk_report({"a": column, "b": [0, 1]}, transitions={}, population_size=3)


def test_names_that_print_alike_are_refused():
    lines = {1: [0, 1], "1": [0, 1]}
    turned = {1: pd.Series([0, 1], index=[5, 6]), "1": pd.Series([0, 1], index=[6, 5])}
    for release, table in ((lines, turned), (pd.DataFrame(lines), None)):
        with pytest.raises(ValueError, match="columns whose names differ in print"):
            risk_report(release, transitions={}, population_size=2, table=table)
    with pytest.raises(ValueError, match="columns whose names differ in print"):
        risk_report({1: [0, 1]}, transitions={}, population_size=2, table=turned)


def exact_rows(A, how):
    """Fractions of floats: as they are, divided by the sum of the row, or the last completed."""
    rows = [[F(float(entry)) for entry in row] for row in A]
    if how == "divided":
        rows = [[entry / sum(row) for entry in row] for row in rows]
    if how == "completed":
        rows = [[*row[:-1], 1 - sum(row[:-1])] for row in rows]
    return np.array(rows, dtype=object)


def test_the_best_guess_of_floats_is_rounded_up():
    rng = np.random.default_rng(1)
    one = np.array([[1.0]])
    for n, s in [(6, 2), (20, 10), (20, 20), (60, 10), (60, 60)]:
        random = rng.dirichlet(np.ones(3), size=3) + 0.01
        random = random / random.sum(axis=1, keepdims=True)
        uneven = random * (1 + rng.uniform(-9e-10, 9e-10, size=(3, 1)))
        matrices = [retention_matrix(keep, 3) for keep in (0.3, 0.8, 0.97)]
        if s <= 20:
            matrices += [random, uneven]
        for A in matrices:
            table = rng.integers(3, size=n)
            drawn = rng.integers(3, size=s)
            release = np.where(rng.random(s) < 0.8, table[:s], drawn)
            lines = {"a": release, "b": np.zeros(s, dtype=int)}
            people = {"a": table, "b": np.zeros(n, dtype=int)}
            options = {"population_size": n, "table": people}
            reports = [
                risk_report(lines, transitions={"a": A, "b": one}, **options),
                risk_report({"a": release}, transitions={"a": A}, **options),
                risk_report(release, A, population_size=n, table=table),
            ]
            ways = ["given", "divided"] if A is uneven else ["given", "divided", "completed"]
            for how in ways:
                match = matching.by_value("", table, release, exact_rows(A, how))
                best = match.max(axis=0)[release]
                for report in reports:
                    for rounded, truth in zip(report.best_guess, (best.sum() / s, best.max())):
                        assert truth <= F(rounded) <= truth * (1 + F(1, 10**7))


def test_people_who_are_all_alike_are_guessed_without_rounding():
    A = retention_matrix(0.7, 3)
    release = [0, 1, 2]
    for n in (5, 7):
        table = [1] * n
        risk = float(F(1, n)) if F(float(F(1, n))) >= F(1, n) else np.nextafter(1 / n, 1)
        assert risk_report(release, A, population_size=n, table=table).best_guess[1] == risk
        lines = {"a": release}
        report = risk_report(lines, transitions={"a": A}, population_size=n, table={"a": table})
        assert report.best_guess == (risk, risk) == report.best_guess_at_least


def test_lower_bounds_of_floats_are_below(monkeypatch):
    """One class is computed and one bounded, so that the least is not the largest."""
    A = retention_matrix(0.7, 3)
    B = retention_matrix(0.6, 2)
    people = {"a": [0, 1, 2, 0, 1, 2], "b": [0, 1, 1, 0, 1, 1], "ward": list("xxxyyy")}
    lines = {"a": [0, 1, 2], "b": [0, 0, 1], "ward": list("xxy")}
    options = {"transitions": {"a": A, "b": B}, "population_size": 6, "table": people}
    exact = risk_report(lines, **options)
    assert exact.best_guess == exact.best_guess_at_least

    def work(_, shown, true):
        return 1 if len(shown[1]) == 1 else matching.MAX_WORK + 1

    monkeypatch.setattr(columns, "_work", work)
    bounded = risk_report(lines, **options)
    assert bounded.best_guess_at_least[0] < exact.best_guess[0] <= bounded.best_guess[0]
