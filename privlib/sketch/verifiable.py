r"""Randomised response whose noise the server can check: commitment, public coin, proof.

A report consists of signs :math:`w = \pm 1` (*m* of CMS, one of HCMS). With *N* slots, *T* of
them true, write :math:`w = (-1)^b`. For each sign:

1. The client draws :math:`\rho` in :math:`\mathbb{Z}_N` and *s* in :math:`\mathbb{Z}_L`, and sends
   :math:`C = g^u h^s` with :math:`u = 1 + bN + \rho`, **together with row and coordinate**.
2. The server sends :math:`\sigma`, uniform in :math:`\mathbb{Z}_N`.
3. The client sends :math:`y = w` if :math:`(\rho + \sigma) \bmod N < T`, else :math:`y = -w`, and a
   proof (see `_sigma`) that *C* holds one of the *N* numbers *u* for which this rule gives *y*.
4. The server checks, and de-noises with :math:`c_N = N/(2T - N)`.

*Privacy.* *C* tells nothing about *u*, so :math:`\rho` is uniform given all that the server knows
when it picks :math:`\sigma`, and :math:`\Pr[y = w] = T/N` **for every** :math:`\sigma`. The proof
adds nothing. This holds for one :math:`\sigma` a commitment: a client that answered two would tell
more, hence `Client` answers once. *Soundness.* *C* fixes *b* and :math:`\rho` before
:math:`\sigma` is drawn, so :math:`y = w` with probability *T/N*, whatever a client does that
finishes. (Binding rests on the discrete logarithm, the proof on the hash.) Row and coordinate must
be fixed in step 1 as well: who could choose them after :math:`\sigma` would take those where *y*
is the sign that he wants. *What remains.* The client sees :math:`\sigma` and may stop. Therefore a
session is spent, whether it ends or not, and one identity must have one session.

The variant with `ItemClient` commits to the **item** instead, :math:`C_d = g^{d+1} h^{s}` and
:math:`C_\rho = g^{\rho+1} h^{s'}`, before the server draws row and coordinate as well. The proof
says: *d* has the sign 1 there and :math:`\rho` turns 1 into *y*, or *d* has the sign -1 and
:math:`\rho` turns -1 into *y*: *|D| + N* clauses.

Secrets come from `secrets.token_bytes`. A seeded source makes a page or a test repeatable; with
one, nothing here is secret. The code is for study: see `_group` on clocks. Needs the optional
extra ``privlib[transfer]``.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib.sketch import _group as group
from privlib.sketch import _sigma as sigma
from privlib.sketch._group import Randomness
from privlib.sketch._scheme import Reports, Scheme
from privlib.sketch._session import (
    Parameters,
    Party,
    ProofError,
    SessionClient,
    SessionServer,
    coins_of,
    commit,
    points_of,
    powers_of,
    without,
)
from privlib.sketch.count_mean import CountMeanSketch
from privlib.sketch.hadamard import HadamardCountMeanSketch, _signs
from privlib.sketch.hashing import Item, factorize

__all__ = [
    "Client", "ItemClient", "ItemServer", "Parameters", "ProofError", "Server", "Transcript",
    "item_report", "report",
]  # fmt: skip

_HEAD = struct.Struct("<II")  # row and coordinate
_DRAW = struct.Struct("<IIH")  # the same and a coin


def _signs_to_bytes(signs: Sequence[int]) -> bytes:
    return bytes(int(sign < 0) for sign in signs)


def _signs_from_bytes(where: str, octets: bytes) -> list[int]:
    if max(octets) > 1:
        raise ProofError(f"{where}: a sign must be the byte 0 or 1, got {max(octets)}")
    return [1 - 2 * octet for octet in octets]


class _SignProtocol(Party):
    _label = "signs"

    def _statement(self, point: bytes, y: int, coin: int) -> sigma.Statement:
        powers = powers_of(2 * self.parameters.slots + 1)
        return [[without(point, self.parameters.preimages(y, coin), powers)]]


class Client(_SignProtocol, SessionClient):
    """The client of one report: commits to its signs, answers one coin.

    Parameters
    ----------
    parameters : Parameters
        Numbers of slots.
    scheme : CountMeanSketch or HadamardCountMeanSketch
        Made with the epsilon of the parameters.
    session : bytes
        Name of the session, agreed with the server; used once.
    randomness : callable, optional
        From a number to so many random bytes. Only pages and tests replace it.

    Raises
    ------
    ValueError
        The scheme has another epsilon than the slots.
    TypeError
        An argument has the wrong type.

    Examples
    --------
    >>> import math
    >>> parameters = Parameters(slots=11, true=8)
    >>> epsilon = parameters.epsilon(HadamardCountMeanSketch)
    >>> scheme = HadamardCountMeanSketch(epsilon, hashes=16, width=8, seed=1)
    >>> client, server = Client(parameters, scheme, b"1"), Server(parameters, scheme)
    >>> coin = server.challenge(b"1", client.commit("A18"))
    >>> report = server.accept(b"1", client.respond(coin))
    >>> report.shape, server.finished
    ((1,), 1)
    """

    def commit(self, item: Item) -> bytes:
        """Return the first message for an item, at a uniform row (and coordinate).

        Raises
        ------
        ValueError
            The client has committed already, or the item is unknown to the family.
        TypeError
            The item is neither str nor int.
        """
        row, column = draw_place(self.scheme, self.randomness)
        signs = signs_of(self.scheme, item, row, column)
        return self.commit_signs(signs, row=row, column=column)

    def commit_signs(self, signs: Sequence[int], *, row: int, column: int = 0) -> bytes:
        """Return the first message for signs of the caller's choice: the input is free.

        Parameters
        ----------
        signs : sequence of int, length m (CMS) or 1 (HCMS)
            Signs before the noise.
        row, column : int
            Where the report goes; CMS has no coordinate, and 0 here.

        Returns
        -------
        bytes
            Row, coordinate, and 32 bytes a sign.

        Raises
        ------
        ValueError
            The client has committed already; not the right number of signs; a value out of range.
        TypeError
            A value is no integer.
        """
        self._fresh()
        where = "Client.commit_signs"
        checks.integer(where, "row", row, low=0, high=self.scheme.hashes - 1)
        checks.integer(where, "column", column, low=0, high=columns_of(self.scheme) - 1)
        if len(signs) != self.signs or not all(sign in (-1, 1) for sign in signs):
            raise ValueError(f"{where}: signs must be {self.signs} values -1 or 1, got {signs!r}")
        slots = self.parameters.slots
        self._secrets = [(int(sign), group.uniform(slots, self.randomness)) for sign in signs]
        self._openings = [
            commit(1 + (sign < 0) * slots + rho, self.randomness) for sign, rho in self._secrets
        ]
        return self._once(_HEAD.pack(row, column) + b"".join(c for c, _ in self._openings))

    def outcome(self, coin: bytes) -> list[int]:
        """Return the signs that a coin asks for, which the client sees before it answers.

        Raises
        ------
        ProofError
            The coin is malformed.
        ValueError
            The client has not committed.
        """
        self._committed(coin, 2 * self.signs)
        coins = coins_of("Client", coin, self.parameters.slots)
        return [self.parameters.apply(*pair, sigma_) for pair, sigma_ in zip(self._secrets, coins)]

    def respond(self, coin: bytes) -> bytes:
        """Return the noisy signs with their proofs.

        Raises
        ------
        ProofError
            The coin is malformed.
        ValueError
            The client has not committed, or has answered a coin before.
        """
        noisy = self.outcome(coin)
        self._spend()
        context = self._context(self.session, self._commitment or b"", coin, _signs_to_bytes(noisy))
        parts = []
        for i, (y, value) in enumerate(zip(noisy, coins_of("Client", coin, self.parameters.slots))):
            point, s = self._openings[i]
            witness = 0, [(self._secrets[i][1], s)]  # clause rho is the real one
            pairs = sigma.prove(
                self._statement(point, y, value), witness, self._oracle(context, i), self.randomness
            )
            parts.append(sigma.encode(pairs))
        return _signs_to_bytes(noisy) + b"".join(parts)


class Server(_SignProtocol, SessionServer):
    """The server of `Client`: draws coins, checks proofs, counts aborts.

    Parameters
    ----------
    parameters : Parameters
        Numbers of slots.
    scheme : CountMeanSketch or HadamardCountMeanSketch
        Made with the epsilon of the parameters.
    randomness : callable, optional
        From a number to so many random bytes. A coin that clients can guess is none.

    Raises
    ------
    ValueError
        The scheme has another epsilon than the slots.
    TypeError
        An argument has the wrong type.
    """

    @property
    def commitment_size(self) -> int:
        """Bytes of the first message: row, coordinate, a point a sign."""
        return _HEAD.size + group.SIZE * self.signs

    @property
    def response_size(self) -> int:
        """Bytes of the third message: a sign and 48 bytes a slot, for each sign."""
        return self.signs * (1 + sigma.CLAUSE_SIZE * self.parameters.slots)

    def _admit(self, where: str, commitment: bytes) -> None:
        _in_range(where, self.scheme, *_HEAD.unpack_from(commitment))
        points_of(where, commitment[_HEAD.size :])

    def _draw(self) -> bytes:
        slots, count = self.parameters.slots, self.signs
        values = [group.uniform(slots, self.randomness) for _ in range(count)]
        return struct.pack(f"<{count}H", *values)

    def _check(self, session: bytes, commitment: bytes, coin: bytes, response: bytes) -> Reports:
        row, column = _HEAD.unpack_from(commitment)
        head, proofs = response[: self.signs], response[self.signs :]
        noisy = _signs_from_bytes("Server.accept", head)
        context = self._context(session, commitment, coin, head)
        size = sigma.CLAUSE_SIZE * self.parameters.slots
        for i, (y, (value,)) in enumerate(zip(noisy, struct.iter_unpack("<H", coin))):
            start = _HEAD.size + i * group.SIZE
            statement = self._statement(commitment[start : start + group.SIZE], y, value)
            proof = proofs[i * size : (i + 1) * size]
            self._verified(statement, proof, self._oracle(context, i), i)
        return pack(self.scheme, row, column, noisy)


def columns_of(scheme: Scheme) -> int:
    """Number of coordinates that a report names: that of CMS names none."""
    return scheme.width if isinstance(scheme, HadamardCountMeanSketch) else 1


def _in_range(where: str, scheme: Scheme, row: int, column: int) -> None:
    if row >= scheme.hashes or column >= columns_of(scheme):
        raise ProofError(f"{where}: row {row} or coordinate {column} is out of range")


def draw_place(scheme: Scheme, randomness: Randomness) -> tuple[int, int]:
    """Return a uniform row and coordinate (0 for CMS)."""
    return group.uniform(scheme.hashes, randomness), group.uniform(columns_of(scheme), randomness)


def signs_of(scheme: Scheme, item: Item, row: int, column: int) -> list[int]:
    """Return the signs of a report on an item before the noise: m of CMS, one of HCMS."""
    position = scheme.family.positions([item])[0, row]
    if isinstance(scheme, HadamardCountMeanSketch):
        return [int(_signs(np.array(column), position))]
    return [1 if cell == position else -1 for cell in range(scheme.width)]


def pack(scheme: Scheme, row: int, column: int, signs: Sequence[int]) -> Reports:
    """Return signs as a report of the scheme."""
    if isinstance(scheme, HadamardCountMeanSketch):
        return scheme.pack([row], [column], list(signs))
    assert isinstance(scheme, CountMeanSketch)
    return scheme.pack([row], [list(signs)])


class _ItemProtocol(Party):
    """A domain of items, and the statement about a committed one."""

    _label = "item"
    domain: list[Item]
    _positions: npt.NDArray[np.intp]

    def _set_domain(self, domain: Sequence[Item]) -> None:
        where = type(self).__name__
        if not isinstance(self.scheme, HadamardCountMeanSketch):
            raise TypeError(f"{where}: scheme must be a HadamardCountMeanSketch")
        self.domain, codes = factorize(domain)
        if len(self.domain) != codes.size or codes.size < 2:
            raise ValueError(f"{where}: domain must have 2 or more items, each once")
        self._positions = self.scheme.family.positions(self.domain)

    def _signs_at(self, row: int, column: int) -> list[int]:
        """Signs of all items of the domain."""
        signs: list[int] = _signs(np.array(column), self._positions[:, row]).tolist()
        return signs

    def _branches(self, signs: Sequence[int], coin: int, y: int) -> list[tuple[list[int], ...]]:
        """Items of sign w and numbers rho that turn w into y, for w = 1 and w = -1."""
        slots, apply = range(self.parameters.slots), self.parameters.apply
        return [
            (
                [d for d, sign in enumerate(signs) if sign == w],
                [rho for rho in slots if apply(w, rho, coin) == y],
            )
            for w in (1, -1)
        ]

    def _statement(
        self, commitment: bytes, branches: list[tuple[list[int], ...]]
    ) -> sigma.Statement:
        points = commitment[: group.SIZE], commitment[group.SIZE :]
        powers = powers_of(1 + max(self.parameters.slots, len(self.domain)))
        return [
            [without(point, [1 + i for i in indices], powers)
             for point, indices in zip(points, branch)]
            for branch in branches
        ]  # fmt: skip

    def _bound(self, session: bytes, *messages: bytes) -> sigma.Oracle:
        names = group.digest("domain", *(repr(item).encode() for item in self.domain))
        return self._oracle(self._context(session, names, *messages), 0)


class ItemClient(_ItemProtocol, SessionClient):
    """The client that commits to its item before the server draws row and coordinate.

    Parameters
    ----------
    parameters, scheme, session, randomness
        As in `Client`; HCMS only (for CMS the proof would be needed for each of *m* signs).
    domain : sequence of str or int
        All items that there are, in an order that both sides know.

    Raises
    ------
    ValueError
        As in `Client`; an item stands twice in the domain, or fewer than two do.
    TypeError
        As in `Client`; the scheme is not HCMS.
    """

    def __init__(
        self,
        parameters: Parameters,
        scheme: Scheme,
        session: bytes,
        domain: Sequence[Item],
        *,
        randomness: Randomness | None = None,
    ) -> None:
        super().__init__(parameters, scheme, session, randomness=randomness)
        self._set_domain(domain)

    def commit(self, item: Item) -> bytes:
        """Return the first message: commitments to the item and to the number rho.

        Raises
        ------
        ValueError
            The item is not in the domain, or the client has committed already.
        """
        self._fresh()
        if item not in self.domain:
            raise ValueError(f"ItemClient.commit: item must be in the domain, got {item!r}")
        self._index = self.domain.index(item)
        self._rho = group.uniform(self.parameters.slots, self.randomness)
        self._openings = [commit(1 + u, self.randomness) for u in (self._index, self._rho)]
        return self._once(b"".join(point for point, _ in self._openings))

    def _read(self, coin: bytes) -> tuple[list[int], int]:
        """Signs of the domain at the server's draw, and the coin."""
        row, column, value = _DRAW.unpack(coin)
        coins_of("ItemClient", coin[_HEAD.size :], self.parameters.slots)
        _in_range("ItemClient", self.scheme, row, column)
        return self._signs_at(row, column), value

    def outcome(self, coin: bytes) -> int:
        """Return the sign that the server's draw asks for, which the client sees first.

        Raises
        ------
        ProofError
            The message is malformed.
        ValueError
            The client has not committed.
        """
        self._committed(coin, _DRAW.size)
        signs, value = self._read(coin)
        return self.parameters.apply(signs[self._index], self._rho, value)

    def respond(self, coin: bytes) -> bytes:
        """Return the noisy sign with its proof.

        Raises
        ------
        ProofError
            The message is malformed.
        ValueError
            The client has not committed, or has answered before.
        """
        y = self.outcome(coin)
        commitment = self._committed(coin, _DRAW.size)
        self._spend()
        signs, value = self._read(coin)
        head = _signs_to_bytes([y])
        branches = self._branches(signs, value, y)
        real = 0 if signs[self._index] == 1 else 1
        places = zip(branches[real], (self._index, self._rho), self._openings)
        witness = real, [(numbers.index(u), s) for numbers, u, (_, s) in places]
        oracle = self._bound(self.session, commitment, coin, head)
        statement = self._statement(commitment, branches)
        return head + sigma.encode(sigma.prove(statement, witness, oracle, self.randomness))


