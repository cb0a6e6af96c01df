"""What the sketches promise, at the edges: never a level above the stated one, or an error.

The oracles are long numbers of mpmath, fractions and enumeration; none is a function under test.
"""

from __future__ import annotations

import copy
import dataclasses
import enum
import inspect
import io
import itertools
import json
import math
import pickle
import random
import threading
import time
import unicodedata
import warnings
import zipfile
from fractions import Fraction

import dask
import numpy as np
import pandas as pd
import pytest
from mpmath import mp

from privlib import UncertifiedError, _safety
from privlib.research import (
    distributed_sketches,
    frequency_oracles,
    sigma_proofs,
    verifiable_noise,
)
from privlib.sketch import (
    CountMeanSketch,
    HadamardCountMeanSketch,
    Sketch,
    _levels,
    count_mean,
    defences,
    group,
    hashing,
    poisoning,
    slots,
    transfer,
)
from privlib.sketch import scheme as sketch_scheme
from privlib.sketch.hadamard import hadamard_matrix
from privlib.sketch.hashing import ExplicitFamily, TabulationFamily
from privlib.sketch.items import distinct_items
from privlib.sketch.slots import slot_epsilon, slots_for
from privlib.sketch.threat_model import threat_matrix

from . import order5_group

BOTH = [CountMeanSketch, HadamardCountMeanSketch]


def source(seed):
    return random.Random(seed).randbytes


def long_level(odds, signs):
    """Level in 60 digits of mpmath; `odds` a fraction."""
    with mp.workdps(60):
        return signs * mp.log(mp.mpf(odds.numerator) / odds.denominator)


def levels():
    """Levels from one in a hundred million to ten thousand, and doubles beside nice numbers."""
    rng = random.Random(5)
    yield from (10.0**e for e in range(-8, 5))
    yield from (math.exp(rng.uniform(math.log(1e-8), math.log(1e4))) for _ in range(300))
    yield from (k * math.log(t / (n - t)) for k in (1, 2) for n, t in [(3, 2), (11, 8), (26, 19)])
    yield from (math.nextafter(x, to) for x in (1.0, 2 * math.log(2), 700.0) for to in (0, 1e4))
    yield from (1e-320, 5e-324, 1e308, 744.4, 745.2, 1488.9)


# --- the level of the flips ----------------------------------------------------------------


@pytest.mark.parametrize("kind", BOTH)
def test_flips_never_have_a_level_above_epsilon(kind):
    """The ratio of all reports is exact in the flip, which is drawn to its last bit."""
    made = 0
    for epsilon in levels():
        try:
            scheme = kind(epsilon, hashes=2, width=2, seed=0)
        except ValueError:
            continue
        made += 1
        flip = Fraction(scheme.flip)
        level = long_level((1 - flip) / flip, kind.sensitivity)
        assert level <= mp.mpf(epsilon)
        assert level >= mp.mpf(epsilon) * (1 - mp.mpf("1.001e-9"))
        # One double less would be above it: nothing is given away.
        less = Fraction(math.nextafter(scheme.flip, 0))
        assert long_level((1 - less) / less, kind.sensitivity) > mp.mpf(epsilon)
    assert made > 150


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0, Fraction(5, 2), np.float32(0.5), 3])
@pytest.mark.parametrize("kind", BOTH)
def test_no_report_is_more_probable_than_epsilon_allows(kind, epsilon):
    """All reports of all items, from the definition of the codes."""
    table = {"a": [0, 3], "b": [1, 3], "c": [2, 0]}
    scheme = kind.with_family(epsilon, ExplicitFamily(table, 4))
    q = Fraction(scheme.flip)
    H = hadamard_matrix(4)
    worst = Fraction(0)
    for row in range(2):
        for column in range(scheme.n_coordinates):
            codes = []
            for cells in table.values():
                if kind is HadamardCountMeanSketch:
                    codes.append([int(H[column, cells[row]])])
                else:
                    codes.append([1 if cell == cells[row] else -1 for cell in range(4)])
            for report in itertools.product([-1, 1], repeat=len(codes[0])):
                chances = [
                    math.prod(1 - q if sign == own else q for sign, own in zip(report, code))
                    for code in codes
                ]
                worst = max(worst, max(chances) / min(chances))
    with mp.workdps(60):
        assert mp.log(mp.mpf(worst.numerator) / worst.denominator) <= mp.mpf(float(epsilon))
        assert scheme.epsilon == epsilon


@pytest.mark.parametrize("kind", BOTH)
def test_a_flip_that_is_too_rare_is_not_certified(kind, monkeypatch):
    for steps in (1, 3):
        least = _levels.least_flip

        def below(epsilon, signs, least=least, steps=steps):
            flip = least(epsilon, signs)
            for _ in range(steps):
                flip = math.nextafter(flip, 0)
            return flip

        with monkeypatch.context() as changed:
            changed.setattr(sketch_scheme, "least_flip", below)
            sketch_scheme._cached_flip.cache_clear()
            with pytest.raises(UncertifiedError, match="level of the flips as they are drawn"):
                kind(1.0, hashes=2, width=2, seed=0)
        sketch_scheme._cached_flip.cache_clear()


@pytest.mark.parametrize("kind", BOTH)
def test_without_privacy_there_is_no_noise(kind):
    for epsilon in (math.inf, np.float64(np.inf), np.float32(np.inf)):
        scheme = kind(epsilon, hashes=2, width=4, seed=1)
        assert (scheme.flip, scheme.keep, scheme.debias_factor) == (0, 1, 1)
        assert pickle.loads(pickle.dumps(scheme)) == scheme
    for wrong, error in (("inf", TypeError), (-math.inf, ValueError), (math.nan, ValueError),
                         (True, TypeError), (Fraction(1, 10**400), ValueError),
                         (10**400, ValueError), (2**53 + 1, ValueError)):  # fmt: skip
        with pytest.raises(error, match=f"{kind.__name__}: epsilon must"):
            kind(wrong, hashes=2, width=4, seed=1)


# --- levels of slots -------------------------------------------------------------------------


