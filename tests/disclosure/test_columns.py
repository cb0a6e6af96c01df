"""Tests of `privlib.disclosure.columns`: whole lines, by enumeration of all injections."""

from __future__ import annotations

import dataclasses
import itertools
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from privlib import UncertifiedError
from privlib.disclosure import _matching as matching
from privlib.disclosure import anonymity, columns, posterior, risk_report
from privlib.disclosure.pram import retention_matrix

from .small_tables import LOOSE, LOPSIDED, QUARTERS, minima_by_definition, random_matrix

F = Fraction
WIDE = [[F(1, 2), F(1, 3), F(1, 6)], [F(1, 8), F(1, 8), F(3, 4)]]
ZEROS = [[F(1), F(0)], [F(1, 3), F(2, 3)]]
CONSTANT = [[F(1, 4), F(3, 4)], [F(1, 4), F(3, 4)]]
CHOICES = [QUARTERS, LOOSE, LOPSIDED, WIDE, ZEROS, CONSTANT, None]

# --- an oracle that knows nothing of classes, products or permanents --------------------------


def chance_of_line(true, shown, matrices):
    """Probability that a person with the true values shows these values, column by column."""
    chance = F(1)
    for column, A in enumerate(matrices):
        if A is None:
            chance *= F(int(true[column] == shown[column]))
        else:
            chance *= A[true[column]][shown[column]]
    return chance


def attack(people, release, matrices):
    """Match probability of every person and slot, over all injections; None if impossible."""
    n, s = len(people), len(release)
    total = F(0)
    matched = [[F(0)] * s for _ in range(n)]
    for order in itertools.permutations(range(n), s):
        weight = F(1)
        for slot, person in enumerate(order):
            weight *= chance_of_line(people[person], release[slot], matrices)
        total += weight
        for slot, person in enumerate(order):
            matched[person][slot] += weight
    if total == 0:
        return None
    return [[weight / total for weight in row] for row in matched]


def guesses(chances):
    """Mean and largest probability that the best guess for a slot is right."""
    best = [max(row[slot] for row in chances) for slot in range(len(chances[0]))]
    return sum(best) / len(best), max(best)


def as_columns(lines):
    """Tuples as a mapping of columns a, b, …"""
    return {name: [line[i] for line in lines] for i, name in zip(range(len(lines[0])), "abcdef")}


def as_transitions(matrices):
    return {name: A for name, A in zip("abcdef", matrices) if A is not None}


def random_file(rng, matrices, n, s):
    """People, and a release that they can make."""
    sizes = [2 if A is None else len(A) for A in matrices]
    people = [tuple(int(rng.integers(size)) for size in sizes) for _ in range(n)]
    release = []
    for person in rng.permutation(n)[:s]:
        line = []
        for column, A in enumerate(matrices):
            value = people[person][column]
            if A is not None:
                row = np.array(A[value], dtype=float)
                value = int(rng.choice(len(row), p=row / row.sum()))
            line.append(value)
        release.append(tuple(line))
    return people, release


def all_people(matrices, n):
    sizes = [2 if A is None else len(A) for A in matrices]
    lines = list(itertools.product(*(range(size) for size in sizes)))
    return itertools.combinations_with_replacement(lines, n)


# --- the two minima -----------------------------------------------------------------------------


def kronecker(matrices):
    product = np.array([[F(1)]], dtype=object)
    for A in matrices:
        product = np.kron(product, np.array(A, dtype=object))
    return product


