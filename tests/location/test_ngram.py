"""Tests of `privlib.location.ngram`: budgets, enumerated sensitivity, exactness without noise."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from privlib.location import ngram


class Recorder(np.random.Generator):
    """A generator whose Laplace noise is 0 and which remembers the scales asked for."""

    def __init__(self):
        super().__init__(np.random.PCG64(0))
        self.scales = []

    def laplace(self, loc=0.0, scale=1.0, size=None):
        self.scales.append(np.broadcast_to(scale, size).copy())
        return np.zeros(size)


def walks(seed, people=400, longest=9, symbols=3):
    rng = np.random.default_rng(seed)
    out = np.full((people, longest), -1)
    for row, length in zip(out, rng.integers(1, longest + 1, people)):
        row[:length] = rng.choice(symbols, length, p=[0.6, 0.3, 0.1][:symbols])
    return out


def contexts(model):
    """The context of each node, by following the parents."""
    words = []
    for v in range(len(model.depth)):
        words.append((*words[model.parent[v]], int(model.symbol[v])) if v else ())
    return words


def exact_counts(rows, l_max, symbols, word):
    """How often each symbol or the end follows `word`, by walking through each sequence."""
    total = Counter()
    for row in rows.tolist():
        kept = [x for x in row if x >= 0][:l_max]
        kept += [symbols] * (len(kept) < l_max)
        for p in range(len(kept) - len(word)):
            if tuple(kept[p : p + len(word)]) == word:
                total[kept[p + len(word)]] += 1
    return [total[s] for s in range(symbols + 1)]


@pytest.mark.parametrize("epsilon", [0.3, 3.0, 300.0])
@pytest.mark.parametrize("n_max", [1, 3, 5])
def test_budget_along_every_path(epsilon, n_max):
    model = ngram.ngram_dp(
        walks(1), epsilon=epsilon, n_max=n_max, l_max=6, rng=np.random.default_rng(4), symbols=3
    )
    words = contexts(model)
    budget = dict(zip(words, model.budget))
    for word, spent in zip(words, model.spent()):
        by_hand = sum(budget[word[:k]] for k in range(len(word) + 1))
        assert spent == pytest.approx(by_hand, rel=1e-12)
        assert by_hand <= epsilon * (1 + 1e-12)
    assert model.budget.min() > 0
    assert model.budget[0] == pytest.approx(epsilon / n_max)
    assert model.depth.max() <= n_max - 1
    if epsilon == 300.0:
        assert model.spent().max() == pytest.approx(epsilon)  # leaves use all that is left


def test_noise_has_the_scale_of_the_node():
    rng = Recorder()
    model = ngram.ngram_dp(walks(2), epsilon=3.0, n_max=5, l_max=7, rng=rng, symbols=3)
    scales = np.concatenate(rng.scales)
    assert scales.shape == model.noisy.shape
    assert np.allclose(scales, (7 / model.budget)[:, None], rtol=1e-12)
    assert len(model.depth) > 8
    assert len(set(model.budget.tolist())) > 2  # the budgets do differ between nodes


def test_noise_is_laplace():
    rng = np.random.default_rng(11)
    rows = walks(3)
    truth = exact_counts(rows, 9, 3, ())
    noise = []
    for _ in range(1000):
        model = ngram.ngram_dp(rows, epsilon=1.0, n_max=1, l_max=9, rng=rng, symbols=3)
        noise.append(model.noisy[0] - truth)
    size = np.abs(np.array(noise))  # E|Lap(b)| = b = 9, its standard deviation too
    assert size.mean() == pytest.approx(9.0, abs=4 * 9 / math.sqrt(size.size))
    assert np.mean(noise) == pytest.approx(0.0, abs=4 * 9 * math.sqrt(2 / size.size))


@pytest.mark.parametrize("l_max", [2, 3, 4])
def test_loss_of_one_sequence_enumerated(l_max):
    """All sequences over two symbols up to length 5: the sum of budget * change / l_max.

    With the tree fixed, adding a sequence changes the exact counts of the nodes; the Laplace
    mechanism loses |change| / scale = |change| * budget / l_max on each bin. The sum must be
    at most epsilon for every sequence, and reach it: the bound is tight.
    """
    rows = np.array([list(r) + [-1] * (5 - len(r)) for n in range(1, 6)
                     for r in itertools.product((0, 1), repeat=n)])  # fmt: skip
    epsilon = 5000.0
    model = ngram.ngram_dp(
        rows, epsilon=epsilon, n_max=3, l_max=l_max, rng=np.random.default_rng(0), symbols=2
    )
    words = contexts(model)
    assert len(words) >= 3
    worst = 0.0
    for row in rows:
        loss = 0.0
        positions = set()
        for word, budget in zip(words, model.budget):
            change = sum(exact_counts(row[None], l_max, 2, word))
            assert change <= l_max
            loss += change * budget / l_max
            positions.add(change)
        assert max(positions) <= l_max
        worst = max(worst, loss)
    assert worst <= epsilon * (1 + 1e-12)
    # l_max symbols cost the root's share each, all but the last positions the deeper levels too
    assert worst > epsilon * (0.33 if l_max == 2 else 0.5)


@pytest.mark.parametrize("l_max", [4, 10])
def test_without_noise_the_histograms_are_the_counts(l_max):
    rows = walks(5)
    rng = Recorder()
    model = ngram.ngram_dp(rows, epsilon=1e9, n_max=4, l_max=l_max, rng=rng, symbols=3)
    words = contexts(model)
    for word, noisy, repaired in zip(words, model.noisy, model.histogram):
        truth = exact_counts(rows, l_max, 3, word)
        assert noisy.tolist() == truth
        if l_max == 10:  # nothing is cut off, so every context goes on or ends
            assert repaired == pytest.approx(truth, abs=1e-6)
    if l_max == 10:
        everything = set(
            itertools.chain(*(itertools.product(range(3), repeat=n) for n in range(4)))
        )
        assert set(words) == {
            w for w in everything if sum(exact_counts(rows, l_max, 3, w)) or not w
        }
        for n in (1, 2, 3, 4):
            expected = [
                exact_counts(rows, 10, 3, w[:-1])[w[-1]]
                for w in itertools.product(range(3), repeat=n)
            ]
            assert model.counts(n) == pytest.approx(expected, abs=1e-6)


def test_large_epsilon_reproduces_the_counts():
    rows = walks(6)
    model = ngram.ngram_dp(
        rows, epsilon=1e7, n_max=3, l_max=10, rng=np.random.default_rng(1), symbols=3
    )
    expected = [
        exact_counts(rows, 10, 3, w[:-1])[w[-1]] for w in itertools.product(range(3), repeat=3)
    ]
    assert model.counts(3) == pytest.approx(expected, abs=0.01)


def suffix_rule(model, word):
    """Estimate of the count of a word: the longest known suffix at every step, by hand."""
    table = dict(zip(contexts(model), model.histogram))
    value = table[()][word[0]]
    for k in range(1, len(word)):
        context = next(word[a:k] for a in range(k + 1) if word[a:k] in table)
        total = table[context].sum()
        value *= table[context][word[k]] / total if total else 0
    return value


@pytest.mark.parametrize("epsilon", [2.0, 30.0])
def test_counts_and_neighbours_by_the_longest_suffix(epsilon):
    model = ngram.ngram_dp(
        walks(7), epsilon=epsilon, n_max=4, l_max=8, rng=np.random.default_rng(2), symbols=3
    )
    words = contexts(model)
    number = {word: v for v, word in enumerate(words)}
    for v, word in enumerate(words):
        longest = next((word[a:] for a in range(1, len(word) + 1) if word[a:] in number), ())
        assert model.neighbour[v] == number[longest]
        for s in range(3):
            assert model.child[v, s] == number.get((*word, s), -1)
        assert model.child[v, 3] == -1
    for n in (1, 3, 6):
        values = model.counts(n)
        assert values.shape == (3**n,)
        for place in (0, 1, 3**n // 2, 3**n - 1):
            word = tuple(place // 3**k % 3 for k in range(n - 1, -1, -1))
            assert values[place] == pytest.approx(suffix_rule(model, word), rel=1e-9, abs=1e-12)


def test_repairs():
    model = ngram.ngram_dp(
        walks(8), epsilon=4.0, n_max=4, l_max=8, rng=np.random.default_rng(9), symbols=3
    )
    assert (model.noisy < 0).any()
    assert model.histogram.min() >= 0
    for v in range(1, len(model.depth)):
        above = model.histogram[model.parent[v], model.symbol[v]]
        assert model.histogram[v].sum() == pytest.approx(above, rel=1e-9)


def test_only_bins_above_the_threshold_grow():
    model = ngram.ngram_dp(
        walks(10), epsilon=5.0, n_max=3, l_max=8, rng=np.random.default_rng(3), symbols=3
    )
    for v in range(1, len(model.depth)):
        u = model.parent[v]
        assert model.noisy[u, model.symbol[v]] > 8 * math.log(4 / 2) / model.budget[u]
    root = model.noisy[0, :3] > 8 * math.log(4 / 2) / model.budget[0]
    assert np.array_equal(model.child[0, :3] >= 0, root)


def test_pure_noise_passes_the_threshold_once_a_node():
    """P(Lap(b) > b ln(K/2)) = 1/K; the root of an empty data set, 1,500 times."""
    rng = np.random.default_rng(12)
    nothing = np.zeros((0, 5), dtype=int)
    children = [
        np.count_nonzero(
            ngram.ngram_dp(nothing, epsilon=1.0, n_max=2, l_max=5, rng=rng, symbols=5).child >= 0
        )
        for _ in range(1500)
    ]  # five of the six bins may grow
    assert np.mean(children) == pytest.approx(5 / 6, abs=4 * math.sqrt(5 / 6 / 1500))


def test_repair_by_hand():
    """Released 6 and (-1 -> 0); the missing 10 - 6 = 4 in the neighbour's shares 1 : 3."""
    noisy = np.array([[6.0, -1.0, 50.0, 50.0]])
    released = np.array([[True, True, False, False]])
    near = np.array([[9.0, 9.0, 1.0, 3.0]])
    repaired = ngram._repair(noisy, released, near, np.array([10.0]))
    assert repaired == pytest.approx(np.array([[6.0, 0.0, 1.0, 3.0]]))
    # no neighbour: alike; a root keeps the sum of its noisy counts
    root = ngram._repair(noisy, released, 0 * near, np.array([np.inf]))
    assert root == pytest.approx(np.array([[6.0, 0.0, 50.0, 50.0]]))
    # more released than there is: scaled down; nothing left at all: the neighbour's shares
    assert ngram._repair(noisy, released, near, np.array([3.0])) == pytest.approx(
        np.array([[3.0, 0.0, 0.0, 0.0]])
    )
    everything = np.ones((1, 4), dtype=bool)
    assert ngram._repair(-(noisy**2), everything, near, np.array([22.0])) == pytest.approx(near)


