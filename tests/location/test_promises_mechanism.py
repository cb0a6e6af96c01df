"""Mechanisms, certificates and the n-gram tree never promise more than is true, or refuse.

The oracles are fractions: everybody moves by name, floats are taken for the fractions that they
store, and a ratio with a zero below it is infinite.
"""

from __future__ import annotations

import copy
import itertools
import math
import pickle
import re
import threading
import time
from collections import Counter, defaultdict
from fractions import Fraction

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse

from privlib import UncertifiedError
from privlib.location import _programme, ngram
from privlib.location import mechanism as mech
from privlib.research import location_certificate

HALVES = [[0.5, 0.5], [0.5, 0.5]]
TOWN = [[0.61, 0.27, 0.12], [0.18, 0.65, 0.17], [0.14, 0.23, 0.63]]
LEVELS = [0, 1e-8, 1e-7, 9e-7, 1e-6, 1e-5, 1e-3, 0.01, 0.1, 0.5, 1, 2, 3, 5, 6, 7, 8, 9, 11, 13, 15]
PROMISES = ("one-sided", "two-sided", "event-level")


def solve(promise, before, P, *, epsilon, **options):
    if promise == "event-level":
        return mech.event_level_mechanism(before, P, epsilon=epsilon, **options)
    two = promise == "two-sided"
    return mech.optimal_mechanism(before, P, epsilon=epsilon, two_sided=two, **options)


def exact_ratios(found, before, P, promise):
    """Largest ratio that the promise bounds, in fractions of the floats of the channel."""
    Q = [[Fraction(q) for q in row] for row in found.channel.tolist()]
    inputs = [tuple(x) for x in found.inputs.tolist()]
    outputs = range(len(found.outputs))
    worst = Fraction(1)
    if promise == "event-level":
        for (x, a), (y, b) in itertools.permutations(zip(inputs, Q), 2):
            if sum(abs(n - m) for n, m in zip(x, y)) == 2:
                for o in outputs:
                    if a[o]:
                        worst = max(worst, a[o] / b[o] if b[o] else math.inf)
        return worst
    # P(o) and P(o | the first person from i is at j), everybody by name; rows of P sum to 1.
    P = [[Fraction(p) for p in row] for row in np.asarray(P).tolist()]
    P = [[p / sum(row) for p in row] for row in P]
    homes = [i for i, people in enumerate(before) for _ in range(people)]
    index = {x: k for k, x in enumerate(inputs)}
    joint = defaultdict(Fraction)
    for ends in itertools.product(range(len(P)), repeat=len(homes)):
        chance = math.prod((P[i][j] for i, j in zip(homes, ends)), start=Fraction(1))
        x = tuple(ends.count(j) for j in range(len(P)))
        if chance:
            joint[x] += chance
            for i in set(homes):
                joint[i, ends[homes.index(i)], x] += chance
    for o in outputs:
        total = sum(joint[x] * Q[index[x]][o] for x in inputs)
        for i, j in itertools.product(set(homes), range(len(P))):
            if total and P[i][j]:
                told = sum(joint[i, j, x] * Q[index[x]][o] for x in inputs)
                gain = told / total / P[i][j]
                worst = max(worst, gain)
                if promise == "two-sided":
                    worst = max(worst, 1 / gain if gain else math.inf)
    return worst


def nasty_town(rng, people=3):
    """Few people; rows with zeros, of one place, twice the same, nearly certain or tiny."""
    states = int(rng.integers(1, 4))
    before = rng.multinomial(int(rng.integers(1, people + 1)), np.full(states, 1 / states))
    P = rng.dirichlet(np.full(states, rng.choice([0.1, 0.3, 1, 3])), states)
    kind = rng.integers(6)
    if kind == 0:
        P = np.eye(states)[rng.permutation(states)]
    elif kind == 1:
        P = np.where(P < 0.3, 0, P)
    elif kind == 2:
        P[:] = P[0]
    elif kind == 3:
        P = P ** rng.integers(2, 12)
    elif kind == 4:
        P = rng.integers(0, 4, (states, states)) + np.eye(states)
    return before.tolist(), P / P.sum(axis=1, keepdims=True)


# --- the best mechanisms ------------------------------------------------------------------------


