"""Tests of `privlib.sketch.transfer` and `slots`: transfers, attacks, rational noise, threats."""

from __future__ import annotations

import itertools
import math
import random
import subprocess
import sys
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp

from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch, group, threat_model
from privlib.sketch import transfer as ot
from privlib.sketch.hadamard import hadamard_matrix
from privlib.sketch.poisoning import frequency_gain
from privlib.sketch.slots import (
    slot_constant,
    slot_epsilon,
    slots_for,
)
from privlib.sketch.threat_model import threat_matrix

from . import order5_group


def source(seed):
    return random.Random(seed).randbytes


def words(*letters):
    return [letter.encode() * 16 for letter in letters]


# --- the transfer ------------------------------------------------------------------------------


@pytest.mark.parametrize("slots", [2, 3, 11])
def test_the_receiver_gets_its_choice(slots):
    messages = words(*"abcdefghijk"[:slots])
    sender = ot.Sender(slots, randomness=source(1))
    for choice in range(slots):
        receiver = ot.Receiver(
            sender.first, choice, choice=choice, slots=slots, randomness=source(choice)
        )
        offers = sender.offer(receiver.second, choice, messages=messages)
        assert len(offers) == 16 * slots
        assert receiver.open(offers) == messages[choice]


def test_the_receivers_message_tells_nothing(monkeypatch):
    """In the small group: for every choice each element but the neutral one, once per secret."""
    order5_group.install(monkeypatch)
    monkeypatch.setattr(group, "SIZE", 1)
    for a in range(1, order5_group.ORDER):
        first = group.base_mul(a)
        laws = []
        for choice in range(4):
            law = Counter()
            for b, second in itertools.product(range(order5_group.ORDER), repeat=2):
                tape = iter([b, second, (second + 1) % order5_group.ORDER])
                law[ot.Receiver(first, 0, choice=choice, slots=4, randomness=tape).second] += 1
            laws.append(law)
        assert all(set(law) == set(laws[0]) and len(law) == 4 for law in laws)


def test_one_message_has_an_explanation_for_every_choice():
    """B = h^b A^i = h^(b + a(i - i')) A^i' : the sender cannot tell which."""
    sender = ot.Sender(11, randomness=source(1))
    a = sender._secret
    seen = set()
    for choice in range(11):
        b = (12345 - a * (1 + choice)) % group.L
        receiver = ot.Receiver(
            sender.first,
            0,
            choice=choice,
            slots=11,
            randomness=lambda n, b=b: b.to_bytes(n, "little"),
        )
        seen.add(receiver.second)
    assert seen == {group.base_mul(12345)}


def test_the_other_messages_stay_hidden():
    """The receiver's key opens its slot only; the others are masked by powers of h^(a^2)."""
    messages = words(*"abcd")
    sender = ot.Sender(4, randomness=source(1))
    a, b = sender._secret, group.uniform(group.L, source(2))
    receiver = ot.Receiver(sender.first, 7, choice=1, slots=4, randomness=source(2))
    assert receiver.second == group.base_mul(b + 2 * a)
    offers = sender.offer(receiver.second, 7, messages=messages)
    blocks = [offers[16 * i : 16 * i + 16] for i in range(4)]
    for i, (block, message) in enumerate(zip(blocks, messages)):
        place = (7).to_bytes(4, "little") + i.to_bytes(4, "little")

        def mask(key, place=place):
            octets = group.digest("transfer", key, sender.first, receiver.second, place)
            return octets[:16]

        key = group.base_mul(a * (b + a * (1 - i)))
        assert bytes(x ^ y for x, y in zip(block, mask(key))) == message
        own = mask(group.base_mul(a * b))  # what the receiver can compute
        assert (bytes(x ^ y for x, y in zip(block, own)) == message) == (i == 1)
    swapped = blocks[0] + blocks[2] + blocks[1] + blocks[3]
    assert receiver.open(swapped) not in messages


def test_keys_depend_on_the_transcript():
    """The same messages in two transfers of a batch, or under two keys: all blocks differ."""
    messages = words("a", "a")
    sender = ot.Sender(randomness=source(1))
    receivers = [ot.Receiver(sender.first, i, choice=0, randomness=source(3)) for i in range(2)]
    assert receivers[0].second == receivers[1].second
    blocks = [sender.offer(r.second, i, messages=messages) for i, r in enumerate(receivers)]
    assert len({b[:16] for b in blocks} | {b[16:] for b in blocks}) == 4