@pytest.mark.parametrize("bits", [1, 2])
def test_the_level_of_slots_is_rounded_up(bits):
    cases = [(n, t) for n in range(3, 70) for t in range(n // 2 + 1, n)]
    cases += [(65535, 32768), (65535, 65534), (40001, 20001), (65534, 65533)]
    for number, true in cases:
        level = slot_epsilon(number, true, bits=bits)
        exact = long_level(Fraction(true, number - true), bits)
        assert mp.mpf(math.nextafter(level, 0)) < exact <= mp.mpf(level)


@pytest.mark.parametrize("bits", [1, 2])
def test_slots_are_never_above_the_level_that_is_asked(bits):
    rng = random.Random(7)
    asked = [math.exp(rng.uniform(math.log(1e-3), math.log(20))) for _ in range(60)]
    asked += [bits * math.log(t / (n - t)) for n, t in [(3, 2), (4, 3), (11, 8), (26, 19)]]
    asked += [1e-8, 1e-320, 1e4, 1e308]
    for epsilon in asked:
        best = mp.mpf(0)
        for one in slots_for(epsilon, 45, bits=bits):
            level = long_level(Fraction(one.true, one.slots - one.true), bits)
            assert level <= mp.mpf(one.epsilon) <= mp.mpf(epsilon)
            # The next number of true slots would be above it.
            if one.true + 1 < one.slots:
                more = long_level(Fraction(one.true + 1, one.slots - one.true - 1), bits)
                assert more > mp.mpf(epsilon)
            assert level > best
            best = level


def test_a_level_that_is_computed_otherwise_is_compared(monkeypatch):
    monkeypatch.setattr(slots, "exact_level", lambda odds, bits: _levels.Decimal("0.5"))
    with pytest.raises(UncertifiedError, match="slot_epsilon: the level of the slots"):
        slot_epsilon(11, 8)
    monkeypatch.setattr(slots, "exact_level", lambda odds, bits: _levels.Decimal("1.5"))
    with pytest.raises(UncertifiedError, match="slot_epsilon: the level that is returned"):
        slot_epsilon(11, 8)


def test_slots_that_do_not_exist_are_named():
    for call in (
        lambda: slot_epsilon(2, 1),
        lambda: slots.slot_constant(2, 1),
        lambda: verifiable_noise.Protocol(scheme_of(HadamardCountMeanSketch), slots=2, true=1),
        lambda: transfer.oblivious_report(scheme_of(HadamardCountMeanSketch), "a", slots=2, true=1),
    ):
        with pytest.raises(ValueError, match="slots must be at least 3: 2 have no majority"):
            call()
    for wrong, words in (
        (lambda: slots_for(1.0, 10**9), "max_slots must be at most 65535, got 1000000000"),
        (lambda: slot_epsilon(11, 8, bits=10**400), "bits must be at most 16777216"),
        (lambda: threat_matrix(1.0, 10**6), "targets must be at most 1024, got 1000000"),
        (lambda: threat_matrix(1.0, 1, width=10**400), "width must be at most"),
        (lambda: threat_matrix(1e-320, 1), "epsilon must be at least 1e-290"),
        (lambda: slots_for(math.inf, 11), "slots_for: epsilon must be finite, got inf"),
    ):
        with pytest.raises(ValueError, match=words):
            wrong()


def test_the_matrix_says_the_level_that_it_is_asked_for():
    for epsilon in (1e-8, 0.98, 1e4, math.inf):
        rows = {row.name: row for row in threat_matrix(epsilon, 2)}
        assert rows["V3"].curious == rows["V6"].malicious == epsilon
        assert all(not math.isnan(row.gain_hcms) for row in rows.values())


# --- the noise of the transfer and the scheme's epsilon --------------------------------------


def scheme_of(kind, *numbers, **sizes):
    number, true = numbers or (11, 8)
    level = slot_epsilon(number, true, bits=kind.sensitivity)
    return kind(level, **({"hashes": 4, "width": 8, "seed": 1} | sizes))


def accepted(scheme, number, true, **options):
    """Whether the transfer and the protocol take these slots for the scheme."""
    results = []
    for call in (
        lambda: transfer.oblivious_report(
            scheme, "a", slots=number, true=true, randomness=source(1), **options
        ),
        lambda: verifiable_noise.Protocol(scheme, slots=number, true=true),
    ):
        try:
            call()
        except ValueError as error:
            results.append("epsilon of the scheme must be that of" not in str(error))
        else:
            results.append(True)
    assert len(set(results)) == 1
    return results[0]


@pytest.mark.parametrize("kind", BOTH)
def test_slots_are_taken_with_their_own_scheme_only(kind):
    """By the exact level of the slots: at most epsilon, and so near that nothing is biased."""
    rng = random.Random(3)
    took = 0
    for number, true in [(3, 2), (11, 8), (8, 5), (26, 19), (4, 3)]:
        exact = float(long_level(Fraction(true, number - true), kind.sensitivity))
        factors = [1, 1 + 1e-8, 1 - 1e-8, 1 - 1e-12, 0.1, 2, 1e-5, 30, rng.uniform(0.5, 1.5)]
        for factor in factors:
            scheme = kind(exact * factor, hashes=4, width=8, seed=1)
            good = accepted(scheme, number, true)
            assert good == (factor == 1)
            took += good
    assert took == 5
    assert not accepted(kind(math.inf, hashes=4, width=8, seed=1), 11, 8)


@pytest.mark.parametrize("kind", BOTH)
def test_a_report_of_a_transfer_is_never_louder_than_its_fingerprint(kind):
    """The slots by default were taken for every scheme, whatever its epsilon."""
    for epsilon in (0.1, 0.5, 0.98, 1.0, 3.0):
        scheme = kind(epsilon, hashes=4, width=8, seed=0)
        filled = np.ones((scheme.signs, 11), int)
        for options in ({}, {"contents": filled}, {"place": (0, 0)}, {"order": "shuffled"}):
            with pytest.raises(ValueError, match="epsilon of the scheme must be that of 8 true"):
                transfer.oblivious_report(scheme, "a", **options)
    loud = kind(0.1, hashes=4, width=8, seed=0)
    with pytest.raises(ValueError, match="or its reports tell more than its epsilon says"):
        transfer.oblivious_report(loud, "a")
    mild = kind(5.0, hashes=4, width=8, seed=0)
    with pytest.raises(ValueError, match="or its estimates are biased"):
        transfer.oblivious_report(mild, "a")
    good = transfer.oblivious_report(scheme_of(kind), "a")
    assert scheme_of(kind).aggregate(good.report).n == 1


def test_the_level_of_the_other_scheme_is_refused():
    """A sign of CMS has half of its epsilon: the slots of one scheme are not those of the other."""
    for kind, bits in ((CountMeanSketch, 1), (HadamardCountMeanSketch, 2)):
        scheme = kind(slot_epsilon(11, 8, bits=bits), hashes=4, width=8, seed=1)
        assert not accepted(scheme, 11, 8)


def test_slots_as_numbers_of_numpy_are_numbers():
    scheme = scheme_of(HadamardCountMeanSketch, 3, 2)
    protocol = verifiable_noise.Protocol(scheme, slots=np.int64(3), true=np.uint8(2))
    assert (type(protocol.slots), type(protocol.true)) == (int, int)
    assert verifiable_noise.report(protocol, "a").report.shape == (1,)
    sent = transfer.oblivious_report(scheme, "a", slots=np.int64(3), true=np.int64(2))
    assert sent.report.shape == (1,)
    receiver = transfer.Receiver(
        transfer.Sender(np.int64(3)).first, np.int64(0), choice=np.int64(1), slots=np.int64(3)
    )
    assert type(receiver.slots) is int


def test_a_protocol_whose_coin_keeps_too_many_is_not_certified(monkeypatch):
    scheme = scheme_of(HadamardCountMeanSketch)
    monkeypatch.setattr(verifiable_noise.Protocol, "apply", lambda self, sign, rho, coin: sign)
    with pytest.raises(UncertifiedError, match="a coin keeps"):
        verifiable_noise.Protocol(scheme)


def test_a_known_order_has_no_slots_to_choose():
    scheme = HadamardCountMeanSketch(1.0, hashes=4, width=8, seed=1)
    for options in ({"slots": 11}, {"true": 8}, {"slots": -1, "true": "x"}, {"slots": 2}):
        with pytest.raises(ValueError, match="slots and true are for the shuffled order"):
            transfer.oblivious_report(scheme, "a", order="known", **options)
    for place in ((0,), (0, 1, 2), 0, None.__class__, "a", ()):
        with pytest.raises(ValueError, match="place must be a pair"):
            transfer.oblivious_report(scheme, "a", order="known", place=place)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 9.0, 20.0, 30.0, 36.0])
@pytest.mark.parametrize("kind", BOTH)
def test_a_known_order_flips_as_often_as_the_scheme(kind, epsilon):
    """The largest draw that keeps a sign, found by giving the draws: exact, also where 1 - q is 1.

    A draw of 64 bits cannot decide a flip below 2^-64, and the double of 1 - q is 1 from 2^-54 on.
    """
    width = 2 if kind is CountMeanSketch else 1
    sizes = {"hashes": 1, "width": 2, "seed": 0}
    scheme = kind(epsilon * kind.sensitivity, **sizes)
    flips, denominator = scheme.flip.as_integer_ratio()
    bits = max(64, denominator.bit_length() - 1)
    first = (1 << bits) - (flips << bits) // denominator
    for draw, choice in ((first - 1, 0), (first, 1), (0, 0), ((1 << bits) - 1, 1)):
        real = group.uniform

        def uniform(bound, randomness, draw=draw, real=real):
            return draw if bound == 1 << bits else real(bound, randomness)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(group, "uniform", uniform)
            sent = transfer.oblivious_report(scheme, "a", order="known", place=(0, 0))
        assert sent.choices.tolist() == [choice] * width
    assert Fraction((1 << bits) - first, 1 << bits) == Fraction(scheme.flip)