@settings(max_examples=60)
@given(st.integers(0, 10**9), st.sampled_from(LEVELS), st.sampled_from(PROMISES))
def test_no_ratio_is_above_the_promise(seed, epsilon, promise):
    before, P = nasty_town(np.random.default_rng(seed))
    try:
        found = solve(promise, before, P, epsilon=epsilon)
    except (ValueError, mech.SolverError):
        assert epsilon < 1e-6 or P[P > 0].min() < 1e-12  # refused, and at the edge only
        return
    bound = Fraction(math.exp(epsilon)) * (1 + Fraction(1, 10**9))
    if promise == "event-level":
        bound = Fraction(math.nextafter(math.exp(epsilon), 99**9))  # no slack
    assert exact_ratios(found, before, P, promise) <= bound
    assert found.loss >= 0
    assert np.abs(found.channel.sum(axis=1) - 1).max() < 1e-12
    assert found.channel.min() >= 0


def float_ratio(found, before, P, promise):
    """The same in floats, for larger towns."""
    if promise == "event-level":
        apart = np.abs(found.inputs[:, None] - found.inputs).sum(axis=2)
        x, y = np.nonzero(apart == 2)
        first, second = found.channel[x], found.channel[y]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(first > 0, first / second, 0).max(initial=0)
    gains = mech.mechanism_gain(before, P, channel=found.channel)
    gains = gains[~np.isnan(gains)]
    with np.errstate(divide="ignore"):
        return max(gains.max(), (1 / gains).max() if promise == "two-sided" else 0)


def random_town(rng):
    states = int(rng.integers(2, 4))
    before = rng.multinomial(int(rng.integers(2, 5 if states == 3 else 9)), [1 / states] * states)
    return before, rng.dirichlet(np.full(states, rng.choice([0.3, 1, 3])), states)


@pytest.mark.parametrize("promise", PROMISES)
@pytest.mark.parametrize("epsilon", [0.1, 5, 7, 9, 11, 13, 15])
def test_random_towns(promise, epsilon):
    rng = np.random.default_rng([PROMISES.index(promise), int(epsilon)])
    for _ in range(12):
        before, P = random_town(rng)
        found = solve(promise, before, P, epsilon=epsilon)
        assert float_ratio(found, before, P, promise) <= math.exp(epsilon) * (1 + 1e-9)
        # Near the truth, which is best: that costs what the loss of the truth is, nothing.
        assert 0 <= found.loss < (3 if epsilon < 1 else 0.5) * sum(before)


@pytest.mark.slow
@pytest.mark.parametrize("promise", PROMISES)
def test_four_hundred_towns(promise):
    rng = np.random.default_rng(4)
    for k in range(400):
        before, P = random_town(rng)
        if promise == "event-level" and sum(before) > 3:
            before = np.minimum(before, 2)  # its programme is the largest
        epsilon = float(rng.choice([0.1, 1, 3, 5, 6, 7, 9, 11, 13, 15]))
        found = solve(promise, before, P, epsilon=epsilon)
        assert float_ratio(found, before, P, promise) <= math.exp(epsilon) * (1 + 1e-9), k


def test_no_guess_is_excluded_by_a_rare_output():
    before, P = [1, 0, 0], [[0.001, 0.899, 0.1], [0.1, 0.4, 0.5], [0.2, 0.3, 0.5]]
    found = mech.optimal_mechanism(before, P, epsilon=14, two_sided=True)
    assert np.nanmin(found.gains) >= math.exp(-14)
    assert exact_ratios(found, before, P, "two-sided") <= math.exp(14)


def test_no_output_is_possible_after_one_histogram_only():
    found = mech.event_level_mechanism([3, 3, 3], TOWN, epsilon=6)
    assert found.channel.min() > 0
    assert float_ratio(found, [3, 3, 3], TOWN, "event-level") <= math.exp(6)


@pytest.mark.parametrize("epsilon", [9, 12, 14, 15])
@pytest.mark.parametrize("before", [[5, 0], [3, 1], [0, 2], [3, 4]])
def test_a_loss_is_never_unbounded(before, epsilon):
    for P in (np.eye(2), HALVES):
        found = mech.event_level_mechanism(before, P, epsilon=epsilon)
        # Everybody's answer is changed with the odds e^epsilon : 1.
        assert 0 <= found.loss <= 2 * sum(before) * math.exp(-epsilon)
        assert float_ratio(found, before, P, "event-level") <= math.exp(epsilon)


