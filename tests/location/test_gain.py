"""Gains against posteriors by enumeration, and printed gains against linear programmes."""

from __future__ import annotations

import functools
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from privlib.location.exact import transition_probability
from privlib.location.gain import UndefinedGainError, gain_table, max_gain, path_gain

from .segment_oracles import situation

F = Fraction
EXAMPLE = [[F(1, 2), F(1, 4), F(1, 4)], [F(1, 4), F(1, 2), F(1, 4)], [F(1, 8), F(3, 8), F(1, 2)]]
BEFORE, AFTER = [2, 2, 1], [1, 2, 2]


def least_cost(before, after, P):
    """C by HiGHS; people beyond the total of `after` may stay unrouted."""
    return solved(tuple(before), tuple(after), tuple(map(tuple, np.asarray(P, dtype=float))))


@functools.lru_cache(maxsize=1000)
def solved(before, after, P):
    size = len(before)
    with np.errstate(divide="ignore"):
        cost = -np.log(np.array(P)).ravel()
    rows = np.kron(np.eye(size), np.ones(size))
    columns = np.kron(np.ones(size), np.eye(size))
    result = linprog(
        np.where(np.isfinite(cost), cost, 0), A_ub=rows, b_ub=before, A_eq=columns, b_eq=after,
        bounds=[(0, None if np.isfinite(w) else 0) for w in cost],
    )  # fmt: skip
    return result.fun if result.status == 0 else np.inf


def literal(published, before, P, i, j):
    """Equations (1) and (3) with four linear programmes; i = None for MK."""
    eye = np.eye(len(before))
    less = np.zeros(len(before)) if i is None else eye[i]
    pseudo = before @ np.asarray(P, dtype=float)
    return math.exp(
        least_cost(before, published, P)
        - least_cost(before - less, published - eye[j], P)
        + least_cost(before - less, pseudo - eye[j], P)
        - least_cost(before, pseudo, P)
    )


def posterior(published, before, P, u):
    """Law of the place of person u given the histogram, over all L^N labelled behaviours."""
    size = len(before)
    origins = [i for i, n in enumerate(before) for _ in range(n)]
    mass = [F(0)] * size
    for route in itertools.product(range(size), repeat=len(origins)):
        if all(route.count(j) == published[j] for j in range(size)):
            mass[route[u]] += math.prod((P[i][j] for i, j in zip(origins, route)), start=F(1))
    return [m / sum(mass) for m in mass]


@pytest.mark.parametrize("published", [[1, 2, 2], [0, 4, 1], [2, 2, 1]])
def test_exact_gains_are_posterior_over_prior(published):
    table = gain_table(BEFORE, published, transition=EXAMPLE, definition="exact")
    origins = [i for i, n in enumerate(BEFORE) for _ in range(n)]
    posteriors = [posterior(published, BEFORE, EXAMPLE, u) for u in range(5)]
    for u, i in enumerate(origins):
        assert table[i].tolist() == [g / p for g, p in zip(posteriors[u], EXAMPLE[i])]
    prediction = [sum(EXAMPLE[i][j] for i in origins) / 5 for j in range(3)]
    average = [sum(row[j] for row in posteriors) / 5 for j in range(3)]  # origin unknown
    mk = gain_table(BEFORE, published, transition=EXAMPLE, definition="exact", adversary="MK")
    assert mk.tolist() == [g / p for g, p in zip(average, prediction)]
    floats = np.array(EXAMPLE, dtype=float)
    np.testing.assert_allclose(
        gain_table(BEFORE, published, transition=floats, definition="exact"),
        table.astype(float),
        atol=1e-10,
    )
    for name in ("NPK", "MK"):
        exact = max_gain(BEFORE, published, transition=EXAMPLE, definition="exact", adversary=name)
        near = max_gain(BEFORE, published, transition=floats, definition="exact", adversary=name)
        assert isinstance(exact, F)
        assert near == pytest.approx(float(exact))