def test_a_receiver_that_aims_at_the_neutral_key_learns_no_second_message():
    sender = ot.Sender(3, randomness=source(1))
    second = group.mul(2, sender.first)  # key of slot 1 is the neutral element
    offers = sender.offer(second, 0, messages=words("a", "b", "c"))
    place = bytes(4) + (1).to_bytes(4, "little")
    mask = group.digest("transfer", group.IDENTITY, sender.first, second, place)[:16]
    assert bytes(x ^ y for x, y in zip(offers[16:32], mask)) == b"b" * 16
    assert len({offers[:16], offers[16:32], offers[32:]}) == 3


def test_objects_are_single_use_and_inputs_are_checked():
    sender = ot.Sender(randomness=source(1))
    receiver = ot.Receiver(sender.first, 0, choice=1)
    offers = sender.offer(receiver.second, 0, messages=words("a", "b"))
    with pytest.raises(ValueError, match="transfer 0 is done"):
        sender.offer(receiver.second, 0, messages=words("a", "b"))
    with pytest.raises(ValueError, match="offers must have 32 bytes, got 31"):
        receiver.open(offers[1:])
    assert receiver.open(offers) == b"b" * 16
    with pytest.raises(ValueError, match="has been used"):
        receiver.open(offers)
    with pytest.raises(ValueError, match="messages must be 2 of 16 bytes"):
        sender.offer(receiver.second, 1, messages=[b"a", b"b"])
    with pytest.raises(ValueError, match="messages must be 2 of 16 bytes"):
        sender.offer(receiver.second, 1, messages=words("a", "b", "c"))
    for wrong in (group.IDENTITY, b"\xff" * 32, b"short", (2).to_bytes(32, "little")):
        with pytest.raises(ValueError, match="receiver's message is no element"):
            sender.offer(wrong, 1, messages=words("a", "b"))
        with pytest.raises(ValueError, match="sender's message is no element"):
            ot.Receiver(wrong, 0, choice=0)
    with pytest.raises(TypeError, match="must be bytes"):
        ot.Receiver("x", 0, choice=0)
    with pytest.raises(TypeError, match="the receiver's message must be bytes, got bytearray"):
        sender.offer(bytearray(receiver.second), 1, messages=words("a", "b"))
    with pytest.raises(ValueError, match=r"choice must be in 0\.\.1, got 2"):
        ot.Receiver(sender.first, 0, choice=2)
    for slots in (1, 1 << 16):
        with pytest.raises(ValueError, match="slots must be in"):
            ot.Sender(slots)
        with pytest.raises(ValueError, match="slots must be in"):
            ot.Receiver(sender.first, 0, choice=0, slots=slots)
    last = (1 << 16) - 1
    assert ot.Receiver(sender.first, 0, choice=last - 1, slots=last).slots == last


@pytest.mark.parametrize(
    "messages", [["a" * 16, "b" * 16], [bytearray(16), [98] * 16], [b"a" * 16, None], [1, 2]]
)
def test_a_wrong_type_burns_no_transfer(messages):
    sender = ot.Sender(randomness=source(1))
    receiver = ot.Receiver(sender.first, 0, choice=1)
    with pytest.raises(TypeError, match=r"Sender\.offer: a message must be bytes, got"):
        sender.offer(receiver.second, 0, messages=messages)
    offers = sender.offer(receiver.second, 0, messages=words("a", "b"))
    for wrong in ("a" * 32, bytearray(offers), list(offers), None):
        with pytest.raises(TypeError, match=r"Receiver\.open: offers must be bytes, got"):
            receiver.open(wrong)
    assert receiver.open(offers) == b"b" * 16


# --- the schemes of the paper ------------------------------------------------------------------

EPSILON = {
    CountMeanSketch: slot_epsilon(11, 8, bits=2),
    HadamardCountMeanSketch: slot_epsilon(11, 8),
}


def scheme_of(kind, **sizes):
    return kind(EPSILON[kind], **({"hashes": 4, "width": 8, "seed": 1} | sizes))


