"""Tests of `privlib.notebook.synthetic_trips`: routes, moves along edges, plausible days."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest

from privlib.notebook import synthetic_trips

TOWNS = {"urban14": (2062, 15, 2), "suburb14": (683, 13, 3)}


@pytest.fixture(scope="module", params=sorted(TOWNS))
def day(request):
    return synthetic_trips.simulate(request.param, np.random.default_rng(7))


def graph_of(day):
    return nx.Graph([tuple(edge) for edge in day.edges.tolist()])


def test_size_of_the_experiment(day):
    people, edges, _ = TOWNS[day.town]
    assert day.sequences.shape == (people, 1440)
    assert day.sequences.dtype == np.uint8
    assert day.edges.shape == (edges, 2)
    assert day.places.shape == (14, 2)
    assert set(day.sequences.ravel().tolist()) == set(range(14))
    graph = graph_of(day)
    assert len(graph) == 14
    assert nx.is_connected(graph)
    assert len(nx.cycle_basis(graph)) == {"urban14": 2, "suburb14": 0}[day.town]


def test_a_minute_moves_along_one_edge_or_not_at_all(day):
    before, after = day.sequences[:, :-1].ravel(), day.sequences[:, 1:].ravel()
    steps = set(zip(before.tolist(), after.tolist()))
    allowed = {(a, b) for a, b in graph_of(day).to_directed().edges} | {(a, a) for a in range(14)}
    assert steps <= allowed
    assert {(a, b) for a, b in steps if a != b} == {(a, b) for a, b in allowed if a != b}


def test_the_day_starts_and_ends_at_home(day):
    assert (day.sequences[:, 0] == day.sequences[:, -1]).mean() > 0.97
    moves = np.count_nonzero(day.sequences[:, 1:] != day.sequences[:, :-1], axis=0)
    morning, night = moves[420:600].sum(), moves[60:240].sum()
    assert morning > 20 * max(night, 1)


def test_trips_follow_shortest_routes(day):
    """Hops in all = sum over the trips of the distance between their ends, by networkx."""
    distance = dict(nx.all_pairs_shortest_path_length(graph_of(day)))
    hops = 0
    for person in day.sequences:
        stations = person[np.flatnonzero(np.diff(person.astype(int), prepend=-1))]
        hops += len(stations) - 1
        # a tree has one simple route; in the mesh an immediate return can only be a trip's end
        assert all(distance[a][b] == 1 for a, b in zip(stations.tolist(), stations[1:].tolist()))
    rng = np.random.default_rng(7)
    stops, _ = synthetic_trips._plans(synthetic_trips._TOWNS[day.town], len(day.sequences), rng)
    planned = sum(distance[a][b] for row in stops.tolist() for a, b in itertools.pairwise(row))
    assert hops == pytest.approx(planned, abs=0.01 * planned)  # a few are cut off at midnight
    assert hops <= planned
    assert day.trips == sum(a != b for row in stops.tolist() for a, b in itertools.pairwise(row))


def test_hops_take_the_minutes_of_the_town(day):
    """Without a change of line a hop lasts the mean of the town plus -1, 0 or 1."""
    mean = TOWNS[day.town][2]
    lasting = []
    for person in day.sequences[:400].astype(int):
        moves = np.flatnonzero(np.diff(person))
        lasting.extend(np.diff(moves))
    lasting = np.array(lasting)
    assert lasting.min() == mean - 1
    short = np.bincount(lasting[lasting <= mean + 1], minlength=mean + 2)[mean - 1 :]
    assert short.min() > 0.25 * short.sum()


def test_changing_lines_takes_longer():
    """At the crossing of the suburb: 3 -> 0 -> 4 stays on the line, 3 -> 0 -> 11 changes."""
    day = synthetic_trips.simulate("suburb14", np.random.default_rng(8))
    waits = {"stay": [], "change": []}
    for person in day.sequences.astype(int):
        moves = np.flatnonzero(np.diff(person)) + 1
        stations = person[np.append(0, moves)]
        for k in np.flatnonzero(stations[1:-1] == 0):
            came, goes = stations[k], stations[k + 2]
            if came != goes:
                kind = "stay" if {came, goes} in ({3, 4}, {10, 11}) else "change"
                waits[kind].append(moves[k + 1] - moves[k])
    assert min(waits["stay"]) == 2
    # (a late passenger whose trip ends here may set out on the other line at once)
    assert np.quantile(waits["change"], 0.02) == 4
    assert np.median(waits["change"]) == pytest.approx(6, abs=1)


def test_histograms_count_everybody(day):
    slow = [np.bincount(column, minlength=14).tolist() for column in day.sequences.T[::240]]
    assert day.histograms[::240].tolist() == slow
    assert set(day.histograms.sum(axis=1).tolist()) == {len(day.sequences)}


def test_seeded():
    one, two, three = (
        synthetic_trips.simulate("suburb14", rng, people=50)
        for rng in (np.random.default_rng(1), 1, 2)
    )
    assert np.array_equal(one.sequences, two.sequences)
    assert not np.array_equal(one.sequences, three.sequences)


def test_a_short_day_cuts_trips_off():
    day = synthetic_trips.simulate("urban14", np.random.default_rng(3), people=40, minutes=490)
    assert day.sequences.shape == (40, 490)
    assert (
        synthetic_trips.simulate("urban14", np.random.default_rng(3), minutes=1).sequences.shape[1]
        == 1
    )


def test_bad_input():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="simulate: town must be one of suburb14, urban14, got"):
        synthetic_trips.simulate("x", rng)
    with pytest.raises(TypeError, match="simulate: rng must be"):
        synthetic_trips.simulate("urban14", 0.5)
    with pytest.raises(ValueError, match="simulate: people must be at least 1, got 0"):
        synthetic_trips.simulate("urban14", rng, people=0)
    with pytest.raises(ValueError, match="simulate: minutes must be at least 1, got 0"):
        synthetic_trips.simulate("urban14", rng, minutes=0)