def test_the_numbers_of_example_4_1():
    assert max_gain(BEFORE, AFTER, transition=EXAMPLE, definition="exact") == F(392, 265)
    by_mk = gain_table(BEFORE, AFTER, transition=EXAMPLE, definition="exact", adversary="MK")
    assert by_mk.tolist() == [
        F(8, 13), F(16, 15), F(4, 3)
    ]  # fmt: skip
    assert max_gain(BEFORE, AFTER, transition=EXAMPLE) == pytest.approx(2.5184, abs=5e-5)
    mk = gain_table(BEFORE, AFTER, transition=EXAMPLE, adversary="MK")
    np.testing.assert_allclose(mk, [1, 1, math.sqrt(2)], rtol=1e-9)


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
@pytest.mark.slow
def test_printed_gains_are_the_literal_formula(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 5))
    P = rng.dirichlet(np.ones(size), size=size)
    before = rng.integers(3, 9, size=size)
    published = rng.multinomial(before.sum() - size, np.ones(size) / size) + 1
    if (before @ P < 1).any():
        with pytest.raises(UndefinedGainError, match="infinitesimal"):
            gain_table(before, published, transition=P)
        return
    opk = gain_table(before, published, transition=P, adversary="OPK")
    np.testing.assert_array_equal(opk, gain_table(before, published, transition=P))
    mk = gain_table(before, published, transition=P, adversary="MK")
    for j in range(size):
        assert mk[j] == pytest.approx(literal(published, before, P, None, j), rel=1e-6)
        for i in range(size):
            assert opk[i, j] == pytest.approx(literal(published, before, P, i, j), rel=1e-6)


def test_printed_gains_of_real_masses_by_persons_and_by_shares():
    rng = np.random.default_rng(5)
    P = rng.dirichlet(np.ones(3), size=3)
    before = np.array([6, 5, 7])
    published = 0.6 * np.array([4, 9, 5]) + 0.4 * before @ P
    person = gain_table(before, published, transition=P)
    share = gain_table(before, published, transition=P, unit="infinitesimal")
    step = 1e-4  # one of 10,000 copies of everybody
    for i, j in itertools.product(range(3), repeat=2):
        assert person[i, j] == pytest.approx(literal(published, before, P, i, j), rel=1e-6)
        scaled = literal(published / step, before / step, P, i, j)
        assert share[i, j] == pytest.approx(scaled, rel=1e-5)
    alone = gain_table(before, published, transition=P, unit="infinitesimal", adversary="MK")
    for j in range(3):
        scaled = literal(published / step, before / step, P, None, j)
        assert alone[j] == pytest.approx(scaled, rel=1e-5)
    at_prediction = gain_table(before, before @ P, transition=P, unit="infinitesimal")
    np.testing.assert_allclose(at_prediction, 1, rtol=1e-9)


def test_the_printed_ratio_is_blind_from_a_single_source():
    halves = [[F(1, 2), F(1, 2)], [F(1, 2), F(1, 2)]]
    assert max_gain([2, 0], [0, 2], transition=halves) == pytest.approx(1, abs=1e-12)
    assert max_gain([2, 0], [0, 2], transition=halves, definition="exact") == 2
    crossing = [[F(99, 100), F(1, 100)], [0, 1]]
    assert max_gain([100, 0], [50, 50], transition=crossing) == pytest.approx(1, abs=1e-12)
    assert max_gain([100, 0], [50, 50], transition=crossing, definition="exact") == 50


