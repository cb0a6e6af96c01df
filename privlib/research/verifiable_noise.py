r"""Randomised response whose noise the server can check: commitment, public coin, proof.

A report consists of signs :math:`w = \pm 1` (*m* of CMS, one of HCMS). With *N* slots, *T* of
them true, write :math:`w = (-1)^b`. For each sign:

1. The client draws :math:`\rho` in :math:`\mathbb{Z}_N` and *s* in :math:`\mathbb{Z}_L`, and sends
   :math:`C = g^u h^s` with :math:`u = 1 + bN + \rho`, **together with row and coordinate**.
2. The server sends :math:`\sigma`, uniform in :math:`\mathbb{Z}_N`.
3. The client sends :math:`y = w` if :math:`(\rho + \sigma) \bmod N < T`, else :math:`y = -w`, and a
   proof (see `sigma_proofs`) that *C* holds one of the *N* numbers *u* for which this rule gives
   *y*.
4. The server checks, and de-noises with :math:`c_N = N/(2T - N)`.

*Privacy.* *C* tells nothing about *u*, so :math:`\rho` is uniform given all that the server knows
when it picks :math:`\sigma`, and :math:`\Pr[y = w] = T/N` **for every** :math:`\sigma`. The proof
adds nothing, against unlimited time and for **every** hash (see `sigma_proofs`). This holds for
one :math:`\sigma` a commitment: a client that answered two would tell more, hence `Client` answers
once. *Soundness.* *C* fixes *b* and :math:`\rho` before :math:`\sigma` is drawn, so :math:`y = w`
with probability *T/N*, whatever a client does that finishes. (Binding rests on the discrete
logarithm, the soundness of the proof on a hash that behaves as a random function: the random oracle
model. Privacy rests on neither. There is no transfer here, and so no square Diffie-Hellman problem,
on which the slots of `privlib.sketch.transfer` rest.) Row and coordinate must be
fixed in step 1 as well: who could choose them after :math:`\sigma` would take those where *y* is
the sign that he wants.

*What remains.* The client sees :math:`\sigma` and may stop. Therefore a session is spent **before
the coin is drawn**, whether it ends or not, and one identity must have one session. `Server` spends
it under a lock: of two requests for one session, in whatever threads, one gets a coin. That holds
for one `Server` object. Several servers, processes or machines must share one record of the spent
sessions, which is not part of this module. Every proof is bound, by its hash, to the protocol, the
session, the commitment, the coin and all signs of the response, so that no part of one transcript
fits into another.

With a *domain*, the protocol commits to the **item** instead, :math:`C_d = g^{d+1} h^{s}` and
:math:`C_\rho = g^{\rho+1} h^{s'}`, before the server draws row and coordinate as well. The proof
says: *d* has the sign 1 there and :math:`\rho` turns 1 into *y*, or *d* has the sign -1 and
:math:`\rho` turns -1 into *y*: *|D| + N* clauses.

*Retries.* An honest client that loses the connection after the coin may send the same bytes again,
however much later: a second copy tells nothing new, and `Server` counts one. A second coin is
another matter. A client that answers two coins, in two sessions, reports twice, and the two reports
together have the level :math:`2\varepsilon`. So a server that falsely says "the proof is wrong,
open a new session" doubles :math:`\varepsilon`: a client must not answer a second coin.

*Denial.* Whoever may open a session in the name of a victim spends it, and the victim's own report
is refused. The server must authenticate users before it opens a session, and give each identity
one.

The parties cannot be copied or pickled: a copy could answer, or give out coins, once more. The code
is for study: see `privlib.sketch.group` on clocks, and on where secrets come from. Needs PyNaCl
(the extra ``privlib-book[transfer]``).
"""

from __future__ import annotations

import secrets
import struct
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property, lru_cache, partial
from itertools import chain

import numpy as np

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import IntArray
from privlib.research import sigma_proofs as sigma
from privlib.sketch import group
from privlib.sketch.group import Meter, Randomness
from privlib.sketch.hadamard import HadamardCountMeanSketch, hadamard_signs
from privlib.sketch.items import Item, distinct_items
from privlib.sketch.one_use import OneUse
from privlib.sketch.scheme import Reports, Scheme
from privlib.sketch.slots import agreed_slots