def test_what_is_too_much_work_is_refused_before_it_starts():
    wide = scheme_of(CountMeanSketch, width=1 << 24)
    with pytest.raises(ValueError, match="slots of all transfers must be at most"):
        transfer.oblivious_report(wide, "a")
    with pytest.raises(ValueError, match="clauses of a proof must be at most"):
        verifiable_noise.Protocol(wide)


# --- what is used once ------------------------------------------------------------------------


class Slow:
    """A source that waits at the first call until it is let go."""

    def __init__(self, seed):
        self.numbers, self.begun, self.go = source(seed), threading.Event(), threading.Event()

    def __call__(self, size):
        self.begun.set()
        assert self.go.wait(10)
        return self.numbers(size)


class Failing:
    """A source that fails at a given call."""

    def __init__(self, seed, at):
        self.numbers, self.left = source(seed), at

    def __call__(self, size):
        self.left -= 1
        if self.left == 0:
            raise OSError("no more entropy")
        return self.numbers(size)


def in_thread(function, *arguments):
    """Start a call; the list gets its result or error."""
    results = []

    def run():
        try:
            results.append(function(*arguments))
        except Exception as error:  # noqa: BLE001
            results.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, results


@pytest.mark.parametrize("domain", [None, ["A1", "A2"]])
def test_two_requests_for_a_session_get_one_coin(domain):
    protocol = verifiable_noise.Protocol(scheme_of(HadamardCountMeanSketch), domain=domain)
    slow = Slow(1)
    server = verifiable_noise.Server(protocol, randomness=slow)
    clients = [verifiable_noise.Client(protocol, b"id") for _ in range(2)]
    first, second = (client.commit("A1") for client in clients)
    thread, results = in_thread(server.challenge, b"id", first)
    assert slow.begun.wait(10)  # the first is drawing its coin
    with pytest.raises(verifiable_noise.ProofError, match="is spent"):
        server.challenge(b"id", second)
    assert server.opened == 0
    slow.go.set()
    thread.join(10)
    server.accept(b"id", clients[0].respond(results[0]))
    assert (server.opened, server.finished, server.pending) == (1, 1, 0)
    with pytest.raises(verifiable_noise.ProofError, match="is spent"):
        server.challenge(b"id", second)


def test_many_threads_get_one_of_everything():
    """Where a check and its change are apart, a switch between them lets two through."""
    protocol = verifiable_noise.Protocol(scheme_of(HadamardCountMeanSketch))

    numbers = source(1)

    def lazy(size):
        time.sleep(0.001)
        return numbers(size)

    def race(calls):
        started = [in_thread(call) for call in calls]
        for thread, _ in started:
            thread.join(20)
        return [r[0] for _, r in started if not isinstance(r[0], Exception)]

    server = verifiable_noise.Server(protocol, randomness=lazy)
    clients = [verifiable_noise.Client(protocol, b"id") for _ in range(8)]
    messages = [client.commit("a") for client in clients]
    coins = race([lambda m=m: server.challenge(b"id", m) for m in messages])
    assert len(coins) == server.opened == 1

    client = verifiable_noise.Client(protocol, b"one", randomness=lazy)
    [commitment] = race([lambda: client.commit("a")] * 6)
    assert client._commitment == commitment
    coins = [bytes([i, 0]) for i in range(6)]
    assert len(race([lambda coin=coin: client.respond(coin) for coin in coins])) == 1

    fresh = verifiable_noise.Server(protocol)
    honest = verifiable_noise.Client(protocol, b"two")
    response = honest.respond(fresh.challenge(b"two", honest.commit("a")))
    assert len(race([lambda: fresh.accept(b"two", response)] * 6)) == fresh.finished == 1

    sender = transfer.Sender()
    receiver = transfer.Receiver(sender.first, 0, choice=1)
    words = [b"l" * 16, b"r" * 16]
    [offers] = race([lambda: sender.offer(receiver.second, 0, messages=words)] * 6)
    assert race([lambda: receiver.open(offers)] * 6) == [b"r" * 16]


class Gate(set):
    """A set that waits when it is asked, as a slow thread does between a check and a change."""

    def __contains__(self, value):
        found = super().__contains__(value)
        time.sleep(0.02)
        return found


class Waiting(transfer.Receiver):
    """A receiver that waits when it is asked whether it has been used."""

    @property
    def _open(self):
        value = self.__dict__["value"]
        time.sleep(0.02)
        return value

    @_open.setter
    def _open(self, value):
        self.__dict__["value"] = value


@pytest.mark.parametrize("which", ["session", "transfer", "receiver"])
def test_a_check_and_its_change_are_one(which):
    if which == "session":
        protocol = verifiable_noise.Protocol(scheme_of(HadamardCountMeanSketch))
        server = verifiable_noise.Server(protocol)
        server._spent = Gate()
        message = verifiable_noise.Client(protocol, b"x").commit("a")
        started = [in_thread(server.challenge, b"x", message) for _ in range(5)]
    elif which == "receiver":
        sender = transfer.Sender()
        receiver = Waiting(sender.first, 0, choice=1)
        offers = sender.offer(receiver.second, 0, messages=[b"l" * 16, b"r" * 16])
        started = [in_thread(receiver.open, offers) for _ in range(5)]
    else:
        sender = transfer.Sender()
        sender._done = Gate()
        second = transfer.Receiver(sender.first, 0, choice=0).second
        words = [b"l" * 16, b"r" * 16]
        offer = lambda: sender.offer(second, 0, messages=words)  # noqa: E731
        started = [in_thread(offer) for _ in range(5)]
    for thread, _ in started:
        thread.join(20)
    assert sum(isinstance(results[0], bytes) for _, results in started) == 1


def test_what_is_used_once_cannot_be_copied():
    protocol = verifiable_noise.Protocol(scheme_of(HadamardCountMeanSketch))
    sender = transfer.Sender()
    server, client = verifiable_noise.Server(protocol), verifiable_noise.Client(protocol, b"x")
    for party in (server, client, sender, transfer.Receiver(sender.first, 0, choice=0)):
        for way in (copy.copy, copy.deepcopy, pickle.dumps, lambda p: pickle.dumps([p], 0)):
            with pytest.raises(TypeError, match="cannot be copied or pickled"):
                way(party)
    assert pickle.loads(pickle.dumps(protocol)) == protocol


@pytest.mark.parametrize("form", [iter, lambda m: (x for x in m), tuple, list])
def test_messages_of_any_iterable_are_offered(form):
    sender = transfer.Sender()
    receiver = transfer.Receiver(sender.first, 4, choice=1)
    offers = sender.offer(receiver.second, 4, messages=form([b"l" * 16, b"r" * 16]))
    assert len(offers) == 32
    assert receiver.open(offers) == b"r" * 16


def test_wrong_messages_spend_no_transfer_and_are_not_shown():
    sender = transfer.Sender()
    receiver = transfer.Receiver(sender.first, 0, choice=1)
    for wrong in ([], [b"secret"], iter([b"secret" * 4] * 2), [b"l" * 16] * 3, b"secret", 5, None,
                  itertools.repeat(b"l" * 16)):  # fmt: skip
        with pytest.raises((ValueError, TypeError)) as caught:
            sender.offer(receiver.second, 0, messages=wrong)
        assert "Sender.offer" in str(caught.value)
        assert "secret" not in str(caught.value)
    offers = sender.offer(receiver.second, 0, messages=[b"l" * 16, b"r" * 16])
    assert receiver.open(offers) == b"r" * 16