@pytest.mark.parametrize("promise", PROMISES)
def test_the_loss_is_near_the_least_one(promise):
    rng = np.random.default_rng(11)
    for _ in range(12):
        states = int(rng.integers(2, 4))
        weights = rng.integers(1, 9, (states, states))
        P = [[Fraction(int(w), int(row.sum())) for w in row] for row in weights]
        before = rng.multinomial(3, np.full(states, 1 / states)).tolist()
        epsilon = float(rng.choice([0.01, 0.1, 0.5, 1, 2, 4]))
        bound = Fraction(math.nextafter(math.exp(epsilon), 99))
        least = location_certificate.certified_mechanism(before, P, bound=bound, promise=promise)[1]
        found = solve(promise, before, np.array(P, dtype=float), epsilon=epsilon)
        assert float(least) - 1e-9 <= found.loss <= float(least) + 2e-6


@pytest.mark.parametrize("promise", PROMISES)
def test_at_level_zero_nothing_is_told(promise):
    for epsilon in (0, 1e-12, 5e-7):
        found = solve(promise, [2, 1, 1], TOWN, epsilon=epsilon)
        assert float_ratio(found, [2, 1, 1], TOWN, promise) <= 1 + 1e-12
    later = solve(promise, [2, 1, 1], TOWN, epsilon=1e-5)
    assert found.loss == pytest.approx(later.loss, abs=1e-3)


@pytest.mark.parametrize("promise", PROMISES)
def test_without_privacy_the_truth_is_published(promise):
    found = solve(promise, [2, 1], HALVES, epsilon=math.inf)
    assert found.loss == 0
    assert (found.channel == np.eye(4)).all()
    odd = np.ones((4, 4))
    odd[:, 2] = 0
    assert solve(promise, [2, 1], HALVES, epsilon=math.inf, loss=odd).outputs.tolist() == [[2, 1]]


@pytest.mark.parametrize("promise", PROMISES)
def test_other_levels_are_refused(promise):
    for epsilon in (-1, math.nan, 15.1, 1e4, -math.inf, "1", True, 10**400):
        with pytest.raises((ValueError, TypeError), match="mechanism: epsilon must"):
            solve(promise, [2, 1], HALVES, epsilon=epsilon)


def test_losses_of_any_size():
    rng = np.random.default_rng(2)
    loss = rng.random((4, 4))
    for promise in PROMISES:
        usual = solve(promise, [2, 1], HALVES, epsilon=1, loss=loss)
        for factor in (2.0**-900, 2.0**-30, 2.0**40, 2.0**900):
            other = solve(promise, [2, 1], HALVES, epsilon=1, loss=factor * loss)
            assert other.loss / factor == pytest.approx(usual.loss, rel=1e-6)
            assert float_ratio(other, [2, 1], HALVES, promise) <= math.e * (1 + 1e-9)
        nothing = solve(promise, [2, 1], HALVES, epsilon=1, loss=np.zeros((4, 4)))
        assert nothing.loss == 0
        negative = solve(promise, [2, 1], HALVES, epsilon=1, loss=loss - 5)
        assert negative.loss == pytest.approx(usual.loss - 5)
    with pytest.raises(ValueError, match="loss must be finite"):
        mech.optimal_mechanism([2, 1], HALVES, epsilon=1, loss=loss * np.inf)


def shaken(rng, size):
    """A solver whose channel breaks the promise by `size`, and says nothing of it."""
    solver = optimize.linprog

    def solve_badly(*args, **options):
        solved = solver(*args, **options)
        solved.x = np.maximum(solved.x + rng.normal(scale=size, size=solved.x.size), 0)
        return solved

    return solve_badly


@pytest.mark.parametrize("promise", PROMISES)
@pytest.mark.parametrize("size", [1e-9, 1e-6, 1e-3, 0.1])
def test_a_solver_that_breaks_its_promise_does_not_break_ours(monkeypatch, promise, size):
    monkeypatch.setattr(optimize, "linprog", shaken(np.random.default_rng(1), size))
    for epsilon in (0, 0.01, 1, 6, 15):
        try:
            found = solve(promise, [2, 1], [[0.7, 0.3], [0.2, 0.8]], epsilon=epsilon)
        except UncertifiedError:
            continue
        ratio = float_ratio(found, [2, 1], [[0.7, 0.3], [0.2, 0.8]], promise)
        assert ratio <= math.exp(epsilon) * (1 + 1e-9)


@pytest.mark.parametrize("promise", PROMISES)
def test_a_loss_far_from_the_least_one_is_not_returned(monkeypatch, promise):
    monkeypatch.setattr(optimize, "linprog", shaken(np.random.default_rng(1), 0.1))
    with pytest.raises(UncertifiedError, match="could not be shown to be within"):
        solve(promise, [2, 1], [[0.7, 0.3], [0.2, 0.8]], epsilon=1)


