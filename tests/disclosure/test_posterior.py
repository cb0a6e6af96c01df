"""Tests of `privlib.disclosure.posterior`: enumeration of worlds, three routes, bad input."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privlib.disclosure import posterior

ROUTES = ("generating", "permanent")


def retention(keep, categories):
    return [
        [(1 - keep) / categories + (keep if u == v else 0) for v in range(categories)]
        for u in range(categories)
    ]


def forward(table, size, A):
    """Play the mechanism forward: sample, shuffle, rewrite; the law of (release, who is where).

    No permanent, no swap, no counting by categories: every outcome with its probability.
    """
    n = len(table)
    law, behind = Counter(), Counter()
    chance = Fraction(1, math.perm(n, size))
    for order in itertools.permutations(range(n), size):
        for release in itertools.product(range(len(A[0])), repeat=size):
            weight = chance
            for record, value in zip(order, release):
                weight *= A[table[record]][value]
            law[release] += weight
            for slot, record in enumerate(order):
                behind[release, record, slot] += weight
    return law, behind


SQUARE = [[Fraction(3, 5), Fraction(2, 5)], [Fraction(1, 7), Fraction(6, 7)]]
SWAPPING = [[Fraction(1, 5), Fraction(4, 5)], [Fraction(2, 3), Fraction(1, 3)]]  # d < 0
WIDE = [[Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)], [0, Fraction(1, 4), Fraction(3, 4)]]
THREE = [
    [Fraction(6, 10), Fraction(3, 10), Fraction(1, 10)],
    [Fraction(1, 10), Fraction(4, 10), Fraction(5, 10)],
    [Fraction(7, 10), Fraction(1, 10), Fraction(2, 10)],
]
COLUMNS = [  # d = (1/4, 1/2, 1/3), b = (1/4, 1/4, 1/6) up to rows that sum to one
    [Fraction(1, 2), Fraction(1, 6), Fraction(1, 3)],
    [Fraction(1, 4), Fraction(5, 12), Fraction(1, 3)],
    [Fraction(1, 4), Fraction(1, 6), Fraction(7, 12)],
]
MATRICES = {
    "square": SQUARE, "swapping": SWAPPING, "wide": WIDE, "three": THREE, "columns": COLUMNS,
    "retention": retention(Fraction(1, 3), 3), "identity": [[1, 0], [0, 1]],
}  # fmt: skip


@pytest.mark.parametrize("name", MATRICES)
def test_every_world_with_up_to_four_records(name):
    A = MATRICES[name]
    most = 4 if len(A) * len(A[0]) <= 4 else 3
    for n in range(1, most + 1):
        for table in itertools.combinations_with_replacement(range(len(A)), n):
            for s in range(1, n + 1):
                law, behind = forward(table, s, A)
                for release, probability in law.items():
                    if not probability:
                        with pytest.raises(ValueError, match="probability 0"):
                            posterior.match_matrix(table, release, transition=A)
                        continue
                    M = posterior.match_matrix(table, release, transition=A)
                    for r, q in itertools.product(range(n), range(s)):
                        truth = behind[release, r, q] / probability
                        assert M[r, q] == truth
                        assert isinstance(M[r, q], Fraction)


@pytest.mark.parametrize("name", MATRICES)
def test_all_routes_agree_record_by_record(name):
    A = MATRICES[name]
    for table, s in [((0, 1, 1, 0), 3), ((1, 0), 2), ((0,), 1), ((0, 1, 0, 1, 1), 1)]:
        law, behind = forward(table, s, A)
        for release in [release for release in law if law[release]]:
            for r, q in {(0, 0), (len(table) - 1, s - 1)}:
                truth = behind[release, r, q] / law[release]
                for method in ROUTES:
                    result = posterior.match_probability(
                        table, release, transition=A, record=r, slot=q, method=method
                    )
                    assert result == truth
                floats = np.array(A, dtype=float)
                for method in (*ROUTES, "auto"):
                    result = posterior.match_probability(
                        table, release, transition=floats, record=r, slot=q, method=method
                    )
                    assert isinstance(result, float)
                    assert result == pytest.approx(float(truth), rel=1e-13, abs=1e-300)


def test_where_the_rook_route_applies():
    rook = {"method": "rook"}
    for A in (MATRICES["columns"], MATRICES["retention"]):
        assert posterior.match_probability(
            [0, 1, 2], [2, 1], transition=A, record=1, slot=1, **rook
        ) == (
            posterior.match_probability(
                [0, 1, 2], [2, 1], transition=A, record=1, slot=1, method="generating"
            )
        )
    for A in (THREE, SWAPPING, WIDE):
        with pytest.raises(ValueError, match="method 'rook' must have a square transition"):
            posterior.match_probability([0, 1], [1], transition=A, record=0, slot=0, **rook)


@st.composite
def problems(draw):
    """A rational matrix, a table and a possible release, with zeros and absent categories."""
    rows, columns = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    entry = st.integers(0, 5)
    A = []
    for _ in range(rows):
        row = draw(st.lists(entry, min_size=columns, max_size=columns).filter(any))
        A.append([Fraction(value, sum(row)) for value in row])
    table = draw(st.lists(st.integers(0, rows - 1), min_size=1, max_size=6))
    s = draw(st.integers(1, min(4, len(table))))
    order = draw(st.permutations(range(len(table))))[:s]
    release = [draw(st.sampled_from([v for v in range(columns) if A[table[t]][v]])) for t in order]
    return A, table, release


@settings(max_examples=120)
@given(problems())
@pytest.mark.slow
def test_any_problem_by_two_routes_and_its_sums(problem):
    A, table, release = problem
    n, s = len(table), len(release)
    M = posterior.match_matrix(table, release, transition=A)
    truth = listed(table, release, A)
    assert M.tolist() == truth
    assert all(column == 1 for column in M.sum(axis=0))
    for r in range(n):
        for method in ("generating", "permanent"):
            row = [
                posterior.match_probability(
                    table, release, transition=A, record=r, slot=q, method=method
                )
                for q in range(s)
            ]
            assert row == list(M[r])
        sampled = posterior.membership_probability(table, release, transition=A, record=r)
        assert sampled == sum(truth[r])
        for q in range(s):
            if sampled:
                known = posterior.response_match_probability(
                    table, release, transition=A, record=r, slot=q
                )
                assert known * sampled == M[r, q]
    floats = posterior.match_matrix(table, release, transition=np.array(A, dtype=float))
    np.testing.assert_allclose(floats, M.astype(float), rtol=1e-13, atol=0)


def listed(table, release, A):
    """The match probabilities of all records and slots, from a list of all injections."""
    n, s = len(table), len(release)
    total, behind = Fraction(0), [[Fraction(0)] * s for _ in range(n)]
    for order in itertools.permutations(range(n), s):
        weight = math.prod((A[table[t]][v] for t, v in zip(order, release)), start=Fraction(1))
        total += weight
        for slot, record in enumerate(order):
            behind[record][slot] += weight
    return [[part / total for part in row] for row in behind]


def test_unknown_records_are_one_more_category():
    """An attacker with prior q: mixture over all tables of the unknown records, by Bayes."""
    A, prior, known = SQUARE, (Fraction(1, 4), Fraction(3, 4)), (0, 1)
    rows = [*A, [sum(q * A[u][v] for u, q in enumerate(prior)) for v in range(2)]]
    mixed, joint = Counter(), Counter()
    for unknown in itertools.product(range(2), repeat=2):
        belief = math.prod(prior[u] for u in unknown)
        law, behind = forward((*known, *unknown), 2, A)
        for key, weight in law.items():
            mixed[key] += belief * weight
        for key, weight in behind.items():
            joint[key] += belief * weight
    for release in itertools.product(range(2), repeat=2):
        M = posterior.match_matrix([0, 1, 2, 2], release, transition=rows)
        for r, q in itertools.product(range(4), range(2)):
            assert M[r, q] == joint[release, r, q] / mixed[release]


# ---------------------------------------------------------------------------------------------
# Closed forms and size
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "s"), [(3, 1), (4, 2), (5, 4), (1000, 100), (7, 7)])
def test_the_homogeneous_table_has_its_closed_form(n, s):
    """All others hold one other value, all other slots show it: 1 + (n - s) g + (s - 1) g^2."""
    for keep, N in [(Fraction(1, 2), 10), (Fraction(1, 3), 2), (Fraction(9, 10), 3)]:
        g = (1 - keep) / (1 + (N - 1) * keep)
        result = posterior.match_probability(
            [0] + [1] * (n - 1),
            [0] + [1] * (s - 1),
            transition=retention(keep, N),
            record=0,
            slot=0,
        )
        assert 1 / result == 1 + (n - s) * g + (s - 1) * g**2


def test_sampling_alone_and_pure_noise():
    identity = [[1, 0], [0, 1]]
    assert posterior.match_probability([0, 1], [0], transition=identity, record=0, slot=0) == 1
    assert posterior.match_probability(
        [0, 0, 1], [0], transition=identity, record=1, slot=0
    ) == Fraction(1, 2)
    assert posterior.match_probability([0, 1], [0], transition=identity, record=1, slot=0) == 0
    assert posterior.membership_probability([0, 1, 1], [0, 1], transition=identity, record=0) == 1
    noise = [[Fraction(1, 4), Fraction(3, 4)]] * 2
    M = posterior.match_matrix([0, 1, 1, 0, 1], [1, 0, 1], transition=noise)
    assert set(M.flat) == {Fraction(1, 5)}
    assert posterior.membership_probability(
        [0, 1, 1, 0, 1], [1, 0, 1], transition=noise, record=2
    ) == Fraction(3, 5)
    nothing = posterior.response_match_probability(
        [0, 1, 1], [0, 1], transition=identity, record=0, slot=0
    )
    assert nothing == 1


@pytest.mark.slow
def test_a_thousand_records_exactly_and_in_floats():
    rng = np.random.default_rng(11)
    table = rng.choice(10, 1000, p=np.arange(1, 11) / 55)
    release = rng.permutation(table)[:100]
    for keep in (Fraction(1, 2), Fraction(0.4881)):
        exact = posterior.match_probability(
            table, release, transition=retention(keep, 10), record=3, slot=5
        )
        floats = posterior.match_probability(
            table, release, transition=retention(float(keep), 10), record=3, slot=5
        )
        assert floats == pytest.approx(float(exact), rel=3e-12)
    M = posterior.match_matrix(table, release, transition=retention(Fraction(1, 2), 10))
    assert set(M.sum(axis=0)) == {1}
    values = posterior.match_matrix(
        table, release, transition=retention(Fraction(1, 2), 10), by="value"
    )
    assert (values[np.ix_(table, release)] == M).all()


def test_whole_numbers_outgrow_a_machine_word():
    """Two routes at sizes whose permanents have more than 19 digits, and a third at the edge."""
    table, release = [0] * 20 + [1] * 15, [0] * 9 + [1] * 11
    values = {
        method: posterior.match_probability(
            table, release, transition=SQUARE, record=1, slot=12, method=method
        )
        for method in ("rook", "generating")
    }
    assert values["rook"] == values["generating"]
    small = [
        posterior.match_probability(
            table, release[5:15], transition=SWAPPING, record=1, slot=7, method=method
        )
        for method in ("generating", "permanent")
    ]
    assert small[0] == small[1]


def test_large_tables_keep_their_digits():
    n, s = 10**6, 1000
    g = 0.5 / 5.5
    result = posterior.match_probability(
        np.r_[0, np.ones(n - 1, int)],
        np.r_[0, np.ones(s - 1, int)],
        transition=retention(0.5, 10),
        record=0,
        slot=0,
    )
    assert 1 / result == pytest.approx(1 + (n - s) * g + (s - 1) * g**2, rel=1e-10)


def test_floats_in_the_generating_route_where_weights_underflow():
    """200 slots of weight 1e-5: a product of 1e-1000."""
    A = np.array([[1e-5, 1 - 1e-5], [0.3, 0.7], [0.2, 0.8]])
    table, release = [0] * 150 + [1] * 60 + [2] * 20, [0] * 30 + [1] * 30
    floats = posterior.match_probability(table, release, transition=A, record=0, slot=0)
    exact = posterior.match_probability(
        table,
        release,
        transition=[[Fraction(a), 1 - Fraction(a)] for a in A[:, 0]],
        record=0,
        slot=0,
    )
    assert floats == pytest.approx(float(exact), rel=1e-12)


def test_rounding_makes_no_probability_above_one():
    A = retention(0.3, 4)
    for n in range(1, 60):  # everybody is sampled
        table = np.arange(n) % 4
        sampled = posterior.membership_probability(table, table, transition=A, record=0)
        assert sampled == pytest.approx(1, rel=1e-12)
        assert sampled <= 1


def test_absent_categories_get_zero():
    M = posterior.match_matrix([0, 0, 1], [2], transition=retention(0.5, 3), by="value")
    assert M.dtype == np.float64
    assert (M[2] == 0).all()
    assert (M[:, :2] == 0).all()
    assert (M[:2, 2] > 0).all()


# ---------------------------------------------------------------------------------------------
# Bad input
# ---------------------------------------------------------------------------------------------

HALF = retention(Fraction(1, 2), 2)
GOOD = {"table": [0, 1, 1], "release": [0, 1], "transition": HALF, "record": 0, "slot": 0}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"table": [0, 2, 1]}, r"table must be in 0..1, got 1 of 3"),
        ({"table": []}, r"table must be a non-empty vector, got shape \(0,\)"),
        ({"table": [[0, 1]]}, r"table must be a non-empty vector"),
        ({"release": [-1]}, r"release must be in 0..1, got 1 of 1"),
        ({"release": [0] * 4}, r"release must not be longer than the table of 3 records, got 4"),
        ({"record": 3}, r"record must be in 0\.\.2, got 3"),
        ({"slot": 2}, r"slot must be in 0\.\.1, got 2"),
        ({"method": "fast"}, r"method must be one of auto, permanent, .*, got 'fast'"),
        (
            {"transition": [[1, 1], [0, 1]]},
            r"row of transition must sum to 1, got 2 in row 0",
        ),
        (
            {"transition": [[Fraction(10**12 + 1, 10**12), 0], [0, 1]]},
            r"must sum to 1, got 1000000000001/1000000000000 in row 0",
        ),
        ({"transition": [[0.5, 0.5], [0.5, 0.6]]}, r"must sum to 1, got 1\.1 in row 1"),
        ({"transition": [[2, -1], [0, 1]]}, r"transition must be without negative entries, got -1"),
        ({"transition": [[math.nan, 1], [0, 1]]}, r"transition must be finite"),
        ({"transition": [[1, 0], [1]]}, r"transition must be a rectangular array"),
        ({"transition": [1, 0]}, r"transition must be a non-empty matrix, got shape \(2,\)"),
        ({"transition": [[1, 0], [1, 0]], "release": [1]}, r"got one that has probability 0"),
    ],
)
def test_bad_values_are_refused(change, message):
    with pytest.raises(ValueError, match=f"^match_probability: .*{message}"):
        posterior.match_probability(**{**GOOD, **change})


@pytest.mark.parametrize(
    "change",
    [
        {"table": [0.0, 1.0]}, {"release": ["a"]}, {"record": 0.0}, {"slot": True},
        {"transition": [["a", "b"]]}, {"transition": [[None, 1], [0, 1]]},
        {"transition": [[True, False]]},
    ],
)  # fmt: skip
def test_bad_types_are_refused(change):
    with pytest.raises(TypeError, match=r"^match_probability: "):
        posterior.match_probability(**{**GOOD, **change})


def test_problems_that_are_too_large_for_a_route_are_refused():
    table, release = list(range(3)) * 10, list(range(3)) * 7
    with pytest.raises(ValueError, match="must have at most 65536 subsets of slots, got 21 slots"):
        posterior.match_probability(
            table, release, transition=THREE, record=0, slot=0, method="permanent"
        )
    with pytest.raises(ValueError, match=r"method 'generating' must have at most \d"):
        posterior.match_probability(table * 20, release * 20, transition=THREE, record=0, slot=0)
    with pytest.raises(ValueError, match=r"^match_matrix: method must be one of auto, permanent"):
        posterior.match_matrix([0], [0], transition=HALF, method="fast")
    with pytest.raises(ValueError, match=r"^match_matrix: by must be one of record, value"):
        posterior.match_matrix([0], [0], transition=HALF, by="slot")


def test_knowing_that_somebody_was_sampled_who_was_not():
    with pytest.raises(ValueError, match=r"^response_match_probability: record 0 cannot have been"):
        posterior.response_match_probability(
            [0, 1, 1], [1], transition=[[1, 0], [0, 1]], record=0, slot=0
        )


def test_slow_routes_serve_membership_too():
    for method in ("permanent", "generating", "rook"):
        result = posterior.membership_probability(
            [0, 1, 1, 1], [0, 0], transition=HALF, record=0, method=method
        )
        assert result == Fraction(3, 4)
    with pytest.raises(ValueError, match="probability 0"):
        posterior.membership_probability(
            [0], [1], transition=[[1, 0], [0, 1]], record=0, method="permanent"
        )


@pytest.mark.filterwarnings("error")
def test_quotients_of_permanents_beyond_the_range_of_floats():
    tiny = 1e-200
    near = [[tiny, 0, 1], [0.5, tiny, 0.5]]  # only the first record shows 0 and the second 1
    assert posterior.match_matrix([0, 1], [0, 1], transition=near).tolist() == [[1, 0], [0, 1]]
    other = [[tiny, tiny, 1], [tiny, 2 * tiny, 1]]  # either way: in fractions, weights 2 : 1
    found = posterior.match_matrix([0, 1], [0, 1], transition=other)
    np.testing.assert_allclose(found, [[2 / 3, 1 / 3], [1 / 3, 2 / 3]], rtol=1e-12)
    least = [[5e-324, 1], [0, 1]]
    found = posterior.match_matrix([0, 1], [0, 1], transition=least)
    np.testing.assert_allclose(found, np.eye(2), rtol=1e-12)


def test_one_category_by_every_route():
    for method in posterior.METHODS:
        for one, kind in (([[1]], Fraction), ([[1.0]], float)):
            found = posterior.match_probability(
                [0] * 5, [0] * 3, transition=one, record=1, slot=2, method=method
            )
            assert isinstance(found, kind)
            assert found == pytest.approx(1 / 5, rel=1e-14)