@pytest.mark.parametrize("kind", BOTH)
def test_a_failing_source_leaves_a_client_unused(kind):
    """At every draw of the commitment; the second one is of another item, and is accepted."""
    protocol = verifiable_noise.Protocol(scheme_of(kind, 3, 2, width=4), slots=3, true=2)
    counted = Failing(1, 0)
    verifiable_noise.Client(protocol, b"s", randomness=counted).commit("x")
    draws = -counted.left
    assert draws >= 4
    for at in range(1, draws + 1):
        client = verifiable_noise.Client(protocol, b"s", randomness=Failing(1, at))
        with pytest.raises(OSError, match="no more entropy"):
            client.commit("x")
        server = verifiable_noise.Server(protocol)
        report = server.accept(b"s", client.respond(server.challenge(b"s", client.commit("y"))))
        assert protocol.scheme.aggregate(report).n == 1


def test_a_failing_source_leaves_a_session_and_an_answer_spent():
    protocol = verifiable_noise.Protocol(scheme_of(HadamardCountMeanSketch))
    server = verifiable_noise.Server(protocol, randomness=Failing(1, 1))
    client = verifiable_noise.Client(protocol, b"s")
    message = client.commit("a")
    with pytest.raises(OSError, match="no more entropy"):
        server.challenge(b"s", message)
    assert (server.opened, server.pending) == (0, 0)
    with pytest.raises(verifiable_noise.ProofError, match="is spent"):
        server.challenge(b"s", message)
    counted = Failing(1, 0)
    verifiable_noise.Client(protocol, b"t", randomness=counted).commit("a")
    client = verifiable_noise.Client(protocol, b"t", randomness=Failing(1, 1 - counted.left))
    client.commit("a")
    with pytest.raises(OSError, match="no more entropy"):
        client.respond(b"\x00\x00")
    with pytest.raises(ValueError, match="two answers to one commitment"):
        client.respond(b"\x01\x00")


def test_no_message_of_a_client_names_its_item():
    protocol = verifiable_noise.Protocol(scheme_of(HadamardCountMeanSketch), domain=["A1", "A2"])
    table = CountMeanSketch.with_family(1.0, ExplicitFamily({"a": [0], "b": [1]}, 2))
    plain = verifiable_noise.Protocol(scheme_of(HadamardCountMeanSketch))
    for call in (
        lambda: verifiable_noise.Client(protocol, b"s").commit("HIV"),
        lambda: table.privatize(["a", "HIV"]),
        lambda: table.privatize(np.array(["a", "b", "HIV"])),
        lambda: table.privatize([("HIV",)]),
        lambda: table.privatize({"HIV"}),
        lambda: table.privatize([b"HIV"]),
        lambda: verifiable_noise.Client(plain, b"s").commit(("HIV",)),
        lambda: verifiable_noise.Client(plain, b"s").commit_signs([7717, 1], row=0),
    ):
        with pytest.raises((ValueError, TypeError)) as caught:
            call()
        assert "HIV" not in str(caught.value)
        assert "7717" not in str(caught.value)


def test_a_proof_is_reached_by_equally_many_draws(monkeypatch):
    """In the small group, for every tape: drawn and discarded numbers among them.

    So a proof does not tell which clause was known; but a proof is that of many tapes, not of one.
    """
    order5_group.install(monkeypatch)
    monkeypatch.setattr(sigma_proofs, "CHALLENGE_BITS", 1)
    logarithms = [1, 3]
    points = [group.base_mul(s) for s in logarithms]
    laws = []
    for known in range(2):
        law = {}
        for free in range(2):
            for answers in itertools.product(range(order5_group.ORDER), repeat=2):
                for nonce in range(order5_group.ORDER):
                    proof = sigma_proofs.prove(
                        [[points]],
                        (0, [(known, logarithms[known])]),
                        oracle=lambda announcements: announcements[0][0] & 1,
                        randomness=iter([free, *answers, nonce]),
                    )
                    law[tuple(proof)] = law.get(tuple(proof), 0) + 1
        laws.append(law)
    assert laws[0] == laws[1]
    assert set(laws[0].values()) == {order5_group.ORDER * 2 * order5_group.ORDER**2 // len(laws[0])}
    assert next(iter(laws[0].values())) > 1


# --- sketches: batches, files, copies ----------------------------------------------------------


def some(kind=HadamardCountMeanSketch, epsilon=1.0, seed=0, **sizes):
    return kind(epsilon, seed=seed, **({"hashes": 8, "width": 8} | sizes))


@pytest.mark.parametrize("kind", BOTH)
def test_a_sketch_does_not_add_to_itself(kind, tmp_path):
    scheme = some(kind)
    reports = scheme.privatize(["x", "y"] * 50)
    one, two = scheme.aggregate(reports[:60]), scheme.aggregate(reports[60:])
    one.save(tmp_path / "one.npz")
    same = [one, copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one)),
            Sketch.load(tmp_path / "one.npz", scheme), one + two, sum([two, one])]  # fmt: skip
    for left, right in itertools.permutations(same, 2):
        with pytest.raises(ValueError, match="both hold the batch"):
            left + right
    with pytest.raises(ValueError, match="its reports would count twice"):
        sum([one, two, one])
    assert one + two == scheme.aggregate(reports) == sum([two, one])
    assert (one + two).n == 100


@pytest.mark.parametrize("kind", BOTH)
def test_a_named_batch_is_added_once_whoever_aggregates_it(kind):
    scheme = some(kind)
    reports = scheme.privatize(["x", "y"] * 50)
    first = scheme.aggregate(reports, batch="server A")
    again = scheme.aggregate(iter([reports]), batch="server A")
    with dask.config.set(scheduler="synchronous"):
        by_dask = distributed_sketches.aggregate(
            scheme, np.array_split(reports, 7), batch="server A"
        )
    assert first == again == by_dask
    assert first.batches == again.batches == by_dask.batches == {"server A"}
    for other in (again, by_dask):
        with pytest.raises(ValueError, match="both hold the batch 'server A'"):
            first + other
    # What a name is for: without one nothing tells a replay in another order.
    assert (scheme.aggregate(reports) + scheme.aggregate(reports[::-1])).n == 200
    for wrong, error in ((5, TypeError), ("", ValueError), (b"a", TypeError)):
        with pytest.raises(error, match="batch must"):
            scheme.aggregate(reports, batch=wrong)
        with pytest.raises(error, match="batch must"):
            distributed_sketches.aggregate(scheme, [reports], batch=wrong)
    with pytest.raises(TypeError, match="batches must be a set of names"):
        Sketch(scheme, first.signed, first.counts, "server A")


def test_nothing_adds_to_anything():
    scheme = some()
    empty = scheme.aggregate([])
    assert empty.batches == frozenset()
    full = scheme.simulate({"x": 9}, 1)
    assert empty + full + empty == full
    assert (empty + full).batches == full.batches


def test_no_part_of_dask_comes_twice():
    scheme = some()
    reports = scheme.privatize(["x", "y"] * 50)
    with dask.config.set(scheduler="synchronous"):
        whole = distributed_sketches.aggregate(scheme, np.array_split(reports, 9))
        with pytest.raises(ValueError, match="both hold the batch"):
            whole + whole
        part = dask.delayed(reports)
        with pytest.raises(ValueError, match="the same delayed partition twice"):
            distributed_sketches.aggregate(scheme, [part, part])
        assert distributed_sketches.aggregate(scheme, [part]).n == 100