class ItemServer(_ItemProtocol, SessionServer):
    """The server of `ItemClient`: draws row, coordinate and coin after the item is committed.

    Parameters
    ----------
    parameters, scheme, randomness
        As in `Server`; HCMS only.
    domain : sequence of str or int
        As in `ItemClient`.

    Raises
    ------
    ValueError, TypeError
        As in `ItemClient`.
    """

    def __init__(
        self,
        parameters: Parameters,
        scheme: Scheme,
        domain: Sequence[Item],
        *,
        randomness: Randomness | None = None,
    ) -> None:
        super().__init__(parameters, scheme, randomness=randomness)
        self._set_domain(domain)

    @property
    def commitment_size(self) -> int:
        """Bytes of the first message: two points."""
        return 2 * group.SIZE

    @property
    def response_size(self) -> int:
        """Bytes of the third message: a sign, 48 bytes an item and a slot."""
        return 1 + sigma.CLAUSE_SIZE * (self.parameters.slots + len(self.domain))

    def _admit(self, where: str, commitment: bytes) -> None:
        points_of(where, commitment)

    def _draw(self) -> bytes:
        bounds = self.scheme.hashes, self.scheme.width, self.parameters.slots
        return _DRAW.pack(*(group.uniform(bound, self.randomness) for bound in bounds))

    def _check(self, session: bytes, commitment: bytes, coin: bytes, response: bytes) -> Reports:
        row, column, value = _DRAW.unpack(coin)
        [y] = _signs_from_bytes("ItemServer.accept", response[:1])
        statement = self._statement(
            commitment, self._branches(self._signs_at(row, column), value, y)
        )
        oracle = self._bound(session, commitment, coin, response[:1])
        self._verified(statement, response[1:], oracle, 0)
        return pack(self.scheme, row, column, [y])


