"""The top of a list: bars that hold for all candidates, fakes that hide within them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch, Sketch, frequent, top
from privlib.sketch.poisoning import fake_reports

SCHEMES = [
    HadamardCountMeanSketch(1.0, hashes=256, width=1024, seed=7),
    CountMeanSketch(2.0, hashes=256, width=128, seed=7),
]
COUNTS = {f"word {r}": int(4000 / r) for r in range(1, 501)}


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
def test_all_true_counts_lie_within_at_least_as_often_as_promised(scheme):
    """200 sketches of 500 words; the top 20 of each, and all candidates."""
    rng = np.random.default_rng(11)
    names = list(COUNTS)
    missed = {20: 0, len(names): 0}
    for _ in range(200):
        sketch = scheme.simulate(COUNTS, rng)
        for number in missed:
            found = top(sketch, names, number=number, level=0.9, complete=True)
            true = np.array([COUNTS[item] for item in found.items])
            missed[number] += bool(((true < found.low) | (true > found.high)).any())
            best = set(names[:number])
            assert not found.certain.any() or missed[number] or all(
                item in best for item, sure in zip(found.items, found.certain) if sure
            )  # fmt: skip
    # A promise of 90 % that is kept: the chance of more failures than this is below 1e-6.
    assert missed[20] <= missed[500] <= stats.binom.ppf(1 - 1e-6, 200, 0.1)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_bar_is_hoeffding_of_what_a_report_adds(scheme):
    """What one report adds to an estimate, by aggregating reports one by one."""
    reports = scheme.privatize(["a", "b"] * 100, rng=1)
    singles = [scheme.aggregate(reports[i : i + 1]).estimate(["a"])[0] for i in range(200)]
    spread = max(singles) - min(singles)
    sketch = scheme.aggregate(reports)
    found = top(sketch, ["a", "b"], number=1, level=0.95)
    noise = spread / 2 * math.sqrt(2 * 200 * math.log(4 * 2 / 0.05))
    whole = top(sketch, ["a", "b"], number=1, level=0.95, fakes=200)
    assert found.high[0] - found.estimate[0] >= min(noise, 200 - found.estimate[0]) * (1 - 1e-9)
    assert (whole.low[0], whole.high[0]) == (0, 200)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("attack", ["mga", "demotion"])
def test_fakes_that_are_allowed_for_stay_within(scheme, attack):
    rng = np.random.default_rng(5)
    honest = scheme.simulate(COUNTS, rng)
    fakes = fake_reports(scheme, attack, targets=["word 400"], n_fake=300, rng=rng)
    sketch = honest + scheme.aggregate(fakes)
    names = list(COUNTS)
    found = top(sketch, names, number=len(names), fakes=300, complete=True)
    at = found.items.index("word 400")
    assert found.low[at] <= COUNTS["word 400"] <= found.high[at]
    # The same bars without fakes are narrower by what 300 of them may add and take.
    blind = top(sketch, names, number=len(names), complete=True)
    assert blind.high[at] - blind.low[at] < found.high[at] - found.low[at]


@pytest.mark.parametrize(
    ("counts", "names", "hashes", "complete"),
    [
        # A frequent item is no candidate.
        ({"big": 10**7, "x": 100, "y": 90}, ["x", "y"], 256, False),
        # It is one, and there are few rows.
        ({"big": 4 * 10**6} | {f"y{i}": 10**4 for i in range(600)}, None, 64, True),
    ],
)
def test_collisions_with_a_frequent_item_are_within_the_bars(counts, names, hashes, complete):
    names = names or [*counts, *(f"z{i}" for i in range(400))]
    missed = 0
    for seed in range(20):
        scheme = HadamardCountMeanSketch(4.0, hashes=hashes, width=1024, seed=seed)
        sketch = scheme.simulate(counts, seed)
        found = top(sketch, names, number=len(names), complete=complete)
        true = np.array([counts.get(item, 0) for item in found.items])
        missed += bool(((true < found.low) | (true > found.high)).any())
    assert missed <= stats.binom.ppf(1 - 1e-6, 20, 0.05)


@pytest.mark.parametrize(
    ("n", "largest", "hashes", "width"), [(1000, 1000, 64, 16), (900, 300, 8, 64)]
)
def test_the_bar_for_collisions_holds_for_binomial_numbers_of_them(n, largest, hashes, width):
    """With n/L items of L reports each, the exact distribution by scipy."""
    scheme = HadamardCountMeanSketch(1.0, hashes=hashes, width=width, seed=1)
    rows = hashes * n // largest
    for each in (1e-1, 1e-3, 1e-6):
        bar = frequent._collisions(each, n, largest, scheme)
        share = bar / (scheme.factor * n)
        collisions = stats.binom(rows, 1 / width)
        above = collisions.sf(math.ceil(rows * (1 / width + share) - 1e-9) - 1)
        below = collisions.cdf(math.floor(rows * (1 / width - share) + 1e-9))
        assert above <= each / 2
        assert below <= each / 2


def test_the_list_is_in_order_and_prints():
    scheme = HadamardCountMeanSketch(8.0, hashes=1024, width=1024, seed=1)
    sketch = scheme.simulate({"tea": 50_000, "milk": 20_000, "rum": 10}, rng=2)
    found = top(sketch, ["rum", "milk", "tea"], number=2, complete=True)
    assert found.items == ("tea", "milk")
    assert found.estimate[0] > found.estimate[1]
    assert found.certain.all()
    assert str(found).splitlines()[0].split()[0] == "tea"
    assert str(found).endswith("*")
    assert repr(found) == "TopItems(2 items, level 0.95)"
    every = top(sketch, ["rum", "milk", "tea"], number=3, complete=True)
    assert every.certain.all()
    assert not every.low.flags.writeable


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"sketch": None}, TypeError, "sketch must be a Sketch"),
        ({"items": []}, ValueError, "items must hold at least one candidate"),
        ({"items": ["a", "a"]}, ValueError, "items must hold at least one candidate, each once"),
        ({"items": [1.5]}, TypeError, "items must hold str or int"),
        ({"number": 3}, ValueError, "number must be in 1..2"),
        ({"number": 0}, ValueError, "number must be in 1..2"),
        ({"number": 1.0}, TypeError, "number must be an integer"),
        ({"level": 1.0}, ValueError, "level must be in \\(0, 1\\)"),
        ({"fakes": -1}, ValueError, "fakes must be in 0..10"),
        ({"fakes": 11}, ValueError, "fakes must be in 0..10"),
        ({"complete": 1}, TypeError, "complete must be True or False"),
    ],
)
def test_bad_arguments_are_named(change, error, message):
    scheme = SCHEMES[0]
    given = {"sketch": scheme.simulate({"a": 10}, rng=0), "items": ["a", "b"], "number": 1}
    given |= change
    with pytest.raises(error, match=f"^top: {message}"):
        top(**given)


def test_an_empty_sketch_has_no_list():
    empty = SCHEMES[0].aggregate([])
    assert isinstance(empty, Sketch)
    with pytest.raises(ValueError, match="top: sketch must hold at least one report"):
        top(empty, ["a"], number=1)
