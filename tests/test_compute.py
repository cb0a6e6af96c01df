"""The formulas that the page computes: against the stored frames, and against Python.

All JavaScript runs in one Chromium page. Expected values come from the notebooks' stored frames,
scipy, exact fractions and `privlib`.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import reader
from scipy import stats

from conftest import Visitor
from privlib.correlated import FiniteLaw, GaussianModel
from privlib.disclosure import design, knowledge, match_probability, pk_level, pram
from privlib.laplace.accuracy import error_probability, tolerance_for
from privlib.location import gain
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch, poisoning

ROOT = Path(__file__).resolve().parent.parent


def figures():
    """What the notebooks store of their live figures, by name."""
    for notebook in reader.notebooks(ROOT):
        for figure in notebook.figures:
            if figure.live:
                markup = reader.live_markup(ROOT, notebook.name, figure.label)
                data = re.search(r"json\">(.*?)</script>", markup)[1].replace("<\\/", "</")
                yield json.loads(data)


STORED = {figure["name"]: figure for figure in figures()}
GRIDS = {"cheapest-live", "dial"}  # no closed form here; they keep to their frames


@pytest.fixture(scope="module")
def page(browser, html):
    made = Visitor(browser, html, formulas=False)
    yield made.open("book/interactive")
    made.context.close()


def best_link(table, size, keep):
    """Chance that the likeliest link is right, over all samples, drawn and rewritten, exactly.

    The released rows are a product over the records: each is left out, or shown as some value.
    """
    values = range(len(table))

    def releases(records):
        weights = Counter({(0,) * len(table): Fraction(1)})
        for record in records:
            more = Counter(weights)
            for shown, weight in weights.items():
                for b in values:
                    chance = (1 - keep) / len(table) + keep * (record == b)
                    more[tuple(f + (v == b) for v, f in zip(values, shown))] += chance * weight
            weights = more
        return weights

    first, *others = [value for value in values for _ in range(table[value])]
    rest, total = releases(others), Fraction(0)
    for shown in (s for s in product(range(size + 1), repeat=len(table)) if sum(s) == size):
        links = [
            ((1 - keep) / len(table) + keep * (first == b))
            * rest[tuple(f - (v == b) for v, f in zip(values, shown))] / f
            for b, f in enumerate(shown) if f
        ]  # fmt: skip
        total += max(links)
    return total / math.comb(sum(table), size)


def number(readout):
    return float(re.match(r"[-\d.,]+", readout)[0].replace(",", "")) / (
        100 if "%" in readout else 1
    )


def four(value):
    """Half a unit of the fourth digit of a stored number."""
    return 0.5001 * 10 ** (math.floor(math.log10(abs(value))) - 3) if value else 1e-9


def compare(computed, stored, where):
    if isinstance(stored, dict):
        assert computed.keys() == stored.keys(), where
        for key, value in stored.items():
            compare(computed[key], value, (*where, key))
    elif isinstance(stored, list):
        assert len(computed) == len(stored), where
        for k, value in enumerate(stored):
            compare(computed[k], value, (*where, k))
    elif isinstance(stored, int | float) and not isinstance(stored, bool):
        assert abs(computed - stored) <= max(four(stored), 1e-12), where
    else:
        assert computed == stored, where


# --- what the notebooks stored --------------------------------------------------------------------


def test_every_figure_but_the_named_ones_has_a_closed_form_and_every_control_a_question(page):
    questions, controls = page.evaluate(
        """[privlib.questions, Object.fromEntries(
          Object.entries({ ...privlib.figures, ...privlib.bets }).map(([name, one]) => [name,
            ["sliders", "extra", "texts"].reduce((n, key) => n + (one[key] ?? []).length, 0)]))]"""
    )
    bets = {"bet-laplace", "bet-coins", "bet-table", "bet-move", "bet-report"}
    assert controls.keys() == (STORED.keys() - GRIDS) | bets
    assert questions.keys() == STORED.keys() | bets
    for name, asked in questions.items():
        stored = STORED.get(name, {"sliders": []})["sliders"]
        assert len(asked) == len(stored) + controls.get(name, 0), name
        for ask, answer, *_ in asked:
            assert ask.endswith("?"), ask
            assert answer.endswith("."), answer


@pytest.mark.parametrize("name", sorted(set(STORED) - GRIDS))
def test_the_formula_gives_every_stored_frame_to_its_four_digits_and_the_same_sentence(page, name):
    stored = STORED[name]
    grid = [[number(r) for r in slider["readouts"]] for slider in stored["sliders"]]
    found = page.evaluate(
        """([name, stored, positions]) => {
          const form = privlib.figures[name], parse = privlib.parse;
          const more = (form.extra ?? []).map(({ readouts, start }) => parse(readouts[start]));
          return positions.map((at) => form.compute(
            [...at, ...more], stored, form.texts?.map(({ start }) => start)));
        }""",
        [name, stored, [list(at) for at in product(*grid)]],
    )
    assert len(found) == len(stored["frames"])
    for k, (computed, frame) in enumerate(zip(found, stored["frames"])):
        compare(computed, frame, (name, k))


# --- the functions, off the grid ------------------------------------------------------------------


def run(page, source, *given):
    # As text: Playwright takes seconds to take a long list apart itself.
    return json.loads(page.evaluate(f"(g) => JSON.stringify(({source})(...g))", list(given)))


def at(page, name, values, texts=None):
    """Changes of a figure for any values, and its note."""
    changes = run(
        page,
        "(name, stored, values, texts) =>"
        " privlib.figures[name].compute(values, stored, texts ?? undefined)",
        name, STORED[name], values, texts,
    )  # fmt: skip
    return changes, next(c["note"] for c in changes if "note" in c)


def test_numbers_are_written_as_python_writes_them(page):
    values = [0.5, 1.5, 2.5, 0.125, 0.375, 12.345, -1.5, 1e-9, 99.95, 2.675, 1.005]
    for digits in range(4):
        written = run(page, "(xs, d) => xs.map((x) => privlib.fixed(x, d))", values, digits)
        assert written == [f"{v:.{digits}f}" for v in values]


@pytest.mark.parametrize("claimed", [0.25, 0.7, 1, 4])
def test_the_laplace_figure_between_its_frames(page, claimed):
    epsilon, prior, rare = 1.234, 0.37, 0.031
    changes, note = at(page, "attacker", [epsilon, prior, rare, claimed])
    scale = claimed / epsilon
    seen = np.array(STORED["attacker"]["data"][0]["x"])
    three, two = (stats.laplace(count, scale).pdf(seen) for count in (3, 2))
    assert np.allclose(changes[0]["y"], prior * three / (prior * three + (1 - prior) * two))
    law = {"epsilon": epsilon, "sensitivity": claimed}
    assert changes[3]["x"][0] == pytest.approx(float(tolerance_for(rare, **law)))
    tail = error_probability(np.geomspace(0.05, 200, 40), **law)
    assert np.allclose(changes[2]["y"], tail, rtol=1e-9)
    assert ("broken" in note) == (claimed < 1)
    assert ("to spare" in note) == (claimed > 1)


def test_the_leakage_of_two_coins_between_the_frames(page):
    for rho, epsilon in product((-0.97, -0.123, 0.456, 0.985), (0.15, 1.7, 9.0)):
        law = FiniteLaw(np.array([[1 + rho, 1 - rho], [1 - rho, 1 + rho]]) / 4)
        leak = run(page, "privlib.coinLeakage", rho, epsilon)
        assert leak == pytest.approx(law.bdp_leakage(0, scale=1 / epsilon), rel=1e-9)


def club(tau):
    graph = nx.karate_club_graph()
    return nx.laplacian_matrix(graph).toarray() + tau * np.eye(34)


def test_who_knows_whom_is_what_the_gaussian_model_says(page):
    model = GaussianModel(precision=club(0.37), width=1)
    for known in ([], [34], [1, 2, 33], list(range(2, 35))):
        text = ", ".join(map(str, known))
        changes, note = at(page, "network", [0.37], [text])
        told = [t.rpartition(" ")[2] for t in changes[0]["hovertext"]]
        for k, word in enumerate(told):
            if k + 1 in known:
                assert word == "known"
            else:
                expected = 1 + model.leakage_coefficient(k, {j - 1 for j in known})
                assert word == f"{expected:.2f}"
        assert (f"{len(known)} known" in note) == bool(known)


def test_a_click_makes_a_member_known_and_unknown_again(page):
    assert run(page, "privlib.toggle", "", 33) == "34"
    assert run(page, "privlib.toggle", "34, 2", 0) == "1, 2, 34"
    assert run(page, "privlib.toggle", "1, 2, 34", 1) == "1, 34"


def test_a_dragged_bar_keeps_the_total(page):
    bars = [6, 9, 8, 4]
    for bar, value, expected in (
        (3, 6, [6, 7, 8, 6]), (1, 6, [7, 6, 8, 6]), (0, 99, [27, 0, 0, 0]), (2, -5, [9, 9, 0, 9])
    ):  # fmt: skip
        assert run(page, "privlib.figures['alpha-gain'].drag.move", bars, bar, value) == expected


def test_each_step_of_a_slider_is_told(page):
    told = [at(page, "knowledge-map", [100, 2, 0.3, 0.8, 10, f])[1] for f in (2, 5, 10)]
    assert len(set(told)) == 3
    assert "at least 2 times" in told[0]


def test_levels_and_errors_of_releases_between_the_frames(page):
    for n, known, size, keep, categories, shown in (
        (1234, 17, 400, 0.37, 7, 3), (50, 49, 50, 0.93, 2, 30), (300, 1, 2, 0.05, 50, 2)
    ):  # fmt: skip
        A = pram.retention_matrix(keep, categories)
        expected = knowledge.pk_level_map(A, n, n_known=known, n_sampled=size, shown=shown)
        given = {"n": n, "known": known, "size": size, "keep": keep, "categories": categories}
        levels = run(page, "privlib.levelMap", {**given, "shown": shown})
        assert np.allclose(levels, expected.astype(float), rtol=1e-9)
        if n > size:
            share = [0.23, *[0.77 / (categories - 1)] * (categories - 1)]
            level, error = run(page, "privlib.prices", n, size, keep, categories, 0.23)
            assert level == pytest.approx(float(pk_level(A, n, n_sampled=size)))
            variance = design.share_variance(share, A, n=n, n_sampled=size)[0]
            assert error == pytest.approx(100 * variance**0.5)
    thinned = design.best_thinning(1000, 7.5, categories=4, share=0.3)
    best = run(page, "privlib.prices", 1000, thinned.n_sampled, thinned.keep, 4, 0.3)[1]
    assert run(page, "privlib.leastError", 1000, 7.5, 4, 0.3) == pytest.approx(best, rel=1e-6)


def test_gains_of_typed_tables(page):
    chance = np.random.default_rng(4)
    for _ in range(3):
        moves = chance.integers(0, 9, (4, 4)) + np.eye(4, dtype=int)
        before = chance.integers(2, 30, 4)
        P = moves / moves.sum(axis=1, keepdims=True)
        now = chance.multinomial(before.sum(), [0.25] * 4)
        alpha = 0.3
        texts = [
            ", ".join(map(str, before)),
            " ".join(map(str, now)),
            " ".join(map(str, moves.flat)),
        ]
        published = now + alpha * (before @ P - now)
        changes, note = at(page, "alpha-gain", [alpha, 1.0], texts)
        expected = gain.gain_table(before, published, transition=P)
        table = np.array(changes[1]["z"], dtype=float)  # null is nan: no prior
        assert np.allclose(table, expected, rtol=1e-7, equal_nan=True)
        if not note.startswith("All gains are 1"):
            assert f"{np.nanmax(expected):.2f}" in note


def test_gains_of_attacks_for_any_width_and_number_of_rows(page):
    for epsilon, targets, width, hashes in (
        (0.3, 3, 64, 16),
        (2.7, 1, 1024, 128),
        (4.0, 9, 16, 32),
    ):
        for name, made in (("CMS", CountMeanSketch), ("HCMS", HadamardCountMeanSketch)):
            scheme = made(epsilon, hashes=hashes, width=width, seed=0)
            law = {"epsilon": epsilon, "targets": targets, "width": width, "hashes": hashes}
            for attack in ("rpa", "ria", "mga", "demotion"):
                expected = poisoning.frequency_gain(scheme, attack, n_fake=1000, targets=targets)
                found = run(page, "privlib.fakeGain", name, attack, law)
                assert 1000 * found == pytest.approx(expected, rel=1e-9), (name, attack)
            if name == "CMS":
                variance = poisoning.gain_variance(scheme, "ria", n_fake=700, targets=targets)
                found = run(page, "privlib.riaDeviation", law, 700)
                assert found == pytest.approx(variance**0.5, rel=1e-9)


@pytest.mark.parametrize("targets", [1, 3, 6, 7])
def test_a_cheat_between_the_frames_plays_all_coins_and_signs(page, targets):
    lucky, factor = Fraction(8, 11), Fraction(128, 127)
    worth = [[], []]  # votes and chance of a report with the targets' coins seen: V5, V6
    for column, signs in enumerate([(1,) * targets, *product((1, -1), repeat=targets)]):
        share = Fraction(127, 128 * 2**targets) if column else Fraction(1, 128)
        for sign, chance in ((1, lucky), (-1, 1 - lucky)):
            for found, kept in zip(worth, (targets, signs[0] * sum(signs))):
                votes = factor * (Fraction(11, 5) * sign * kept - Fraction(targets, 128))
                found.append((votes, share * chance))
    worth.insert(0, [(factor * (Fraction(11, 5) - Fraction(1, 128)) * targets, Fraction(1))])
    for variant, cases in zip((3, 5, 6), worth):
        seen = run(page, "privlib.branches", variant, targets)
        assert math.isclose(sum(chance for _, chance in seen), 1)
        for votes, chance in seen:
            alike = [q for v, q in cases if math.isclose(v, votes, rel_tol=1e-12)]
            assert chance == pytest.approx(float(sum(alike)), rel=1e-12)
        for least in (-2.31, -0.7, 0.123, 1.44, 2.2):
            sent = [(v, q) for v, q in cases if v >= least * targets]
            gained, open_ = sum(v * q for v, q in sent), 1 - sum(q for _, q in sent)
            changes, note = at(page, "sk-05-cheat", [variant, targets, least])
            assert changes[4]["x"] == pytest.approx([float(open_)], abs=1e-12)
            assert changes[4]["y"] == pytest.approx([float(gained / targets)], abs=1e-12)
            shown = [trace["y"] for trace in changes[:2]]
            assert np.allclose([sum(y) for y in shown], [float(1 - open_), float(open_)])
            best = sum(max(v, 0) * q for v, q in cases)
            assert f"gains {float(gained):.2f} votes" in note
            assert f"the best gains {float(best):.2f}, with" in note
            assert targets * max(changes[3]["y"]) == pytest.approx(float(best))


@pytest.mark.parametrize(
    ("name", "texts", "message"),
    [
        ("network", ["35"], "Known members"),
        ("network", ["1, 1"], "each once"),
        ("network", ["1.5"], "whole numbers"),
        ("network", [" ".join(map(str, range(1, 35)))], "leave out one"),
        ("alpha-gain", ["1, 2, 3", "6, 9, 8, 4", "1 " * 16], "People before: 4 whole numbers"),
        ("alpha-gain", ["6, 7, 6, 8", "6, 9, 8, 5", "1 " * 16], "People now: 27 in all"),
        ("alpha-gain", ["6, 7, 6, 8", "6, 9, 8, 4", "0 " * 16], "Moves"),
        ("alpha-gain", ["6, 7, 6, 8", "6, 9, 8, x", "1 " * 16], "not “6, 9, 8, x”"),
        ("alpha-gain", ["1, 0, 0, 0", "1, 0, 0, 0", "1 " * 16], "less than one"),
        (
            "alpha-gain",
            ["6, 7, 6, 8", "6, 9, 8, 4", "1 0 0 0; 0 1 0 0; 0 0 1 0; 0 0 0 1"],
            "nobody can have gone so",
        ),
    ],
)
def test_a_table_that_cannot_be_is_refused_with_a_sentence(page, name, texts, message):
    start = [slider["start"] for slider in STORED[name]["sliders"]]
    values = [number(s["readouts"][k]) for s, k in zip(STORED[name]["sliders"], start)]
    source = """(name, stored, values, texts) => {
      try { privlib.figures[name].compute(values, stored, texts); return ""; }
      catch (error) { return error instanceof RangeError ? error.message : "wrong kind"; }
    }"""
    assert message in run(page, source, name, STORED[name], values, texts)


def test_answers_that_name_a_number_are_right(page):
    """Each number in an answer, from Python."""
    questions = page.evaluate("privlib.questions")
    text = " ".join(answer for asked in questions.values() for _, answer, *_ in asked)
    keep = [pk_level(pram.retention_matrix(0.8, 10), 1000, n_sampled=s) for s in (1000, 950)]
    errors = []
    for size in (1000, 100):
        rho = design.retention_for_k(1000, 10, categories=10, n_sampled=size)
        A = pram.retention_matrix(float(rho), 10)
        errors.append(100 * design.share_variance([0.1] * 10, A, n=1000, n_sampled=size)[0] ** 0.5)
    P = np.array([[2, 7, 2, 9], [13, 2, 1, 4], [5, 2, 7, 6], [1, 1, 5, 13]]) / 20
    one, now = np.array([6, 7, 6, 8]), np.array([6, 9, 8, 4])
    half = [gain.max_gain(m * one, m * (now + one @ P) / 2, transition=P) for m in (1, 2)]
    stay = gain.gain_table(one, one.astype(float), transition=P)
    assert np.unravel_index(np.nanargmax(stay), (4, 4)) == (1, 1)
    tea = stats.logistic.cdf(1.0)
    for words in (
        f"log 9 = {math.log(9):.2f}",
        f"a belief of {stats.logistic.cdf(5):.1%}",
        f"saves {1 - 0.5 / math.sinh(0.5):.0%}",
        f"from {keep[0]:.2f} to {keep[1]:.2f}",
        f"{errors[0]:.1f} points of error, against {errors[1]:.1f}",
        f"from {half[0]:.2f} to {half[1]:.2f}",
        f"is {stay[1, 1]:.2f}.",
        f"In {1 - math.exp(-0.5) / 2:.1%} of the releases.",
        f"The level allows {stats.logistic.cdf(1):.1%}",
        f"In {tea * (1 - 1 / 128) + 0.5 / 128:.1%} of the reports; in {stats.logistic.cdf(2):.1%}",
    ):
        assert words in text, words
    levels = [pk_level(pram.retention_matrix(rho, 3), 12) for rho in (0.8, 0.5)]
    assert f"from {1 / levels[0]:.0%} to {1 / levels[1]:.0%}, when all are drawn" in text
    exact = [best_link((1, 6, 5), size, Fraction(4, 5)) for size in (6, 12)]
    hits = [np.mean(draw(page, "bet-table", [p, 0.8], ["1, 6, 5"])[2]) for p in (0.5, 1)]
    assert np.allclose(hits, [float(rate) for rate in exact], atol=0.025)  # 3 standard errors
    assert f"in {float(exact[0]):.0%} instead of {float(exact[1]):.0%}" in text
    assert f"a factor {0.7 / 0.15:.2f}, and e^ε is {math.e:.2f}." in text
    found = exact_numbers((1, 2, 1), Fraction(2, 5))
    assert f"and in {float(found):.1%} with exact numbers." in text
    rng = np.random.default_rng(3)
    for before, releases, told in (
        ((1, 2, 1), 150_000, "With 1, 2, 1 and 0.40 you are right in {:.0%} at ε = 5"),
        ((1, 0, 0), 150_000, "at ε = 5 and 0.40, type 1, 0, 0: right in {:.0%}."),
        ((2, 2, 2), 20_000, "Type 2, 2, 2: in {:.0%}."),
    ):
        likeliest = town(before, 0.4, 5, rng, releases).max(axis=0)
        error = 3 * likeliest.std() / releases**0.5
        assert f"{likeliest.mean() - error:.0%}" == f"{likeliest.mean() + error:.0%}"
        assert told.format(likeliest.mean()) in text
    alike = gain.gain_table(one, now, transition=np.full((4, 4), 0.25), law="exact")
    assert np.allclose(alike[:, 1], alike[0, 1])
    assert f"The exact gain of going to 2 is {alike[0, 1]:.2f}." in text
    assert 4.35 / 2 / math.sinh(4.35 / 2) == pytest.approx(0.5, abs=1e-3)
    found = [run(page, "(r) => privlib.bets['bet-coins'].rate([r, 1])", r) for r in (0.462, 0.463)]
    assert found[0] < stats.logistic.cdf(1) < found[1]
    assert "From about 0.462 on" in text


# --- drawing --------------------------------------------------------------------------------------

DRAWS = 40_000


def by_name(before, stay, epsilon, seen):
    """Joint weight of her place (row) and the numbers seen, over the ways of all, each by name."""
    P = np.where(np.eye(3, dtype=bool), stay, (1 - stay) / 2)
    _, *others = [place for place in range(3) for _ in range(before[place])]
    joint = np.zeros((3, len(seen)))
    for went in product(range(3), repeat=len(others)):
        weight = math.prod(P[a, b] for a, b in zip(others, went))
        for b in range(3):
            now = np.bincount([*went, b], minlength=3)
            density = stats.laplace(scale=2 / epsilon).pdf(seen - now).prod(axis=1)
            joint[b] += P[0, b] * weight * density
    return joint


def town(before, stay, epsilon, rng, releases):
    """Probabilities of her places (rows), given the numbers of many releases."""
    P = np.where(np.eye(3, dtype=bool), stay, (1 - stay) / 2)
    went = np.array([rng.choice(3, releases, p=P[a]) for a in np.repeat(range(3), before)])
    now = (went[:, :, None] == range(3)).sum(axis=0)
    joint = by_name(before, stay, epsilon, now + rng.laplace(scale=2 / epsilon, size=now.shape))
    return joint / joint.sum(axis=0)


def exact_numbers(before, stay):
    """How often the best bet is right if the numbers are published as they are, in fractions."""
    _, *others = [place for place in range(3) for _ in range(before[place])]
    joint = Counter()
    for hers, *went in product(range(3), repeat=1 + len(others)):
        moves = zip([0, *others], [hers, *went])
        chance = math.prod(stay if a == b else (1 - stay) / 2 for a, b in moves)
        joint[hers, *(went.count(b) + (hers == b) for b in range(3))] += chance
    return sum(max(joint[b, *now] for b in range(3)) for now in {key[1:] for key in joint})


def draw(page, name, values, texts=None, seed=7):
    """Releases of a bet: what was seen, the kinds, whether the best rule was right, the words."""
    return run(
        page,
        """(name, values, texts, seed, count) => {
          const bet = privlib.bets[name], uniform = privlib.generator(seed);
          const drawn = privlib.range(count).map(() =>
            bet.draw(values, uniform, texts ?? undefined));
          return ["seen", "kind", (one) => +one.hit(one.best), "told"].map((what) =>
            drawn.map((one) => (typeof what === "string" ? one[what] : what(one))));
        }""",
        name, values, texts, seed, DRAWS if texts is None else 4000,
    )  # fmt: skip


def test_the_generator_is_mulberry32_and_uniform(page):
    def mulberry(seed, count):
        for _ in range(count):
            seed = (seed + 0x6D2B79F5) % 2**32
            t = (seed ^ seed >> 15) * (seed | 1) % 2**32
            t ^= (t + (t ^ t >> 7) * (t | 61)) % 2**32
            yield ((t ^ t >> 14) + 0.5) / 2**32

    source = "(seed, n) => { const u = privlib.generator(seed); return privlib.range(n).map(u); }"
    uniform = run(page, source, 12, DRAWS)
    assert uniform[:500] == list(mulberry(12, 500))
    assert stats.kstest(uniform, "uniform").pvalue > 1e-3
    assert stats.kstest(np.abs(np.diff(uniform)), lambda x: 1 - (1 - x) ** 2).statistic < 0.02


def test_laplace_noise_has_its_law(page):
    source = """(seed, n, scale) => { const u = privlib.generator(seed);
      return privlib.range(n).map(() => privlib.laplaceNoise(u(), scale)); }"""
    noise = np.array(run(page, source, 3, DRAWS, 2.5))
    assert stats.kstest(noise, stats.laplace(scale=2.5).cdf).pvalue > 1e-3
    # |noise| / 2.5 is exponential: mean 1, standard error 1 / sqrt(DRAWS) = 0.005
    assert abs(np.abs(noise).mean() / 2.5 - 1) < 4 / DRAWS**0.5
    assert abs((noise > 0).mean() - 0.5) < 4 * 0.5 / DRAWS**0.5


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("bet-laplace", [1]), ("bet-laplace", [3]), ("bet-coins", [0.9, 1]),
        ("bet-coins", [-0.9, 2]), ("bet-report", [2, 128]), ("bet-report", [3, 2]),
    ],
)  # fmt: skip
def test_the_best_rule_is_right_as_often_as_its_formula_says_and_never_beyond_the_bound(
    page, name, values
):
    seen, kinds, hits, _ = draw(page, name, values)
    rate = run(page, "(n, v) => privlib.bets[n].rate(v)", name, values)
    most, _ = run(page, "(n, v) => privlib.bets[n].most(v)", name, values)
    error = (rate * (1 - rate) / DRAWS) ** 0.5  # 0.0025 at most
    assert abs(np.mean(hits) - rate) < 4 * error
    assert rate <= most + 1e-12
    assert abs(np.mean(kinds) - 0.5) < 4 * 0.5 / DRAWS**0.5
    if name != "bet-report":  # no cut of the line does better than the rule, up to noise
        order = np.array(kinds)[np.argsort(seen)]
        ones = order.sum()
        right = np.concatenate([[ones], ones - np.cumsum(order) + np.cumsum(1 - order)]) / DRAWS
        assert right.max() < rate + 5 * error


def test_the_bets_keep_their_bounds_in_closed_form(page):
    for epsilon in (0.1, 1, 5):
        allowed = math.exp(epsilon) / (1 + math.exp(epsilon))
        for name, values in (("bet-laplace", [epsilon]), ("bet-report", [epsilon, 16])):
            found = run(page, "(n, v) => privlib.bets[n].most(v)[0]", name, values)
            assert found == pytest.approx(allowed)
        law = FiniteLaw(np.array([[1.9, 0.1], [0.1, 1.9]]) / 4)
        leak = law.bdp_leakage(0, scale=1 / epsilon)
        found = run(page, "(n, v) => privlib.bets[n].most(v)[0]", "bet-coins", [0.9, epsilon])
        assert found == pytest.approx(1 / (1 + math.exp(-leak)))


def test_links_of_a_released_table_are_those_of_privlib(page):
    table, keep, size = [0, 1, 1, 2, 2], 0.6, 3
    A = pram.retention_matrix(Fraction(3, 5), 3)
    source = """(table, shown, keep) => privlib.links(table, shown,
      (a, b) => (1 - keep) / 3 + (a === b ? keep : 0))"""
    for shown in ([3, 0, 0], [1, 1, 1], [0, 2, 1], [1, 0, 2]):
        release = [b for b, f in enumerate(shown) for _ in range(f)]
        found = run(page, source, table, shown, keep)
        for b, f in enumerate(shown):
            if f:
                expected = match_probability(
                    table, release, transition=A, record=0, slot=release.index(b)
                )
                assert found[b] == pytest.approx(float(expected), rel=1e-9), (shown, b)
    assert size == len(release)


def test_links_are_computed_once_for_a_table_however_often_it_is_released(page):
    """An address may ask for 5000 releases of 36 people, and the page draws them at once."""
    draw(page, "bet-table", [0.5, 0.8], ["12, 12, 12"])
    marked = """() => { for (const [key, links] of privlib.linked) {
      privlib.linked.set(key, links.map(() => 2));
    } return privlib.linked.size; }"""
    assert 50 < run(page, marked) <= 190  # ways to show 18 values of three kinds: 190
    assert set(draw(page, "bet-table", [0.5, 0.8], ["12, 12, 12"])[0]) == {2}
    assert max(draw(page, "bet-table", [0.5, 0.95], ["12, 12, 12"])[0]) <= 1
    run(page, "() => { privlib.linked.clear(); return 0; }")


def test_drawn_tables_are_linked_as_often_as_their_probabilities_say(page):
    for values, text in (([1, 0.5], "1, 6, 5"), ([0.5, 0.8], "2, 4")):
        drawn = draw(page, "bet-table", values, [text])
        seen, kinds, hits, told = map(np.array, drawn)
        most, _ = run(page, "(n, v, t) => privlib.bets[n].most(v, t)", "bet-table", values, [text])
        n, categories = sum(map(int, text.split(","))), len(text.split(","))
        A, size = pram.retention_matrix(values[1], categories), round(values[0] * n)
        assert 1 / most == pytest.approx(float(pk_level(A, n, n_sampled=size)))
        assert seen.max() <= most + 1e-12
        error = ((seen * (1 - seen)).sum()) ** 0.5 / len(seen)  # about 0.008
        assert abs(hits.mean() - seen.mean()) < 4 * error
        assert (kinds == 1 - hits).all()
        totals = Counter(sum(map(int, re.findall(r"(\d+) ×", one))) for one in told)
        assert set(totals) == {size}


@pytest.mark.parametrize(
    ("before", "stay", "epsilon"),
    [((1, 0, 0), 0.4, 5), ((1, 2, 1), 0.7, 0.5), ((2, 1, 3), 0.1, 3), ((3, 0, 1), 0.9, 40)],
)
def test_where_she_is_follows_from_the_ways_of_all_by_name(page, before, stay, epsilon):
    rng = np.random.default_rng(5)
    seen = np.array(before) + rng.laplace(scale=2 / epsilon, size=(12, 3))
    joint = by_name(before, stay, epsilon, seen)
    source = "(values, texts, all) => all.map((seen) => privlib.places(values, texts, seen))"
    found = run(page, source, [stay, epsilon], [", ".join(map(str, before))], seen.tolist())
    assert np.allclose(np.transpose(found), joint / joint.sum(axis=0), rtol=1e-9)


def test_numbers_far_from_all_that_can_be_still_tell_a_place(page):
    source = "(values, texts, seen) => privlib.places(values, texts, seen)"
    found = run(page, source, [0.4, 5], ["12, 12, 12"], [900, -300, -300])
    odds = np.array([0.4 * math.e**5, 0.3, 0.3])  # half of ε is nearer at A, half at another place
    assert np.allclose(found, odds / odds.sum(), rtol=1e-9)


@pytest.mark.parametrize(
    ("values", "text"), [([0.4, 3], "1, 2, 1"), ([0.1, 1], "4, 2, 1"), ([0.9, 5], "1, 0, 0")]
)
def test_she_is_found_as_often_as_the_probabilities_say_and_never_beyond_the_bound(
    page, values, text
):
    seen, kinds, hits, told = map(np.array, draw(page, "bet-move", values, [text]))
    most, _ = run(page, "(n, v, t) => privlib.bets[n].most(v, t)", "bet-move", values, [text])
    prior = max(values[0], (1 - values[0]) / 2)
    odds = prior / (1 - prior) * math.exp(values[1])
    assert most == pytest.approx(odds / (1 + odds))
    assert prior <= seen.mean() <= seen.max() <= most + 1e-12
    error = ((seen * (1 - seen)).sum()) ** 0.5 / len(seen)  # about 0.008
    assert abs(hits.mean() - seen.mean()) < 4 * error
    assert (kinds == 1 - hits).all()
    # Noise of scale 2/ε on three numbers: the sum errs by three variances 8/ε².
    # Each number is that of its place, and their sum errs by three variances 8/ε².
    assert not re.search(r"-0\.00", " ".join(told))
    shape = r"(-?\d+\.\d\d) at A, (-?\d+\.\d\d) at B, (-?\d+\.\d\d) at C"
    numbers = np.array([re.fullmatch(shape, one).groups() for one in told], dtype=float)
    before, variance = np.array(text.split(","), dtype=int), 8 / values[1] ** 2
    P = np.where(np.eye(3, dtype=bool), values[0], (1 - values[0]) / 2)
    error = ((variance + before.sum() / 4) / len(told)) ** 0.5
    assert (np.abs(numbers.mean(axis=0) - before @ P) < 4 * error).all()
    assert numbers.sum(axis=1).std() == pytest.approx((3 * variance) ** 0.5, rel=0.05)


@pytest.mark.parametrize("text", ["0, 3, 1", "1, 2", "1, 2, 1.5", "13, 0, 0", "", "1, 2, 1, 1"])
def test_a_town_that_cannot_be_is_refused_with_a_sentence(page, text):
    source = """(text) => { try { privlib.bets["bet-move"].most([0.4, 1], [text]); return ""; }
      catch (error) { return error instanceof RangeError ? error.message : "wrong kind"; } }"""
    assert run(page, source, text).startswith("People yesterday: ")