@pytest.mark.parametrize("promise", PROMISES)
def test_what_is_not_repaired_is_not_returned(monkeypatch, promise):
    monkeypatch.setattr(optimize, "linprog", shaken(np.random.default_rng(1), 0.01))
    monkeypatch.setattr(_programme, "repaired", lambda Q, constraints: Q)
    monkeypatch.setattr(_programme, "joined", lambda Q, kept, distribution, broken: (Q, kept))
    monkeypatch.setattr(mech, "NEAR_LEAST", 1.0)
    with pytest.raises(UncertifiedError, match=r"must be at most 1\.01005, but a second"):
        solve(promise, [2, 1], [[0.7, 0.3], [0.2, 0.8]], epsilon=0.01)


def test_rows_that_miss_one_by_rounding():
    P = np.array(TOWN) * (1 - 0.9e-9)
    for promise in PROMISES:
        found = solve(promise, [1, 1, 1], P, epsilon=0.01)
        assert float_ratio(found, [1, 1, 1], P, promise) <= math.exp(0.01) * (1 + 1e-9)


# --- gains of channels ----------------------------------------------------------------------------


def test_people_without_exits_are_refused():
    stuck = sparse.csr_array([[0, 0, 0], [0, 0.5, 0.5], [0, 0.5, 0.5]])
    calls = [
        lambda pi: mech.output_distribution(pi, stuck),
        lambda pi: mech.mechanism_gain(pi, stuck, channel=np.ones((math.comb(sum(pi) + 2, 2), 1))),
        lambda pi: mech.optimal_mechanism(pi, stuck, epsilon=1).input_distribution,
        lambda pi: mech.event_level_mechanism(pi, stuck, epsilon=1).input_distribution,
    ]
    for call in calls:
        with pytest.raises(ValueError, match="before counts people in state 0"):
            call([2, 1, 1])
        call([0, 1, 1])  # nobody is there
    assert mech.output_distribution([0, 1, 1], stuck).sum() == pytest.approx(1)


def test_an_empty_row_of_a_channel_is_refused():
    channel = sparse.csr_array([[1.0, 0], [0, 1], [0, 0]])
    with pytest.raises(ValueError, match="every row of channel must sum to 1, got an empty row 2"):
        mech.mechanism_gain([2, 0], HALVES, channel=channel)


def test_an_output_that_floats_lose_is_refused():
    # Both people move with probability 1e-400: an output that shows it has the gain 1e200.
    P = [[1.0, 1e-200], [0.5, 0.5]]
    with pytest.raises(ValueError, match="output 0 can occur, but with a probability below 1e-290"):
        mech.mechanism_gain([2, 0], P, channel=np.eye(3))
    tiny = Fraction(1, 10**200)
    exact = mech.mechanism_gain(
        [2, 0], [[1 - tiny, tiny], [Fraction(1, 2)] * 2], channel=np.eye(3, dtype=int)
    )
    assert exact[0, 0, 1] == 10**200
    # With others it is not lost, and one that cannot occur is none.
    assert np.nanmax(mech.mechanism_gain([2, 0], P, channel=[[1], [1], [1]])) == 1
    gains = mech.mechanism_gain([2, 0], [[1, 0], [0.5, 0.5]], channel=np.eye(3))
    assert np.isnan(gains[0]).all()
    for promise in PROMISES:
        found = solve(promise, [2, 0], P, epsilon=1)
        assert float_ratio(found, [2, 0], P, promise) <= math.e * (1 + 1e-9)


def test_a_fraction_whose_float_is_zero():
    tiny = Fraction(1, 10**400)
    P = [[1 - tiny, tiny], [Fraction(1, 2)] * 2]
    for call in (mech.optimal_mechanism, mech.event_level_mechanism):
        with pytest.raises(ValueError, match="transition must not be so small that its float is 0"):
            call([1, 0], P, epsilon=1)
    with pytest.raises(ValueError, match="transition must not be so small"):
        mech.mechanism_gain([1, 0], P, channel=[[0.5, 0.5], [1.0, 0]])
    with pytest.raises(ValueError, match="channel must not be so small"):
        mech.mechanism_gain([1, 0], HALVES, channel=[[1 - tiny, tiny], [Fraction(1), Fraction(0)]])
    # In fractions it is a place like any other.
    assert mech.mechanism_gain([1, 0], P, channel=np.eye(2, dtype=int))[0, 0, 1] == 10**400
    found, least, _ = location_certificate.certified_mechanism(
        [1, 0], P, bound=2, promise="one-sided"
    )
    assert 0 <= least <= found.loss
    assert found.gain <= 2


