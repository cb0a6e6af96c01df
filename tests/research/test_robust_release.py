"""The best release against a class of matrices.

The oracle follows everybody by name, in fractions: each way to give the people matrices of the
class, all movements, Bayes' rule. The least loss is that of a programme with these rows, and in the
smallest cases a fraction.
"""

import itertools
import math
from collections import defaultdict
from fractions import Fraction

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from privlib import UncertifiedError
from privlib.location import mechanism as mech
from privlib.research import robust_release
from privlib.research.robust_release import robust_mechanism

FAIR = [[Fraction(1, 2)] * 2] * 2
STICKY = [[Fraction(9, 10), Fraction(1, 10)]] * 2
LEVEL = math.log(5 / 3)


def floats(matrix):
    return np.array(matrix, dtype=float)


def people_of(before, matrices, *, per_person):
    """The rows of all people, for each attacker of the class."""
    homes = [i for i, people in enumerate(before) for _ in range(people)]
    if per_person:
        for held in itertools.product(matrices, repeat=len(homes)):
            yield [matrix[i] for matrix, i in zip(held, homes)]
    else:
        for matrix in matrices:
            yield [matrix[i] for i in homes]


def joint_by_name(rows):
    """P(x), and P(x | person u at j) wherever she may be by any row of the class."""
    places = range(len(rows[0]))
    law = defaultdict(Fraction)
    given_place = defaultdict(Fraction)
    for move in itertools.product(places, repeat=len(rows)):
        x = tuple(move.count(j) for j in places)
        law[x] += math.prod(Fraction(row[j]) for row, j in zip(rows, move))
        for u, at in enumerate(move):
            others = (Fraction(r[j]) for v, (r, j) in enumerate(zip(rows, move)) if v != u)
            given_place[u, at, x] += math.prod(others)
    return law, given_place


def largest_gain(rows, found):
    """Largest gain of an attacker who knows that the people move by these rows."""
    law, given_place = joint_by_name(rows)
    inputs = [tuple(x) for x in found.inputs.tolist()]
    largest = 0.0
    for o in range(len(found.outputs)):
        Q = dict(zip(inputs, found.channel[:, o].tolist()))
        chance = sum(float(p) * Q[x] for x, p in law.items())
        if chance == 0:
            continue
        for u, row in enumerate(rows):
            for j, prior in enumerate(row):
                if prior:
                    there = sum(float(given_place[u, j, x]) * Q[x] for x in inputs)
                    largest = max(largest, there / chance)
    return largest


def least_loss(before, matrix, matrices, level, *, per_person):
    """The programme with all rows by name, the same moves being allowed by all matrices."""
    inputs = [tuple(x) for x in mech.histograms(sum(before), len(before)).tolist()]
    m = len(inputs)
    rows = []
    for people in people_of(before, matrices, per_person=per_person):
        law, given_place = joint_by_name(people)
        for u, row in enumerate(people):
            for j in np.flatnonzero(np.array(row, dtype=float)):
                rows.append([given_place[u, j, x] - math.exp(level) * float(law[x])
                             for x in inputs])  # fmt: skip
    (own,) = people_of(before, [matrix], per_person=False)
    law, _ = joint_by_name(own)
    cost = [float(law[x]) * sum(abs(a - b) for a, b in zip(x, o)) for x in inputs for o in inputs]
    A = np.kron(np.array(rows, dtype=float), np.eye(m))
    sums = np.kron(np.eye(m), np.ones((1, m)))
    return optimize.linprog(cost, A, np.zeros(len(A)), sums, np.ones(m)).fun


def random_matrix(rng, places, *, zeros=0):
    weights = rng.integers(1, 8, size=(places, places))
    for _ in range(zeros):
        weights[rng.integers(places), rng.integers(places)] = 0
    weights += np.eye(places, dtype=int) * (weights.sum(axis=1, keepdims=True) == 0)
    return [[Fraction(int(w), int(row.sum())) for w in row] for row in weights]