def true_signs(scheme, item, row, column):
    position = scheme.family.positions(item)[0, row]
    if isinstance(scheme, HadamardCountMeanSketch):
        return [hadamard_matrix(scheme.width)[column, position]]
    return [1 if cell == position else -1 for cell in range(scheme.width)]


@pytest.mark.parametrize("kind", [CountMeanSketch, HadamardCountMeanSketch])
def test_a_server_that_knows_the_order_reads_every_sign(kind):
    scheme = scheme_of(kind)
    changed = 0
    for seed in range(20):
        column = seed % 8 if kind is HadamardCountMeanSketch else 0
        transcript = ot.oblivious_report(
            scheme, "A18", order="known", place=(seed % 4, column), randomness=source(seed)
        )
        truth = true_signs(scheme, "A18", seed % 4, column)
        assert ot.infer_from_choices(transcript).tolist() == truth
        changed += int((transcript.signs != truth).sum())
    assert changed > 0  # and yet the noise was there


def test_known_order_flips_with_the_schemes_own_probability():
    scheme = CountMeanSketch(1.0, hashes=4, width=1024, seed=1)
    transcript = ot.oblivious_report(scheme, "A18", order="known", randomness=source(2))
    flips = int(transcript.choices.sum())
    assert abs(flips - 1024 * scheme.flip) < 3 * math.sqrt(1024 * scheme.flip * scheme.keep)


def test_shuffled_slots_hide_the_sign_exactly(monkeypatch):
    """All tapes of the shuffle: each arrangement equally often, for each sign."""
    bounds = []

    def recorded(bound, tape):
        bounds.append(bound)
        return next(tape)

    monkeypatch.setattr(group, "uniform", recorded)
    for sign in (1, -1):
        law = Counter(
            tuple(ot._shuffled([sign] * 3 + [-sign], iter(tape)))
            for tape in itertools.product(range(4), range(3), range(2))
        )
        assert set(law.values()) == {6}
        assert all(row.count(sign) == 3 for row in law)
        for choice in range(4):  # the choice tells nothing: the law of (choice, sign) is T/N
            kept = sum(count for row, count in law.items() if row[choice] == sign)
            assert Fraction(kept, 24) == Fraction(3, 4)
    assert bounds == [4, 3, 2] * 48  # the numbers on the tapes are those that are drawn from


def test_shuffled_slots_keep_a_sign_as_often_as_they_say():
    scheme = scheme_of(CountMeanSketch, width=512)
    transcript = ot.oblivious_report(scheme, "A18", place=(0, 0), randomness=source(3))
    kept = int((transcript.signs == true_signs(scheme, "A18", 0, 0)).sum())
    assert abs(kept - 512 * 8 / 11) < 3 * math.sqrt(512 * 24 / 121)
    assert abs(int((transcript.choices < 5).sum()) - 512 * 5 / 11) < 3 * math.sqrt(512 * 30 / 121)
    with pytest.raises(ValueError, match="the choices tell nothing"):
        ot.infer_from_choices(transcript)


@pytest.mark.parametrize("kind", [CountMeanSketch, HadamardCountMeanSketch])
@pytest.mark.parametrize("order", ["known", "shuffled"])
def test_equal_slots_gain_exactly_what_no_transfer_at_all_gains(kind, order):
    scheme = scheme_of(kind)
    slots = 2 if order == "known" else 11
    column = 5 if kind is HadamardCountMeanSketch else 0
    wanted = np.array(true_signs(scheme, "A18", 2, column))
    contents = np.repeat(wanted[:, None], slots, axis=1)
    transcript = ot.oblivious_report(
        scheme, "A18", order=order, contents=contents, place=(2, column), randomness=source(1)
    )
    assert transcript.signs.tolist() == wanted.tolist()
    row_gain = scheme.aggregate(transcript.report).estimate("A18")[0]
    assert row_gain == pytest.approx(
        frequency_gain(scheme, "mga", n_fake=1, targets=["A18"]), rel=1e-12
    )
    by_hand = scheme.factor * (
        (scheme.debias_factor + 1) / 2 - 1 / 8
        if kind is CountMeanSketch
        else scheme.debias_factor - 1 / 8
    )
    assert row_gain == pytest.approx(by_hand, rel=1e-12)
    [threat] = [t for t in threat_matrix(scheme.epsilon, 1, width=8) if t.name == "V3"]
    figure = threat.gain_cms if kind is CountMeanSketch else threat.gain_hcms
    assert row_gain == pytest.approx(figure, rel=1e-12)