def test_the_minima_of_a_line_are_products():
    rng = np.random.default_rng(1)
    for _ in range(40):
        shapes = [(2, 2), (2, 3), (3, 2)]
        matrices = [
            random_matrix(rng, *shapes[int(rng.integers(3))])
            for _ in range(int(rng.integers(1, 3)))
        ]
        whole = kronecker(matrices)
        gamma, g2 = minima_by_definition(whole.tolist())
        n = int(rng.integers(2, 30))
        s = int(rng.integers(1, n + 1))
        m = int(rng.integers(1, n + 1))
        f = int(rng.integers(1, s + 1))
        level = columns.pk_level_of_lines(matrices, n, n_sampled=s)
        assert level == 1 + (n - s) * gamma + (s - 1) * g2
        options = {"n_sampled": s, "alike": m, "shown": f}
        level = columns.pk_level_of_lines(matrices, n, **options)
        assert level == anonymity.pk_level(whole, n, **options)
        assert isinstance(level, Fraction)
        each = all(anonymity.is_tight(A) for A in matrices)
        assert anonymity.is_tight(whole) == each


def test_three_columns_and_a_loose_one():
    whole = kronecker([QUARTERS, LOOSE, LOPSIDED])
    level = columns.pk_level_of_lines({"a": QUARTERS, "b": LOOSE, "c": LOPSIDED}, 9, n_sampled=4)
    assert level == anonymity.pk_level(whole, 9, n_sampled=4)
    assert not anonymity.is_tight(whole)
    assert anonymity.is_tight(kronecker([QUARTERS, LOPSIDED]))


def test_a_column_without_a_matrix_leaves_only_what_is_equal():
    assert columns.pk_level_of_lines([None], 9) == 1
    assert columns.pk_level_of_lines([QUARTERS, None], 9, n_sampled=4, alike=3, shown=2) == 3
    assert columns.pk_level_of_lines([[[1]], CONSTANT], 9, n_sampled=4) == 9
    zero = "must not have zeros beside positive entries"
    with pytest.raises(ValueError, match=zero):
        columns.pk_level_of_lines([QUARTERS, ZEROS], 9)


def test_floats_are_rounded_down_and_many_columns_do_not_underflow():
    rng = np.random.default_rng(2)
    for _ in range(50):
        matrices = [rng.dirichlet(np.full(3, 0.7), size=3) + 1e-9 for _ in range(3)]
        matrices = [A / A.sum(axis=1, keepdims=True) for A in matrices]
        exact = []
        for A in matrices:
            rows = [[F(float(x)) for x in row] for row in A]
            exact.append([[x / sum(row) for x in row] for row in rows])
        gamma = math.prod(minima_by_definition(A)[0] for A in exact)
        g2 = math.prod(minima_by_definition(A)[1] for A in exact)
        level = columns.pk_level_of_lines(matrices, 10**6, n_sampled=1000)
        truth = 1 + (10**6 - 1000) * gamma + 999 * g2
        assert isinstance(level, float)
        assert truth * (1 - F(1, 10**12)) <= level <= truth
    many = [retention_matrix(0.9, 5)] * 500
    assert columns.pk_level_of_lines(many, 10**9, n_sampled=10) == 1.0
    exact = [retention_matrix(F(9, 10), 5)] * 500
    assert 1 < columns.pk_level_of_lines(exact, 10**9, n_sampled=10) < 1 + F(1, 10**100)


# --- the report, against all injections ---------------------------------------------------------


def designs(rng, count):
    for _ in range(count):
        yield [CHOICES[i] for i in rng.integers(len(CHOICES), size=int(rng.integers(1, 4)))]


def test_the_report_against_all_injections():
    rng = np.random.default_rng(3)
    seen = set()
    for matrices in designs(rng, 150):
        n = int(rng.integers(1, 6))
        s = int(rng.integers(1, n + 1))
        people, release = random_file(rng, matrices, n, s)
        chances = attack(people, release, matrices)
        report = risk_report(
            as_columns(release), transitions=as_transitions(matrices), population_size=n,
            table=as_columns(people),
        )  # fmt: skip
        mean, easiest = guesses(chances)
        assert report.best_guess == (mean, easiest) == report.best_guess_at_least
        assert all(isinstance(x, Fraction) for x in report.best_guess)
        assert 1 <= report.k_table_known <= report.k_this_table <= 1 / easiest
        assert report.k_participants_known <= report.k_table_known
        for row in chances:
            assert report.participation[0] <= sum(row) <= report.participation[1]
        unchanged = [A is None for A in matrices]
        classes = [[x for x, keep in zip(line, unchanged) if keep] for line in release]
        assert report.classes == len({tuple(values) for values in classes})
        assert report.fewest_in_a_class == min(classes.count(values) for values in classes)
        assert report.fewest_equal_lines == min(release.count(line) for line in release)
        seen.add((any(unchanged), all(unchanged), report.k_this_table > report.k_table_known))
    assert len(seen) >= 4


