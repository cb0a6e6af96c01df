"""Bounds of the least loss in fractions.

The oracle recomputes both sides by the definition: everybody moves by name, the promise is a sum
over the histograms, the multipliers' bound a minimum over the outputs. Nothing of it is in the
package. Closed forms of small cases must lie between the bounds.
"""

import itertools
import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from privlib.location import mechanism as mech
from privlib.research import location_certificate
from privlib.research.location_certificate import certified_mechanism

TENTHS = [[6, 3, 1], [2, 6, 2], [1, 3, 6]]
TOWN = [[Fraction(n, 10) for n in row] for row in TENTHS]
TOWN_OF_TWO = [[Fraction(7, 10), Fraction(3, 10)], [Fraction(4, 10), Fraction(6, 10)]]
PROMISES = ("one-sided", "two-sided", "event-level")


def moved(before, P):
    """p(x), and p(x | the first person from i is at j), by all ways to move."""
    homes = [i for i, people in enumerate(before) for _ in range(people)]
    distribution, joint = defaultdict(Fraction), defaultdict(Fraction)
    for way in itertools.product(range(len(P)), repeat=len(homes)):
        chance = math.prod((P[i][j] for i, j in zip(homes, way)), start=Fraction(1))
        if chance:
            x = tuple(way.count(j) for j in range(len(P)))
            distribution[x] += chance
            for i in set(homes):
                joint[i, way[homes.index(i)], x] += chance
    reach = {(i, j, x): chance / P[i][j] for (i, j, x), chance in joint.items()}
    return distribution, reach


def rows_of(before, P, E, promise):
    """Rows a_kx of the promise as dictionaries, in the order that the docstring states."""
    distribution, reach = moved(before, P)
    inputs = [tuple(x) for x in mech.histograms(sum(before), len(P)).tolist()]
    if promise == "event-level":
        neighbours = [
            (x, y) for x in inputs for y in inputs
            if sum(abs(a - b) for a, b in zip(x, y)) == 2
        ]  # fmt: skip
        return inputs, distribution, [{x: Fraction(1), y: -E} for x, y in neighbours]
    places = range(len(P))
    pairs = [(i, j) for i in places for j in places if before[i] and P[i][j]]
    upper = [
        {x: reach.get((i, j, x), Fraction(0)) - E * distribution[x] for x in inputs}
        for i, j in pairs
    ]
    lower = [
        {x: distribution[x] / E - reach.get((i, j, x), Fraction(0)) for x in inputs}
        for i, j in pairs
    ]
    return inputs, distribution, upper + lower * (promise == "two-sided")


def judged(before, P, E, promise):
    """Loss and largest broken promise of the channel; bound of the multipliers; what was said."""
    found, said, free = certified_mechanism(before, P, bound=E, promise=promise)
    inputs, distribution, rows = rows_of(before, P, Fraction(E), promise)
    Q = dict(zip(inputs, found.channel.tolist()))
    cost = {
        (x, o): distribution[x] * sum(abs(a - b) for a, b in zip(x, o))
        for x in inputs
        for o in inputs
    }
    loss = sum(cost[x, o] * Q[x][k] for x in inputs for k, o in enumerate(inputs))
    broken = max(
        sum(a * Q[x][k] for x, a in row.items()) for row in rows for k in range(len(inputs))
    )
    bound = sum(
        min(
            cost[x, o] + sum(free[n, k] * row.get(x, 0) for n, row in enumerate(rows))
            for k, o in enumerate(inputs)
        )
        for x in inputs
    )
    assert all(sum(row) == 1 and min(row) >= 0 for row in Q.values())
    assert free.min() >= 0
    assert all(isinstance(v, Fraction) for row in Q.values() for v in row)
    return loss, broken, bound, (found, said)


@pytest.mark.parametrize("promise", PROMISES)
@pytest.mark.parametrize(
    ("before", "E"), [([1, 1, 1], Fraction(5, 2)), ([2, 0, 1], Fraction(9, 8)), ([0, 2, 0], 4)]
)
def test_both_bounds_are_what_the_definitions_say(before, E, promise):
    loss, broken, bound, (found, said) = judged(before, TOWN, E, promise)
    assert found.loss == loss
    assert said == bound
    assert broken <= 0
    assert 0 <= found.loss - said < Fraction(1, 10**9)


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.sampled_from(PROMISES))
def test_random_towns(seed, promise):
    rng = np.random.default_rng(seed)
    places = int(rng.integers(2, 4))
    weights = rng.integers(0, 5, size=(places, places)) + np.eye(places, dtype=int)
    P = [[Fraction(int(w), int(row.sum())) for w in row] for row in weights]
    before = np.bincount(rng.integers(places, size=int(rng.integers(1, 4))), minlength=places)
    E = Fraction(int(rng.integers(11, 40)), 10)
    loss, broken, bound, (found, said) = judged(before.tolist(), P, E, promise)
    assert (found.loss, said) == (loss, bound)
    assert broken <= 0
    assert 0 <= loss - bound < Fraction(1, 10**8)


@pytest.mark.parametrize("promise", PROMISES)
def test_the_solver_of_the_best_mechanism_agrees(promise):
    up, down = (Fraction(math.nextafter(math.e, to)) for to in (3, 2))
    least = certified_mechanism([2, 1, 1], TOWN, bound=up, promise=promise)[1]
    found = certified_mechanism([2, 1, 1], TOWN, bound=down, promise=promise)[0]
    floats = np.array(TOWN, dtype=float)
    if promise == "event-level":
        best = mech.event_level_mechanism([2, 1, 1], floats, epsilon=1)
    else:
        best = mech.optimal_mechanism(
            [2, 1, 1], floats, epsilon=1, two_sided=promise == "two-sided"
        )
    assert float(least) - 1e-9 <= best.loss <= float(found.loss) + 1e-9
    assert least <= found.loss < least + Fraction(1, 10**9)
    assert found.gain <= down