MAX_CLAUSES = 1 << 22
"""Largest number of clauses that the proofs of one report may have; a second makes some 10,000."""

_PLACE = struct.Struct("<II")  # row and coordinate
_Numbers = list[list[list[int]]]


class ProofError(ValueError):
    """A message that an honest party does not send; the session is spent.

    Examples
    --------
    >>> from privlib.sketch.slots import slot_epsilon
    >>> scheme = HadamardCountMeanSketch(slot_epsilon(11, 8), hashes=16, width=8, seed=1)
    >>> protocol = Protocol(scheme)
    >>> try:
    ...     Server(protocol).challenge(b"1", b"short")
    ... except ProofError as error:
    ...     print(error)
    Server.challenge: commitment must have 40 bytes, got 5
    """


@dataclass(frozen=True)
class Protocol:
    """What both sides of a session agree on.

    Parameters
    ----------
    scheme : CountMeanSketch or HadamardCountMeanSketch
        Made with the `slot_epsilon` of the slots.
    slots : int, optional
        Number *N* of slots.
    true : int, optional
        Number *T* of them that keep the sign, more than half.
    domain : sequence of str or int, optional
        All items that there are. If given, the client commits to its item, and the server draws row
        and coordinate after that; HCMS only (for CMS the proof would be needed for each of *m*
        signs). If not, the client commits to signs, row and coordinate.

    Raises
    ------
    ValueError
        A number is out of its range; the scheme has another epsilon than the slots; an item stands
        twice in the domain, or fewer than two do; a proof would have more than 2^22 clauses.
    TypeError
        `scheme` is no sketch, a number no integer, or an item neither text nor an integer.

    Notes
    -----
    An honest client's report has the scheme's level against every server, of unlimited power, that
    gets one answer to one commitment. Against a client that finishes, noise is enforced under the
    assumptions at the head of this module. Who sees that somebody takes part, and when, is not
    covered.

    Examples
    --------
    With a domain the client commits to its item before the server draws where the report goes.

    >>> from privlib.sketch.slots import slot_epsilon
    >>> scheme = HadamardCountMeanSketch(slot_epsilon(11, 8), hashes=16, width=8, seed=1)
    >>> protocol = Protocol(scheme)
    >>> committed = Protocol(scheme, domain=["tea", "milk", "mate"])
    >>> protocol.sizes, committed.sizes
    ((40, 2, 529), (64, 10, 673))
    """

    scheme: Scheme
    _: KW_ONLY
    slots: int = 11
    true: int = 8
    domain: Sequence[Item] | None = None

    def __post_init__(self) -> None:
        where = "Protocol"
        scheme = self.scheme
        if not isinstance(scheme, Scheme):
            got = type(scheme).__name__
            raise TypeError(f"{where}: scheme must be a count mean sketch, got {got}")
        slots, true = agreed_slots(
            where, self.slots, true=self.true, epsilon=scheme.epsilon, bits=scheme.sensitivity
        )
        # As Python integers: those of numpy have neither all methods nor all sizes.
        object.__setattr__(self, "slots", slots)
        object.__setattr__(self, "true", true)
        # What the level rests on: whatever the coin is, `true` of the offsets keep a sign.
        kept = [sum(self.apply(1, rho, coin=coin) == 1 for rho in range(slots)) for coin in (0, 1)]
        if kept != [true, true]:
            raise _safety.UncertifiedError(f"{where}: a coin keeps {kept} of {slots}, not {true}")
        if self.domain is not None:
            if not isinstance(scheme, HadamardCountMeanSketch):
                raise TypeError(f"{where}: with a domain, scheme must be HCMS, got {scheme!r}")
            items, codes = distinct_items(where, self.domain, "domain")
            if len(items) != codes.size or codes.size < 2:
                rule = "domain must have 2 or more items, each once"
                raise ValueError(f"{where}: {rule}, got {self.domain!r}")
            object.__setattr__(self, "domain", tuple(items[code] for code in codes))
        clauses = scheme.signs * (slots + len(self.domain or ()))
        _safety.limit(where, "clauses of a proof", clauses, MAX_CLAUSES)

    def apply(self, sign: int, rho: int, *, coin: int) -> int:
        """Return what becomes of a sign: itself if (rho + coin) mod N < T, else its opposite.

        Parameters
        ----------
        sign : {-1, 1}
            The sign that the client has committed to.
        rho : int
            The client's offset, in ``0..N-1``.
        coin : int
            The server's, in ``0..N-1``.

        Returns
        -------
        int
            The noisy sign, -1 or 1. If one of the two offsets is uniform, it is `sign` with the
            probability *T*/*N*.

        Examples
        --------
        >>> from privlib.sketch.slots import slot_epsilon
        >>> scheme = HadamardCountMeanSketch(slot_epsilon(11, 8), hashes=16, width=8, seed=1)
        >>> protocol = Protocol(scheme)
        >>> [protocol.apply(1, rho, coin=4) for rho in range(11)].count(1)
        8
        """
        return sign if (rho + coin) % self.slots < self.true else -sign

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Bytes of the three messages, in order commitment, coin and response.

        Examples
        --------
        Row, coordinate and one point; a coin of two bytes; the sign and eleven clauses of 48 bytes.

        >>> from privlib.sketch.slots import slot_epsilon
        >>> scheme = HadamardCountMeanSketch(slot_epsilon(11, 8), hashes=16, width=8, seed=1)
        >>> protocol = Protocol(scheme)
        >>> protocol.sizes
        (40, 2, 529)
        """
        signs = self.scheme.signs
        clauses = self.slots + len(self.domain or ())
        response = signs * (1 + sigma.CLAUSE_SIZE * clauses)
        if self.domain is None:
            return _PLACE.size + group.SIZE * signs, 2 * signs, response
        return 2 * group.SIZE, _PLACE.size + 2, response

    @cached_property
    def _positions(self) -> IntArray:
        return self.scheme.family.positions(list(self.domain or ()))

    def _points(self, commitment: bytes) -> list[list[bytes]]:
        """Commitments of each sign: to the sign and rho, or one to the item and one to rho."""
        octets = commitment[_PLACE.size :] if self.domain is None else commitment
        points = [octets[i : i + group.SIZE] for i in range(0, len(octets), group.SIZE)]
        return [[point] for point in points] if self.domain is None else [points]

    def _place(self, where: str, commitment: bytes, coin: bytes = b"") -> tuple[int, int]:
        """Row and coordinate, from whoever picks them."""
        row, column = _PLACE.unpack_from(commitment if self.domain is None else coin)
        if row >= self.scheme.hashes or column >= self.scheme.n_coordinates:
            raise ProofError(f"{where}: row {row} or coordinate {column} is out of range")
        return row, column

    def _coins(self, where: str, coin: bytes) -> list[int]:
        octets = coin if self.domain is None else coin[_PLACE.size :]
        coins = [value for (value,) in struct.iter_unpack("<H", octets)]
        if max(coins) >= self.slots:
            raise ProofError(f"{where}: a coin must be in 0..{self.slots - 1}, got {max(coins)}")
        return coins

    def _numbers(self, place: tuple[int, int], y: int, *, coin: int) -> _Numbers:
        """Numbers that the coin turns into `y`, by branch and commitment; see `sigma_proofs`."""
        slots = range(self.slots)
        apply = self.apply
        if self.domain is None:
            flips = [apply(1, rho, coin=coin) != y for rho in slots]
            return [[[1 + b * len(slots) + rho for rho, b in enumerate(flips)]]]
        signs = hadamard_signs(np.array(place[1]), self._positions[:, place[0]]).tolist()
        items = ([1 + d for d, sign in enumerate(signs) if sign == w] for w in (1, -1))
        offsets = ([1 + rho for rho in slots if apply(w, rho, coin=coin) == y] for w in (1, -1))
        return [list(ors) for ors in zip(items, offsets)]

    def _rounds(
        self, session: bytes, commitment: bytes, *, coin: bytes, noisy: Sequence[int]
    ) -> Iterator[tuple[_Numbers, sigma.Statement, sigma.Oracle]]:
        """What is to be proved of each sign, with a hash that binds it to the whole session."""
        s = self.scheme
        domain = self.domain or ()
        powers = _powers(1 + max(2 * self.slots, len(domain)))
        place = self._place("Protocol", commitment, coin)
        context = group.digest(
            "session",
            struct.pack("<5I", self.slots, self.true, s.hashes, s.width, s.fingerprint),
            group.digest("domain", *(repr(item).encode() for item in domain)),
            *(group.G, group.H, session, commitment, coin, _to_bytes(noisy)),
        )
        values = self._coins("Protocol", coin)
        points = self._points(commitment)
        for i, (y, value, committed) in enumerate(zip(noisy, values, points)):
            numbers = self._numbers(place, y, coin=value)
            # Elements C g^-u; the one with the committed u is a power of h.
            statement = [
                [[group.sub(point, powers[u]) for u in held] for point, held in zip(committed, ors)]
                for ors in numbers
            ]
            yield numbers, statement, partial(_challenge, context, i)


def _agreed(where: str, protocol: Protocol) -> Protocol:
    if not isinstance(protocol, Protocol):
        # By its type: where arguments are exchanged, it is the item.
        raise TypeError(f"{where}: protocol must be a Protocol, got {type(protocol).__name__}")
    return protocol


def _challenge(context: bytes, index: int, announcements: list[bytes]) -> int:
    octets = group.digest("challenge", context, index.to_bytes(4, "little"), *announcements)
    return int.from_bytes(octets, "little") % (1 << sigma.CHALLENGE_BITS)


@lru_cache(maxsize=8)
def _powers(count: int) -> list[bytes]:
    """Return the powers 0, 1, ..., of the generator g, by additions."""
    powers = [group.IDENTITY]
    while len(powers) < count:
        powers.append(group.add(powers[-1], group.G))
    return powers


def _to_bytes(signs: Sequence[int]) -> bytes:
    return bytes(int(sign < 0) for sign in signs)


def _sized(where: str, name: str, octets: bytes, size: int) -> bytes:
    if len(group.octets(where, name, octets)) != size:
        raise ProofError(f"{where}: {name} must have {size} bytes, got {len(octets)}")
    return octets


class Client(OneUse):
    """The client of one session: commits to its report, answers one coin.

    Parameters
    ----------
    protocol : Protocol
        What is agreed.
    session : bytes
        Name of the session, agreed with the server; used once.
    randomness : callable, optional
        Source of secrets; see `privlib.sketch.group`. Whoever can guess it learns the item.

    Examples
    --------
    >>> from privlib.sketch.slots import slot_epsilon
    >>> scheme = HadamardCountMeanSketch(slot_epsilon(11, 8), hashes=16, width=8, seed=1)
    >>> protocol = Protocol(scheme, slots=11, true=8)
    >>> client, server = Client(protocol, b"1"), Server(protocol)
    >>> coin = server.challenge(b"1", client.commit("A18"))
    >>> report = server.accept(b"1", client.respond(coin))
    >>> report.shape, server.finished
    ((1,), 1)
    """

    def __init__(
        self, protocol: Protocol, session: bytes, *, randomness: Randomness = secrets.token_bytes
    ) -> None:
        super().__init__()
        self.session = group.octets("Client", "session", session)
        self.protocol = _agreed("Client", protocol)
        self._randomness = group.source("Client", randomness)
        self._commitment, self._answered = b"", False
        self._openings: list[list[tuple[int, int]]] = []  # by sign: committed numbers, blindings

    def commit(self, item: Item) -> bytes:
        """Return the first message for an item.

        An error, of the item or of the source of randomness, leaves the client unused.

        Parameters
        ----------
        item : str or int
            The client's item.

        Returns
        -------
        bytes
            Row, coordinate, and 32 bytes a sign; with a domain 64 bytes, for item and offset.

        Raises
        ------
        ValueError
            The client has committed already, or the item is unknown to the domain or the family.
        TypeError
            The item is neither str nor int.

        Examples
        --------
        >>> from privlib.sketch.slots import slot_epsilon
        >>> scheme = HadamardCountMeanSketch(slot_epsilon(11, 8), hashes=16, width=8, seed=1)
        >>> protocol = Protocol(scheme)
        >>> client, server = Client(protocol, b"1"), Server(protocol)
        >>> commitment = client.commit("A18")
        >>> len(commitment), len(server.challenge(b"1", commitment))
        (40, 2)
        """
        scheme = self.protocol.scheme
        domain = self.protocol.domain
        (item,), _ = distinct_items("Client.commit", [item], "item")
        if domain is None:
            sizes = scheme.hashes, scheme.n_coordinates
            row, column = (group.uniform(size, self._randomness) for size in sizes)
            signs = scheme.encode(item, row, column=column)
            return self.commit_signs(signs, row=row, column=column)
        if item not in domain:
            # Without the item, which is what the client keeps private.
            raise ValueError("Client.commit: item must be in the domain, and is not")
        rho = group.uniform(self.protocol.slots, self._randomness)
        return self._seal(b"", [[1 + domain.index(item), 1 + rho]])

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
            The client has committed already, or commits to items; not the right number of signs; a
            value out of range.
        TypeError
            A value is no integer.

        Examples
        --------
        >>> from privlib.sketch.slots import slot_epsilon
        >>> scheme = HadamardCountMeanSketch(slot_epsilon(11, 8), hashes=16, width=8, seed=1)
        >>> protocol = Protocol(scheme)
        >>> client, server = Client(protocol, b"1"), Server(protocol)
        >>> coin = server.challenge(b"1", client.commit_signs([-1], row=3, column=5))
        >>> report = server.accept(b"1", client.respond(coin))
        >>> int(report["row"][0]), int(report["column"][0])
        (3, 5)
        """
        where = "Client.commit_signs"
        scheme = self.protocol.scheme
        if self.protocol.domain is not None:
            raise ValueError(f"{where}: this protocol commits to an item, use commit")
        checks.integer(where, "row", row, low=0, high=scheme.hashes - 1)
        checks.integer(where, "column", column, low=0, high=scheme.n_coordinates - 1)
        signs = [checks.integer(where, "each of signs", sign) for sign in signs]
        if len(signs) != scheme.signs or not all(sign in (-1, 1) for sign in signs):
            got = f"{len(signs)} values"
            raise ValueError(f"{where}: signs must be {scheme.signs} values -1 or 1, got {got}")
        slots = self.protocol.slots
        offsets = (group.uniform(slots, self._randomness) for _ in signs)
        numbers = [[1 + int(w < 0) * slots + rho] for w, rho in zip(signs, offsets)]
        return self._seal(_PLACE.pack(row, column), numbers)

    def _seal(self, head: bytes, numbers: list[list[int]]) -> bytes:
        openings = []
        for held in numbers:
            sealed = [(u, *group.commit(u, self._randomness)) for u in held]
            openings.append([(u, s) for u, _, s in sealed])
            head += b"".join(point for _, point, _ in sealed)
        # All is made: now both at once, so that a failure before leaves nothing behind.
        with self._lock:
            if self._commitment:
                raise ValueError("Client.commit: has committed; take a new one for a session")
            # The openings first: who sees the commitment, in another thread, may use them.
            self._openings = openings
            self._commitment = head
        return head

    def outcome(self, coin: bytes) -> list[int]:
        """Return the signs that a coin asks for, which the client sees before it answers.

        Parameters
        ----------
        coin : bytes
            The server's message.

        Returns
        -------
        list of int
            Noisy signs -1 and 1, one a sign of the report. Calling it spends nothing.

        Raises
        ------
        ProofError
            The coin is malformed.
        ValueError
            The client has not committed.

        Examples
        --------
        >>> from privlib.sketch.slots import slot_epsilon
        >>> scheme = HadamardCountMeanSketch(slot_epsilon(11, 8), hashes=16, width=8, seed=1)
        >>> protocol = Protocol(scheme)
        >>> client, server = Client(protocol, b"1"), Server(protocol)
        >>> coin = server.challenge(b"1", client.commit("A18"))
        >>> noisy = client.outcome(coin)
        >>> noisy == server.accept(b"1", client.respond(coin))["sign"].tolist()
        True
        """
        if not self._commitment:
            raise ValueError("Client: has not committed to anything yet")
        protocol = self.protocol
        _sized("Client", "the coin", coin, protocol.sizes[1])
        place = protocol._place("Client", self._commitment, coin)
        ones = (protocol._numbers(place, 1, coin=c) for c in protocol._coins("Client", coin))
        return [1 if True in _held(*pair) else -1 for pair in zip(ones, self._openings)]

    def respond(self, coin: bytes) -> bytes:
        """Return the noisy signs with their proofs.

        A client answers once. What it returned may be sent again, as it is, if it was lost.

        Parameters
        ----------
        coin : bytes
            The server's message.

        Returns
        -------
        bytes
            One byte a sign, 0 for +1, and 48 bytes a clause of the proofs.

        Raises
        ------
        ProofError
            The coin is malformed.
        ValueError
            The client has not committed, or has answered a coin before, also where the source of
            randomness failed then.

        Examples
        --------
        >>> from privlib.sketch.slots import slot_epsilon
        >>> scheme = HadamardCountMeanSketch(slot_epsilon(11, 8), hashes=16, width=8, seed=1)
        >>> protocol = Protocol(scheme)
        >>> client, server = Client(protocol, b"1"), Server(protocol)
        >>> coin = server.challenge(b"1", client.commit("A18"))
        >>> len(client.respond(coin))
        529
        >>> client.respond(coin)
        Traceback (most recent call last):
            ...
        ValueError: Client: has answered a coin; two answers to one commitment tell more than
        epsilon allows
        """
        noisy = self.outcome(coin)
        with self._lock:
            if self._answered:
                reason = "two answers to one commitment tell more than epsilon allows"
                raise ValueError(f"Client: has answered a coin; {reason}")
            self._answered = True
        response = _to_bytes(noisy)
        rounds = self.protocol._rounds(self.session, self._commitment, coin=coin, noisy=noisy)
        for (numbers, statement, oracle), own in zip(rounds, self._openings):
            real = _held(numbers, own).index(True)
            witness = real, [(held.index(u), s) for (u, s), held in zip(own, numbers[real])]
            response += sigma.encode(
                sigma.prove(statement, witness, oracle=oracle, randomness=self._randomness)
            )
        return response