@pytest.mark.parametrize(
    ("attackers", "per_person", "loss"),
    [
        ([FAIR], False, Fraction(1, 3)),
        ([FAIR], True, Fraction(1, 3)),
        ([FAIR, STICKY], False, Fraction(13, 27)),
        ([STICKY, FAIR], False, Fraction(13, 27)),
        ([FAIR, STICKY], True, Fraction(7, 9)),
    ],
)
def test_two_people_and_a_coin(attackers, per_person, loss):
    # The fractions are proved in the note, by multipliers.
    found = robust_mechanism(
        [2, 0], FAIR, attackers=attackers, epsilon=LEVEL, per_person=per_person
    )
    assert found.loss == pytest.approx(float(loss), abs=1e-9)


@pytest.mark.parametrize("per_person", [False, True])
@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_random_classes(per_person, seed):
    rng = np.random.default_rng(seed)
    places = int(rng.integers(2, 4))
    matrices = [random_matrix(rng, places) for _ in range(int(rng.integers(1, 4)))]
    moves = random_matrix(rng, places)
    people = int(rng.integers(1, 4))
    before = np.bincount(rng.integers(places, size=people), minlength=places).tolist()
    level = float(rng.choice([0.1, 0.4, 1.0, 2.5]))
    options = {"attackers": matrices, "epsilon": level, "per_person": per_person}
    found = robust_mechanism(before, moves, **options)
    for rows in people_of(before, matrices, per_person=per_person):
        assert largest_gain(rows, found) <= math.exp(level) * (1 + 1e-8)
    least = least_loss(before, moves, matrices, level, per_person=per_person)
    assert found.loss == pytest.approx(least, abs=1e-5)
    if per_person:
        shares = rng.random(size=(people, len(matrices)))
        shares /= shares.sum(axis=1, keepdims=True)
        homes = np.repeat(np.arange(places), before)
        mixed = [
            sum(w * floats(matrix)[i] for w, matrix in zip(weights, matrices)).tolist()
            for weights, i in zip(shares, homes)
        ]
        assert largest_gain(mixed, found) <= math.exp(level) * (1 + 1e-8)


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_matrices_that_forbid_moves(seed):
    rng = np.random.default_rng(seed)
    matrices = [random_matrix(rng, 3, zeros=3) for _ in range(2)]
    before = np.bincount(rng.integers(3, size=2), minlength=3).tolist()
    homes = np.repeat(np.arange(3), before)
    for per_person in (False, True):
        found = robust_mechanism(
            before, matrices[0], attackers=matrices, epsilon=0.7, per_person=per_person
        )
        for rows in people_of(before, matrices, per_person=per_person):
            assert largest_gain(rows, found) <= math.exp(0.7) * (1 + 1e-8)
    # One matrix a person covers the mixtures also where a move is new to one of the matrices.
    for share in (1e-6, 0.3, 0.999):
        mixed = (1 - share) * floats(matrices[0]) + share * floats(matrices[1])
        assert largest_gain([mixed[i].tolist() for i in homes], found) <= math.exp(0.7) * (1 + 1e-8)


def test_a_listed_class_does_not_cover_mixtures_and_one_matrix_a_person_does():
    mixed = [[0.6, 0.4]] * 2
    listed = robust_mechanism([2, 0], FAIR, attackers=[FAIR, STICKY], epsilon=LEVEL)
    assert largest_gain(mixed, listed) == pytest.approx(50 / 29, abs=1e-7)
    covered = robust_mechanism(
        [2, 0], FAIR, attackers=[FAIR, STICKY], epsilon=LEVEL, per_person=True
    )
    assert largest_gain(mixed, covered) <= 5 / 3


def test_one_attacker_with_the_people_s_matrix_is_the_best_release():
    P = [[0.6, 0.3, 0.1], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6]]
    for level in (0.3, 1.0):
        best = mech.optimal_mechanism([2, 1, 1], P, epsilon=level)
        for per_person in (False, True):
            found = robust_mechanism(
                [2, 1, 1], P, attackers=[P], epsilon=level, per_person=per_person
            )
            assert found.loss == pytest.approx(best.loss, abs=1e-6)