@pytest.mark.parametrize(
    "chance", [Fraction(1, 10), Fraction(1, 3), Fraction(1, 2), Fraction(9, 10)]
)
@pytest.mark.parametrize("E", [Fraction(5, 4), Fraction(2), Fraction(7, 2)])
def test_one_person_in_two_places(chance, E):
    P = [[chance, 1 - chance], [Fraction(1, 2), Fraction(1, 2)]]
    best, least, _ = certified_mechanism([1, 0], P, bound=E, promise="event-level")
    assert least <= 2 * min(chance, 1 - chance, 1 / (1 + E)) <= best.loss
    # Truth except with some probability, given what is likely: the larger chance is at most E p.
    best, least, _ = certified_mechanism([1, 0], P, bound=E, promise="one-sided")
    if chance == Fraction(1, 2):
        assert least <= max(2 - E, 0) <= best.loss


@pytest.mark.parametrize("promise", PROMISES)
def test_the_largest_bound_is_solved(promise):
    half, third = Fraction(1, 2), Fraction(1, 3)
    town = [[half, half], [third, 1 - third]]
    for before in ([2, 1], [0, 1], [1, 0]):
        loss, broken, bound, (found, said) = judged(before, town, 10**9, promise)
        assert (found.loss, said) == (loss, bound)
        assert broken <= 0
        # Nearly the truth: one person's place, changed with odds 1 : 1e9, costs 2 / (1 + 1e9).
        assert said <= Fraction(2 * sum(before), 1 + 10**9)
        assert 0 <= loss - said < Fraction(1, 10**8)


def test_a_float_is_the_fraction_that_it_stores():
    fair = [[Fraction(1, 2)] * 2] * 2
    float_bound, fraction, other = (
        certified_mechanism([1, 0], fair, bound=bound, promise="one-sided")
        for bound in (1.1, Fraction(1.1), Fraction(11, 10))
    )
    assert float_bound[1] == fraction[1] != other[1]


def test_large_numerators_do_not_overflow():
    # Tenths to the power of ten, times a bound with a denominator of 2**51.
    best, least, _ = certified_mechanism([5, 5], TOWN_OF_TWO, bound=math.e, promise="event-level")
    assert 0 <= best.loss - least < Fraction(1, 10**9)
    floats = np.array(TOWN_OF_TWO, dtype=float)
    assert float(least) == pytest.approx(
        mech.event_level_mechanism([5, 5], floats, epsilon=1).loss, abs=1e-8
    )


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"bound": 1}, ValueError, r"bound must be in \(1, 1e9\], got 1"),
        ({"bound": 10**9 + 1}, ValueError, r"bound must be in \(1, 1e9\], got 1000000001"),
        ({"bound": 10**400}, ValueError, r"bound must be in \(1, 1e9\], got about 2\*\*1328"),
        ({"bound": "two"}, TypeError, "bound must be a real number"),
        ({"promise": "both"}, ValueError, "promise must be one of one-sided, two-sided"),
        ({"transition": np.array(TOWN, dtype=float)}, TypeError, "matrix of fractions, got floats"),
        ({"before": [50, 50, 50]}, ValueError, "at most 600 histograms can be enumerated"),
        ({"before": [0, 0, 0]}, ValueError, "before must count somebody"),
    ],
)
def test_errors(change, error, words):
    arguments = {"before": [1, 1, 0], "transition": TOWN, "bound": 2, "promise": "one-sided"}
    with pytest.raises(error, match=f"certified_mechanism: .*{words}"):
        certified_mechanism(**arguments | change)


def test_a_solver_that_gives_up_is_reported(monkeypatch):
    def give_up(*args, **kwargs):
        return optimize.OptimizeResult(status=4, message="numerical difficulties", x=None)

    monkeypatch.setattr(location_certificate.optimize, "linprog", give_up)
    with pytest.raises(mech.SolverError, match="not solved: numerical difficulties"):
        certified_mechanism([1, 1, 0], TOWN, bound=2, promise="one-sided")


@pytest.mark.parametrize("promise", PROMISES)
def test_bounds_are_true_whatever_the_solver_says(monkeypatch, promise):
    rng = np.random.default_rng(5)
    _, good, _ = certified_mechanism([1, 1, 1], TOWN, bound=2, promise=promise)
    solve = optimize.linprog

    def shaken(*args, **options):
        found = solve(*args, **options)
        found.x = np.maximum(found.x + rng.normal(scale=0.05, size=found.x.size), 0)
        found.x = (found.x.reshape(10, 10) / found.x.reshape(10, 10).sum(1)[:, None]).ravel()
        found.ineqlin.marginals += rng.normal(scale=0.02, size=found.ineqlin.marginals.size)
        return found

    monkeypatch.setattr(location_certificate.optimize, "linprog", shaken)
    loss, broken, bound, (found, said) = judged([1, 1, 1], TOWN, 2, promise)
    assert (found.loss, said) == (loss, bound)
    assert broken <= 0
    assert said < good < found.loss


@pytest.mark.parametrize("promise", PROMISES)
def test_a_single_histogram_costs_nothing(promise):
    best, least, multipliers = certified_mechanism([2], [[Fraction(1)]], bound=2, promise=promise)
    assert (best.loss, least) == (0, 0)
    assert best.channel.tolist() == [[1]]
    assert multipliers.shape[1] == 1