@dataclass(frozen=True, eq=False)
class Transcript:
    """One session, with what it cost.

    Attributes
    ----------
    session : bytes
        Name of the session.
    commitment : bytes
        The first message.
    coin : bytes
        The second message.
    response : bytes
        The third message.
    report : ndarray, shape (1,)
        What the server ends with.
    exponentiations : (int, int)
        Of client and server.
    seconds : (float, float)
        Of client and server, on this machine.
    """

    session: bytes
    commitment: bytes
    coin: bytes
    response: bytes
    report: Reports
    exponentiations: tuple[int, int]
    seconds: tuple[float, float]

    @property
    def size(self) -> int:
        """Bytes of the three messages."""
        return len(self.commitment) + len(self.coin) + len(self.response)


P = ParamSpec("P")
M = TypeVar("M")


class Meter:
    """Time and exponentiations of one side."""

    def __init__(self) -> None:
        self.seconds, self.exponentiations = 0.0, 0

    def __call__(self, step: Callable[P, M], *args: P.args, **kwargs: P.kwargs) -> M:
        with group.counting() as count:
            start = time.perf_counter()
            result = step(*args, **kwargs)
            self.seconds += time.perf_counter() - start
        self.exponentiations += count.exponentiations
        return result


def _run(client: Client | ItemClient, server: Server | ItemServer, item: Item) -> Transcript:
    left, right = Meter(), Meter()
    session = client.session
    commitment = left(client.commit, item)
    coin = right(server.challenge, session, commitment)
    response = left(client.respond, coin)
    accepted = right(server.accept, session, response)
    return Transcript(
        session, commitment, coin, response, accepted,
        (left.exponentiations, right.exponentiations), (left.seconds, right.seconds),
    )  # fmt: skip