@pytest.mark.parametrize("kind", BOTH)
def test_a_file_is_read_with_its_own_scheme_only(kind, tmp_path):
    scheme = some(kind)
    sketch = scheme.aggregate(scheme.privatize(["x", "ü", 7] * 9), batch="a\0é\ud800")
    path = tmp_path / "day"
    sketch.save(path)
    assert [file.name for file in tmp_path.iterdir()] == ["day"]
    again = Sketch.load(str(path), some(kind))
    assert again == sketch
    assert again.batches == sketch.batches
    other_kind = next(k for k in BOTH if k is not kind)
    explicit = kind.with_family(1.0, ExplicitFamily({"x": [0] * 8}, 8))
    for other, word in ((some(kind, 2.0), "its epsilon is 1.0"), (some(kind, seed=1), "its seed"),
                        (some(kind, math.nextafter(1, 2)), "its epsilon"), (explicit, "its seed"),
                        (some(other_kind), "its kind"), (some(kind, hashes=16), "its hashes"),
                        (some(kind, width=16), "its width"), (some(kind, math.inf), "epsilon"),
                        (some(kind, hashes=4, width=4), "saved with another")):  # fmt: skip
        with pytest.raises(ValueError, match=word):
            Sketch.load(path, other)
    with pytest.raises(TypeError, match="scheme must be"):
        Sketch.load(path, None)
    with pytest.raises(FileNotFoundError):
        Sketch.load(tmp_path / "none", scheme)
    table = {"x": [0] * 8, "y": list(range(8))}
    by_table = kind.with_family(1.0, ExplicitFamily(table, 8))
    by_table.simulate({"x": 5}, 1).save(path)
    assert Sketch.load(path, by_table).n == 5
    changed = ExplicitFamily(table | {"y": [1, *range(1, 8)]}, 8)
    with pytest.raises(ValueError, match="its family"):
        Sketch.load(path, kind.with_family(1.0, changed))


def test_a_file_of_something_else_is_refused(tmp_path):
    scheme = some()
    sketch = scheme.simulate({"x": 90}, 1)
    good = tmp_path / "good.npz"
    sketch.save(good)
    wrong = {"text": b"no archive", "empty": b"", "cut": good.read_bytes()[:-30]}
    about = {"format": "privlib.sketch.Sketch 1", "scheme": scheme._identity, "batches": ["a"]}

    def stored(name, about, signed=sketch.signed, counts=sketch.counts):
        text = np.frombuffer(json.dumps(about).encode(), np.uint8)
        with (tmp_path / name).open("wb") as file:
            np.savez(file, about=text, signed=signed, counts=counts)

    for name, octets in wrong.items():
        (tmp_path / name).write_bytes(octets)
    np.savez(tmp_path / "plain.npz", signed=sketch.signed, counts=sketch.counts)
    stored("list", [1])
    stored("format", about | {"format": "else"})
    stored("names", about | {"batches": None})
    stored("name", about | {"batches": "a"})
    stored("none", {k: v for k, v in about.items() if k != "scheme"})
    stored("objects", about, signed=np.array([[None] * 8] * 8))
    stored("floats", about, signed=sketch.signed.astype(float))
    stored("sums", about, signed=sketch.signed * 50)
    stored("odd", about, signed=sketch.signed + np.eye(8, dtype=np.int64))
    stored("large", about, signed=np.zeros((1000, 1000), np.int64))
    for path in tmp_path.iterdir():
        if path != good:
            with pytest.raises(ValueError, match="Sketch"):
                Sketch.load(path, scheme)
    with zipfile.ZipFile(good) as archive:
        assert {info.filename for info in archive.infolist()} == {
            "about.npy", "signed.npy", "counts.npy"
        }  # fmt: skip


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    scheme = some()
    path = tmp_path / "day.npz"
    scheme.simulate({"x": 9}, 1).save(path)

    def failing(*arguments, **more):
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez_compressed", failing)
    with pytest.raises(OSError, match="disk full"):
        scheme.simulate({"x": 90}, 1).save(path)
    assert Sketch.load(path, scheme).n == 9
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("kind", BOTH)
def test_nobody_writes_to_a_sketch(kind):
    scheme = some(kind)
    sketch = scheme.simulate({"x": 90}, 1)
    old = object.__new__(Sketch)  # as the first version pickled it
    old.__setstate__({"scheme": scheme, "signed": sketch.signed, "counts": sketch.counts})
    for one in (sketch, copy.copy(sketch), copy.deepcopy(sketch), sum([sketch]), sketch + old,
                pickle.loads(pickle.dumps(sketch)), pickle.loads(pickle.dumps(old))):  # fmt: skip
        for array in (one.signed, one.counts):
            assert not array.flags.writeable
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 5
    signed, counts = sketch.signed.copy(), sketch.counts.copy()
    own = Sketch(scheme, signed, counts)
    signed += 1
    counts += 1
    assert own == sketch


def test_sums_beyond_doubles_are_refused():
    scheme = some(hashes=2, width=2)
    zero = np.zeros((2, 2), np.int64)
    for counts in ([2**62, 2**62], [2**53 - 1, 1], [2**53, 0]):
        with pytest.raises(ValueError, match="counts must add up to less than 2\\^53"):
            Sketch(scheme, zero, np.array(counts))
    for entry in (2**53, -(2**53), -(2**63)):
        with pytest.raises(ValueError, match="signed must be sums of less than"):
            Sketch(scheme, zero + entry, np.array([1, 0]))
    half = [Sketch(scheme, zero, np.array([2**52, 0])) for _ in range(2)]
    with pytest.raises(ValueError, match="less than 2\\^53"):
        half[0] + half[1]
    assert half[0].n == 2**52


def test_a_short_repr():
    assert repr(some().simulate({"x": 9}, 1)) == (
        "Sketch(HadamardCountMeanSketch(1.0, hashes=8, width=8, seed=0), n=9)"
    )


@pytest.mark.parametrize("kind", BOTH)
def test_impossible_sums_are_told_from_possible_ones(kind):
    """All sums of at most three reports, against all small tables."""
    scheme = kind.with_family(1.0, ExplicitFamily({"a": [0]}, 2))
    if kind is CountMeanSketch:
        single = list(itertools.product([-1, 1], repeat=2))
    else:
        single = [(1, 0), (-1, 0), (0, 1), (0, -1)]
    for number in range(4):
        sums = {
            tuple(np.sum(reports, axis=0).tolist()) if reports else (0, 0)
            for reports in itertools.product(single, repeat=number)
        }
        for cells in itertools.product(range(-4, 5), repeat=2):
            possible = scheme._is_possible(np.array([cells]), np.array([number]))
            assert possible == (cells in sums)


# --- sizes -------------------------------------------------------------------------------------


