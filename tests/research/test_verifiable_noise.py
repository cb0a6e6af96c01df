"""Tests of `privlib.research.verifiable_noise`: proofs, privacy, soundness, costs."""

from __future__ import annotations

import itertools
import math
import random
import struct
import types
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from privlib.research import sigma_proofs
from privlib.research import verifiable_noise as v
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch, group
from privlib.sketch.hadamard import hadamard_matrix
from privlib.sketch.hashing import ExplicitFamily
from privlib.sketch.slots import slot_constant, slot_epsilon

from ..sketch import order5_group

P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P
DOMAIN = ["A1", "A2", "A3", "A4"]


def source(seed):
    """Bytes from a seed, as pages and tests use them."""
    return random.Random(seed).randbytes


def hcms(slots=3, true=2, *, family=None, domain=None, **changes):
    epsilon = slot_epsilon(slots, true)
    if family is not None:
        scheme = HadamardCountMeanSketch.with_family(epsilon, family)
    else:
        sizes = {"hashes": 4, "width": 8, "seed": 1} | changes
        scheme = HadamardCountMeanSketch(epsilon, **sizes)
    return v.Protocol(scheme, slots=slots, true=true, domain=domain)


def cms(slots=3, true=2, width=4):
    epsilon = slot_epsilon(slots, true, bits=2)
    scheme = CountMeanSketch(epsilon, hashes=4, width=width, seed=1)
    return v.Protocol(scheme, slots=slots, true=true)


def numbers_of(client):
    """What a client of one sign has committed to."""
    [openings] = client._openings
    return [u - 1 for u, _ in openings]


# --- the group ---------------------------------------------------------------------------------