def test_the_level_holds_for_every_table():
    rng = np.random.default_rng(4)
    attained = 0
    for matrices in [[QUARTERS], [None, QUARTERS], [None], [QUARTERS, LOPSIDED], [None, WIDE]]:
        for n, s in [(3, 2), (4, 2), (4, 3)]:
            _, release = random_file(rng, matrices, n, s)
            transitions = as_transitions(matrices)
            report = risk_report(as_columns(release), transitions=transitions, population_size=n)
            assert report.k_this_table is None
            assert report.best_guess == ()
            worst = F(0)
            knowing = F(0)
            for people in all_people(matrices, n):
                chances = attack(people, release, matrices)
                if chances is None:
                    continue
                worst = max(worst, *(max(row) for row in chances))
                for row in chances:
                    if sum(row):
                        knowing = max(knowing, max(row) / sum(row))
            assert worst <= 1 / report.k_table_known
            assert knowing <= 1 / report.k_participants_known
            attained += worst == 1 / report.k_table_known
    assert attained >= 8


def test_an_unchanged_column_guarantees_nothing_for_every_release():
    report = risk_report({"a": [0, 1]}, transitions={}, population_size=100)
    assert report.k_table_known == 1
    people = {"a": [0, 1] + [2] * 98}
    chances = attack([(x,) for x in [0, 1, 2, 2]], [(0,), (1,)], [None])
    assert max(max(row) for row in chances) == 1
    assert risk_report(
        {"a": [0, 1]}, transitions={}, population_size=100, table=people
    ).best_guess == (1, 1)


def test_an_attacker_who_knows_some_columns():
    """Against a mean over all assignments of the other columns' true values to people."""
    rng = np.random.default_rng(5)
    for matrices in designs(rng, 60):
        if len(matrices) < 2:
            continue
        n = int(rng.integers(2, 5))
        s = int(rng.integers(1, n + 1))
        people, release = random_file(rng, matrices, n, s)
        size = int(rng.integers(1, len(matrices)))
        known = sorted(rng.permutation(len(matrices))[:size].tolist())
        others = [i for i in range(len(matrices)) if i not in known]
        total = F(0)
        matched = [[F(0)] * s for _ in range(n)]
        for shuffled in itertools.permutations(range(n)):
            imagined = []
            for person, other in enumerate(shuffled):
                line = [people[other][i] if i in others else people[person][i]
                        for i in range(len(matrices))]  # fmt: skip
                imagined.append(tuple(line))
            for order in itertools.permutations(range(n), s):
                weight = F(1)
                for slot, person in enumerate(order):
                    weight *= chance_of_line(imagined[person], release[slot], matrices)
                total += weight
                for slot, person in enumerate(order):
                    matched[person][slot] += weight
        chances = [[weight / total for weight in row] for row in matched]
        report = risk_report(
            as_columns(release), transitions=as_transitions(matrices), population_size=n,
            table=as_columns(people), known=["abc"[i] for i in known],
        )  # fmt: skip
        assert report.best_guess == guesses(chances)
        assert report.left_out == tuple("abc"[i] for i in others)
        assert report.k_this_table <= 1 / report.best_guess[1]