def test_neighbour_decides_the_height():
    """A certain next symbol leaves all levels, a count near the threshold one."""
    f = np.array
    assert ngram._height(f([100.0]), f([1.0]), f([[5.0, 0.0, 0.0]]), 4).tolist() == [4]
    assert ngram._height(f([100.0]), f([1.0]), f([[5.0, 5.0, 0.0]]), 9).tolist() == [7]
    assert ngram._height(f([1.1]), f([1.0]), f([[5.0, 5.0, 0.0]]), 9).tolist() == [1]
    assert ngram._height(f([1.1]), f([1.0]), f([[0.0, 0.0, 0.0]]), 9).tolist() == [1]


def test_same_generator_state_same_release():
    options = {"epsilon": 2.0, "n_max": 3, "l_max": 6, "symbols": 3}
    one, two, fresh = (
        ngram.ngram_dp(walks(1), rng=rng, **options) for rng in (np.random.default_rng(5), 5, None)
    )
    assert np.array_equal(one.histogram, two.histogram)
    assert not np.array_equal(one.noisy[0], fresh.noisy[0])


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"epsilon": 0}, ValueError, "ngram_dp: epsilon must be positive, got 0"),
        ({"epsilon": 1e-308}, ValueError, "epsilon must be at least 1e-200, got 1e-308"),
        ({"n_max": 0}, ValueError, "n_max must be at least 1, got 0"),
        ({"l_max": 0}, ValueError, "l_max must be at least 1, got 0"),
        ({"symbols": 1}, ValueError, "symbols must be at least 2, got 1"),
        ({"rng": 0.5}, TypeError, "rng must be None, an integer seed or a numpy.random.Generator"),
        ({"sequences": [0, 1]}, ValueError, r"sequences must have 2 dimension\(s\)"),
        ({"sequences": [[0.0, 1.0]]}, TypeError, "sequences must hold integers"),
        ({"sequences": [[0, 3]]}, ValueError, r"sequences must hold integers in -1\.\.2"),
        ({"sequences": [[-1, 2]]}, ValueError, "at the end only"),
    ],
)
def test_bad_input(change, error, message):
    arguments = {
        "sequences": walks(1), "epsilon": 1.0, "n_max": 3, "l_max": 5,
        "rng": np.random.default_rng(0), "symbols": 3,
    }  # fmt: skip
    arguments |= change
    with pytest.raises(error, match=message):
        ngram.ngram_dp(arguments.pop("sequences"), **arguments)


