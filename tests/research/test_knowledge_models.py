"""Tests of `privlib.research.knowledge_models`: every world of a few records."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from fractions import Fraction
from math import prod

import numpy as np
import pytest

from privlib.disclosure import posterior, pram, sampling
from privlib.research import knowledge_models

HALF = pram.retention_matrix(Fraction(1, 2), 2).tolist()
THREE = pram.retention_matrix(Fraction(1, 2), 3).tolist()
LOPSIDED = [[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 5), Fraction(4, 5)]]
SHARED = [[Fraction(1, 2), Fraction(1, 2), 0], [0, Fraction(1, 3), Fraction(2, 3)]]  # has zeros


def identity(N):
    return [[Fraction(int(u == v)) for v in range(N)] for u in range(N)]


def arrangements(rows, release):
    """Weight of every injection of slots into records; `rows` is what each record shows."""
    orders = itertools.permutations(range(len(rows)), len(release))
    return {order: prod(rows[r][a] for r, a in zip(order, release)) for order in orders}


def releases(columns, s, least=1):
    """Every release up to the order of its slots, each shown value at least so often."""
    for release in itertools.combinations_with_replacement(range(columns), s):
        if min(Counter(release).values()) >= least:
            yield release


def three_attackers(rows, release, slot, r=0):
    """Levels against whoever knows the table, that r took part, and exactly who took part."""
    weights = arrangements(rows, release)
    hit = sum(w for order, w in weights.items() if order[slot] == r)
    if not hit:
        return None
    parties, mine = defaultdict(Fraction), defaultdict(Fraction)
    for order, w in weights.items():
        parties[frozenset(order)] += w
        mine[frozenset(order)] += w * (order[slot] == r)
    joined = sum(w for party, w in parties.items() if r in party)
    exact = min(parties[party] / w for party, w in mine.items() if w)
    return sum(weights.values()) / hit, joined / hit, exact


# --- the k-anonymous sample -------------------------------------------------------------------


@pytest.mark.parametrize("A", [identity(3), HALF, LOPSIDED, THREE, SHARED])
def test_a_value_shown_so_often_hides_in_its_slots(A):
    """Every table, release and slot of a few records, with and without rewriting."""
    attained = set()
    sizes = ((2, 1), (2, 2), (3, 2), (3, 3), (4, 2), (4, 3), (4, 4))
    for n, s in sizes[: 7 if len(A) == 2 else 5]:
        for table in itertools.product(range(len(A)), repeat=n):
            for release in releases(len(A[0]), s):
                for slot in range(s):
                    levels = three_attackers([A[v] for v in table], release, slot)
                    if levels:
                        f = release.count(release[slot])
                        assert min(levels) >= f
                        attained |= {(n, s, f)} if levels[0] == f else set()
    if identity(3) == A:  # by the table in which just so many people have the value
        assert attained == {(n, s, f) for n, s in sizes[:5] for f in range(1, s + 1)}


def test_beliefs_that_tie_the_table_to_the_draw_change_nothing():
    """A prior over tables *and* participants: still at most 1/f, as the shuffle is uniform."""
    rng = np.random.default_rng(8)
    tables = list(itertools.product(range(2), repeat=4))
    for release in ((0, 0), (0, 0, 1), (0, 0, 1, 1), (0, 0, 0)):
        for _ in range(5):
            total, hits = Fraction(0), Counter()
            for party in itertools.combinations(range(4), len(release)):
                for table in tables:
                    belief = int(rng.integers(1, 1000)) ** 3
                    for order in itertools.permutations(party):
                        fits = all(table[r] == a for r, a in zip(order, release))
                        total += belief * fits
                        hits.update({(r, j): belief * fits for j, r in enumerate(order)})
            for (_, slot), weight in hits.items():
                assert weight * release.count(release[slot]) <= total


# --- the map ----------------------------------------------------------------------------------


def levels_of(A, n, s, least):
    """Least levels of the last two rows, over all tables and releases."""
    found = [
        three_attackers([A[v] for v in table], release, slot)
        for table in itertools.product(range(len(A)), repeat=n)
        for release in releases(len(A[0]), s, least)
        for slot in range(s)
    ]
    whole, joined, exact = (min(column) for column in zip(*filter(None, found)))
    assert joined == exact  # to know of one or of all who took part is the same at worst
    return whole, joined


def level_of_some(A, n, n0, s, least):
    """Least level of known record 0, over known tables, beliefs and releases.

    The belief puts 1/n0 on the target's value and the rest on any one value: by linearity in the
    belief the extremes of the sums behind every cell.
    """
    found = []
    for known in itertools.product(range(len(A)), repeat=n0):
        for z in range(len(A)):
            own = Fraction(1, n0)
            mix = [own * x + (1 - own) * y for x, y in zip(A[known[0]], A[z])]
            rows = [A[v] for v in known] + [mix] * (n - n0)
            for release in releases(len(A[0]), s, least):
                weights = arrangements(rows, release)
                for slot in range(s):
                    hit = sum(w for order, w in weights.items() if order[slot] == 0)
                    found += [sum(weights.values()) / hit] if hit else []
    return min(found)


SMALL = [(n, n0, s) for n in (2, 3) for n0 in range(1, n + 1) for s in range(1, n + 1)]
SMALL += [(4, 2, s) for s in range(1, 5)] + [(5, 2, 2)]


@pytest.mark.parametrize("A", [HALF, LOPSIDED, THREE])
@pytest.mark.parametrize("n", [2, 3])
def test_the_last_two_rows_are_attained(A, n):
    for s in range(1, n + 1):
        for f in range(1, s + 1):
            found = knowledge_models.pk_level_map(A, n, n_known=n, n_sampled=s, shown=f)
            samples = [levels_of(identity(2), n, s, least) for least in (1, f)]
            noisy = [levels_of(A, n, size, 1) for size in (n, s)]
            assert found[1:].tolist() == np.array([*samples, *noisy]).T.tolist()
            assert found[0].tolist() == found[1].tolist()  # she knows all records


@pytest.mark.parametrize(("n", "n0", "s"), SMALL)
def test_who_knows_some_records_and_sees_a_sample(n, n0, s):
    for f in range(1, s + 1):
        found = knowledge_models.pk_level_map(HALF, n, n_known=n0, n_sampled=s, shown=f)[0]
        assert found[0] == 1 / sampling.identification_risk(n, n0, n_sampled=s)
        if n0 == 1:  # then everybody has the target's value, for sure
            assert found[:2].tolist() == [n - s + 1, n - s + (f if 2 * f <= s else s)]
            continue
        assert found[0] == level_of_some(identity(3), n, n0, s, 1)
        assert found[1] == level_of_some(identity(3), n, n0, s, f)


@pytest.mark.parametrize("A", [HALF, LOPSIDED, THREE])
@pytest.mark.parametrize(("n", "n0"), [(2, 1), (3, 1), (3, 2), (4, 2)])
def test_who_knows_some_records_and_sees_pram(A, n, n0):
    for s in range(1, n + 1):
        found = knowledge_models.pk_level_map(A, n, n_known=n0, n_sampled=s, shown=1)[0]
        whole, part = level_of_some(A, n, n0, n, 1), level_of_some(A, n, n0, s, 1)
        assert found[2] == whole
        gap = part - found[3]
        assert gap == 0 if s in (1, n) else gap >= 0
        if A is not LOPSIDED:  # retention: the case of records all alike is on the line
            gamma, own = A[0][1] / A[0][0], Fraction(1, n0)
            slope = (1 - own) * gamma + own - gamma + gamma**2
            slope -= (own + (1 - own) * gamma) * gamma / (own * gamma + 1 - own)
            assert gap <= (n0 - 1) * abs(slope)


def test_the_named_cases_of_a_thousand_records():
    """Every cell at a size that no enumeration reaches, by the exact posterior."""
    n, n0, s, f, N = 1000, 10, 100, 5, 10
    A = pram.retention_matrix(0.5, N)
    found = knowledge_models.pk_level_map(A, n, n_known=n0, n_sampled=s, shown=f)
    q = np.r_[1 / n0, 1 - 1 / n0, np.zeros(N - 2)]  # of a stranger, in the first row

    told = posterior.response_match_probability

    def level(matrix, table, release, tell=posterior.match_probability):
        risk = tell(table, release, transition=matrix, record=0, slot=0, method="generating")
        return float(1 / risk)

    def alone(known, others, strangers):
        """Target 0 among `known` records, the others of one value, and strangers of a row."""
        return [0] + [others] * (known - 1) + [strangers] * (n - known)

    plain = np.vstack([np.eye(3), [1 / n0, 0, 1 - 1 / n0]])  # strangers: value 0 or 2
    noise = np.vstack([A, q @ A])
    five = [0] * f + [1] * (n - f), [0] * f + [1] * (s - f)  # all who have the value are shown
    some = [level(plain, alone(n0, 1, 3), [0] * times + [2] * (s - times)) for times in (1, f)]
    some += [level(noise, alone(n0, 1, N), [0] + [1] * (size - 1)) for size in (n, s)]
    rest = [
        [
            level(plain, alone(n, 1, 1), [0] + [1] * (s - 1), tell),
            level(plain, *five, tell),
            *(level(noise, alone(n, 1, 1), [0] + [1] * (size - 1), tell) for size in (n, s)),
        ]
        for tell in (posterior.match_probability, told)
    ]
    assert np.array(rest) == pytest.approx(found[1:], rel=1e-9)
    assert some[:3] == pytest.approx(found[0, :3], rel=1e-9)
    assert found[0, 3] <= some[3] <= 1.01 * found[0, 3]


def test_more_knowledge_is_never_safer_and_more_lines_never_riskier():
    rng = np.random.default_rng(2)
    for _ in range(200):
        n = int(rng.integers(2, 400))
        s, n0 = (int(x) for x in rng.integers(1, n + 1, 2))
        A = pram.retention_matrix(float(rng.random() * 0.98 + 0.01), int(rng.integers(2, 12)))
        last = 0
        for f in range(1, s // 2 + 1, max(1, s // 9)):
            found = knowledge_models.pk_level_map(A, n, n_known=n0, n_sampled=s, shown=f)
            assert (np.diff(found, axis=0) <= 1e-9 * found[1:]).all()
            assert last <= found[:, 1].min() + 1e-9
            last = found[:, 1].min()


def test_numbers_out_of_range():
    given = {"n_known": 2, "n_sampled": 2, "shown": 1}
    for name, value in (("n_known", 0), ("n_known", 5), ("n_sampled", 5), ("shown", 3)):
        with pytest.raises(ValueError, match=f"pk_level_map: {name} must be in 1..[24], got"):
            knowledge_models.pk_level_map(HALF, 4, **given | {name: value})
    with pytest.raises(ValueError, match="transition must not have zeros"):
        knowledge_models.pk_level_map(identity(2), 4, **given)