def test_columns_that_are_rewritten_jointly():
    rng = np.random.default_rng(6)
    values = list(itertools.product(["m", "f"], [0, 1]))
    index = pd.MultiIndex.from_tuples(values)
    for _ in range(10):
        A = random_matrix(rng, 4, 4)
        frame = pd.DataFrame(A, index, index)
        codes = rng.integers(4, size=4).tolist()
        shown = rng.integers(4, size=2).tolist()
        kept = rng.integers(2, size=4).tolist()
        people = list(zip(codes, kept))
        release = [(shown[0], kept[0]), (shown[1], kept[1])]
        mean, easiest = guesses(attack(people, release, [A, None]))

        def spread(lines):
            return pd.DataFrame({
                "sex": [values[code][0] for code, _ in lines],
                "kept": [value for _, value in lines],
                "yes": [values[code][1] for code, _ in lines],
            })  # fmt: skip

        report = risk_report(
            spread(release), transitions={("sex", "yes"): frame}, population_size=4,
            table=spread(people),
        )  # fmt: skip
        assert report.best_guess == (mean, easiest)
        assert report.rewritten == ("sex × yes",)
    lines = spread(release)
    with pytest.raises(ValueError, match="known must have all or none of sex × yes"):
        risk_report(lines, transitions={("sex", "yes"): frame}, population_size=4, known=["sex"])
    with pytest.raises(TypeError, match="labelled by tuples"):
        risk_report(lines, transitions={("sex", "yes"): A}, population_size=4)
    with pytest.raises(ValueError, match=r"rewrite a column once, got twice: \['sex'\]"):
        risk_report(lines, transitions={("sex", "yes"): frame, "sex": QUARTERS}, population_size=4)


def test_one_column_says_what_it_says_without_a_frame():
    rng = np.random.default_rng(7)
    for A in (QUARTERS, LOOSE, LOPSIDED, np.array(LOOSE, dtype=float)):
        table = rng.integers(len(A), size=7)
        release = rng.integers(len(A[0]), size=4)
        one = risk_report(release, A, population_size=7, table=table)
        frame = pd.DataFrame({"x": release})
        many = risk_report(frame, transitions={"x": A}, population_size=7, table={"x": table})
        for name in ("k_table_known", "k_participants_known", "fewest_equal_lines"):
            assert getattr(one, name) == getattr(many, name)
        assert one.participation == pytest.approx(many.participation, rel=1e-15)
        assert [float(x) for x in one.best_guess] == pytest.approx(
            [float(x) for x in many.best_guess], rel=1e-12
        )


def test_floats_and_fractions_agree():
    rng = np.random.default_rng(8)
    for _ in range(20):
        people, release = random_file(rng, [QUARTERS, None, LOOSE], 6, 3)
        floats = {"a": np.array(QUARTERS, dtype=float), "c": LOOSE}
        exact = risk_report(
            as_columns(release), transitions={"a": QUARTERS, "c": LOOSE}, population_size=6,
            table=as_columns(people),
        )  # fmt: skip
        rounded = risk_report(
            as_columns(release), transitions=floats, population_size=6, table=as_columns(people)
        )
        assert isinstance(rounded.k_this_table, float)
        assert rounded.k_this_table <= exact.k_this_table
        assert rounded.k_this_table == pytest.approx(float(exact.k_this_table), rel=1e-12)
        assert rounded.best_guess == pytest.approx([float(x) for x in exact.best_guess], rel=1e-12)


def test_classes_that_are_too_large_are_bounded(monkeypatch):
    rng = np.random.default_rng(9)
    for matrices in ([QUARTERS, None, LOOSE], [QUARTERS, ZEROS], [None]):
        people, release = random_file(rng, matrices, 6, 4)
        options = {
            "transitions": as_transitions(matrices),
            "population_size": 6,
            "table": as_columns(people),
        }
        exact = risk_report(as_columns(release), **options)
        with monkeypatch.context() as patch:
            patch.setattr(matching, "MAX_WORK", -1)
            bounded = risk_report(as_columns(release), **options)
        for low, middle, high in zip(
            bounded.best_guess_at_least, exact.best_guess, bounded.best_guess
        ):
            assert low <= middle <= high
        assert bounded.k_this_table == exact.k_this_table
        if matrices != [None]:
            assert "(upper bounds)" in str(bounded)
    with monkeypatch.context() as patch:
        patch.setattr(columns, "MAX_VALUES", 3)
        with pytest.raises(ValueError, match="values of table and release must be at most 3"):
            risk_report(as_columns(release), transitions={}, population_size=6)