def _held(numbers: _Numbers, openings: list[tuple[int, int]]) -> list[bool]:
    """Which branches the committed numbers make true."""
    return [all(u in held for (u, _), held in zip(openings, ors)) for ors in numbers]


class Server(OneUse):
    """The server: spends each session before its coin, checks proofs, counts how sessions end.

    Threads may share it. It cannot be copied or pickled, and another `Server` knows nothing of the
    sessions that this one has spent.

    Parameters
    ----------
    protocol : Protocol
        What is agreed.
    randomness : callable, optional
        Source of the coins; see `privlib.sketch.group`. A coin that clients can guess is none.

    Attributes
    ----------
    finished, rejected : int
        Numbers of sessions with a right and with a wrong response.

    Examples
    --------
    >>> from privlib.sketch.slots import slot_epsilon
    >>> scheme = HadamardCountMeanSketch(slot_epsilon(11, 8), hashes=16, width=8, seed=1)
    >>> protocol = Protocol(scheme)
    >>> client, server = Client(protocol, b"1"), Server(protocol)
    >>> coin = server.challenge(b"1", client.commit("A18"))
    >>> report = server.accept(b"1", client.respond(coin))
    >>> server.opened, server.pending, server.finished, server.rejected
    (1, 0, 1, 0)
    """

    def __init__(self, protocol: Protocol, *, randomness: Randomness = secrets.token_bytes) -> None:
        super().__init__()
        self.protocol = _agreed("Server", protocol)
        self._randomness = group.source("Server", randomness)
        self._spent: set[bytes] = set()
        self._open: dict[bytes, tuple[bytes, bytes]] = {}
        self._coins_out = 0
        self.finished = self.rejected = 0

    @property
    def opened(self) -> int:
        """Number of coins given out.

        Examples
        --------
        >>> from privlib.sketch.slots import slot_epsilon
        >>> scheme = HadamardCountMeanSketch(slot_epsilon(11, 8), hashes=16, width=8, seed=1)
        >>> protocol = Protocol(scheme)
        >>> client, server = Client(protocol, b"1"), Server(protocol)
        >>> coin = server.challenge(b"1", client.commit("A18"))
        >>> server.opened
        1
        """
        return self._coins_out

    @property
    def pending(self) -> int:
        """Number of sessions that had their coin and have not answered (aborts, in the end).

        Examples
        --------
        A client that does not like its coin stops, and is counted.

        >>> from privlib.sketch.slots import slot_epsilon
        >>> scheme = HadamardCountMeanSketch(slot_epsilon(11, 8), hashes=16, width=8, seed=1)
        >>> protocol = Protocol(scheme)
        >>> client, server = Client(protocol, b"1"), Server(protocol)
        >>> coin = server.challenge(b"1", client.commit("A18"))
        >>> server.pending
        1
        """
        return len(self._open)

    def challenge(self, session: bytes, commitment: bytes) -> bytes:
        """Spend the session, and return the coin for a commitment.

        The session is spent before the coin is drawn, and stays so if the source of randomness
        fails. A malformed message spends nothing. Whoever may call this in somebody's name spends
        that person's session: see `session`.

        Parameters
        ----------
        session : bytes
            Name of the session; that of an authenticated identity, so that there is one each.
        commitment : bytes
            The client's first message.

        Returns
        -------
        bytes
            Two bytes a sign; with a domain also row and coordinate, before them.

        Raises
        ------
        ProofError
            The session is spent, or the message malformed: wrong length, a point that is not in
            the group of prime order or not canonical, a row out of range.
        TypeError
            An argument is not bytes.

        Examples
        --------
        >>> from privlib.sketch.slots import slot_epsilon
        >>> scheme = HadamardCountMeanSketch(slot_epsilon(11, 8), hashes=16, width=8, seed=1)
        >>> protocol = Protocol(scheme)
        >>> client, server = Client(protocol, b"1"), Server(protocol)
        >>> commitment = client.commit("A18")
        >>> len(server.challenge(b"1", commitment))
        2
        >>> server.challenge(b"1", commitment)
        Traceback (most recent call last):
            ...
        privlib.research.verifiable_noise.ProofError: Server.challenge: session 31 is spent
        """
        where = "Server.challenge"
        protocol = self.protocol
        scheme = self.protocol.scheme
        spent = f"{where}: session {group.octets(where, 'session', session).hex()} is spent"
        if session in self._spent:
            raise ProofError(spent)
        _sized(where, "commitment", commitment, protocol.sizes[0])
        for point in chain.from_iterable(protocol._points(commitment)):
            if not group.is_point(point):
                got = point.hex()
                raise ProofError(f"{where}: commitment must hold elements of the group, got {got}")
        if protocol.domain is None:
            protocol._place(where, commitment)
        with self._lock:
            # Asked again, and before the draw: another thread may have been here since.
            if session in self._spent:
                raise ProofError(spent)
            self._spent.add(session)
        draws = [("<I", scheme.hashes), ("<I", scheme.n_coordinates)] if protocol.domain else []
        draws += [("<H", protocol.slots)] * scheme.signs
        coin = b"".join(struct.pack(kind, group.uniform(n, self._randomness)) for kind, n in draws)
        with self._lock:
            self._open[session] = commitment, coin
            self._coins_out += 1
        return coin

    def accept(self, session: bytes, response: bytes) -> Reports:
        """Return the report of a session whose proof is right.

        Parameters
        ----------
        session : bytes
            Name of the session.
        response : bytes
            The client's second message.

        Returns
        -------
        ndarray of the scheme's `report_dtype`, shape (1,)
            What the server adds to its sketch.

        Raises
        ------
        ProofError
            The session has no open coin, or the response is malformed or its proof wrong. A
            session gets one attempt.
        TypeError
            An argument is not bytes; the session stays open.

        Examples
        --------
        A response with another sign has a wrong proof.

        >>> from privlib.sketch.slots import slot_epsilon
        >>> scheme = HadamardCountMeanSketch(slot_epsilon(11, 8), hashes=16, width=8, seed=1)
        >>> protocol = Protocol(scheme)
        >>> client, server = Client(protocol, b"1"), Server(protocol)
        >>> response = client.respond(server.challenge(b"1", client.commit("A18")))
        >>> server.accept(b"1", bytes([1 - response[0]]) + response[1:])
        Traceback (most recent call last):
            ...
        privlib.research.verifiable_noise.ProofError: Server.accept: the proof of sign 0 is wrong
        """
        group.octets("Server.accept", "session", session)
        group.octets("Server.accept", "response", response)
        with self._lock:
            held = self._open.pop(session, None)
        if held is None:
            raise ProofError(f"Server.accept: session {session!r} has no open coin")
        commitment, coin = held
        try:
            report = self._checked(session, commitment, coin, response)
        except ProofError:
            with self._lock:
                self.rejected += 1
            raise
        with self._lock:
            self.finished += 1
        return report

    def _checked(self, session: bytes, commitment: bytes, coin: bytes, response: bytes) -> Reports:
        where = "Server.accept"
        protocol = self.protocol
        scheme = self.protocol.scheme
        _sized(where, "response", response, protocol.sizes[2])
        head = response[: scheme.signs]
        proofs = response[scheme.signs :]
        if max(head) > 1:
            raise ProofError(f"{where}: a sign must be the byte 0 or 1, got {max(head)}")
        noisy = [1 - 2 * octet for octet in head]
        size = len(proofs) // scheme.signs
        rounds = protocol._rounds(session, commitment, coin=coin, noisy=noisy)
        for i, (_, statement, oracle) in enumerate(rounds):
            try:
                pairs = sigma.decode(proofs[i * size : (i + 1) * size])
            except ValueError as error:
                raise ProofError(f"{where}: sign {i}: {error}") from None
            if not sigma.verify(statement, pairs, oracle=oracle):
                raise ProofError(f"{where}: the proof of sign {i} is wrong")
        row, column = protocol._place(where, commitment, coin)
        return scheme.report_of(noisy, row, column=column)