def affine(point):
    """Coordinates of an encoded point, by the equation of the curve."""
    y = int.from_bytes(point, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    assert x * x % P == square
    return (P - x if x & 1 != sign else x), y


def encoded(x, y):
    return (y | (x & 1) << 255).to_bytes(32, "little")


def plus(p, q):
    """The addition distribution of the twisted Edwards curve."""
    (a, b), (c, d) = affine(p), affine(q)
    k = D * a * b * c * d % P
    x = (a * d + b * c) * pow(1 + k, -1, P) % P
    return encoded(x, (b * d + a * c) * pow(1 - k, -1, P) % P)


def times(n, p):
    total = group.IDENTITY
    for bit in f"{n:b}":
        total = plus(total, total)
        if bit == "1":
            total = plus(total, p)
    return total


def test_the_group_is_the_one_of_the_curve_equation():
    """Against affine arithmetic in Python integers; B is the standard base point, y = 4/5."""
    assert affine(group.H)[1] == 4 * pow(5, -1, P) % P
    a, b = (group.uniform(group.L, source(i)) for i in (1, 2))
    p, q = group.base_mul(a), group.mul(b, group.G)
    assert p == times(a, group.H)
    assert q == times(b, group.G)
    assert group.add(p, q) == plus(p, q) == group.add(q, p)
    assert group.add(group.sub(p, q), q) == p
    point, s = group.commit(a, source(3))
    assert point == plus(times(a, group.G), times(s, group.H))
    assert times(group.L, group.G) == group.IDENTITY != times(8, group.G)


def test_zero_and_the_neutral_element_are_ordinary_cases():
    p = group.base_mul(5)
    assert group.mul(0, p) == group.base_mul(group.L) == group.IDENTITY
    assert group.mul(7, group.IDENTITY) == group.IDENTITY
    assert group.sub(p, p) == group.IDENTITY
    assert group.add(p, group.IDENTITY) == p
    assert group.mul(-1, p) == group.sub(group.IDENTITY, p)
    assert v._powers(4) == [group.mul(i, group.G) for i in range(4)]


def test_uniform_is_uniform_and_notices_a_source_that_is_not():
    draws = Counter(group.uniform(5, lambda n, i=i: bytes([i])) for i in range(256) if i & 7 < 5)
    assert set(draws.values()) == {32}
    assert len(draws) == 5
    with pytest.raises(ValueError, match="1000 draws in a row"):
        group.uniform(5, lambda n: b"\xff" * n)
    with pytest.raises(ValueError, match="must return 32 bytes"):
        group.uniform(group.L, lambda n: b"short")
    assert 0 <= group.uniform(group.L, source(1)) < group.L


def test_hashes_depend_on_every_part_and_on_where_it_ends():
    hashes = [
        group.digest("a", b"xy", b"z"), group.digest("a", b"x", b"yz"),
        group.digest("b", b"xy", b"z"), group.digest("a", b"xyz"),
    ]  # fmt: skip
    assert len(set(hashes)) == 4
    assert group.is_point(group.hash_to_point("another sentence"))


def test_a_commitment_hides_perfectly(monkeypatch):
    """In the small group every u has the same multiset of commitments, without the neutral one."""
    order5_group.install(monkeypatch)
    sets = []
    for u in range(1, 7):
        commitments = []
        for s in range(order5_group.ORDER):
            # A second draw where the first is refused.
            tape = iter([s, (s + 1) % order5_group.ORDER])
            commitments.append((group.commit(u, tape)[0], next(tape, None)))
        sets.append(sorted(c for c, second in commitments if second is not None))
    assert all(len(set(points)) == order5_group.ORDER - 1 for points in sets)
    assert all(points == sets[0] for points in sets)


# --- proofs ------------------------------------------------------------------------------------

OR2 = ([[[b"\x03", b"\x09"]]], (0, [(1, 2)]))  # one branch: log of 3 or of 9; 9 = 3^2
ANDS = ([[[b"\x04"], [b"\x05"]], [[b"\x03"], [b"\x09"]]], (1, [(0, 1), (0, 2)]))


def tapes(*bounds):
    return itertools.product(*(range(bound) for bound in bounds))


@pytest.mark.parametrize(
    ("case", "prover", "simulator", "challenge"),
    [
        (OR2, (4, 5, 5, 5), (4, 5, 5), 0),  # a challenge, two answers, and a nonce
        (OR2, (4, 5, 5, 5), (4, 5, 5), 3),
        pytest.param(ANDS, (4, 5, 5, 5, 5, 5, 5), (4, 5, 5, 5, 5), 3, marks=pytest.mark.slow),
    ],
)
def test_proofs_are_honest_verifier_zero_knowledge(monkeypatch, case, prover, simulator, challenge):
    """Every run of prover and simulator: exactly the same distribution of whole transcripts."""
    order5_group.install(monkeypatch)
    statement, witness = case
    points = [p for branch in statement for points in branch for p in points]

    def transcript(pairs):
        return tuple((sigma_proofs.announcement(p, pair), pair) for p, pair in zip(points, pairs))

    real = Counter(
        transcript(
            sigma_proofs.prove(
                statement, witness, oracle=lambda t: challenge, randomness=iter(tape)
            )
        )
        for tape in tapes(*prover)
    )
    fake = Counter(
        transcript(sigma_proofs.simulate(statement, challenge, randomness=iter(tape)))
        for tape in tapes(*simulator)
    )
    scale = Fraction(math.prod(prover), math.prod(simulator))
    assert real == {key: count * scale for key, count in fake.items()}
    for one in itertools.islice(real, 50):
        pairs = [pair for _, pair in one]
        assert sigma_proofs.verify(statement, pairs, oracle=lambda t: challenge)
        assert not sigma_proofs.verify(statement, pairs, oracle=lambda t: (challenge + 1) % 4)


def extract(statement, first, second, order):
    """Logarithms, by branch and or, from two transcripts with the same announcements."""
    found, place = {}, 0
    for i, branch in enumerate(statement):
        for j, points in enumerate(branch):
            for k, _ in enumerate(points):
                (c, z), (c2, z2) = first[place], second[place]
                place += 1
                if c != c2:
                    found[i, j] = k, (z - z2) * pow(c - c2, -1, order) % order
    return found


def test_proofs_are_specially_sound(monkeypatch):
    """All pairs of accepted transcripts with equal announcements and different challenges."""
    order5_group.install(monkeypatch)
    statement, _ = ANDS
    points = [p for branch in statement for points in branch for p in points]
    accepted = {}
    for a, b in tapes(4, 4):  # challenges of the branches; the announcements then fix the answers
        for challenge in range(4):
            if (a + b) % 4 == challenge:
                accepted.setdefault(challenge, []).append((a, b))
    announcements = [bytes([x]) for x in (1, 3, 4, 5)]

    def answers(a, b):
        shares = (a, a, b, b)
        return [
            (c, (order5_group.logarithm(t) + c * order5_group.logarithm(p)) % order5_group.ORDER)
            for p, t, c in zip(points, announcements, shares)
        ]

    pairs = 0
    for one, two in itertools.combinations(range(4), 2):
        for left, right in itertools.product(accepted[one], accepted[two]):
            first, second = answers(*left), answers(*right)
            assert sigma_proofs.verify(statement, first, oracle=lambda t, c=one: c)
            assert sigma_proofs.verify(statement, second, oracle=lambda t, c=two: c)
            found = extract(statement, first, second, order5_group.ORDER)
            assert {(0, 0), (0, 1)} <= found.keys() or {(1, 0), (1, 1)} <= found.keys()
            for (i, j), (k, logarithm) in found.items():
                assert order5_group.logarithm(statement[i][j][k]) == logarithm
            pairs += 1
    assert pairs == 96


def test_two_challenges_open_a_commitment_of_the_real_group():
    """A prover who is rewound gives away the item and the number that it has committed to."""
    protocol = hcms(domain=DOMAIN)
    client = v.Client(protocol, b"s", randomness=source(5))
    commitment = client.commit("A3")
    server = v.Server(protocol, randomness=source(6))
    coin = server.challenge(b"s", commitment)
    [y], rho = client.outcome(coin), numbers_of(client)[1]
    [(branches, statement, _)] = protocol._rounds(b"s", commitment, coin=coin, noisy=[y])
    real = [3 in items and 1 + rho in numbers for items, numbers in branches].index(True)
    places = zip(branches[real], client._openings[0])
    witness = real, [(numbers.index(u), s) for numbers, (u, s) in places]
    runs = [
        sigma_proofs.prove(statement, witness, oracle=lambda t, c=c: c, randomness=source(7))
        for c in (11, 2**127)
    ]
    for pairs, c in zip(runs, (11, 2**127)):
        assert sigma_proofs.verify(statement, pairs, oracle=lambda t, c=c: c)
    found = extract(statement, *runs, group.L)
    assert set(found) == {(real, 0), (real, 1)}
    for place, expected in ((0, 2), (1, rho)):
        index, s = found[real, place]
        u = branches[real][place][index]
        assert u == 1 + expected
        point = group.add(group.mul(u, group.G), group.base_mul(s))
        assert point == commitment[32 * place : 32 * place + 32]


def test_a_branch_that_cannot_hold_needs_no_proof_and_gives_none():
    """All signs +1 at coordinate 0: the other branch has no item and gets the challenge 0."""
    a, b = 12345, 67890
    points = [group.base_mul(a), group.base_mul(b)]
    statement = [[[points[0]], [points[1]]], [[], [points[1], points[0]]]]
    pairs = sigma_proofs.prove(
        statement, (0, [(0, a), (0, b)]), oracle=lambda t: 99, randomness=source(1)
    )
    assert sigma_proofs.verify(statement, pairs, oracle=lambda t: 99)
    assert pairs[0][0] == pairs[1][0] == 99
    assert (pairs[2][0] + pairs[3][0]) % 2**128 == 0
    forged = sigma_proofs.simulate(statement, 99, randomness=source(2))
    assert not sigma_proofs.verify(statement, forged, oracle=lambda t: 100)
    assert not sigma_proofs.verify(statement, pairs[:-1], oracle=lambda t: 99)


def test_an_and_needs_both_parts():
    """The prover knows one of two logarithms that must both be known."""
    known, unknown = group.base_mul(77), group.G
    statement = [[[known], [unknown]]]
    pairs = sigma_proofs.prove(
        statement, (0, [(0, 77), (0, 1)]), oracle=lambda t: 5, randomness=source(3)
    )
    announced = [sigma_proofs.announcement(p, pair) for p, pair in zip((known, unknown), pairs)]
    oracle = lambda t: 5 if t == announced else 6  # noqa: E731
    assert sigma_proofs.verify(
        statement, pairs, oracle=oracle
    )  # whoever knows the challenge first may lie
    honest = {}

    def hashed(t):
        return honest.setdefault(tuple(t), int.from_bytes(group.digest("t", *t)[:16], "little"))

    pairs = sigma_proofs.prove(
        statement, (0, [(0, 77), (0, 1)]), oracle=hashed, randomness=source(3)
    )
    assert not sigma_proofs.verify(statement, pairs, oracle=hashed)
    for first, second in ((0, 1), (1, 0), (5, 9)):  # different challenges inside one branch
        for challenge in (first, second):
            split = [(first, 2), (second, 3)]
            assert not sigma_proofs.verify(statement, split, oracle=lambda t, c=challenge: c)
            assert sigma_proofs.verify(
                statement, [(challenge, 2)] * 2, oracle=lambda t, c=challenge: c
            )


def test_every_sign_of_a_wide_report_has_a_hash_of_its_own():
    protocol, commitment = cms(), bytes(8) + group.H * 4
    challenges = {
        oracle([])
        for session in (b"a", b"b")
        for *_, oracle in protocol._rounds(session, commitment, coin=bytes(8), noisy=[1] * 4)
    }
    assert len(challenges) == 8
    assert max(challenges) < 2**128


def test_a_challenge_depends_on_everything_that_was_said():
    """A part that the hash left out could be exchanged after the proof."""
    case = {"session": b"s", "commitment": group.H * 2, "coin": bytes(10), "noisy": [1]}
    protocol = hcms(domain=DOMAIN)

    def challenge(protocol, session, commitment, **said):
        [(*_, oracle)] = protocol._rounds(session, commitment, **said)
        return oracle([])

    changes = [{"session": b"t"}, {"commitment": group.H + group.G}, {"noisy": [-1]}]
    changes += [
        {"coin": struct.pack("<IIH", *place)} for place in ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    ]
    others = [
        hcms(domain=DOMAIN[::-1]),
        hcms(domain=[*DOMAIN[:3], "A5"]),
        hcms(domain=DOMAIN, seed=2),
    ]
    seen = {challenge(protocol, **case | change) for change in [{}, *changes]}
    seen |= {challenge(other, **case) for other in [*others, hcms(5, 4, domain=DOMAIN)]}
    assert len(seen) == 1 + len(changes) + len(others) + 1


# --- privacy -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("slots", "true"), [(3, 2), (8, 5), (11, 8), (26, 19)])
def test_every_coin_keeps_the_sign_with_the_same_probability(slots, true):
    protocol = hcms(slots, true)
    for coin in range(slots):
        for sign in (1, -1):
            kept = sum(protocol.apply(sign, rho, coin=coin) == sign for rho in range(slots))
            assert Fraction(kept, slots) == Fraction(true, slots)
        for y in (1, -1):
            [[numbers]] = protocol._numbers((0, 0), y, coin=coin)
            direct = set()
            for b, rho in itertools.product((0, 1), range(slots)):
                flips = b + (divmod(rho + coin, slots)[1] >= true)
                if (-1) ** flips == y:
                    direct.add(1 + b * slots + rho)
            assert set(numbers) == direct
            assert [(u - 1) % slots for u in numbers] == list(range(slots))
    worst = Fraction(true, slots - true)
    assert protocol.scheme.epsilon == pytest.approx(math.log(worst))
    assert cms(slots, true).scheme.epsilon == pytest.approx(2 * math.log(worst))


def test_two_coins_for_one_commitment_would_tell_more():
    protocol = hcms(11, 8)

    def distribution(sign, pair):
        return Counter(
            tuple(protocol.apply(sign, rho, coin=coin) for coin in pair) for rho in range(11)
        )

    once = max(distribution(1, (0,))[y] / distribution(-1, (0,))[y] for y in [(1,), (-1,)])
    assert Fraction(once).limit_denominator(100) == Fraction(8, 3)
    # Coins 3 apart: no number flips both, so two equal answers are the sign itself.
    assert distribution(-1, (0, 3))[1, 1] == 0 < distribution(1, (0, 3))[1, 1]
    client = v.Client(hcms(), b"s", randomness=source(1))
    client.commit("A1")
    client.respond(bytes(2))
    with pytest.raises(ValueError, match="two answers to one commitment"):
        client.respond(bytes([1, 0]))


# --- completeness, and that the report is what the protocol says --------------------------------


def run(client, server, message):
    coin = server.challenge(client.session, message)
    return coin, client.outcome(coin), server.accept(client.session, client.respond(coin))


def test_an_honest_report_arrives_as_the_coin_says():
    protocol = hcms(11, 8)
    scheme = protocol.scheme
    for seed in range(8):
        client = v.Client(protocol, b"%d" % seed, randomness=source(seed))
        server = v.Server(protocol, randomness=source(-1 - seed))
        coin, [sign], report = run(client, server, client.commit("A2"))
        row, column, got = (x[0] for x in scheme.unpack(report))
        assert got == sign
        true = hadamard_matrix(8)[column, scheme.family.positions("A2")[0, row]]
        b, rho = divmod(*numbers_of(client), 11)
        assert (-1) ** b == true
        assert got == (true if (rho + coin[0]) % 11 < 8 else -true)


def test_an_honest_report_of_the_wide_scheme_arrives_too():
    protocol = cms()
    client = v.Client(protocol, b"s", randomness=source(3))
    server = v.Server(protocol, randomness=source(4))
    _, signs, report = run(client, server, client.commit("A2"))
    rows, got = protocol.scheme.unpack(report)
    assert got[0].tolist() == signs
    true = np.full(4, -1)
    true[protocol.scheme.family.positions("A2")[0, rows[0]]] = 1
    assert [1 if u <= 3 else -1 for [(u, _)] in client._openings] == true.tolist()


@pytest.mark.parametrize("item", DOMAIN)
def test_a_committed_item_arrives_at_every_kind_of_draw(item):
    protocol = hcms(domain=DOMAIN)
    scheme = protocol.scheme
    columns = set()
    for seed in range(12):
        client = v.Client(protocol, b"s", randomness=source(seed))
        server = v.Server(protocol, randomness=source(100 + seed))
        coin, [sign], report = run(client, server, client.commit(item))
        row, column, got = (int(x[0]) for x in scheme.unpack(report))
        assert (row, column) == struct.unpack("<IIH", coin)[:2]
        w = hadamard_matrix(8)[column, scheme.family.positions(item)[0, row]]
        index, rho = numbers_of(client)
        assert DOMAIN[index] == item
        kept = (rho + struct.unpack("<IIH", coin)[2]) % 3 < 2
        assert got == sign == (w if kept else -w)
        columns.add(column)
    assert len(columns) > 4


def test_column_zero_where_all_items_have_one_sign():
    family = ExplicitFamily({d: [i] for i, d in enumerate(DOMAIN)}, 4)
    protocol = hcms(family=family, domain=DOMAIN)
    client = v.Client(protocol, b"s", randomness=source(2))
    server = v.Server(protocol, randomness=bytes)  # all draws are 0
    coin, [sign], report = run(client, server, client.commit("A4"))
    assert struct.unpack("<IIH", coin)[:2] == (0, 0)
    assert protocol.scheme.unpack(report)[2][0] == sign


def test_the_distribution_of_reports_is_that_of_the_scheme():
    """400 sessions: signs are kept in two of three, and the estimate is unbiased."""
    family = ExplicitFamily({"A1": [0], "A2": [1]}, 4)
    protocol = hcms(family=family)
    scheme = protocol.scheme
    server, draw = v.Server(protocol, randomness=source(1)), source(2)
    kept, reports = 0, []
    for i in range(400):
        client = v.Client(protocol, b"%d" % i, randomness=draw)
        _, [sign], report = run(client, server, client.commit("A1"))
        kept += sign == (1 if numbers_of(client)[0] < 3 else -1)
        reports.append(report)
    assert abs(kept - 800 / 3) < 3 * math.sqrt(800 / 9)
    assert (server.opened, server.finished, server.rejected, server.pending) == (400, 400, 0, 0)
    moments = scheme.moments({"A1": 400, "A2": 0})
    estimate = scheme.aggregate(np.concatenate(reports)).estimate("A1")[0]
    assert abs(estimate - moments.mean[0]) < 3 * moments.sd[0]


# --- soundness ---------------------------------------------------------------------------------


class Setting:
    """A finished session whose server can be started again with the same coins."""

    def __init__(self, protocol, seed=1):
        self.protocol = protocol
        self.client = v.Client(protocol, b"session", randomness=source(seed))
        self.fresh = lambda: v.Server(protocol, randomness=source(seed + 1))
        self.commitment = self.client.commit("A2")
        self.coin = self.fresh().challenge(b"session", self.commitment)
        self.response = self.client.respond(self.coin)

    def accepted(self, *, session=b"session", commitment=None, response=None):
        server = self.fresh()
        commitment = self.commitment if commitment is None else commitment
        try:
            server.challenge(session, commitment)
            server.accept(session, self.response if response is None else response)
        except v.ProofError:
            return False
        return True


def flipped(octets, bit):
    changed = bytearray(octets)
    changed[bit // 8] ^= 1 << (bit % 8)
    return bytes(changed)


@pytest.mark.slow
@pytest.mark.parametrize("domain", [None, DOMAIN])
def test_every_flipped_bit_is_noticed(domain):
    setting = Setting(hcms(domain=domain))
    assert setting.accepted()
    for bit in range(8 * len(setting.response)):
        assert not setting.accepted(response=flipped(setting.response, bit)), bit
    for bit in range(8 * len(setting.commitment)):
        assert not setting.accepted(commitment=flipped(setting.commitment, bit)), bit


@pytest.mark.parametrize("case", ["default", "wide"])
@pytest.mark.slow
def test_every_flipped_byte_is_noticed_at_full_size(case):
    setting = Setting(hcms(11, 8) if case == "default" else cms())
    assert setting.accepted()
    for byte in range(len(setting.response)):
        assert not setting.accepted(response=flipped(setting.response, 8 * byte + byte % 8)), byte


@pytest.mark.parametrize("domain", [None, DOMAIN])
def test_a_response_belongs_to_its_session_and_coin(domain):
    protocol = hcms(domain=domain)
    setting = Setting(protocol)
    assert not setting.accepted(session=b"another")
    other = Setting(protocol, seed=9)
    assert not setting.accepted(response=other.response)
    assert not setting.accepted(commitment=other.commitment)
    # The same client, answering a coin that the server did not give.
    client = v.Client(protocol, b"session", randomness=source(1))
    assert client.commit("A2") == setting.commitment
    *place, value = setting.coin[:-1]
    wrong = bytes([*place, (value + 1) % 3, 0])
    assert not setting.accepted(response=client.respond(wrong))


@pytest.mark.parametrize("domain", [None, DOMAIN])
def test_a_whole_session_cannot_be_played_again(domain):
    """Neither on the server that saw it, nor under another name, nor in another protocol."""
    protocol = hcms(domain=domain)
    setting = Setting(protocol)
    server = setting.fresh()
    assert server.challenge(b"session", setting.commitment) == setting.coin
    server.accept(b"session", setting.response)
    with pytest.raises(v.ProofError, match="is spent"):
        server.challenge(b"session", setting.commitment)
    with pytest.raises(v.ProofError, match="no open coin"):
        server.accept(b"session", setting.response)
    assert (server.opened, server.finished, server.rejected, server.pending) == (1, 1, 0, 0)
    others = [hcms(domain=domain, seed=2), hcms(5, 4, domain=domain)]
    others += [hcms(domain=DOMAIN[::-1]), hcms(domain=[*DOMAIN[:3], "A5"])] if domain else []
    for other in others:
        server = v.Server(other, randomness=source(2))
        server.challenge(b"session", setting.commitment)
        with pytest.raises(v.ProofError):
            server.accept(b"session", setting.response.ljust(other.sizes[2], b"\0"))


def test_a_response_belongs_to_its_row_coordinate_and_scheme():
    setting = Setting(hcms())
    row, column = struct.unpack_from("<II", setting.commitment)
    for j, x in itertools.product(range(4), range(8)):
        moved = struct.pack("<II", j, x) + setting.commitment[8:]
        assert setting.accepted(commitment=moved) == ((j, x) == (row, column))
    for other in (hcms(seed=2), hcms(width=16)):
        server = v.Server(other, randomness=source(2))
        assert server.challenge(b"session", setting.commitment) == setting.coin
        with pytest.raises(v.ProofError):
            server.accept(b"session", setting.response)


def test_the_parts_of_a_wide_report_stay_in_their_places():
    setting = Setting(cms())
    head, proofs = setting.response[:4], setting.response[4:]
    size = len(proofs) // 4
    parts = [proofs[i * size : (i + 1) * size] for i in range(4)]
    points = [setting.commitment[8 + 32 * i : 40 + 32 * i] for i in range(4)]
    for order in itertools.permutations(range(4)):
        response = bytes(head[i] for i in order) + b"".join(parts[i] for i in order)
        commitment = setting.commitment[:8] + b"".join(points[i] for i in order)
        assert setting.accepted(commitment=commitment, response=response) == (order == (0, 1, 2, 3))


def lying(setting, y, place):
    """A response that claims `y`, proved as well as it can be with the wrong opening."""
    client = setting.client
    [(_, statement, oracle)] = setting.protocol._rounds(
        client.session, setting.commitment, coin=setting.coin, noisy=[y]
    )
    real, clauses = place
    openings = [(i, s) for i, (_, s) in zip(clauses, client._openings[0])]
    pairs = sigma_proofs.prove(statement, (real, openings), oracle=oracle, randomness=source(8))
    return bytes([y < 0]) + sigma_proofs.encode(pairs)


@pytest.mark.slow
def test_who_picks_the_number_after_the_coin_is_caught():
    for seed in range(6):
        setting = Setting(hcms(11, 8), seed=seed)
        [honest] = setting.client.outcome(setting.coin)
        rho = numbers_of(setting.client)[0] % 11
        assert setting.accepted(response=lying(setting, honest, (0, [rho])))
        for other in range(11):
            assert not setting.accepted(response=lying(setting, -honest, (0, [other])))
            response = lying(setting, honest, (0, [other]))
            assert setting.accepted(response=response) == (other == rho)


def test_who_picks_the_item_after_the_draw_is_caught():
    setting = Setting(hcms(domain=DOMAIN))
    row, column, value = struct.unpack("<IIH", setting.coin)
    tried = 0
    for y, index, rho in itertools.product((1, -1), range(4), range(3)):
        branches = setting.protocol._numbers((row, column), y, coin=value)
        place = setting.protocol.scheme.family.positions(DOMAIN[index])[0, row]
        real = 0 if hadamard_matrix(8)[column, place] == 1 else 1
        items, numbers = branches[real]
        if 1 + rho not in numbers:
            continue
        clauses = [items.index(1 + index), numbers.index(1 + rho)]
        honest = [index, rho] == numbers_of(setting.client)
        assert setting.accepted(response=lying(setting, y, (real, clauses))) == honest
        tried += 1
    assert tried == 12


ORDER2 = (P - 1).to_bytes(32, "little")  # y = -1: of order two


@pytest.mark.parametrize(
    "point",
    [
        group.IDENTITY,
        ORDER2,
        group.add(group.base_mul(5), ORDER2),  # on the curve, outside the subgroup
        (P + 4).to_bytes(32, "little"),
        (2).to_bytes(32, "little"),
        b"\xff" * 32,
        bytes(32),
    ],
    ids=["neutral", "order two", "mixed", "not reduced", "off the curve", "ones", "zeros"],
)
def test_points_outside_the_group_are_refused(point):
    server = v.Server(hcms())
    with pytest.raises(v.ProofError, match=f"elements of the group, got {point.hex()}"):
        server.challenge(b"s", bytes(8) + point)
    assert server.opened == 0
    with pytest.raises(v.ProofError, match=f"elements of the group, got {point.hex()}"):
        v.Server(hcms(domain=DOMAIN)).challenge(b"s", group.H + point)


def test_answers_that_are_not_reduced_are_refused():
    setting = Setting(hcms())
    start = 1 + 16
    z = int.from_bytes(setting.response[start : start + 32], "little")
    for changed in (z + group.L, z + 2 * group.L):
        octets = changed.to_bytes(32, "little")
        forged = setting.response[:start] + octets + setting.response[start + 32 :]
        server = setting.fresh()
        server.challenge(b"session", setting.commitment)
        with pytest.raises(v.ProofError, match="answer 0 is not reduced"):
            server.accept(b"session", forged)
        assert (server.rejected, server.finished) == (1, 0)


@pytest.mark.parametrize("size", [1, 47, 49, 95])
def test_a_proof_of_another_length_is_refused(size):
    with pytest.raises(ValueError, match=f"octets must be 48 a clause, got {size}"):
        sigma_proofs.decode(bytes(size))


def test_a_libsodium_that_does_not_check_the_subgroup_is_refused():
    old = types.SimpleNamespace(
        crypto_core_ed25519_add=group.sodium().crypto_core_ed25519_add,
        crypto_core_ed25519_is_valid_point=lambda point: True,
    )
    with pytest.raises(ImportError, match="CVE-2025-69277"):
        group.require_subgroup_check(old)


def test_the_generators_are_the_base_point_and_the_hash_of_a_sentence():
    assert group.base_mul(1) == group.H
    assert group.hash_to_point("generator g of privlib.sketch") == group.G


# --- sessions ----------------------------------------------------------------------------------


def test_a_session_is_spent_at_the_coin():
    protocol = hcms()
    server = v.Server(protocol)
    clients = [v.Client(protocol, b"%d" % i) for i in range(3)]
    coins = [server.challenge(c.session, c.commit("A1")) for c in clients]
    server.accept(b"0", clients[0].respond(coins[0]))
    with pytest.raises(v.ProofError, match="the proof of sign 0 is wrong"):
        server.accept(b"1", clients[2].respond(coins[2]))
    assert (server.opened, server.finished, server.rejected, server.pending) == (3, 1, 1, 1)
    for session in (b"0", b"1", b"2"):
        again = v.Client(protocol, session)
        with pytest.raises(v.ProofError, match="is spent"):
            server.challenge(session, again.commit("A1"))
    with pytest.raises(v.ProofError, match="no open coin"):
        server.accept(b"1", clients[1].respond(coins[1]))
    with pytest.raises(v.ProofError, match="no open coin"):
        server.accept(b"never", b"")


@pytest.mark.parametrize("domain", [None, DOMAIN])
def test_a_lost_answer_can_be_sent_again_and_counts_once(domain):
    protocol = hcms(domain=domain)
    server = v.Server(protocol)
    client = v.Client(protocol, b"1")
    answer = client.respond(server.challenge(b"1", client.commit("A1")))
    # The first copy is lost, and other clients come in between.
    other = v.Client(protocol, b"2")
    server.accept(b"2", other.respond(server.challenge(b"2", other.commit("A2"))))
    report = server.accept(b"1", answer)
    assert report["sign"].tolist() == [1 - 2 * answer[0]]
    with pytest.raises(v.ProofError, match="no open coin"):
        server.accept(b"1", answer)
    assert (server.opened, server.pending, server.finished, server.rejected) == (2, 0, 2, 0)


def test_clients_that_stop_when_unlucky_gain_what_the_formula_says():
    """Exact over all numbers and coins: T/N times c, at an abort rate of 1 - T/N."""
    protocol, constant = hcms(11, 8), slot_constant(11, 8)
    outcomes = [protocol.apply(1, rho, coin=coin) for rho in range(11) for coin in range(11)]
    kept = Fraction(sum(y == 1 for y in outcomes), 121)
    gain = kept * constant
    e = Fraction(8, 3)
    assert gain == e / (e - 1)
    assert 1 - kept == 1 / (1 + e)
    assert Fraction(sum(outcomes), 121) * constant == 1


# --- messages, sizes, costs --------------------------------------------------------------------


@pytest.mark.parametrize(("slots", "true"), [(3, 2), (11, 8), (26, 19)])
def test_size_and_exponentiations_of_a_report(slots, true):
    transcript = v.report(hcms(slots, true), "A1")
    assert transcript.size == (8 + 32) + 2 + (1 + 48 * slots)
    assert transcript.exponentiations == (2 * slots + 1, 2 * slots)
    assert all(seconds > 0 for seconds in transcript.seconds)
    assert transcript.report.shape == (1,)


def test_size_and_exponentiations_of_the_other_reports():
    wide = v.report(cms(8, 5, width=8), "A1", session=b"x")
    assert wide.size == 8 + 8 * (32 + 2 + 1 + 48 * 8)
    assert wide.exponentiations == (8 * 17, 8 * 16)
    item = v.report(hcms(11, 8, domain=DOMAIN), "A1", randomness=source(1))
    assert item.size == 64 + 10 + 1 + 48 * (11 + 4)
    # Two commitments of two, a nonce for each of two ors, two for all other clauses.
    assert item.exponentiations == (4 + 2 + 2 * (15 - 2), 2 * 15)


def test_seeded_secrets_repeat_a_transcript():
    one, two, three = (v.report(hcms(), "A1", randomness=source(s)) for s in (4, 4, 5))
    assert one.response == two.response != three.response
    assert one.commitment == two.commitment != three.commitment
    assert v.report(hcms(), "A1").commitment != v.report(hcms(), "A1").commitment


def test_bad_arguments_are_named():
    protocol = hcms()
    scheme = protocol.scheme
    with pytest.raises(ValueError, match=r"Protocol: true must be in 6\.\.10, got 5"):
        v.Protocol(scheme, slots=11, true=5)
    with pytest.raises(TypeError, match="scheme must be a count mean sketch"):
        v.Protocol(None)
    with pytest.raises(TypeError, match="session must be bytes"):
        v.Client(protocol, "s")
    with pytest.raises(ValueError, match=r"epsilon of the scheme must be that of 8 true slots"):
        v.Protocol(scheme)
    client = v.Client(protocol, b"s")
    with pytest.raises(ValueError, match="has not committed to anything"):
        client.respond(bytes(2))
    with pytest.raises(ValueError, match="signs must be 1 values -1 or 1"):
        client.commit_signs([0], row=0)
    with pytest.raises(ValueError, match=r"column must be in 0\.\.7, got 8"):
        client.commit_signs([1], row=0, column=8)
    with pytest.raises(ValueError, match=r"row must be in 0\.\.3, got 4"):
        client.commit_signs([1], row=4)
    with pytest.raises(ValueError, match=r"column must be in 0\.\.0"):
        v.Client(cms(), b"s").commit_signs([1] * 4, row=0, column=1)
    client.commit("A1")
    with pytest.raises(ValueError, match="take a new one"):
        client.commit("A1")
    with pytest.raises(v.ProofError, match="the coin must have 2 bytes, got 3"):
        client.respond(bytes(3))
    with pytest.raises(v.ProofError, match=r"a coin must be in 0\.\.2, got 3"):
        client.respond(bytes([3, 0]))
    with pytest.raises(TypeError, match="the coin must be bytes, got str"):
        client.respond("00")


def test_bad_messages_are_named():
    protocol = hcms()
    server = v.Server(protocol)
    good = v.Client(protocol, b"s").commit("A1")
    with pytest.raises(TypeError, match="session must be bytes"):
        server.challenge("s", good)
    with pytest.raises(v.ProofError, match="commitment must have 40 bytes, got 39"):
        server.challenge(b"s", good[:-1])
    for head in (struct.pack("<II", 4, 0), struct.pack("<II", 0, 8)):
        with pytest.raises(v.ProofError, match="is out of range"):
            server.challenge(b"s", head + good[8:])
    assert server.opened == 0
    server.challenge(b"s", good)
    with pytest.raises(v.ProofError, match="response must have 145 bytes, got 0"):
        server.accept(b"s", b"")
    server.challenge(b"t", good)
    with pytest.raises(v.ProofError, match="a sign must be the byte 0 or 1, got 2"):
        server.accept(b"t", b"\x02" + bytes(144))
    assert server.rejected == 2
    server.challenge(b"u", good)
    with pytest.raises(TypeError, match="response must be bytes"):
        server.accept(b"u", None)


def test_bad_domains_and_draws_are_named():
    with pytest.raises(ValueError, match="2 or more items, each once"):
        hcms(domain=["A1", "A1", "A2"])
    with pytest.raises(ValueError, match="2 or more items"):
        hcms(domain=["A1"])
    wide = cms()
    with pytest.raises(TypeError, match="with a domain, scheme must be HCMS"):
        v.Protocol(wide.scheme, slots=3, true=2, domain=DOMAIN)
    client = v.Client(hcms(domain=np.array(DOMAIN)), b"s")
    assert client.protocol.domain == tuple(DOMAIN)
    with pytest.raises(ValueError, match="item must be in the domain, and is not"):
        client.commit("Z")
    with pytest.raises(ValueError, match="this protocol commits to an item"):
        client.commit_signs([1], row=0)
    client.commit("A1")
    with pytest.raises(ValueError, match="take a new one"):
        client.commit("A1")
    for draw, message in (((4, 0, 0), "out of range"), ((0, 0, 3), "a coin must be in")):
        with pytest.raises(v.ProofError, match=message):
            client.respond(struct.pack("<IIH", *draw))
    client.respond(struct.pack("<IIH", 0, 0, 0))
    with pytest.raises(ValueError, match="two answers"):
        client.respond(struct.pack("<IIH", 0, 0, 0))


def test_a_wrong_type_of_response_leaves_the_session_open():
    protocol = hcms()
    client, server = v.Client(protocol, b"a"), v.Server(protocol)
    good = client.respond(server.challenge(b"a", client.commit("A1")))
    for wrong in (bytearray(good), list(good), good.hex(), memoryview(good)):
        with pytest.raises(TypeError, match=r"Server\.accept: response must be bytes, got"):
            server.accept(b"a", wrong)
        assert (server.opened, server.finished, server.rejected, server.pending) == (1, 0, 0, 1)
    assert server.accept(b"a", good).shape == (1,)
    assert (server.opened, server.finished, server.rejected, server.pending) == (1, 1, 0, 0)


def test_what_is_no_item_and_no_sign_is_refused():
    numbered = hcms(domain=(1, 2, 3))
    for protocol in (numbered, hcms()):
        for wrong in (True, np.bool_(True), 1.0, np.float64(2.0), None, 2.5, b"1", ["A1"]):
            with pytest.raises(TypeError, match=r"Client\.commit: item must hold str or int"):
                v.Client(protocol, b"s").commit(wrong)
    for item in (2, np.int64(2), np.uint8(2)):
        client = v.Client(numbered, b"s", randomness=source(1))
        assert client.commit(item) == v.Client(numbered, b"s", randomness=source(1)).commit(2)
    for wrong in ([1.0], [True], [np.float64(-1)], [None]):
        with pytest.raises(TypeError, match=r"commit_signs: each of signs must be an integer"):
            v.Client(hcms(), b"s").commit_signs(wrong, row=0)
    with pytest.raises(TypeError, match="must be an integer, got True"):
        v.Client(cms(), b"s").commit_signs([1, -1, True, 1], row=0)
    one, two = (v.Client(hcms(), b"s", randomness=source(1)) for _ in range(2))
    assert one.commit_signs(np.array([-1]), row=0) == two.commit_signs([-1], row=0)