def test_a_large_file_is_reported_within_seconds():
    rng = np.random.default_rng(10)
    n = 20_000
    A = retention_matrix(0.7, 6)
    people = {"job": rng.integers(6, size=n), "sex": rng.integers(2, size=n),
              "ward": rng.integers(3000, size=n), "ill": rng.integers(6, size=n)}  # fmt: skip
    sample = rng.permutation(n)[:2000]
    release = {name: values[sample] for name, values in people.items()}
    report = risk_report(release, transitions={"job": A, "ill": A}, population_size=n, table=people)
    assert report.classes > 1500
    assert report.best_guess == report.best_guess_at_least
    whole = risk_report(
        {"job": release["job"], "ill": release["ill"]}, transitions={"job": A, "ill": A},
        population_size=n, table=people,
    )  # fmt: skip
    assert whole.best_guess_at_least[0] == pytest.approx(1 / n, rel=1e-12)  # one class of all
    assert whole.best_guess[1] <= 1 / whole.k_table_known


def test_a_claim_that_is_false_is_not_returned(monkeypatch):
    lines = {"a": [0, 1], "b": [0, 0]}
    options = {"transitions": {"a": QUARTERS}, "population_size": 2, "table": lines}
    risk_report(lines, **options)

    def certain(where, tau, shown, A):
        return np.full(np.shape(A), F(1), dtype=object)

    with monkeypatch.context() as patch:
        patch.setattr(matching, "by_value", certain)
        with pytest.raises(UncertifiedError, match="risk_report: the best guess"):
            risk_report(lines, **options)
    true_of = columns._Minima.of_columns

    def too_large(where, matrices, *, zeros=False):
        minima = true_of(where, matrices, zeros=zeros)
        return columns._Minima(minima.gamma * 2, minima.g2 * 2, minima.logs, minima.exact)

    monkeypatch.setattr(columns._Minima, "of_columns", too_large)
    with pytest.raises(UncertifiedError, match="the risk 1/k"):
        columns.pk_level_of_lines([QUARTERS], 9, n_sampled=3)
    for n_sampled in (3, 9):  # the one minimum decides, and the other
        with pytest.raises(UncertifiedError, match="the risk 1/k"):
            columns.pk_level_of_lines([QUARTERS, QUARTERS], 9, n_sampled=n_sampled)


def test_bounds_of_floats_are_rounded_up(monkeypatch):
    monkeypatch.setattr(matching, "MAX_WORK", -1)
    rng = np.random.default_rng(13)
    for n in range(3, 40):
        A = rng.dirichlet([1, 1], size=2)
        lines = {"x": [0] * (n - 1) + [1], "y": [0] * n}
        report = risk_report(
            {"x": [0, 1], "y": [0, 0]}, transitions={"x": A, "y": [[1.0]]}, population_size=n,
            table=lines,
        )  # fmt: skip
        minima = columns._Minima.of_columns("", [A])
        level = 1 + (n - 2) * minima.gamma + minima.g2
        assert F(report.best_guess[1]) >= 1 / level
        assert F(report.k_this_table) <= level
        assert F(report.best_guess_at_least[1]) <= F(1, n)


# --- what is printed, and what is refused -------------------------------------------------------