def test_the_printed_ratio_is_blind_on_bulk_moves_and_alarms_on_small_ones():
    P = np.array([[0.98, 0.02], [0.01, 0.99]])
    bulk, ordinary = [50, 150], [101, 99]
    assert max_gain([100, 100], bulk, transition=P) == pytest.approx(1, abs=1e-9)
    assert max_gain([100, 100], bulk, transition=P, definition="exact") == pytest.approx(
        25.0101, abs=1e-4
    )
    assert max_gain([100, 100], ordinary, transition=P) == pytest.approx(4851, rel=1e-9)
    assert max_gain([100, 100], ordinary, transition=P, definition="exact") == pytest.approx(
        1.7806, abs=5e-5
    )
    leave = transition_probability([99, 100], [100, 99], transition=P) / transition_probability(
        [100, 100], [101, 99], transition=P
    )
    assert max_gain([100, 100], ordinary, transition=P, definition="exact") == pytest.approx(
        max(
            leave,
            transition_probability([100, 99], [100, 99], transition=P)
            / transition_probability([100, 100], ordinary, transition=P),
        )
    )


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1))
def test_who_knows_less_never_gains_more(seed):
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(3), size=3)
    before = rng.integers(3, 7, size=3)
    published = rng.multinomial(before.sum() - 3, np.ones(3) / 3) + 1
    for definition, unit in [
        ("exact", "person"),
        ("bridge", "person"),
        ("printed", "infinitesimal"),
    ]:
        mk, npk = (
            max_gain(before, published, transition=P, adversary=a, definition=definition, unit=unit)
            for a in ("MK", "NPK")
        )
        assert mk <= npk * (1 + 1e-6)
    table = gain_table(before, published, transition=P, definition="exact")
    weights = before[:, None] * P / (before @ P)
    np.testing.assert_allclose(
        (weights * table).sum(axis=0),
        gain_table(before, published, transition=P, definition="exact", adversary="MK"),
        rtol=1e-9,
    )


def test_the_bridge_gain_of_many_people_is_the_exact_one():
    P = np.array([[0.7, 0.3], [0.2, 0.8]])
    exact = gain_table([600, 400], [520, 480], transition=P, definition="exact")
    bridge = gain_table([600, 400], [520, 480], transition=P, definition="bridge")
    np.testing.assert_allclose(bridge, exact, rtol=0.005)
    real = gain_table([600, 400], [520.5, 479.5], transition=P, definition="bridge")
    np.testing.assert_allclose(real, bridge, rtol=0.01)
    assert (np.abs(real - bridge) > 1e-5).all()


def test_guesses_without_prior_are_nan_and_excluded_ones_zero():
    P = np.array([[0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0, 1]])
    for definition in ("printed", "exact", "bridge"):
        table = gain_table([4, 4, 0], [4, 0, 4], transition=P, definition=definition)
        np.testing.assert_array_equal(
            np.isnan(table), [[False, False, True], [True, False, False], [True, True, True]]
        )
        assert table[0, 1] == table[1, 1] == 0
        mk = gain_table([4, 4, 0], [4, 0, 4], transition=P, definition=definition, adversary="MK")
        assert mk[1] == 0
    nobody = gain_table(
        [0, 3, 0], [0, 3, 0], transition=np.eye(3), adversary="MK", definition="exact"
    )
    assert nobody[1] == 1
    assert np.isnan(nobody[[0, 2]]).all()
    assert max_gain([0, 3, 0], [0, 3, 0], transition=np.eye(3), adversary="MK") == 1
    assert max_gain([1, 0], [1, 0], transition=np.eye(2)) == 1  # one person, who stays


def test_a_move_that_only_a_detour_could_undo_has_gain_zero():
    P = np.array([[0.5, 0.5], [0, 1]])  # the one who went up cannot have stayed
    table = gain_table([3, 3], [1, 5], transition=P, unit="infinitesimal")
    assert table[1, 1] == pytest.approx(1)
    assert np.isnan(table[1, 0])