def test_sizes_and_exponentiations():
    scheme = CountMeanSketch(1.0, hashes=4, width=128, seed=1)
    transcript = ot.oblivious_report(scheme, "A1", order="known")
    assert sum(transcript.sent) == 8224 == 32 + 128 * (32 + 2 * 16)
    assert transcript.exponentiations == (2 + 128, 3 * 128)
    small = ot.oblivious_report(
        HadamardCountMeanSketch(1.0, hashes=4, width=128, seed=1), "A1", order="known"
    )
    assert small.sent == (64, 32)
    assert small.exponentiations == (3, 3)


def test_reports_are_seeded_by_the_source_only():
    scheme = scheme_of(HadamardCountMeanSketch)
    one, two = (ot.oblivious_report(scheme, "A1", randomness=source(4)) for _ in range(2))
    assert (one.report == two.report).all()


def test_bad_reports_are_named():
    scheme = scheme_of(CountMeanSketch)
    with pytest.raises(ValueError, match="order must be one of shuffled, known, got 'random'"):
        ot.oblivious_report(scheme, "A1", order="random")
    with pytest.raises(ValueError, match=r"true must be in 3\.\.3, got 2"):
        ot.oblivious_report(scheme, "A1", slots=4, true=2)
    for contents, words in (
        (np.ones((8, 10), int), r"contents must have shape \(8, 11\), got \(8, 10\)"),
        (np.zeros((8, 11), int), "contents must be -1 or 1, got 0"),
    ):
        with pytest.raises(ValueError, match=words):
            ot.oblivious_report(scheme, "A1", contents=contents)
    with pytest.raises(ValueError, match=r"place\[0\] must be in 0\.\.3, got 4"):
        ot.oblivious_report(scheme, "A1", place=(4, 0))
    with pytest.raises(ValueError, match=r"place\[1\] must be in 0\.\.0, got 1"):
        ot.oblivious_report(scheme, "A1", place=(0, 1))
    with pytest.raises(TypeError, match="scheme must be"):
        ot.oblivious_report(None, "A1")
    with pytest.raises(TypeError, match="transcript must be one"):
        ot.infer_from_choices(None)


# --- rational noise ----------------------------------------------------------------------------


@pytest.mark.parametrize(("slots", "true"), [(3, 2), (8, 5), (11, 8), (26, 19)])
def test_slots_are_a_scheme_with_that_epsilon(slots, true):
    p = Fraction(true, slots)
    assert slot_constant(slots, true) == 1 / (2 * p - 1)
    for kind, bits in ((CountMeanSketch, 2), (HadamardCountMeanSketch, 1)):
        scheme = kind(slot_epsilon(slots, true, bits=bits), hashes=2, width=4, seed=0)
        assert scheme.keep == pytest.approx(float(p), rel=1e-14)
        assert scheme.debias_factor == pytest.approx(float(slot_constant(slots, true)), rel=1e-13)


def test_the_wrong_constant_scales_the_estimate():
    """5 of 8 in CMS at epsilon 1: 2.07 % too much, exactly c / c_N."""
    c = 1 / math.tanh(1 / 4)
    assert c / float(slot_constant(8, 5)) - 1 == pytest.approx(0.0207, abs=5e-5)