@settings(max_examples=30)
@given(st.integers(0, 10**9))
def test_floats_fractions_sparse_and_dense_agree(seed):
    rng = np.random.default_rng(seed)
    states = int(rng.integers(1, 4))
    weights = rng.integers(0, 3, (states, states)) + np.eye(states, dtype=int)
    P = [[Fraction(int(w), int(row.sum())) for w in row] for row in weights]
    before = rng.multinomial(int(rng.integers(1, 4)), np.full(states, 1 / states)).tolist()
    m = len(mech.histograms(sum(before), states))
    parts = rng.multinomial(8, [0.5, 0.5, 0], m)
    channel = [[Fraction(int(n), 8) for n in row] for row in parts]
    exact = mech.mechanism_gain(before, P, channel=channel)
    floats = np.array(P, dtype=float)
    for transition in (floats, sparse.csr_array(floats)):
        for shown in (channel, parts / 8, sparse.csc_array(parts / 8)):
            gains = mech.mechanism_gain(before, transition, channel=shown)
            assert gains.dtype == np.float64
            np.testing.assert_allclose(gains, exact.astype(float), rtol=1e-12)
    mixed = mech.mechanism_gain(before, P, channel=parts / 8)
    assert mixed.dtype == np.float64


def test_gains_that_do_not_agree_are_not_returned(monkeypatch):
    packed = mech._packed

    def wrong(P, people, weights, size):
        table = packed(P, people, weights, size)
        table[0] = table[0] * (1 + 1e-6)
        return table

    monkeypatch.setattr(mech, "_packed", wrong)
    for call in (
        lambda: mech.mechanism_gain([2, 1], HALVES, channel=np.eye(4)),
        lambda: mech.output_distribution([2, 1], HALVES),
        lambda: mech.optimal_mechanism([2, 1], HALVES, epsilon=1),
    ):
        with pytest.raises(UncertifiedError, match="two computations"):
            call()


def test_labels_are_positions_or_refused():
    P = pd.DataFrame(HALVES, index=list("ab"), columns=list("ab"))
    plain = mech.output_distribution([2, 1], HALVES)
    assert (mech.output_distribution([2, 1], P) == plain).all()
    graph = nx.from_numpy_array(np.array(HALVES), create_using=nx.DiGraph)
    assert (mech.output_distribution([2, 1], graph) == plain).all()
    assert (mech.output_distribution(pd.Series([2, 1]), HALVES) == plain).all()
    for before in (pd.Series([2, 1], index=[1, 0]), pd.Series([2, 1], index=list("ab"))):
        for call in (
            lambda pi: mech.output_distribution(pi, P),
            lambda pi: mech.optimal_mechanism(pi, HALVES, epsilon=1),
            lambda pi: mech.event_level_mechanism(pi, HALVES, epsilon=1),
        ):
            with pytest.raises(ValueError, match="before is read by position"):
                call(before)
    with pytest.raises(TypeError, match="before is read by position"):
        mech.output_distribution(Counter("aab"), P)
    with pytest.raises(ValueError, match="transition"):
        mech.output_distribution([2, 1], P[["b", "a"]])
    with pytest.raises(ValueError, match="channel is read by position"):
        mech.mechanism_gain([1, 0], HALVES, channel=pd.DataFrame(np.eye(2), index=list("ab")))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: mech.histograms(10**18, 10**9), "histograms: people must be at most"),
        (lambda: mech.histograms(10**15, 10**9), "too many histograms"),
        (lambda: mech.histograms(1, 10**9), "too many histograms"),
        (lambda: mech.histograms(10**40, 1), "histograms: people must be at most"),
        (lambda: mech.output_distribution([10**15], [[1.0]]), "multiplications of floats"),
        (lambda: mech.output_distribution([10**15] * 2, HALVES), "too many histograms"),
        (lambda: mech.output_distribution([400_000, 0], HALVES), "multiplications of floats"),
        (
            lambda: mech.output_distribution([1] * 10**5, sparse.eye_array(10**5)),
            "too many histograms to enumerate",
        ),
        (
            lambda: mech.mechanism_gain(
                [20_000, 0], np.eye(2), channel=sparse.eye_array(20_001).tocsr()
            ),
            "entries of channel must be at most",
        ),
        (
            lambda: mech.event_level_mechanism([4] + [0] * 8, np.eye(9), epsilon=1),
            "entries of the linear programme must be at most",
        ),
        (
            lambda: location_certificate.certified_mechanism(
                [4] + [0] * 8, np.eye(9, dtype=int), bound=2, promise="event-level"
            ),
            "entries of the linear programme must be at most",
        ),
    ],
)
def test_too_large_work_is_refused_before_it_starts(call, words):
    start = time.process_time()
    with pytest.raises(ValueError, match=words):
        call()
    assert time.process_time() - start < 2