def test_wide_classes_approach_event_level_privacy():
    P = [[0.6, 0.4], [0.3, 0.7]]
    private = mech.event_level_mechanism([1, 2], P, epsilon=1.5).loss
    before = 0.0
    for share in (0.3, 0.1, 1e-2, 1e-4):
        corners = [[[1 - share, share]] * 2, [[share, 1 - share]] * 2]
        found = robust_mechanism([1, 2], P, attackers=corners, epsilon=1.5, per_person=True)
        assert before - 1e-6 <= found.loss <= private + 1e-6
        before = found.loss
    assert before == pytest.approx(private, abs=1e-3)


@pytest.mark.parametrize("per_person", [False, True])
def test_extreme_levels(per_person):
    options = {"attackers": [FAIR, STICKY], "per_person": per_person}
    silent = robust_mechanism([2, 0], FAIR, epsilon=1e-9, **options)
    assert largest_gain([FAIR[0]] * 2, silent) <= 1 + 1e-9
    assert largest_gain([STICKY[0]] * 2, silent) <= 1 + 1e-9
    assert robust_mechanism([2, 0], FAIR, epsilon=math.inf, **options).loss == 0
    assert robust_mechanism([2, 0], FAIR, epsilon=15, **options).loss < 1e-5


def exact_log_gain(rows, found):
    """Logarithm of the largest gain, all in fractions: floats lose what is faint."""
    law, given_place = joint_by_name(rows)
    inputs = [tuple(x) for x in found.inputs.tolist()]
    largest = -math.inf
    for column in found.channel.T.tolist():
        Q = dict(zip(inputs, map(Fraction, column)))
        chance = sum(p * Q[x] for x, p in law.items())
        for u, row in enumerate(rows):
            for j in (j for j, prior in enumerate(row) if prior and chance):
                there = sum(given_place[u, j, x] * Q[x] for x in inputs)
                if there:
                    ratio = there / chance
                    gain = math.log(ratio.numerator) - math.log(ratio.denominator)
                    largest = max(largest, gain)
    return largest


FAINT_CLASSES = [
    ([3, 0], [[[1, 1e-200], [0.5, 0.5]]]),
    ([20, 0], [[[1 - 1e-18, 1e-18], [0.5, 0.5]]]),
    ([3, 0], [FAIR, [[1e-160, 1], [0.5, 0.5]]]),
    ([2, 1], [[[1, 1e-200], [1e-150, 1]], FAIR]),
]


@pytest.mark.parametrize("per_person", [False, True])
@pytest.mark.parametrize(("before", "attackers"), FAINT_CLASSES)
def test_histograms_too_faint_for_the_programme_are_refused(before, attackers, per_person):
    with pytest.raises(ValueError, match="possible, but with a probability below 1e-290"):
        robust_mechanism(before, FAIR, attackers=attackers, epsilon=0.5, per_person=per_person)


@pytest.mark.parametrize("per_person", [False, True])
@pytest.mark.parametrize(("before", "attackers"), [FAINT_CLASSES[0], FAINT_CLASSES[2]])
def test_the_second_computation_sees_what_is_faint(before, attackers, per_person, monkeypatch):
    monkeypatch.setattr(robust_release, "_refuse_faint", lambda *_: None, raising=False)
    try:
        found = robust_mechanism(
            before, FAIR, attackers=attackers, epsilon=0.5, per_person=per_person
        )
    except UncertifiedError:
        return
    for rows in people_of(before, attackers, per_person=per_person):
        assert exact_log_gain(rows, found) <= 0.5 + 1e-8


@pytest.mark.parametrize("faint", [1e-200, 1e-162, 1e-100, 1e-12])
@pytest.mark.parametrize("per_person", [False, True])
def test_faint_moves_are_no_reason_to_tell_more(faint, per_person):
    attackers = [[[1, faint], [0.5, 0.5]], FAIR]
    options = {"attackers": attackers, "epsilon": 0.5, "per_person": per_person}
    found = robust_mechanism([2, 0], FAIR, **options)
    for rows in people_of([2, 0], attackers, per_person=per_person):
        assert exact_log_gain(rows, found) <= 0.5 + 1e-8


def labelled(matrix, labels):
    return pd.DataFrame(floats(matrix), index=list(labels), columns=list(labels))