def test_sparse_transitions_give_the_same_gains_on_the_pairs_with_a_prior():
    rng = np.random.default_rng(8)
    P = np.zeros((7, 7))
    P[np.ix_([0, 1, 2], [3, 4])] = rng.dirichlet([1, 1], size=3)
    P[3, [0, 1, 2]] = rng.dirichlet([1, 1, 1])
    P[np.ix_([4, 5], [5, 6])] = rng.dirichlet([1, 1], size=2)
    thin, P[6] = sparse.csr_matrix(P), np.eye(7)[6]
    before = np.array([3, 2, 4, 5, 6, 2, 0])
    moved = sum(rng.multinomial(n, row) for n, row in zip(before, P))
    for published in (moved, 0.5 * moved + 0.5 * before @ P):
        options = {"unit": "infinitesimal"}
        table = gain_table(before, published, transition=thin, **options)
        full = gain_table(before, published, transition=P, **options)
        arcs = table.tocoo()
        np.testing.assert_allclose(arcs.data, full[arcs.row, arcs.col], rtol=1e-9)
        assert arcs.nnz == np.isfinite(full).sum()
        assert max_gain(before, published, transition=thin, **options) == pytest.approx(
            np.nanmax(full)
        )
        for definition in ("printed", "bridge"):
            mk, dense = (
                gain_table(
                    before,
                    published,
                    transition=m,
                    adversary="MK",
                    definition=definition,
                    **options,
                )
                for m in (thin, P)
            )
            np.testing.assert_allclose(mk, dense, rtol=1e-9)
        np.testing.assert_allclose(
            gain_table(before, published, transition=thin, definition="bridge"),
            gain_table(before, published, transition=P, definition="bridge"),
            rtol=1e-9,
        )


EYE, EVEN = np.eye(2), np.full((2, 2), 0.5)
UNDEFINED = [
    ([1, 1], [1, 1], [[0.9, 0.1], [0.7, 0.3]], "printed", "prediction has the mass 0.4"),
    ([0.5, 1.5], [1, 1], EYE, "printed", "0.5 of 2 cannot be routed: the printed gain"),
    ([1, 1], [0.5, 1.5], EYE, "printed", "before has the mass 0.5"),
    ([2, 0], [1, 1], EYE, "printed", "the printed gain is not defined"),
    ([2, 0], [1, 1], EYE, "exact", "has probability 0"),
    ([2, 0], [1, 1], EYE, "bridge", "has probability 0"),
    ([1.5, 0.5], [1, 1], EVEN, "exact", 'use definition="bridge"'),
]


@pytest.mark.parametrize(("published", "before", "P", "definition", "message"), UNDEFINED)
def test_undefined_gains_name_the_repair(published, before, P, definition, message):
    with pytest.raises(UndefinedGainError, match=message):
        gain_table(before, published, transition=P, definition=definition)


def test_where_a_release_has_no_whole_person_the_guess_is_impossible():
    before, published = [3, 3, 2], [0.75, 4.25, 3]
    table = gain_table(before, published, transition=EXAMPLE)
    assert (table[:, 0] == 0).all()
    assert (table[:, 1:] > 0).all()
    # The others by definition: four costs of whole persons, each a linear programme.
    P, end, one = np.array(EXAMPLE, float), before @ np.array(EXAMPLE, float), np.eye(3)

    def cost(a, b):
        rows = np.vstack([np.kron(one, np.ones(3)), np.kron(np.ones(3), one)])
        return linprog(-np.log(P).ravel(), A_eq=rows, b_eq=np.append(a, b)).fun

    for i, j in np.ndindex(3, 2):
        left, at = before - one[i], one[j + 1]
        saved = cost(before, published) - cost(left, published - at)
        prior = cost(before, end) - cost(left, end - at)
        assert table[i, j + 1] == pytest.approx(np.exp(saved - prior))


def test_a_prediction_that_a_whole_person_cannot_be_taken_from():
    # State 1 is fed by source 0 alone: without a whole person there, 4.9 cannot be met.
    P = np.zeros((12, 12))
    P[0, [0, 1]] = [0.02, 0.98]
    P[1:, 0], P[1:, 2] = 0.1, 0.9
    before = np.array([5] + [1] * 11)
    published = np.array([1, 5, 10] + [0] * 9)
    with pytest.raises(UndefinedGainError, match=r"at \(0, 0\) leaves histograms"):
        gain_table(before, published, transition=P)
    assert max_gain(before, published, transition=P, unit="infinitesimal") == pytest.approx(1)