# --- what is returned ---------------------------------------------------------------------------


def test_results_are_their_own():
    releases = np.array([[0, 2], [1, 1], [2, 0]])
    distribution = np.array([0.25, 0.5, 0.25])
    own = mech.Mechanism(releases, distribution, releases, np.eye(3), np.ones((3, 2, 2)), 0.0)
    distribution[:] = 0
    assert own.input_distribution.tolist() == [0.25, 0.5, 0.25]
    found = mech.optimal_mechanism([2, 1], HALVES, epsilon=1)
    for other in (found, pickle.loads(pickle.dumps(found)), copy.copy(found), copy.deepcopy(found)):
        for name in ("inputs", "input_distribution", "outputs", "channel", "gains"):
            with pytest.raises(ValueError, match="read-only"):
                getattr(other, name)[0] = 0
            np.testing.assert_array_equal(getattr(other, name), getattr(found, name))
        assert len(repr(other)) < 100
    assert repr(found).startswith("Mechanism(4 inputs, ")
    tiny = Fraction(1, 10**400)
    P = [[1 - tiny, tiny], [Fraction(1, 2)] * 2]
    told = mech.deterministic_mechanism([1, 0], P, releases=[[0, 1], [1, 0]])
    assert "gain more than 1e308" in repr(told)


def test_a_violation_is_not_made_by_rounding():
    for promise in PROMISES:
        for epsilon in (0, 1e-3, 0.5, 1, 3, 8):
            found = solve(promise, [3, 3, 3][: 3 if epsilon == 0.5 else 2], TOWN if epsilon == 0.5
                          else HALVES, epsilon=epsilon)  # fmt: skip
            assert found.violation(epsilon) == 0
    half = Fraction(1, 2)
    told = mech.deterministic_mechanism([2, 0], [[half] * 2] * 2, releases=[[0, 2], [1, 1], [2, 0]])
    assert told.gain == 2
    assert told.violation(math.log(2)) == 0
    assert told.violation(math.log(2) - 1e-6) == half
    assert told.violation(math.inf) == told.violation(700) == 0
    for bad in (701, -1, math.nan):
        with pytest.raises(ValueError, match="violation: epsilon must"):
            told.violation(bad)


def test_a_mechanism_publishes_its_outputs():
    found = mech.deterministic_mechanism([1, 0], HALVES, releases=[[1 + 4e-10, 0], [1, 0]])
    assert found.outputs.tolist() == [[1, 0]]
    assert found.loss == pytest.approx(1.0, abs=0)  # of what is published
    huge = mech.deterministic_mechanism([1, 0], HALVES, releases=[[1e300, 0], [1e300, 1e15]])
    assert huge.outputs.tolist() == [[1e300, 0], [1e300, 1e15]]
    assert huge.gain == 2


# --- certificates ---------------------------------------------------------------------------------


def certified(promise, E=Fraction(5, 2)):
    P = [[Fraction(7, 10), Fraction(3, 10)], [Fraction(4, 10), Fraction(6, 10)]]
    best, lower, free = location_certificate.certified_mechanism(
        [1, 1], P, bound=E, promise=promise
    )
    at = mech.AttackProblem.make("test", [1, 1], transition=P)
    return at, best, lower, free


@pytest.mark.parametrize("promise", PROMISES)
def test_a_wrong_certificate_is_not_returned(promise):
    E = Fraction(5, 2)
    at, best, lower, free = certified(promise)

    def judge(channel=best.channel, bound=lower, multipliers=free, ratio=E):
        gains = at.gains(np.array(channel))
        loss = best.loss if channel is best.channel else at.costs("L1")
        if channel is not best.channel:
            loss = (at.input_distribution[:, None] * loss * channel).sum()
        other = mech.Mechanism(at.inputs, at.input_distribution, at.inputs, channel, gains, loss)
        location_certificate._certify(
            "test", at, other, bound, multipliers, E=ratio, promise=promise
        )

    judge()
    truth = np.array([[Fraction(int(i == j)) for j in range(3)] for i in range(3)])
    wrong = [
        {"channel": truth},
        {"bound": best.loss + 1},
        {"multipliers": -free - 1},
        {"ratio": Fraction(101, 100)},
        {"channel": best.channel * Fraction(11, 10)},
    ]
    for change in wrong:
        with pytest.raises(UncertifiedError, match="test: a second computation"):
            judge(**change)


