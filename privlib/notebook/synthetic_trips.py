r"""Seeded synthetic days of railway passengers, in place of data that cannot be passed on.

The experiment of the paper follows railway passengers around two stations for 1,440 minutes: 2,062
people between 14 stations of a city, 683 between 14 of a suburb. The positions are given on
application only. Here two invented towns have the same numbers of people, stations and minutes:

- ``urban14``: seven lines in a mesh with two cycles (15 edges), 1 to 3 minutes an edge;
- ``suburb14``: two lines that cross once, a tree (13 edges), 2 to 4 minutes an edge.

A day of a person is a list of trips :math:`(\text{departure}, \text{destination})`: to work in the
morning and back in the evening for most, with errands in between or on the way; to an errand and
back for the others. A trip follows the route with the fewest minutes; a hop takes the mean of its
town plus :math:`-1, 0` or :math:`1` minute, and 2 to 4 minutes more where the line changes. The
position at a minute is the station reached last, so between two minutes a person stays or moves
along *one* edge, which is what a graph of points of interest says.

Nothing here is fitted to real passengers: results on these towns show what a *protocol* can and
cannot tell, never how people move.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib._checks import FloatArray, IntArray

MINUTES = 1440


@dataclass(frozen=True)
class _Town:
    """Lines as chains of stations, people, mean minutes of a hop, places on a map, weights."""

    lines: tuple[tuple[int, ...], ...]
    people: int
    hop: int
    places: tuple[tuple[float, float], ...]
    homes: tuple[int, ...]
    jobs: tuple[int, ...]


_TOWNS: Mapping[str, _Town] = {
    "urban14": _Town(
        lines=((5, 3, 1, 0, 2, 4), (0, 6, 7), (0, 8, 9), (0, 10, 11), (1, 10), (2, 8), (0, 12, 13)),
        people=2062,
        hop=2,
        places=(
            (0, 0), (-0.3, 1), (0.1, -1), (-0.2, 2), (0.5, -2), (0.1, 3), (-1, 0.3), (-2, 0.4),
            (-0.9, -0.7), (-1.8, -1.2), (0.8, 0.6), (1.8, 0.9), (1, -0.4), (2, -0.7),
        ),
        homes=(2, 2, 4, 3, 5, 4, 6, 9, 5, 9, 2, 3, 3, 5),
        jobs=(14, 5, 4, 9, 3, 6, 2, 1, 3, 1, 7, 9, 3, 2),
    ),
    "suburb14": _Town(
        lines=((1, 2, 3, 0, 4, 5, 6, 7), (8, 9, 10, 0, 11, 12, 13)),
        people=683,
        hop=3,
        places=(
            (0, 0), (-3, 0.3), (-2, 0.1), (-1, 0), (1, 0), (2, 0.1), (3, 0.3), (4, 0.6),
            (-0.7, 3), (-0.4, 2), (-0.1, 1), (0.2, -1), (0.4, -2), (0.8, -3),
        ),
        homes=(4, 2, 3, 5, 5, 4, 4, 3, 2, 3, 4, 4, 3, 2),
        jobs=(12, 6, 1, 2, 2, 1, 2, 5, 4, 1, 1, 1, 2, 3),
    ),
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Day:
    """Where everybody is in every minute of a day.

    Parameters
    ----------
    town : str
        Its name.
    sequences : ndarray of uint8, shape (people, minutes)
        Station of every person in every minute.
    edges : ndarray of int64, shape (edges, 2)
        Pairs of neighbouring stations, the smaller one first, sorted.
    lines : tuple of tuples of int
        Each line as a chain of stations.
    places : ndarray, shape (stations, 2)
        Coordinates of the stations on a map.
    trips : int
        Trips that begin and end at different stations.

    Examples
    --------
    >>> day = simulate("suburb14", np.random.default_rng(1), people=5, minutes=600)
    >>> day.sequences.shape, day.places.shape
    ((5, 600), (14, 2))
    """

    town: str
    sequences: npt.NDArray[np.uint8] = field(repr=False)
    edges: IntArray = field(repr=False)
    lines: tuple[tuple[int, ...], ...] = field(repr=False)
    places: FloatArray = field(repr=False)
    trips: int

    @property
    def histograms(self) -> IntArray:
        """People at each station in each minute, shape (minutes, stations).

        Examples
        --------
        >>> day = simulate("suburb14", np.random.default_rng(1), people=5, minutes=600)
        >>> day.histograms.shape, set(day.histograms.sum(axis=1).tolist())
        ((600, 14), {5})
        """
        minutes = self.sequences.shape[1]
        size = len(self.places)
        cell = np.arange(minutes) * size + self.sequences
        return np.bincount(cell.ravel(), minlength=minutes * size).reshape(minutes, size)


def _routes(town: _Town) -> tuple[IntArray, IntArray, IntArray]:
    """Return routes (L, L, longest) padded with the destination, hops, and waits at each hop.

    A hop of the route from a to b waits when it leaves on another line than it came on.
    """
    size = len(town.places)
    line_of = np.full((size, size), -1, dtype=np.int64)
    for number, line in enumerate(town.lines):
        for a, b in itertools.pairwise(line):
            line_of[a, b] = line_of[b, a] = number
    minutes = np.where(line_of >= 0, float(town.hop), np.inf)
    np.fill_diagonal(minutes, 0.0)
    following = np.where(line_of >= 0, np.arange(size), -1)
    np.fill_diagonal(following, np.arange(size))
    for k in range(size):  # Floyd and Warshall, ties to the route found first
        through = minutes[:, [k]] + minutes[[k]]
        better = through < minutes
        minutes = np.where(better, through, minutes)
        following = np.where(better, following[:, [k]], following)
    origin, target = np.indices((size, size))
    stations = [origin]
    while np.any(stations[-1] != target):
        stations.append(following[stations[-1], target])
    routes = np.stack(stations, axis=-1)
    on = line_of[routes[..., :-1], routes[..., 1:]]  # -1 after arrival
    change = np.zeros(on.shape, dtype=np.int64)
    change[..., 1:] = (on[..., 1:] != on[..., :-1]) & (on[..., 1:] >= 0)
    return routes, on, change


def _plans(town: _Town, people: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Return stations (people, 5) from home to home and wished departures (people, 4)."""
    size = len(town.places)

    def draw(weights: tuple[int, ...], shape: int | tuple[int, ...]) -> IntArray:
        share = np.array(weights, dtype=np.float64) / sum(weights)
        return rng.choice(size, size=shape, p=share)

    home, job = draw(town.homes, people), draw(town.jobs, people)
    errand = draw(tuple(a + b for a, b in zip(town.homes, town.jobs)), (people, 2))
    works, lunch, after = (rng.random(people) < share for share in (0.75, 0.2, 0.4))
    job = np.where(works, job, errand[:, 0])
    midday = np.where(works & lunch, errand[:, 0], job)
    evening = np.where(after, errand[:, 1], home)
    stops = np.column_stack([home, job, midday, evening, home])
    commuter = np.array([480, 740, 1110, 1230]) + rng.normal(0, [45, 35, 60, 45], (people, 4))
    other = np.array([640, 760, 880, 990]) + rng.normal(0, [90, 40, 75, 60], (people, 4))
    return stops, np.where(works[:, None], commuter, other).astype(np.int64)