def test_the_trap_of_one_column():
    lines = pd.DataFrame({"answer": [0, 0, 0, 0], "age": [20, 30, 40, 50]})
    alone = risk_report(lines["answer"], np.eye(2), population_size=4)
    whole = risk_report(lines, transitions={"answer": np.eye(2)}, population_size=4, table=lines)
    assert (alone.k_table_known, whole.k_table_known) == (4, 1)
    assert whole.best_guess == (1, 1)
    text = str(whole)
    assert text.startswith("True if the sample was simple, random and shuffled")
    assert "these columns are all that is published of a person" in text
    numbers = {x[:22].strip(): x[22:] for x in text.splitlines()[3:]}
    assert numbers["rewritten"] == "answer"
    assert numbers["unchanged"] == "age"
    assert numbers["k every table"] == "1  (no protection: a link may be right in 100 %)"
    assert numbers["best guess"] == "1 to 1"
    text = str(risk_report(lines, transitions={}, population_size=4, known=["answer"]))
    assert "The attacker knows nothing of age," in text
    assert "best guess            not computed" in text


def printed_numbers(rows):
    """The numbers of a report by the names of their rows, without what stands beside them."""
    return {row[:22].strip(): row[22:].split("  (")[0].split(" to ") for row in rows}


@pytest.mark.parametrize(
    ("level", "beside"),
    [(F(1), "100 %"), (1.0294, "98 %"), (F(3, 2), "67 %"), (F(199, 100), "51 %"), (F(2), ""),
     (7.5, "")],
)  # fmt: skip
def test_a_level_below_two_says_that_it_is_no_protection(level, beside):
    """The per cent that are printed are never fewer than 100 / k."""
    report = risk_report({"x": [0, 1], "y": [0, 0]}, transitions={"x": QUARTERS}, population_size=4)
    report = dataclasses.replace(report, k_table_known=level, k_this_table=level, best_guess=(1, 1))
    rows = str(report).splitlines()
    for name in ("k every table", "k this table"):
        (text,) = [row[22:] for row in rows if row.startswith(name)]
        words = f"  (no protection: a link may be right in {beside})" if beside else ""
        assert text.endswith(words)
        assert ("protection" in text) == bool(beside)


def test_levels_are_printed_down_and_risks_up():
    rng = np.random.default_rng(11)
    for _ in range(30):
        people, release = random_file(rng, [QUARTERS, None, LOPSIDED], 6, 4)
        report = risk_report(
            as_columns(release), transitions={"a": QUARTERS, "c": LOPSIDED}, population_size=6,
            table=as_columns(people),
        )  # fmt: skip
        numbers = printed_numbers(str(report).splitlines()[3:])
        assert F(numbers["k every table"][0]) <= report.k_table_known
        assert F(numbers["k this table"][0]) <= report.k_this_table
        assert F(numbers["best guess"][1]) >= report.best_guess[1]