def test_large_sketches_are_refused_before_they_are_made():
    family = TabulationFamily(1 << 16, 1 << 24, seed=0)
    scheme = HadamardCountMeanSketch.with_family(1.0, family)
    words = "cells of the sketch .* must be at most 134217728, got 1099511627776"
    for call in (
        lambda: scheme.aggregate([]),
        lambda: scheme.simulate({"a": 1}, 1),
        lambda: Sketch(scheme, np.zeros(1), np.zeros(1)),
        lambda: Sketch.load("none", scheme),
        lambda: poisoning.equal_sign_pairs(scheme, ["a"]),
        lambda: poisoning.best_pairs(scheme, ["a"], others=["b"], n_fake=1),
        lambda: poisoning.fake_reports(scheme, "mga", targets=["a"], n_fake=1),
        lambda: defences.total_moments(scheme, {"a": 1}),
        lambda: poisoning.frequency_gain(scheme, "ria", n_fake=1, targets=["a"]),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    wide = CountMeanSketch(1.0, hashes=2, width=1 << 24, seed=0)
    with pytest.raises(ValueError, match="bytes of the reports must be at most"):
        wide.privatize(np.zeros(10_000, int))
    narrow = CountMeanSketch(1.0, hashes=2, width=8, seed=0)
    for call, text in (
        (lambda: poisoning.fake_reports(narrow, "rpa", targets=["a"], n_fake=10**12), "bytes of"),
        (lambda: poisoning.fake_reports(narrow, "rpa", targets=["a"], n_fake=10**400), "n_fake"),
        (lambda: poisoning.frequency_gain(narrow, "mga", n_fake=10**400, targets=1), "n_fake must"),
        (lambda: poisoning.gain_variance(narrow, "mga", n_fake=1, targets=10**400), "targets must"),
        (lambda: defences.power(1.0, tests=10**400), "tests must be at most"),
        (lambda: poisoning.n_fake_users(10, "1e-1000000000"), "exponent of beta"),
        (lambda: poisoning.n_fake_users(10, "0." + "0" * 5000), "digits of beta"),
        (lambda: hadamard_matrix(1 << 20), "m must be at most 8192"),
        (lambda: narrow.moments(dict.fromkeys(range(20_000), 1)), "pairs of items"),
        (lambda: narrow.variances(dict.fromkeys(range(20_000), 1)), "pairs of items"),
        (lambda: TabulationFamily(1 << 16, 2, seed=0).positions(np.arange(1 << 15)), "hash values"),
        (lambda: TabulationFamily(2, 2, seed=10**5000), "bits of the seed must be"),
        (lambda: narrow.privatize([10**5000]), "integers of at most 8192 bits"),
    ):
        with pytest.raises(ValueError, match=text):
            call()
    assert poisoning.n_fake_users(10, "5e-1") == poisoning.n_fake_users(10, "1/2") == 10
    assert narrow.aggregate(narrow.privatize([10**2000])).n == 1


@pytest.mark.parametrize("kind", BOTH)
def test_sums_of_many_reports_do_not_wrap(kind):
    """A million equal reports, and a billion users without their reports, against integers."""
    scheme = some(kind, hashes=1, width=2)
    one = scheme.privatize(["x"])
    many = scheme.aggregate(np.repeat(one, 10**6))
    assert many.signed.tolist() == (10**6 * scheme.aggregate(one).signed).tolist()
    assert many.counts.tolist() == [10**6]
    huge = some(kind, 9.0, hashes=1, width=2).simulate({"x": 2**53 - 1}, 1)
    assert huge.n == 2**53 - 1
    assert abs(huge.estimate("x")[0] / huge.n - 1) < 1e-6
    with pytest.raises(ValueError, match="must add up to less than 2\\^53"):
        scheme.simulate({"x": 2**53 - 1, "y": 1}, 1)


@pytest.mark.parametrize("kind", BOTH)
def test_simulated_noise_is_there_where_one_minus_the_flip_rounds(kind):
    """At epsilon = 37.5 a sign the double of 1 - q is 1; q times 2^52 users are some 0.23."""
    scheme = some(kind, 37.5 * kind.sensitivity, hashes=1, width=2)
    assert scheme.keep == 1
    assert scheme.flip > 0
    users, runs = 2**52, 1500
    signs = users * scheme.signs
    rng = np.random.default_rng(3)
    flips = [(signs - int(abs(scheme.simulate({"x": users}, rng).signed).sum())) // 2
             for _ in range(runs)]  # fmt: skip
    expected = signs * scheme.flip
    assert abs(np.mean(flips) - expected) < 5 * math.sqrt(expected / runs)


# --- results by position, items as they are --------------------------------------------------


@pytest.mark.parametrize("kind", BOTH)
def test_results_are_arrays_in_the_order_of_the_items(kind):
    scheme = some(kind)
    sketch = scheme.simulate({"x": 60, "y": 30, "z": 10}, 1)
    plain = dict(zip("xyz", sketch.estimate(["x", "y", "z"])))
    for items in (pd.Series(["z", "x"], index=[5, 9]), pd.Index(["z", "x"]),
                  np.array(["z", "x"]), ["z", "x"]):  # fmt: skip
        estimates = sketch.estimate(items)
        assert type(estimates) is np.ndarray
        assert estimates.tolist() == [plain["z"], plain["x"]]
    for counts in (pd.Series({"z": 1, "x": 2}), {"z": 1, "x": 2}):
        for family in ("fixed", "random"):
            moments = scheme.moments(counts, family=family)
            assert type(moments.mean) is type(moments.variance) is np.ndarray
        assert scheme.variances(counts).tolist() == scheme.variances({"z": 1, "x": 2}).tolist()
    with pytest.raises(ValueError, match="read by position"):
        defences.norm_sub(pd.Series([3.0, 1.0], index=["z", "x"]), 4)


def test_estimates_are_no_counts():
    scheme = some()
    estimates = {"x": 8450.77, "y": -49.0}
    with pytest.raises(TypeError, match=r"counts\['x'\] must be an integer.*norm_sub"):
        scheme.variances(estimates)
    whole = defences.norm_sub(list(estimates.values()), 8400).round().astype(int)
    assert whole.sum() == 8400
    assert scheme.variances(dict(zip(estimates, whole))).shape == (2,)


def test_two_spellings_are_two_items_and_it_is_said():
    one, two = (unicodedata.normalize(form, "パリé") for form in ("NFC", "NFD"))
    assert one != two
    scheme = CountMeanSketch(8.0, hashes=16, width=256, seed=1)
    assert (scheme.family.positions(one) != scheme.family.positions(two)).any()
    for text in (hashing.__doc__, CountMeanSketch.privatize.__doc__):
        assert "code point by code" in " ".join(text.split())
        assert "Unicode" in text
    assert scheme.family.positions("\ud800").shape == (1, 16)


def test_norm_sub_at_the_ends_of_the_doubles():
    """Against the projection in fractions."""

    def exact(values, total):
        x = sorted((Fraction(v) for v in values), reverse=True)
        total = Fraction(total)
        shift = max((sum(x[: s + 1]) - total) / (s + 1) for s in range(len(x)))
        return [float(max(Fraction(v) - shift, Fraction(0))) for v in values]

    rng = random.Random(4)
    cases = [([1e308, -1e308], 5), ([0.0, -1e308, -1e308], 1.7e308), ([1.7e308] * 7, 1.7e308),
             ([-1.7e308, 1.7e308, 0], 0), ([5e-324, 0], 5e-324), ([1e-320] * 3, 1e-320),
             ([3.0], 2**53), ([0, 0], 0)]  # fmt: skip
    for _ in range(200):
        size = rng.choice([1, 2, 3, 9])
        scale = 10.0 ** rng.uniform(-300, 307)
        values = [rng.choice([0, 1, rng.uniform(-1, 1)]) * scale for _ in range(size)]
        cases.append((values, rng.choice([0, rng.uniform(0, 1)]) * scale))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for values, total in cases:
            result = defences.norm_sub(values, total)
            wanted = exact(values, total)
            size = max(abs(v) for v in [*values, total, 5e-324])
            assert result == pytest.approx(wanted, rel=1e-9, abs=max(1e-14 * size, 1e-322))


# --- oracles -------------------------------------------------------------------------------------


def test_a_chance_is_compared_as_it_is():
    above = Fraction(10**400 + 1, 10**400)
    for chances in ((above, 0, 0), (1, -Fraction(1, 10**400), 0), (1, 0, above)):
        with pytest.raises(ValueError, match=r"must be a probability in \[0, 1\]"):
            frequency_oracles.Oracle("x", *chances)
    tiny = Fraction(1, 10**400)
    exact = frequency_oracles.Oracle("x", 2 * tiny, tiny, tiny)
    assert frequency_oracles.frequency_gain(exact, "mga", n_fake=1, targets=1) == (1 - tiny) / tiny
    with pytest.raises(ValueError, match="other must not be so small that its float is 0"):
        frequency_oracles.Oracle("x", 0.5, tiny, 0)
    assert frequency_oracles.Oracle("x", 1, 0, 0).own == Fraction(1)
    huge = frequency_oracles.frequency_gain(
        frequency_oracles.Oracle("x", 1, 0, 0), "mga", n_fake=10**400, targets=1
    )
    assert huge == 10**400
    with pytest.raises(ValueError, match="n_fake must be within the range of floats"):
        frequency_oracles.frequency_gain(
            frequency_oracles.oue(2.5), "mga", n_fake=10**400, targets=1
        )
    with pytest.raises(ValueError, match="items must be within the range of floats"):
        frequency_oracles.grr(2.5, items=10**400)
    assert frequency_oracles.grr(3, items=np.int64(4)).items == 4


@pytest.mark.parametrize(
    "odds", [3, Fraction(5, 2), 1.5, math.e, 1 + 2**-52, 1e8, Fraction(10**400)]
)
def test_oracles_keep_to_their_odds(odds):
    """The ratio of all reports, from what each of them is."""
    E = Fraction(odds)
    slack = 0 if not isinstance(odds, float) else Fraction(1, 10**9)

    def within(ratio):
        assert ratio <= E * (1 + slack)

    g = frequency_oracles.grr(odds, items=5)
    within(Fraction(g.own) / Fraction(g.other))
    if odds == 1 + 2**-52:
        with pytest.raises(ValueError, match="own must be above other"):
            frequency_oracles.oue(odds)
        return
    u = frequency_oracles.oue(odds)
    P, Q = Fraction(u.own), Fraction(u.other)
    # Own box ticked and the other one not, against the reverse.
    within(P * (1 - Q) / ((1 - P) * Q))
    h = frequency_oracles.olh(odds, buckets=4)
    within(Fraction(h.own) / ((1 - Fraction(h.own)) / 3))


def test_an_oracle_that_is_louder_is_not_certified():
    with pytest.raises(UncertifiedError, match="ratio of two reports"):
        frequency_oracles._certify("f", Fraction(3, 4), Fraction(1, 4), odds=Fraction(2))
    with pytest.raises(UncertifiedError, match="ratio of two reports"):
        frequency_oracles._certify("f", 0.75, 0.25, odds=2.0)


# --- what is said ----------------------------------------------------------------------------


def test_the_docstrings_say_what_undoes_a_promise():
    assert "random oracle" in transfer.__doc__
    assert "cannot be copied or pickled" in " ".join(transfer.__doc__.split())
    assert "2\\varepsilon" in verifiable_noise.__doc__
    assert "seed that somebody can guess" in CountMeanSketch.privatize.__doc__
    assert "state of numpy's" in CountMeanSketch.privatize.__doc__
    for party in (transfer.Sender, transfer.Receiver, verifiable_noise.Client):
        assert "can guess it" in party.__doc__
    for text in (count_mean.CountMeanSketch.__doc__, HadamardCountMeanSketch.__doc__):
        for line in text.splitlines():
            assert not ("privatize(" in line and "rng" in line)
    assert "NaN" not in inspect.getsource(_levels)
    assert _safety.SLACK == 1e-9


# --- what a scheme, a batch and an item are ------------------------------------------------------


def protocol_of():
    scheme = HadamardCountMeanSketch(slot_epsilon(11, 8), hashes=4, width=8, seed=0)
    return verifiable_noise.Protocol(scheme)


@pytest.mark.parametrize("kind", BOTH)
def test_nothing_of_a_scheme_can_be_set(kind):
    """A flip of nearly 0 under the fingerprint of epsilon would be no privacy at all."""
    scheme = some(kind)
    flip = scheme.flip
    for name, value in (("flip", 1e-9), ("sensitivity", 1), ("name", "other"), ("epsilon", 9.0)):
        with pytest.raises(AttributeError, match="cannot assign"):
            setattr(scheme, name, value)
    assert scheme.flip == flip
    vars(scheme)["flip"] = 1e-9
    assert scheme.flip == flip
    # The flip goes with epsilon, also in a copy that somebody changes by force.
    other = copy.copy(scheme)
    object.__setattr__(other, "epsilon", 0.25)
    assert other.flip == kind(0.25, hashes=2, width=2, seed=0).flip > flip
    state = {"epsilon": -1.0, "family": scheme.family}
    with pytest.raises(ValueError, match="epsilon must be positive"):
        scheme.__class__.__new__(kind).__setstate__(state)
    assert pickle.loads(pickle.dumps(scheme)) == scheme


@pytest.mark.parametrize("kind", BOTH)
def test_a_family_is_no_subclass(kind):
    """Its functions may be others under the same fingerprint."""

    class Other(TabulationFamily):
        def positions(self, items):
            return 0 * super().positions(items)

    with pytest.raises(TypeError, match="family must be a family of hash functions"):
        kind.with_family(1.0, Other(8, 8, seed=0))


@pytest.mark.parametrize("kind", BOTH)
def test_reports_without_a_name_do_not_count_twice(kind):
    scheme = some(kind)
    reports = scheme.privatize(["x", "y"] * 2000)
    first = scheme.aggregate(reports)
    with dask.config.set(scheduler="synchronous"):
        others = [
            scheme.aggregate(reports.copy()),
            scheme.aggregate(iter([reports])),
            scheme.aggregate(reports[:300]),
            scheme.aggregate([reports[1000:2000], reports[:1000]]),
            distributed_sketches.aggregate(scheme, np.array_split(reports, 7)),
            distributed_sketches.aggregate(scheme, [reports]),
        ]
        for other in others:
            with pytest.raises(ValueError, match="both hold the batch"):
                first + other
            with pytest.raises(ValueError, match="both hold the batch"):
                sum([other, scheme.simulate({"x": 5}, 1), first])
        with pytest.raises(ValueError, match="both hold the batch"):
            distributed_sketches.aggregate(scheme, [reports, reports])
    with pytest.raises(ValueError, match="the same array twice"):
        scheme.aggregate([reports, reports])
    # Other reports of the same users add, and so do the same few ones of different users.
    again = scheme.aggregate(scheme.privatize(["x", "y"] * 2000))
    assert (first + again).n == 8000
    one = scheme.aggregate(reports[:1])
    assert (one + scheme.aggregate(reports[:1])).n == 2
    assert (scheme.simulate({"x": 500}, 1) + scheme.simulate({"x": 500}, 1)).n == 1000


def test_equal_small_reports_of_other_users_add():
    """With one row and no coordinate, every report may be like every other."""
    scheme = CountMeanSketch(40.0, hashes=1, width=2, seed=0)
    reports = scheme.pack([0] * 500, [[1, -1]] * 500)
    assert (scheme.aggregate(reports) + scheme.aggregate(reports)).n == 1000


@pytest.mark.parametrize("kind", BOTH)
def test_reports_have_a_batch_and_sums_that_reports_have(kind, tmp_path):
    scheme = some(kind)
    sketch = scheme.aggregate(scheme.privatize(["x", "y"] * 50))
    for none in ([], frozenset(), ()):
        with pytest.raises(ValueError, match="batches must name at least one"):
            Sketch(scheme, sketch.signed, sketch.counts, none)
        with pytest.raises(ValueError, match="batches must name at least one"):
            dataclasses.replace(sketch, batches=none)
    for signed, counts in (
        (sketch.signed, 0 * sketch.counts),
        (sketch.signed + 2**52, sketch.counts),
        (sketch.signed, sketch.counts + 1),
        (sketch.signed + 2, 0 * sketch.counts),
    ):
        with pytest.raises(ValueError, match="sums that no reports have"):
            Sketch(scheme, signed, counts)


def test_members_of_an_enumeration_are_their_text():
    class Word(str, enum.Enum):  # noqa: UP042 - StrEnum has the text that is wanted
        TEA = "tea"

    scheme = some()
    assert scheme.family.positions([Word.TEA]).tolist() == scheme.family.positions("tea").tolist()
    assert distinct_items("f", [Word.TEA, "tea", "Word.TEA"])[0] == ["tea", "Word.TEA"]
    sketch = scheme.aggregate(scheme.privatize(["tea"] * 9), batch=Word.TEA)
    with pytest.raises(ValueError, match="both hold the batch 'tea'"):
        sketch + scheme.aggregate(scheme.privatize(["tea"] * 9), batch="tea")


def test_items_are_not_masked_and_no_counts():
    scheme = some()
    reports = scheme.privatize(["tea"] * 9)
    sketch = scheme.aggregate(reports)
    masked = np.ma.array([5, 6], mask=[False, True])
    for call in (scheme.privatize, sketch.estimate, scheme.family.positions):
        with pytest.raises(TypeError, match="must not be masked"):
            call(masked)
    with pytest.raises(ValueError, match="must not be masked"):
        scheme.aggregate(np.ma.array(reports, mask=[True] + [False] * 8))
    counts = pd.Series(["tea", "tea", "milk"]).value_counts()
    for call in (scheme.privatize, sketch.estimate, scheme.family.positions):
        with pytest.raises(TypeError, match="pass its index"):
            call(counts)
    for wrong, words in ((counts, "pass its index"), (masked, "must not be masked")):
        with pytest.raises(TypeError, match=words):
            poisoning.frequency_gain(scheme, "ria", n_fake=1, targets=wrong)
    assert sketch.estimate(counts.index).tolist() == sketch.estimate(["tea", "milk"]).tolist()


def test_damaged_files_are_one_kind_of_error(tmp_path):
    """Offsets outside the file, lengths beyond the memory, unknown methods, endless brackets."""
    scheme = some()
    path, bad = tmp_path / "a.npz", tmp_path / "b.npz"
    sketch = scheme.aggregate(scheme.privatize(["x"] * 50), batch="3 May")
    sketch.save(path)
    octets, rng = path.read_bytes(), random.Random(3)
    for _ in range(600):
        damaged = bytearray(octets)
        for _ in range(rng.randint(1, 3)):
            damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        bad.write_bytes(damaged[: rng.choice([len(damaged), rng.randrange(len(damaged))])])
        try:
            again = Sketch.load(bad, scheme)
        except ValueError as error:
            assert str(error).startswith("Sketch.load: ")  # noqa: PT017
        else:
            assert again == sketch
            assert again.batches == sketch.batches

    def header(shape, kind):
        file = io.BytesIO()
        about = {"descr": kind, "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, about)
        return file.getvalue()

    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for name, text in (
        ("signed.npy", header((1 << 40,), "<i8")),
        ("about.npy", header((1 << 45,), "|u1")),
        ("about.npy", header((200_000,), "|u1") + b"[" * 200_000),
        ("about.npy", b""),
        ("signed.npy", b"\x93NUMPY\x01\x00\x10\x00{'descr':(((((((("),
    ):
        with zipfile.ZipFile(bad, "w") as archive:
            for part, held in {**parts, name: text}.items():
                archive.writestr(part, held)
        with pytest.raises(ValueError, match=r"is no file of Sketch\.save"):
            Sketch.load(bad, scheme)
    about = json.loads(np.load(path)["about"].tobytes())
    for key, value in (("epsilon", "garbage"), ("epsilon", "0x1p99999"), ("seed", "zz"),
                       ("seed", "0x" + "f" * 5000)):  # fmt: skip
        text = json.dumps({**about, "scheme": {**about["scheme"], key: value}}).encode()
        np.savez(bad, about=np.frombuffer(text, np.uint8), signed=sketch.signed,
                 counts=sketch.counts)  # fmt: skip
        with pytest.raises(ValueError, match=f"another scheme: its {key} is"):
            Sketch.load(bad, scheme)
    text = json.dumps({**about, "batches": []}).encode()
    np.savez(bad, about=np.frombuffer(text, np.uint8), signed=sketch.signed, counts=sketch.counts)
    with pytest.raises(ValueError, match="is damaged: Sketch: batches must name at least one"):
        Sketch.load(bad, scheme)


def test_exchanged_arguments_do_not_show_the_item():
    protocol = protocol_of()
    for call in (
        lambda: transfer.oblivious_report("HIV", protocol.scheme),
        lambda: verifiable_noise.report("HIV", protocol),
        lambda: verifiable_noise.Client("HIV", b"1"),
        lambda: verifiable_noise.Server("HIV"),
        lambda: verifiable_noise.Protocol("HIV"),
        lambda: distributed_sketches.aggregate("HIV", protocol.scheme),
        lambda: transfer.infer_from_choices("HIV"),
        lambda: poisoning.frequency_gain("HIV", "mga", n_fake=1, targets=1),
        lambda: Sketch.load("file", "HIV"),
        lambda: Sketch("HIV", np.zeros((1, 2), int), np.zeros(1, int)),
    ):
        with pytest.raises(TypeError, match="must be") as caught:
            call()
        assert "HIV" not in str(caught.value)


def test_a_wrong_source_of_randomness_spends_nothing():
    protocol, source = protocol_of(), np.random.default_rng(1)
    for call in (
        lambda: verifiable_noise.Server(protocol, randomness=source),
        lambda: verifiable_noise.Client(protocol, b"1", randomness=source),
        lambda: transfer.Sender(randomness=source),
        lambda: transfer.oblivious_report(protocol.scheme, "x", randomness=source),
    ):
        with pytest.raises(TypeError, match="randomness must be a callable"):
            call()


def test_a_session_has_one_name():
    """A subclass of bytes may be equal to nothing, not even to itself."""

    class Odd(bytes):
        __hash__ = object.__hash__

        def __eq__(self, other):
            return self is other

    protocol = protocol_of()
    server = verifiable_noise.Server(protocol)
    commitment = verifiable_noise.Client(protocol, b"1").commit("x")
    with pytest.raises(TypeError, match="session must be bytes, got Odd"):
        server.challenge(Odd(b"1"), commitment)


def test_tables_and_scores_name_what_is_wrong():
    for table in (pd.Series({"a": 0}), pd.DataFrame({"a": [0, 1]}), [("a", [0])], None):
        with pytest.raises(TypeError, match="table must map items"):
            ExplicitFamily(table, 2)
    for row in ({0, 1}, 0, "01"):
        with pytest.raises(TypeError, match="must have a sequence of positions"):
            ExplicitFamily({"a": row}, 2)
    with pytest.raises(ValueError, match="row is read by position"):
        ExplicitFamily({"a": pd.Series([0, 1], index=[1, 0])}, 2)
    scheme = some(CountMeanSketch)
    for reports in (None, scheme.privatize("a")[0], np.array(1)):
        with pytest.raises(ValueError, match="reports must"):
            defences.weight_scores(scheme, reports)
    with pytest.raises(ValueError, match="a gain within the range of floats"):
        frequency_oracles.frequency_gain(
            frequency_oracles.grr(3.0, items=43), "mga", n_fake=2**1023, targets=1
        )


def test_sums_under_a_mask_are_no_sketch():
    scheme = CountMeanSketch(2.0, hashes=4, width=8, seed=0)
    sketch = scheme.simulate({"a": 100, "b": 50}, rng=0)
    for name in ("signed", "counts"):
        arrays = {"signed": sketch.signed, "counts": sketch.counts}
        arrays[name] = np.ma.masked_array(arrays[name], mask=arrays[name] > 0)
        with pytest.raises(TypeError, match=f"Sketch: {name} must be without a mask"):
            Sketch(scheme, **arrays)


@pytest.mark.parametrize("kind", [CountMeanSketch, HadamardCountMeanSketch])
def test_encode_has_no_row_that_the_family_has_not(kind):
    family = hashing.ExplicitFamily({"a": [0, 1, 2]}, 4)
    scheme = kind.with_family(1.0, family)
    where = f"{kind.__name__}.encode"
    for row in (-1, 3, 99):
        with pytest.raises(ValueError, match=rf"{where}: row must be in 0\.\.2, got {row}"):
            scheme.encode("a", row, column=0)
    for row in (True, 1.0, "1", None, np.array([1])):
        with pytest.raises(TypeError, match=f"{where}: row must be an integer"):
            scheme.encode("a", row, column=0)
    assert scheme.encode("a", np.int64(2), column=0) == scheme.encode("a", 2, column=0)


def test_encode_has_no_column_that_the_matrix_has_not():
    family = hashing.ExplicitFamily({"a": [0, 1, 2]}, 4)
    scheme = HadamardCountMeanSketch.with_family(1.0, family)
    where = "HadamardCountMeanSketch.encode"
    for column in (-1, 4, 10**30):
        with pytest.raises(ValueError, match=rf"{where}: column must be in 0\.\.3, got {column}"):
            scheme.encode("a", 0, column=column)
    with pytest.raises(TypeError, match=f"{where}: column must be an integer"):
        scheme.encode("a", 0, column=1.0)