def simulate(
    town: str, rng: Any = None, *, people: int | None = None, minutes: int = MINUTES
) -> Day:
    """Return one day of a town, minute by minute.

    Parameters
    ----------
    town : {"urban14", "suburb14"}
        Which one.
    rng : None, int or numpy.random.Generator, optional
        A seed, or the state of a generator, gives the same day each time.
    people : int, optional
        Default: 2,062 and 683, the numbers of the experiment of the paper.
    minutes : int, optional
        Length of the day from midnight; trips that reach beyond it are cut off.

    Returns
    -------
    Day
        Positions in every minute, and the town.

    Raises
    ------
    ValueError
        If there is no such town, or `people` or `minutes` is below 1.
    TypeError
        If `rng` is neither a seed nor a generator, or a number is not an integer.

    Notes
    -----
    All people travel at once: the loop runs over the four trips of a day and over the stations
    of the longest route. A person who is still travelling leaves later than planned.

    References
    ----------
    .. [1] Kawamoto and Sakuma, section 6 (data: claim about 14 stations, people, minutes).

    Examples
    --------
    >>> day = simulate("suburb14", np.random.default_rng(1))
    >>> day.sequences.shape, len(day.edges)
    ((683, 1440), 13)
    >>> set(day.histograms.sum(axis=1).tolist())
    {683}
    """
    rng = checks.generator("simulate", rng)
    plan = _TOWNS[checks.choice("simulate", "town", town, sorted(_TOWNS))]
    count = plan.people if people is None else checks.integer("simulate", "people", people, low=1)
    length = checks.integer("simulate", "minutes", minutes, low=1)
    routes, on, change = _routes(plan)
    stops, wished = _plans(plan, count, rng)
    everybody = np.arange(count)
    arrived = np.zeros((count, length), dtype=np.int64)  # station + 1 where one is reached
    arrived[:, 0] = stops[:, 0] + 1
    free = np.zeros(count, dtype=np.int64)  # the minute of the last arrival
    for trip in range(wished.shape[1]):
        a, b = stops[:, trip], stops[:, trip + 1]
        now = np.maximum(free, np.clip(wished[:, trip], 0, None))
        for hop in range(on.shape[-1]):
            rides = on[a, b, hop] >= 0
            ride = plan.hop + rng.integers(-1, 2, count)
            wait = change[a, b, hop] * rng.integers(2, 5, count)
            now = now + rides * (ride + wait)
            seen = rides & (now < length)
            arrived[everybody[seen], now[seen]] = routes[a, b, hop + 1][seen] + 1
        free = np.where(a != b, now, free)
    # The station reached last: carry the minute of the last arrival forward.
    last = np.maximum.accumulate(np.where(arrived > 0, np.arange(length), 0), axis=1)
    sequences = (np.take_along_axis(arrived, last, axis=1) - 1).astype(np.uint8)
    pairs = {tuple(sorted(pair)) for line in plan.lines for pair in itertools.pairwise(line)}
    return Day(
        town=town,
        sequences=sequences,
        edges=np.array(sorted(pairs), dtype=np.int64),
        lines=plan.lines,
        places=np.array(plan.places, dtype=np.float64),
        trips=int(np.count_nonzero(stops[:, 1:] != stops[:, :-1])),
    )