@pytest.mark.parametrize(("bits", "kind"), [(1, HadamardCountMeanSketch), (2, CountMeanSketch)])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_slots_for_lists_all_records_from_below(bits, kind, epsilon):
    found = slots_for(epsilon, 60, bits=bits)
    best, expected = 0.0, []
    for slots in range(2, 61):  # by brute force over all fractions
        levels = [bits * math.log(t / (slots - t)) for t in range(slots // 2 + 1, slots)]
        for true, level in zip(range(slots // 2 + 1, slots), levels):
            if best + 1e-12 < level <= epsilon:
                best = level
                expected = [e for e in expected if e[0] < slots] + [(slots, true)]
    assert [(s.slots, s.true) for s in found] == expected
    asked = kind(epsilon, hashes=2, width=4, seed=0).moments({"x": 10**9, "y": 0}, family="random")
    for s in found[-2:]:
        got = kind(s.epsilon, hashes=2, width=4, seed=0).moments(
            {"x": 10**9, "y": 0}, family="random"
        )
        noise = [m.variance[0] for m in (got, asked)]  # x has no collisions: noise only, but -f
        if bits == 1:
            noise = [n + (4 / 3) ** 2 * 10**9 for n in noise]
        assert noise[0] / noise[1] - 1 == pytest.approx(s.variance_cost, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 36.7, 70.0, 74.0, 100.0, 1400.0])
@pytest.mark.parametrize("bits", [1, 2])
def test_what_slots_cost_at_any_level_is_that_of_long_numbers(bits, epsilon):
    with mp.workdps(700):
        e, offset = mp.exp(mp.mpf(epsilon) / bits), bits - 1
        asked = ((e + 1) / (e - 1)) ** 2 - offset
        for s in slots_for(epsilon, 45, bits=bits):
            ratio = ((mp.mpf(s.slots) / (2 * s.true - s.slots)) ** 2 - offset) / asked
            assert abs(1 + mp.mpf(s.variance_cost) - ratio) < 1e-15 * ratio


def test_slots_at_the_ends_of_the_doubles():
    for epsilon in (5e-324, 1e-170, 1e-17):
        for bits in (1, 2):
            assert slots_for(epsilon, 10, bits=bits) == []
    assert [s.variance_cost for s in slots_for(1600, 4, bits=2)] == [math.inf, math.inf]
    assert [s.variance_cost for s in slots_for(1600, 4)] == [8, 3]  # (3/1)² − 1, (4/2)² − 1


@pytest.mark.parametrize("bits", [1, 2])
def test_slots_for_a_level_of_slots_finds_them_and_never_more(bits):
    for slots in range(2, 60):
        for true in range(slots // 2 + 1, slots):
            level = slot_epsilon(slots, true, bits=bits)
            found = slots_for(level, slots, bits=bits)
            assert Fraction(found[-1].true, found[-1].slots) == Fraction(true, slots)
            assert found[-1].epsilon == level
            below = slots_for(math.nextafter(level, 0), slots, bits=bits)
            assert all(s.epsilon < level for s in below)
    assert slots_for(0.6931471805599452, 3) == []  # ln 2 in doubles is 0.6931471805599453


def test_bad_slots_are_named():
    with pytest.raises(ValueError, match=r"slot_epsilon: true must be in 6\.\.10, got 11"):
        slot_epsilon(11, 11)
    with pytest.raises(ValueError, match=r"slot_constant: true must be in 5\.\.7, got 4"):
        slot_constant(8, 4)
    with pytest.raises(ValueError, match="slots must be in"):
        slot_epsilon(1, 1)
    with pytest.raises(TypeError, match="true must be an integer"):
        slot_epsilon(11, 8.0)
    with pytest.raises(ValueError, match="epsilon must be positive"):
        slots_for(0, 10)
    with pytest.raises(ValueError, match=r"bits must be in 1\.\.2"):
        slots_for(1, 10, bits=3)
    assert slots_for(0.01, 10) == []
    with pytest.raises(ValueError, match="targets must be at least 1"):
        threat_matrix(1.0, 0)
    with pytest.raises(ValueError, match="width must be at least 2"):
        threat_matrix(1.0, 1, width=1)


# --- threats -----------------------------------------------------------------------------------


def enumerated(m, r, epsilon):
    """Largest gains on HCMS by listing positions of targets, coordinates, and flips."""
    H, c, F = hadamard_matrix(m).astype(int), 1 / math.tanh(epsilon / 2), m / (m - 1)
    p = 1 / (1 + math.exp(-epsilon))
    total = Counter()
    for positions in itertools.product(range(m), repeat=r):
        for l in range(m):  # noqa: E741
            signs = [H[l, x] for x in positions]
            for tau, chance in ((1, p), (-1, 1 - p)):
                weight = chance / m ** (r + 1)
                free = 1 if sum(signs) > 0 else -1
                for name, w in (("V5'", free), ("V6", signs[0])):
                    gain = F * (c * tau * w * sum(signs) - r / m)
                    total[name] += weight * gain
                    total[name, "aborts"] += weight * max(gain, 0)
                    total[name, "unfinished"] += weight * (gain < 0)
    for tau, chance in ((1, p), (-1, 1 - p)):  # the client's own coordinate: all signs equal
        gain = F * (c * tau * r - r / m)
        total["V5"] += chance * gain
        total["V5", "aborts"] += chance * max(gain, 0)
        total["V5", "unfinished"] += chance * (gain < 0)
    return total


@pytest.mark.parametrize(("m", "r"), [(2, 1), (4, 1), (4, 2), (4, 3), (8, 4)])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.5])
def test_threats_of_the_verifiable_protocols_by_enumeration(m, r, epsilon):
    total = enumerated(m, r, epsilon)
    rows = {t.name: t for t in threat_matrix(epsilon, r, width=m)}
    for name in ("V5", "V5'", "V6"):
        assert rows[name].gain_hcms == pytest.approx(total[name], rel=1e-12)
        assert rows[name].aborts == pytest.approx(total[name, "aborts"], rel=1e-12)
        assert rows[name].unfinished == pytest.approx(total[name, "unfinished"], rel=1e-12)
    assert rows["V6"].gain_cms == rows["V6"].gain_hcms == 1


def test_threats_of_the_other_variants_are_those_of_the_attacks():
    for r, m in ((1, 128), (8, 128), (3, 16)):
        items = [f"A{i}" for i in range(r)]
        rows = {t.name: t for t in threat_matrix(1.0, r, width=m)}
        for kind, field in ((CountMeanSketch, "gain_cms"), (HadamardCountMeanSketch, "gain_hcms")):
            scheme = kind(1.0, hashes=4, width=m, seed=1)
            for attack, names in (("mga", ("V0", "V1", "V3")), ("all_ones", ("V1'", "V4", "V5"))):
                gain = frequency_gain(scheme, attack, n_fake=1, targets=items)
                for name in names:
                    assert getattr(rows[name], field) == pytest.approx(gain, rel=1e-12)
        assert [t.curious for t in rows.values()] == [1, math.inf, math.inf, 0, 1, 1, 1, 1, 1]
        assert [t.malicious for t in rows.values()] == [t.curious for t in rows.values()]
        assert rows["V2"].gain_cms == math.inf
        assert all(t.aborts >= t.gain_hcms - 1e-12 for t in rows.values())
        assert [n for n, t in rows.items() if t.unfinished] == ["V5", "V5'", "V6"]


def test_stopping_gains_the_factor_of_the_formula_for_one_target_only():
    e = math.e
    wide = {r: {t.name: t for t in threat_matrix(1.0, r, width=1 << 20)} for r in (1, 8)}
    assert wide[1]["V5"].aborts == pytest.approx(e / (e - 1), rel=1e-5)
    assert wide[1]["V6"].aborts == pytest.approx(e / (e - 1), rel=1e-5)
    assert wide[8]["V5"].aborts == pytest.approx(8 * e / (e - 1), rel=1e-5)
    mean = 8 * math.comb(8, 4) / 2**8  # of the absolute value of a sum of eight signs
    c = (e + 1) / (e - 1)
    assert wide[8]["V5'"].gain_hcms == pytest.approx(mean, rel=1e-5)
    assert wide[8]["V6"].aborts == pytest.approx((c * mean + 1) / 2, rel=1e-5)


@pytest.mark.parametrize(("r", "m"), [(1, 4), (3, 4), (4, 8)])
def test_the_law_of_the_sum_of_signs_by_enumeration(r, m):
    H = hadamard_matrix(m)
    law = Counter()
    for positions in itertools.product(range(m), repeat=r):
        for column in range(m):
            law[int(H[column, list(positions)].sum())] += 1 / m ** (r + 1)
    assert dict(threat_model._sum_of_signs(r, m)) == pytest.approx(dict(law))


def test_the_extra_is_named_where_it_is_missing():
    probe = (
        "import sys; sys.modules['nacl'] = None\n"
        "import privlib.sketch.slots\n"
        "import privlib.sketch.transfer\n"
        "try:\n    privlib.sketch.transfer.Sender()\n"
        "except ImportError as error:\n    print(error)"
    )
    out = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert "needs pynacl; pip install pynacl" in out.stdout
