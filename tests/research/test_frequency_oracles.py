"""Tests of `privlib.research.frequency_oracles`: all reports of tiny cases."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest

from privlib.research.frequency_oracles import Oracle, frequency_gain, grr, olh, oue

ODDS = [Fraction(3), Fraction(5, 2)]
ITEMS = 4


def reports(name, E, g=3):
    """All reports of a tiny oracle: the items supported, and the distribution under each item."""
    domain = range(ITEMS)
    if name == "GRR":
        for y in domain:
            yield {y}, [Fraction(E if d == y else 1, 1) / (E + ITEMS - 1) for d in domain]
    elif name == "OUE":
        for bits in itertools.product((0, 1), repeat=ITEMS):
            distribution = []
            for d in domain:
                chance = Fraction(1, 2)
                for i, bit in enumerate(bits):
                    if i != d:
                        chance *= (1 if bit else E) / (E + 1)
                distribution.append(chance)
            yield {i for i, bit in enumerate(bits) if bit}, distribution
    else:  # all functions from the items to g values, drawn uniformly
        for values in itertools.product(range(g), repeat=ITEMS):
            for y in range(g):
                distribution = [Fraction(E if values[d] == y else 1) / (E + g - 1) for d in domain]
                yield {i for i in domain if values[i] == y}, [x / g**ITEMS for x in distribution]


def enumerated(name, E):
    """P and Q, and what each report adds to each item, from the list of all reports."""
    listed = list(reports(name, E))
    chance = [
        [sum(distribution[d] for s, distribution in listed if t in s) for t in range(ITEMS)]
        for d in (0, 1)
    ]
    P, Q = chance[0][0], chance[1][0]
    assert all(sum(distribution[d] for _, distribution in listed) == 1 for d in range(ITEMS))
    worth = [[((t in s) - Q) / (P - Q) for t in range(ITEMS)] for s, _ in listed]
    return listed, P, Q, worth


ORACLES = {
    "GRR": lambda E: grr(E, items=ITEMS),
    "OUE": oue,
    "OLH": lambda E: olh(E, buckets=3),
}


@pytest.mark.parametrize("E", ODDS)
@pytest.mark.parametrize("name", ORACLES)
class TestEnumeration:
    def test_probabilities_and_variance(self, name, E):
        oracle = ORACLES[name](E)
        listed, P, Q, worth = enumerated(name, E)
        assert (oracle.name, oracle.own, oracle.other) == (name, P, Q)
        assert oracle.blind == Fraction(sum(0 in s for s, _ in listed), len(listed))
        mean = sum(
            distribution[1] * w[0] for (_, distribution), w in zip(listed, worth, strict=True)
        )
        square = sum(
            distribution[1] * w[0] ** 2 for (_, distribution), w in zip(listed, worth, strict=True)
        )
        assert (mean, square) == (0, oracle.variance)

    def test_privacy_is_exactly_the_odds(self, name, E):
        assert (
            max(max(distribution) / min(distribution) for _, distribution in reports(name, E)) == E
        )

    @pytest.mark.parametrize("r", [1, 2, 3])
    def test_gains(self, name, E, r):
        oracle = ORACLES[name](E)
        listed, _, _, worth = enumerated(name, E)
        sums = [sum(w[:r]) for w in worth]
        honest = [
            sum(distribution[t] for t in range(r)) / Fraction(r) for _, distribution in listed
        ]
        expected = {
            "mga": max(sums),
            "demotion": min(sums),
            "rpa": sum(sums) / Fraction(len(sums)),
            "ria": sum(x * p for x, p in zip(sums, honest, strict=True)),
        }
        for attack, gain in expected.items():
            found = frequency_gain(oracle, attack, n_fake=7, targets=r)
            assert isinstance(found, Fraction)
            assert found == 7 * gain


def test_gains_as_cao_jia_and_gong_have_them():
    # shares of all reports without the term of the targets' own share; E = e, one fake
    E, r, d = math.e, 5, 43
    assert frequency_gain(grr(E, items=d), "mga", n_fake=1, targets=r) == pytest.approx(
        1 + (d - r) / (E - 1)
    )
    for oracle in (oue(E), olh(Fraction(3), buckets=4)):
        base = float(oracle.other**-1 - 1)  # e^ε of OUE; g - 1, which is e^ε for this OLH
        gain = float(frequency_gain(oracle, "mga", n_fake=1, targets=r))
        assert gain == pytest.approx(2 * r + 2 * r / (base - 1))


def test_buckets_without_a_choice():
    assert olh(math.e).other == Fraction(1, 4)
    assert olh(Fraction(7, 2)).other == Fraction(1, 5)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: grr(1, items=3), ValueError, "grr: odds must be above 1, got 1"),
        (lambda: grr("3", items=3), TypeError, "grr: odds must be a real number"),
        (lambda: grr(3, items=1), ValueError, "grr: items must be"),
        (lambda: oue(math.inf), ValueError, "oue: odds must be finite"),
        (lambda: olh(3, buckets=1), ValueError, "olh: buckets must be"),
        (lambda: frequency_gain("GRR", "mga", n_fake=1, targets=1), TypeError, "oracle must be"),
        (lambda: frequency_gain(oue(3), "all_ones", n_fake=1, targets=1), ValueError, "attack"),
        (lambda: frequency_gain(oue(3), "mga", n_fake=-1, targets=1), ValueError, "n_fake"),
        (lambda: frequency_gain(oue(3), "mga", n_fake=1, targets=0), ValueError, "targets"),
        (
            lambda: frequency_gain(grr(3, items=3), "mga", n_fake=1, targets=3),
            ValueError,
            "targets must be",
        ),
    ],
)
def test_what_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize(
    ("chances", "error", "words"),
    [
        ((0.25, 0.25, 0.5), ValueError, "Oracle: own must be above other, got 0.25"),
        ((0.25, 0.5, 0.5), ValueError, "Oracle: own must be above other, got 0.25"),
        ((1.5, 0.5, 0.5), ValueError, r"Oracle: own must be a probability in \[0, 1\], got 1.5"),
        ((0.5, Fraction(-1, 4), 0.5), ValueError, "Oracle: other must be a probability"),
        ((0.5, 0.25, 2), ValueError, "Oracle: blind must be a probability"),
        ((0.5, 0.25, math.nan), ValueError, "Oracle: blind must be finite, got nan"),
        ((math.inf, 0.25, 0.5), ValueError, "Oracle: own must be finite"),
        ((0.5, "0.25", 0.5), TypeError, "Oracle: other must be a real number, got '0.25'"),
        ((0.5, 0.25, None), TypeError, "Oracle: blind must be a real number"),
        ((True, 0.25, 0.5), TypeError, "Oracle: own must be a real number"),
        ((0.5, 0.25, 0.5, 1), ValueError, "Oracle: items must be at least 2, got 1"),
        ((0.5, 0.25, 0.5, 4.0), TypeError, "Oracle: items must be an integer"),
    ],
)
def test_what_is_no_oracle(chances, error, words):
    with pytest.raises(error, match=words):
        Oracle("any label", *chances)


def test_odds_whose_double_floats_cannot_hold():
    with pytest.raises(ValueError, match=r"Oracle: own must be above other, got 0\.0"):
        olh(1.5e308)
    assert olh(8e307).own == 0.5


def test_an_oracle_of_ones_own():
    # symmetric unary encoding: e^(ε/2) = 3, so a report supports the own item in 3/4 of all cases
    made = Oracle("SUE", Fraction(3, 4), Fraction(1, 4), Fraction(1, 2))
    gains = [frequency_gain(made, name, n_fake=1, targets=1) for name in ("mga", "demotion")]
    assert gains == [Fraction(3, 2), Fraction(-1, 2)]
    assert Oracle("vote", 1, 0, Fraction(1, 3), 3).variance == 0


def test_rational_odds_stay_exact_at_any_size():
    huge = Fraction(10**400)
    assert olh(huge).own == huge / (2 * huge)
    assert grr(1 + 1 / huge, items=2).own > Fraction(1, 2)


def test_an_oracle_is_frozen():
    assert isinstance(oue(3), Oracle)
    with pytest.raises(AttributeError):
        oue(3).own = 1