def test_what_cannot_be_sure_is_refused():
    fine = pd.DataFrame({"a": [0, 1], "b": ["x", "y"]})
    options = {"transitions": {"a": QUARTERS}, "population_size": 3}
    table = pd.DataFrame({"a": [0, 1, 1], "b": ["x", "y", "y"], "more": [1, 2, 3]}, index=[7, 8, 9])
    risk_report(fine, **options, table=table)
    named = fine.set_axis(["ann", "bob"])
    with pytest.raises(ValueError, match=r"reset_index\(drop=True\)") as refused:
        risk_report(named, **options)
    assert "ann" not in str(refused.value)
    with pytest.raises(ValueError, match=r"reset_index\(drop=True\)"):
        risk_report({"a": named["a"], "b": ["x", "y"]}, **options)
    with pytest.raises(ValueError, match="no missing values"):
        risk_report(fine.assign(b=["x", None]), **options)
    with pytest.raises(ValueError, match="no missing values"):
        risk_report(fine.assign(b=["x", np.nan]), **options)
    with pytest.raises(ValueError, match="no missing values"):
        risk_report(fine.assign(a=[0, np.nan]), **options)
    with pytest.raises(ValueError, match="no missing values"):
        risk_report(fine, **options, table=table.assign(b=["x", "y", None]))
    with pytest.raises(ValueError, match=r"release\['a'\] must be in 0\.\.1"):
        risk_report(fine.assign(a=[0, 2]), **options)
    with pytest.raises(ValueError, match="columns of one length"):
        risk_report({"a": [0, 1], "b": ["x"]}, **options)
    with pytest.raises(ValueError, match="population_size = 3 records, got 2"):
        risk_report(fine, **options, table=fine)
    with pytest.raises(ValueError, match=r"columns of the release, got none of \['b'\]"):
        risk_report(fine, **options, table=table[["a"]])
    with pytest.raises(ValueError, match="more lines than people"):
        risk_report(fine.assign(b=["x", "x"]), **options, table=table)
    with pytest.raises(ValueError, match="more lines than people"):
        risk_report(fine.assign(b=["x", "never"]), **options, table=table)
    zeros = {"transitions": {"a": np.eye(2)}, "population_size": 3}
    with pytest.raises(ValueError, match="release must be possible"):
        risk_report(fine.assign(a=[1, 1]), **zeros, table=table)
    with pytest.raises(ValueError, match="keyed by columns of the release"):
        risk_report(fine, transitions={"c": QUARTERS}, population_size=3)
    with pytest.raises(TypeError, match="transitions must be a mapping"):
        risk_report(fine, population_size=3)
    with pytest.raises(TypeError, match="transition is for one column"):
        risk_report(fine, QUARTERS, population_size=3)
    with pytest.raises(TypeError, match="population_size must be given"):
        risk_report(fine, transitions={})
    with pytest.raises(TypeError, match=r"known must be a list of columns, got a str"):
        risk_report(fine, **options, known="a")
    for known in ([], ["c"]):
        with pytest.raises(ValueError, match="known must be columns of the release"):
            risk_report(fine, **options, known=known)
    with pytest.raises(TypeError, match="known is for a release of several columns"):
        risk_report([0, 1], QUARTERS, population_size=3, known=["a"])
    with pytest.raises(TypeError, match="transitions is for a release of several columns"):
        risk_report([0, 1], population_size=3, transitions={})
    with pytest.raises(TypeError, match="table must be a DataFrame or a mapping"):
        risk_report(fine, **options, table=[0, 1, 1])
    with pytest.raises(ValueError, match="distinct columns"):
        risk_report(pd.concat([fine, fine], axis=1), **options)
    with pytest.raises(ValueError, match=r"n_sampled must be in 1\.\.1, got 2"):
        risk_report(fine, transitions={}, population_size=1)
    with pytest.raises(ValueError, match="at least one column, got none"):
        risk_report({}, transitions={}, population_size=1)
    with pytest.raises(TypeError, match="hold labels"):
        risk_report({"a": [[1], [2]]}, transitions={}, population_size=2)
    mixed = {"a": pd.Series([0, 1, 1]), "b": pd.Series(["x", "y", "y"], index=[2, 1, 0])}
    with pytest.raises(ValueError, match="the same index"):
        risk_report(fine, **options, table=mixed)
    with pytest.raises(ValueError, match="at least one column"):
        columns.pk_level_of_lines([], 3)
    with pytest.raises(TypeError, match="one matrix for each column"):
        columns.pk_level_of_lines(np.array(QUARTERS), 3)


def test_the_work_is_that_of_the_attack():
    rng = np.random.default_rng(12)
    A = retention_matrix(0.5, 4)
    tau = rng.integers(4, size=30)
    shown = rng.integers(4, size=12)
    assert 0 < matching.work(tau, shown, A) <= matching.MAX_WORK
    assert matching.work(tau, shown, np.array(LOOSE + LOOSE[:1], dtype=object)) > 0
    many = np.arange(40)
    B = rng.dirichlet(np.ones(40), size=40)
    assert matching.work(many, many, B) is None
    with pytest.raises(ValueError, match="method 'generating' must have at most"):
        posterior.match_matrix(many, many, transition=B, by="value")
