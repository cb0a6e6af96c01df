"""Tests of `privlib.disclosure.linkage`: exact means by enumeration, losses, bad input."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from privlib.disclosure import linkage, sampling

TOWN = np.array([0, 0, 0, 1, 1, 2, 3])


def exact(n0, s, value):
    """Claims in a draw about acquaintances of a value, and the right ones, by enumeration."""
    n, made, right = TOWN.size, Fraction(0), Fraction(0)
    known = [k for k in itertools.combinations(range(n), n0) if (TOWN[list(k)] == value).sum() == 1]
    for sample in itertools.combinations(range(n), s):
        f = int((TOWN[list(sample)] == value).sum())
        for acquaintances in known if f else []:
            target = next(r for r in acquaintances if TOWN[r] == value)
            made += 1
            right += Fraction(target in sample, f)
    count = math.comb(n, n0) * math.comb(n, s)
    return made / count, right / count


@pytest.mark.parametrize(("n0", "s"), [(1, 3), (3, 2), (3, 5), (2, 7)])
def test_how_many_claims_and_how_many_are_right(n0, s):
    draws = 4000
    claims = linkage.linkage_beliefs(TOWN, n0, n_sampled=s, categories=9, draws=draws, rng=n0)
    people = np.bincount(TOWN)
    for value in range(4):
        made, right = exact(n0, s, value)
        assert right / made == Fraction(1, int(people[value]))  # 1/N, whatever the sample
    for count in (1, 2, 3):
        of = [value for value in range(4) if people[value] == count]
        made, right = (sum(part) for part in zip(*(exact(n0, s, value) for value in of)))
        mine = claims.people == count
        for found, truth in ((np.ones(mine.sum()), made), (claims.right[mine], right)):
            each = np.bincount(claims.draw[mine], found, minlength=draws)
            assert abs(each.mean() - float(truth)) <= 4 * each.std() / draws**0.5 + 1e-12
    assert set(claims.draw) <= set(range(draws))
    assert ((claims.right == 0) | (claims.right == 1 / claims.shown)).all()
    assert (claims.shown <= np.minimum(claims.people, s)).all()


def test_the_beliefs_are_the_formulas():
    rng = np.random.default_rng(3)
    town = rng.integers(0, 60, 300)
    n, n0, s = 300, 20, 90
    claims = linkage.linkage_beliefs(town, n0, n_sampled=s, categories=75, draws=5, rng=rng)
    assert {1, 2} < set(claims.shown)
    for i, f in enumerate(claims.shown.tolist()):
        found = {name: belief[i] for name, belief in claims.beliefs.items() if name != "counting"}
        left_out = n - n0 - (s - 1)
        assert found == {
            "equation (1)": pytest.approx(
                float(sampling.identification_risk(n, n0, n_sampled=s, shown=f))
            ),
            "uniform": pytest.approx(1 / (f + left_out / 75)),
            "learning": pytest.approx(
                float(sampling.learning_attacker_risk(n, n0, n_sampled=s)) / f
            ),
            "Benedetti-Franconi": pytest.approx(sampling.benedetti_franconi_risk(f, s / n)),
            "the table": 1 / claims.people[i],
        }
    whole = linkage.linkage_beliefs(town, n0, n_sampled=n, categories=75, draws=2, rng=1)
    assert (whole.beliefs["equation (1)"] == 1 / whole.shown).all()
    assert (whole.people == whole.shown).all()
    assert whole.right.tolist() == (1 / whole.people).tolist()
    assert (whole.beliefs["counting"] == 1 / whole.shown).all()


def test_counting_counts_the_sample():
    """With all acquaintances of different values, the claims show how often each value is shown."""
    town = np.arange(40).repeat(3)  # 40 values of three people
    claims = linkage.linkage_beliefs(town, 1, n_sampled=60, categories=40, draws=2000, rng=4)
    # Values that are shown f times, in the mean: hypergeometric. Without the 1 it would be 1/3.
    often = [math.comb(3, f) * math.comb(117, 60 - f) for f in range(5)]
    for f in (1, 2, 3):
        shown = [40 * count / math.comb(120, 60) for count in often]
        limit = shown[f] / (f * shown[f] + (f + 1) * (shown[f + 1] + 1))
        mine = claims.shown == f
        assert claims.beliefs["counting"][mine].mean() == pytest.approx(limit, rel=0.06)
        assert claims.right[mine].mean() == pytest.approx(1 / 3, rel=0.1)
    # Five of six people: who is left out decides how often the values are shown.
    few = linkage.linkage_beliefs([0, 1, 1, 2, 2, 2], 1, n_sampled=5, categories=3, draws=99, rng=1)
    seen = set(zip(few.people.tolist(), few.shown.tolist(), few.beliefs["counting"].tolist()))
    assert seen == {
        (2, 2, 5 / 16), (3, 3, 5 / 19),  # the one with value 0
        (1, 1, 10 / 12), (2, 1, 10 / 12), (3, 3, 5 / 19),  # one of those with value 1
        (1, 1, 5 / 11), (2, 2, 10 / 23), (3, 2, 10 / 23),  # one of those with value 2
    }  # fmt: skip


def test_the_attacker_who_knows_the_table_is_calibrated():
    rng = np.random.default_rng(11)
    town = (400 * rng.random(2000) ** 3).astype(int)
    claims = linkage.linkage_beliefs(town, 50, n_sampled=300, categories=400, draws=300, rng=rng)
    for low, high in ((0.0, 0.1), (0.1, 0.3), (0.3, 1.1)):
        belief = claims.beliefs["the table"]
        inside = (belief >= low) & (belief < high)
        gap = (claims.right - belief)[inside]
        mean, error = linkage.mean_by_draw(gap, claims.draw[inside])
        assert abs(mean) < 4 * error < 0.07


def test_the_loss_is_least_for_the_truth():
    grid = np.linspace(0, 1, 101)
    for truth in (0, 0.03, 0.5, 1):
        loss = linkage.log_loss(grid, truth)
        assert grid[loss.argmin()] == truth
        at = max(truth, 0.2)
        expected = -truth * math.log(at) - (1 - truth) * (math.log1p(-at) if truth < 1 else 0)
        assert linkage.log_loss(at, truth) == pytest.approx(expected)
    assert linkage.log_loss(1, 0.5) == math.inf
    assert isinstance(linkage.log_loss(0.5, 1), float)  # one claim, one number
    assert linkage.log_loss([0, 1], [0, 1]).tolist() == [0, 0]


def test_the_error_counts_draws_and_not_claims():
    """Copies of a draw tell nothing new; a mean of independent draws has the usual error."""
    rng = np.random.default_rng(5)
    values = rng.normal(size=40)
    mean, error = linkage.mean_by_draw(values, np.arange(40))
    assert mean == pytest.approx(values.mean())
    assert error == pytest.approx(values.std(ddof=1) / 40**0.5)
    repeated = linkage.mean_by_draw(values.repeat(9), np.arange(40).repeat(9) * 7)
    assert repeated == pytest.approx((mean, error))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_known": 8}, r"linkage_beliefs: n_known must be in 1..7, got 8"),
        ({"n_sampled": 0}, r"n_sampled must be in 1..7, got 0"),
        ({"categories": 0}, r"categories must be at least 1, got 0"),
        ({"draws": 0}, r"draws must be at least 1, got 0"),
        ({"population": [0, -1]}, r"population must be in 0..9223372036854775806, got 1 of 2"),
    ],
)
def test_bad_numbers_are_refused(change, message):
    given = {"population": TOWN, "n_known": 2, "n_sampled": 2, "categories": 4, "draws": 1}
    with pytest.raises(ValueError, match=message):
        linkage.linkage_beliefs(**given | change)


def test_bad_scores_are_refused():
    with pytest.raises(ValueError, match=r"log_loss: belief must be in \[0, 1\], got 1.5"):
        linkage.log_loss(1.5, 1)
    for draw in ([0, 0], [0, 1, 2]):
        with pytest.raises(ValueError, match="draw must name at least 2 draws of 2 values"):
            linkage.mean_by_draw([0, 1], draw)


def test_beliefs_print_in_one_line():
    found = linkage.linkage_beliefs(
        np.arange(500) % 50, 20, n_sampled=100, categories=50, draws=20, rng=1
    )
    assert repr(found).startswith(f"LinkageBeliefs({found.right.size} claims, attackers: eq")
    assert len(repr(found)) < 120