def test_counts_refuses_what_does_not_fit():
    model = ngram.ngram_dp(
        walks(1), epsilon=1.0, n_max=2, l_max=5, rng=np.random.default_rng(0), symbols=3
    )
    with pytest.raises(ValueError, match="counts: order must be at least 1, got 0"):
        model.counts(0)
    for order in (16, 10**12):
        with pytest.raises(ValueError, match="more than 20 million"):
            model.counts(order)


@pytest.mark.filterwarnings("error")
def test_the_least_epsilon_still_gives_numbers():
    model = ngram.ngram_dp(walks(1), epsilon=1e-200, n_max=3, l_max=5, symbols=3, rng=0)
    assert np.isfinite(model.noisy).all()
    assert np.isfinite(model.counts(2)).all()
    assert np.abs(model.noisy[0]).max() > 1e199


def test_what_is_under_a_mask_is_not_counted():
    # Two people with symbols, and two of whom nothing is to be used.
    people = [[0, 1, 0], [1, 1, 0]]
    mask = [[False] * 3] * 2 + [[True] * 3] * 2
    masked = np.ma.masked_array(people + [[0] * 3] * 2, mask=mask)
    options = {"epsilon": math.inf, "n_max": 1, "l_max": 4, "symbols": 2}
    for hidden in (masked, list(masked), tuple(masked), [people[0], masked[2]]):
        with pytest.raises(TypeError, match="ngram_dp: sequences must be without a mask"):
            ngram.ngram_dp(hidden, **options)
    assert ngram.ngram_dp(people, **options).counts(1).tolist() == [3, 3]