def test_bad_words_and_values_are_named():
    eye = np.eye(2)
    with pytest.raises(ValueError, match="adversary must be one of NPK, OPK, MK, got 'mk'"):
        gain_table([1, 0], [1, 0], transition=eye, adversary="mk")
    with pytest.raises(ValueError, match="definition must be one of printed, exact, bridge, got 3"):
        gain_table([1, 0], [1, 0], transition=eye, definition=3)
    with pytest.raises(ValueError, match="unit must be one of person, infinitesimal"):
        max_gain([1, 0], [1, 0], transition=eye, unit="people")
    with pytest.raises(ValueError, match="before and published must have the same total"):
        gain_table([1, 0], [1, 1], transition=eye)
    with pytest.raises(ValueError, match=r"before must be below 2\*\*53"):
        gain_table([2**53, 1], [2**53, 1], transition=np.full((2, 2), 1 / 2), definition="bridge")
    with pytest.raises(ValueError, match="the exact distribution needs at most"):
        gain_table([10] * 9, [10] * 9, transition=np.full((9, 9), 1 / 9), definition="exact")


def test_exactly_one_person_among_real_masses_can_be_taken_away():
    P = np.array([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.3, 0.3, 0.4]])
    before, published = np.array([6, 5, 7]), np.array([1, 9.5, 7.5])
    table = gain_table(before, published, transition=P)
    for i in range(3):
        assert table[i, 0] == pytest.approx(literal(published, before, P, i, 0), rel=1e-6)


def test_a_predicted_person_that_rounding_made_less_than_one_is_a_person():
    before, tenths = [1, 2, 1], [[3, 5, 2], [3, 1, 6], [1, 3, 6]]
    P = np.array(tenths) / 10
    assert (before @ P)[0] < 1  # by rounding: it is 1
    exact = [[F(entry, 10) for entry in row] for row in tenths]
    for published in ([1, 1, 2], [2, 1, 1]):
        table = gain_table(before, published, transition=P, unit="person")
        assert np.array_equal(table, gain_table(before, published, transition=exact, unit="person"))
        assert table[0, 1] == pytest.approx(literal(published, before, exact, 0, 1), rel=1e-9)


def test_beside_impossible_transitions_mk_may_gain_more_than_npk():
    """By equation (3): whom MK leaves out would have made a move that is no guess of NPK."""
    P = [[0.2, 0.4, 0.4], [0.6, 0, 0.4], [0, 0.2, 0.8]]
    before, seen = np.array([4, 3, 3]), np.array([4, 4, 2])
    mk = max(literal(seen, before, P, None, j) for j in range(3))
    npk = max(literal(seen, before, P, i, j) for i, j in np.argwhere(P))
    assert (mk, npk) == pytest.approx((6, 4))
    for unit in ("person", "infinitesimal"):
        options = {"transition": P, "unit": unit}
        found = [max_gain(before, seen, adversary=who, **options) for who in ("MK", "NPK")]
        assert found == pytest.approx([6, 4])


def test_the_forecast_must_be_in_reach_of_the_others():
    """A whole person everywhere is not enough: who goes from 0 to 1 leaves too many for 0."""
    P = [[0.6, 0.4], [0, 1]]
    assert least_cost(np.array([1, 2]), np.array([1.2, 1.8]), P) == np.inf
    with pytest.raises(UndefinedGainError, match=r"at \(0, 1\) leaves histograms"):
        gain_table([2, 2], [1, 3], transition=P)


# --- paths -------------------------------------------------------------------------------------

SWAP = [[0.1, 0.9], [0.9, 0.1]]