@dataclass(frozen=True, eq=False)
class Transcript:
    """One session, with what it cost.

    Parameters
    ----------
    commitment, coin, response : bytes
        The three messages.
    report : ndarray, shape (1,)
        What the server ends with.
    exponentiations : tuple of int and int
        Of client and server.
    seconds : tuple of float and float
        Of client and server, on this machine.

    Examples
    --------
    >>> from privlib.sketch.slots import slot_epsilon
    >>> scheme = HadamardCountMeanSketch(slot_epsilon(11, 8), hashes=16, width=8, seed=1)
    >>> protocol = Protocol(scheme)
    >>> transcript = report(protocol, "A18")
    >>> len(transcript.commitment), len(transcript.coin), len(transcript.response)
    (40, 2, 529)
    """

    commitment: bytes
    coin: bytes
    response: bytes
    report: Reports
    exponentiations: tuple[int, int]
    seconds: tuple[float, float]

    @property
    def size(self) -> int:
        """Bytes of the three messages.

        Examples
        --------
        >>> from privlib.sketch.slots import slot_epsilon
        >>> scheme = HadamardCountMeanSketch(slot_epsilon(11, 8), hashes=16, width=8, seed=1)
        >>> protocol = Protocol(scheme)
        >>> report(protocol, "A18").size
        571
        """
        return len(self.commitment) + len(self.coin) + len(self.response)