def report(
    parameters: Parameters,
    scheme: Scheme,
    item: Item,
    *,
    session: bytes = b"session",
    randomness: Randomness | None = None,
) -> Transcript:
    """Run one honest session of `Client` and `Server`, and measure it.

    Parameters
    ----------
    parameters : Parameters
        Numbers of slots.
    scheme : CountMeanSketch or HadamardCountMeanSketch
        Made with the epsilon of the parameters.
    item : str or int
        The client's item.
    session : bytes, optional
        Name of the session.
    randomness : callable, optional
        Source of both parties' secrets; the operating system's by default.

    Returns
    -------
    Transcript

    Raises
    ------
    ValueError, TypeError
        As `Client`.

    Examples
    --------
    >>> parameters = Parameters(11, 8)
    >>> scheme = HadamardCountMeanSketch(
    ...     parameters.epsilon(HadamardCountMeanSketch), hashes=1024, width=128, seed=1
    ... )
    >>> transcript = report(parameters, scheme, "A18")
    >>> transcript.size, transcript.exponentiations
    (571, (23, 22))
    """
    client = Client(parameters, scheme, session, randomness=randomness)
    return _run(client, Server(parameters, scheme, randomness=randomness), item)


def item_report(
    parameters: Parameters,
    scheme: Scheme,
    item: Item,
    domain: Sequence[Item],
    *,
    session: bytes = b"session",
    randomness: Randomness | None = None,
) -> Transcript:
    """Run one honest session of `ItemClient` and `ItemServer`, and measure it.

    Parameters
    ----------
    parameters, scheme, item, session, randomness
        As in `report`; HCMS only.
    domain : sequence of str or int
        All items.

    Returns
    -------
    Transcript

    Raises
    ------
    ValueError, TypeError
        As `ItemClient`.
    """
    client = ItemClient(parameters, scheme, session, domain, randomness=randomness)
    return _run(client, ItemServer(parameters, scheme, domain, randomness=randomness), item)