def test_matrices_of_other_states_are_refused():
    moves = labelled([[0.9, 0.1], [0.3, 0.7]], "ab")
    other = labelled([[0.7, 0.3], [0.1, 0.9]], "ba")
    for transition, attackers in ((moves, [other]), (FAIR, [moves, other]), (moves, [FAIR, other])):
        with pytest.raises(ValueError, match=r"same labels as .*\.loc\[states, states\]"):
            robust_mechanism([2, 0], transition, attackers=attackers, epsilon=0.1)
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([("b", "b", 0.5), ("b", "a", 0.5), ("a", "a", 1.0)])
    with pytest.raises(ValueError, match=r"to_numpy_array\(attackers\[0\], nodelist=states\)"):
        robust_mechanism([2, 0], moves, attackers=[graph], epsilon=0.1)
    # A histogram with labels of its own is refused, whatever they are.
    for labels in ("ab", "ba"):
        with pytest.raises(ValueError, match=r"before is read by position.*to_numpy"):
            robust_mechanism(pd.Series([2, 0], list(labels)), moves, attackers=[moves], epsilon=0.1)
    states = list(moves)
    found = robust_mechanism([2, 0], moves, attackers=[other.loc[states, states]], epsilon=0.1)
    rows = [[Fraction(9, 10), Fraction(1, 10)]] * 2
    assert largest_gain(rows, found) <= math.exp(0.1) * (1 + 1e-8)


@pytest.mark.parametrize("per_person", [False, True])
def test_where_the_programme_of_level_0_is_not_solved_nothing_is_told(per_person, monkeypatch):
    monkeypatch.setattr(mech.programmes, "solutions", lambda *_, **__: iter(["no time is left"]))
    options = {"attackers": [FAIR, STICKY], "per_person": per_person}
    found = robust_mechanism([2, 0], FAIR, epsilon=1e-7, **options)
    assert found.outputs.tolist() == [[1, 1]]
    assert found.loss == pytest.approx(1)
    with pytest.raises(mech.SolverError, match="no time is left"):
        robust_mechanism([2, 0], FAIR, epsilon=0.5, **options)


def test_a_broken_programme_is_not_returned(monkeypatch):
    # The rows of the second attacker are forgotten; the second computation is not.
    whole = robust_release._constraints

    def forgetful(where, members, inputs, within):
        return whole(where, members[:1], inputs, within)

    monkeypatch.setattr(robust_release, "_constraints", forgetful)
    with pytest.raises(UncertifiedError):
        robust_mechanism([2, 0], FAIR, attackers=[FAIR, STICKY], epsilon=LEVEL)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"attackers": []}, ValueError, "attackers must hold at least one matrix"),
        ({"attackers": FAIR[0][0]}, TypeError, "attackers must be a list of matrices"),
        ({"attackers": [FAIR, [[1]]]}, ValueError, "before"),
        ({"attackers": [[[0.5, 0.6], [0.5, 0.5]]]}, ValueError, "sum to 1"),
        ({"per_person": 1}, TypeError, "per_person must be True or False"),
        ({"epsilon": 16}, ValueError, "epsilon"),
        ({"epsilon": -1}, ValueError, "epsilon"),
        ({"before": [700, 0]}, ValueError, "at most 600 histograms"),
        ({"before": [0, 0]}, ValueError, "before must count somebody"),
        ({"before": [40, 40], "per_person": True}, ValueError, "entries of the linear programme"),
    ],
)
def test_errors(change, error, words):
    arguments = {
        "before": [1, 1], "transition": FAIR, "attackers": [FAIR, STICKY], "epsilon": 1,
    }  # fmt: skip
    with pytest.raises(error, match=f"robust_mechanism: .*{words}"):
        robust_mechanism(**arguments | change)


def test_a_three_dimensional_array_is_a_list_of_matrices():
    class_of = np.array([floats(FAIR), floats(STICKY)])
    found = robust_mechanism([2, 0], FAIR, attackers=class_of, epsilon=LEVEL)
    assert found.loss == pytest.approx(13 / 27, abs=1e-9)