@pytest.mark.parametrize("promise", PROMISES)
@pytest.mark.parametrize("E", [1 + Fraction(1, 10**30), 1 + Fraction(1, 10**9), 1.0 + 1e-12, 10**9])
def test_bounds_are_true_at_the_edges(promise, E):
    at, best, lower, free = certified(promise, E)
    assert lower <= best.loss
    assert all(sum(row) == 1 for row in best.channel)
    constant = min((at.input_distribution[:, None] * at.costs("L1")).sum(axis=0))
    assert lower <= constant
    gains = [g for g in best.gains.flat if g == g]
    if promise != "event-level":
        assert max(gains) <= E
    assert free.min() >= 0


def test_other_bounds_are_refused():
    for bound in (math.inf, math.nan, 10**5000, Fraction(1, 10**5000), 1, 0.5):
        with pytest.raises(ValueError, match="certified_mechanism: bound must"):
            location_certificate.certified_mechanism(
                [1], [[Fraction(1)]], bound=bound, promise="one-sided"
            )


@pytest.mark.parametrize("promise", PROMISES)
def test_a_solver_without_time_is_asked_once(monkeypatch, promise):
    asked = []

    def too_long(*args, **options):
        asked.append(options["options"]["time_limit"])
        return optimize.OptimizeResult(status=1, message="Time limit reached", x=None)

    monkeypatch.setattr(optimize, "linprog", too_long)
    with pytest.raises(mech.SolverError, match=r"_mechanism: .* Time limit"):
        solve(promise, [2, 1], HALVES, epsilon=1)
    with pytest.raises(mech.SolverError, match=r"certified_mechanism: .* Time limit"):
        certified(promise)
    assert asked == [mech.SECONDS] * 2


# --- n-grams -------------------------------------------------------------------------------------


class Recorder(np.random.Generator):
    """A generator that remembers the scales asked for."""

    def __init__(self, seed):
        super().__init__(np.random.PCG64(seed))
        self.scales = []

    def laplace(self, loc=0.0, scale=1.0, size=None):
        self.scales.extend(np.broadcast_to(scale, size)[:, 0].tolist())
        return super().laplace(loc, scale, size)


def contexts(model):
    words = []
    for v in range(len(model.depth)):
        words.append((*words[model.parent[v]], int(model.symbol[v])) if v else ())
    return words


@settings(max_examples=60)
@given(st.integers(0, 10**9))
def test_one_sequence_loses_at_most_epsilon(seed):
    rng = np.random.default_rng(seed)
    symbols, longest = int(rng.integers(2, 4)), int(rng.integers(1, 7))
    rows = rng.integers(0, symbols, (int(rng.integers(0, 60)), longest))
    rows[np.arange(longest) >= rng.integers(0, longest + 1, len(rows))[:, None]] = -1
    epsilon = float(rng.choice([1e-8, 0.1, 1 / 3, 1, 30, 1e4, 1e9, 1e300]))
    n_max, l_max = int(rng.integers(1, 6)), int(rng.choice([1, 2, 3, 5, 7, 100, 10**12]))
    recorder = Recorder(seed)
    model = ngram.ngram_dp(
        rows, epsilon=epsilon, n_max=n_max, l_max=l_max, symbols=symbols, rng=recorder
    )
    words = contexts(model)
    assert len(recorder.scales) == len(words)
    assert (model.spent() <= epsilon * (1 + 1e-12)).all()
    # Every possible sequence, with its end; its loss by walking through it, in fractions.
    for length in range(longest + 1):
        for walk in itertools.product(range(symbols), repeat=length):
            kept = [*walk, symbols][:l_max]
            loss = Fraction(0)
            for word, scale in zip(words, recorder.scales):
                follows = sum(
                    tuple(kept[p : p + len(word)]) == word for p in range(len(kept) - len(word))
                )
                loss += follows / Fraction(scale)
            assert loss <= Fraction(epsilon)


def test_scales_that_are_too_small_are_not_returned():
    parent, depth = np.array([0, 0]), np.array([0, 1])
    kept = np.zeros((3, 4), dtype=np.int64)
    ngram._certify(1.0, 4, np.array([8.0, 8.0]), kept, parent, depth)
    with pytest.raises(UncertifiedError, match="ngram_dp: the privacy loss of one sequence"):
        ngram._certify(1.0, 4, np.array([8.0, 7.99]), kept, parent, depth)
    with pytest.raises(UncertifiedError, match="the number of counts of one sequence"):
        ngram._certify(1.0, 3, np.array([8.0, 8.0]), kept, parent, depth)