def test_path_gain_is_bayes_rule_over_all_histories():
    # Two releases, three people: every pair of named histories, in fractions.
    P = [[Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)], [Fraction(1, 5)] * 2 + [Fraction(3, 5)],
         [Fraction(2, 7), Fraction(1, 7), Fraction(4, 7)]]  # fmt: skip
    start = (0, 0, 2)
    first, second = (1, 1, 1), (0, 2, 1)
    joint, both = {}, {"first": Fraction(0), "second": Fraction(0)}
    for middle in set(itertools.permutations((0, 1, 2))):
        for end in set(itertools.permutations((1, 1, 2))):
            chance = math.prod(P[a][b] * P[b][c] for a, b, c in zip(start, middle, end))
            joint[middle[0], end[0]] = joint.get((middle[0], end[0]), 0) + chance
            both["second"] += chance
    one = {}
    for middle in set(itertools.permutations((0, 1, 2))):
        chance = math.prod(P[a][b] for a, b in zip(start, middle))
        one[middle[0]] = one.get(middle[0], 0) + chance
        both["first"] += chance
    histograms = [[2, 0, 1], first, second]
    for (b, c), chance in joint.items():
        found = np.exp(path_gain([[0, b, c]], histograms, transition=P))[0]
        assert found[0] == pytest.approx(float(one[b] / both["first"] / P[0][b]), rel=1e-12)
        prior = P[0][b] * P[b][c]
        assert found[1] == pytest.approx(float(chance / both["second"] / prior), rel=1e-12)
    # A path that a histogram excludes.
    assert path_gain([[0, 1, 0]], histograms, transition=P)[0, 1] == -math.inf


def test_path_gain_takes_many_people_and_both_definitions():
    P, before, _, rng = situation(4, 3, 57)
    people = np.repeat(np.arange(3), before)
    paths = [people]
    for _ in range(5):
        people = (rng.random(60)[:, None] > P[people].cumsum(axis=1)).sum(axis=1)
        paths.append(people)
    paths = np.array(paths).T
    histograms = np.array([np.bincount(column, minlength=3) for column in paths.T])
    exact = path_gain(paths, histograms, transition=P)
    bridge = path_gain(paths, histograms, transition=sparse.csr_matrix(P), definition="bridge")
    assert exact.shape == bridge.shape == (60, 5)
    assert np.abs(exact - bridge).max() < 0.2
    table = gain_table(histograms[1], histograms[2], transition=P, definition="exact")
    np.testing.assert_allclose(
        np.diff(exact)[:, 0], np.log(table[paths[:, 1], paths[:, 2]]), rtol=1e-9
    )


def test_paths_are_integers():
    with pytest.raises(TypeError, match="paths must hold integers"):
        path_gain([[0.0, 1.0]], [[1, 0], [0, 1]], transition=SWAP)


BAD_PATHS = [
    (lambda: path_gain([[0, 1]], [[1, 0]], transition=SWAP), "paths must have shape"),
    (
        lambda: path_gain([[0, 1, 1]], [[1, 0], [0, 1]], transition=SWAP),
        r"T >= 1, got \(1, 3\) and \(2, 2\)",
    ),
    (
        lambda: path_gain([[0, 2]], [[1, 0], [0, 1]], transition=SWAP),
        "path_gain: paths must be at most 1, got 2",
    ),
    (
        lambda: path_gain([[1, 1]], [[1, 0], [0, 1]], transition=SWAP),
        "path_gain: path 0 starts in state 1, where the first histogram has nobody",
    ),
    (
        lambda: path_gain([[0, 1]], [[1, 0], [0, 1]], transition=SWAP, definition="printed"),
        "definition must be one of exact, bridge",
    ),
]


@pytest.mark.parametrize(("call", "message"), BAD_PATHS)
def test_bad_paths_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("function", [gain_table, max_gain])
@pytest.mark.parametrize("definition", ["printed", "exact"])
def test_certify_is_true_or_false(function, definition):
    message = f"{function.__name__}: certify must be True or False, got 'False'"
    with pytest.raises(TypeError, match=message):
        function(
            [2, 0], [1, 1], transition=[[0.5, 0.5]] * 2, definition=definition, certify="False"
        )