def report(
    protocol: Protocol,
    item: Item,
    *,
    session: bytes = b"session",
    randomness: Randomness = secrets.token_bytes,
) -> Transcript:
    """Run one honest session of `Client` and `Server`, and measure it.

    Parameters
    ----------
    protocol : Protocol
        What is agreed.
    item : str or int
        The client's item.
    session : bytes, optional
        Name of the session.
    randomness : callable, optional
        Source of both parties' secrets; see `privlib.sketch.group`.

    Returns
    -------
    Transcript
        The three messages, the report, and what they cost.

    Examples
    --------
    >>> from privlib.sketch.slots import slot_epsilon
    >>> scheme = HadamardCountMeanSketch(slot_epsilon(11, 8), hashes=1024, width=128, seed=1)
    >>> transcript = report(Protocol(scheme), "A18")
    >>> transcript.size, transcript.exponentiations
    (571, (23, 22))
    """
    client = Client(protocol, session, randomness=randomness)
    server = Server(protocol, randomness=randomness)
    left = Meter()
    right = Meter()
    with left.measure():
        commitment = client.commit(item)
    with right.measure():
        coin = server.challenge(session, commitment)
    with left.measure():
        response = client.respond(coin)
    with right.measure():
        accepted = server.accept(session, response)
    costs = (left.exponentiations, right.exponentiations), (left.seconds, right.seconds)
    return Transcript(commitment, coin, response, accepted, *costs)