OPTIONS = {"epsilon": 1.0, "n_max": 3, "l_max": 2, "symbols": 3}


@pytest.mark.parametrize(
    ("sequences", "error", "words"),
    [
        ([[0, 1, -1, 2]], ValueError, "padded with -1 at the end only"),  # beyond the cut
        ([[0, 1, 2, -1, 1]], ValueError, "padded with -1 at the end only"),
        ([[0, 1, 7, 1]], ValueError, r"must hold integers in -1\.\.2"),
        ([[0, 2**63, 1]], (ValueError, TypeError), r"must hold integers in -1\.\.2"),
        ([[0, 10**30, 1]], ValueError, r"must hold integers in -1\.\.2"),
        (np.array([[0, 2**63 + 1]], dtype=np.uint64), ValueError, r"must hold .* -1\.\.2"),
        ([[0, True]], None, ""),
        ([[True, False]], TypeError, "must hold integers"),
        (np.array([[0, True]], dtype=object), TypeError, "must hold integers"),
        ([[0, 1], [2]], ValueError, "rectangular array; pad shorter ones"),
        ([["a", "b"]], TypeError, "must hold integers"),
        (sparse.csr_array([[0, 1]]), TypeError, "must be dense"),
        ([0, 1], ValueError, "2 dimension"),
    ],
)
def test_sequences_that_are_none(sequences, error, words):
    if error is None:
        ngram.ngram_dp(sequences, **OPTIONS)
        return
    with pytest.raises(error, match=f"ngram_dp: sequences .*{words}") as caught:
        ngram.ngram_dp(sequences, **OPTIONS)
    # No message quotes what is to be protected.
    quoted = set(re.findall(r"\d+", str(caught.value)))
    assert not {"7", str(2**63), str(2**63 + 1), str(10**30)} & quoted


@pytest.mark.parametrize(
    "change",
    [{"n_max": 10**9}, {"symbols": 10**12}, {"l_max": 10**30}, {"n_max": 2**70}],
)
def test_trees_that_are_too_large(change):
    start = time.process_time()
    with pytest.raises(ValueError, match=r"ngram_dp: .* must be at most"):
        ngram.ngram_dp([[0, 1]], **OPTIONS | change)
    assert time.process_time() - start < 2


def test_a_long_cut_takes_no_room():
    rows = np.random.default_rng(0).integers(0, 3, (50, 6))
    model = ngram.ngram_dp(rows, epsilon=1e13, n_max=2, l_max=10**12, symbols=3)
    counts = np.bincount(rows.ravel(), minlength=3)
    assert model.counts(1) == pytest.approx(counts, abs=30)


@pytest.mark.filterwarnings("error")
def test_without_privacy_the_counts_are_exact():
    rows = np.random.default_rng(0).integers(0, 3, (50, 6))
    model = ngram.ngram_dp(rows, epsilon=math.inf, n_max=3, l_max=7, symbols=3)
    pairs = np.bincount((rows[:, :-1] * 3 + rows[:, 1:]).ravel(), minlength=9)
    assert model.counts(2) == pytest.approx(pairs, rel=1e-12)
    assert (model.noisy == np.rint(model.noisy)).all()
    assert np.isinf(model.spent()).all()


def test_labels_of_people_and_the_model_itself():
    rows = np.random.default_rng(0).integers(0, 3, (50, 6))
    table = pd.DataFrame(rows, index=[f"name {k}" for k in range(50)])
    one, other = (ngram.ngram_dp(x, **OPTIONS, rng=1) for x in (table, rows))
    assert type(one.noisy) is np.ndarray
    np.testing.assert_array_equal(one.noisy, other.noisy)
    for model in (one, pickle.loads(pickle.dumps(one)), copy.deepcopy(one), copy.copy(one)):
        with pytest.raises(ValueError, match="read-only"):
            model.histogram[0, 0] = 0
        assert repr(model) == f"NgramModel(3 symbols, {len(one.parent)} nodes)"
        np.testing.assert_array_equal(model.counts(3), one.counts(3))


def test_threads_get_noise_of_their_own():
    rows = np.zeros((5, 4), dtype=int)
    seen = []

    def release():
        seen.append(tuple(ngram.ngram_dp(rows, **OPTIONS).noisy[0].tolist()))

    threads = [threading.Thread(target=release) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(seen)) == 8
