r"""Sessions of the verifiable protocols: what both sides share, and how sessions are spent.

A session has three messages: commitment, coin, response. It is spent **when the coin is given
out**: a client that dislikes its coin cannot try again, and its stopping shows as a session that
never ended. The client for its part answers one coin only: the answers to two coins for one
commitment are two looks at one number :math:`\rho`, and together exceed :math:`\varepsilon`.

Every proof is bound, by its hash, to the parameters, the scheme, the session, the commitment, the
coin and all signs of the response, so that no part of one transcript fits into another.
"""

from __future__ import annotations

import secrets
import struct
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from privlib.sketch import _group as group
from privlib.sketch import _sigma as sigma
from privlib.sketch import slots as draws
from privlib.sketch._group import Randomness
from privlib.sketch._scheme import Reports, Scheme
from privlib.sketch.count_mean import CountMeanSketch
from privlib.sketch.hadamard import HadamardCountMeanSketch


class ProofError(ValueError):
    """A message that an honest party does not send; the session is spent."""


@dataclass(frozen=True)
class Parameters:
    """Numbers of slots.

    Parameters
    ----------
    slots : int
        Number *N* of slots.
    true : int
        Number *T* of them that keep the sign, more than half.

    Raises
    ------
    ValueError, TypeError
        A number is out of its range or no integer.

    Examples
    --------
    >>> Parameters().constant
    Fraction(11, 5)
    """

    slots: int = 11
    true: int = 8

    def __post_init__(self) -> None:
        draws.checked("Parameters", self.slots, self.true)

    @property
    def constant(self) -> Fraction:
        """De-noising constant N/(2T - N)."""
        return draws.slot_constant(self.slots, self.true)

    def epsilon(self, scheme: type[Scheme]) -> float:
        """Level of privacy of a report of a scheme; the one to make the scheme with."""
        bits = 2 if issubclass(scheme, CountMeanSketch) else 1
        return draws.slot_epsilon(self.slots, self.true, bits=bits)

    def keeps(self, rho: int, coin: int) -> bool:
        """Whether a number and a coin leave the sign as it is."""
        return (rho + coin) % self.slots < self.true

    def apply(self, sign: int, rho: int, coin: int) -> int:
        """Return what becomes of a sign."""
        return sign if self.keeps(rho, coin) else -sign

    def preimages(self, y: int, coin: int) -> list[int]:
        """Return the *N* numbers u = 1 + bN + rho that the coin turns into `y`, by rho."""
        flipped = [self.apply(1, rho, coin) != y for rho in range(self.slots)]
        return [1 + b * self.slots + rho for rho, b in enumerate(flipped)]


def checked_scheme(where: str, scheme: Scheme) -> int:
    """Return the number of signs of a report, or raise."""
    if not isinstance(scheme, (CountMeanSketch, HadamardCountMeanSketch)):
        raise TypeError(f"{where}: scheme must be a count mean sketch, got {scheme!r}")
    return scheme.width if isinstance(scheme, CountMeanSketch) else 1


def _check_epsilon(where: str, parameters: Parameters, scheme: Scheme) -> None:
    if not isinstance(parameters, Parameters):
        raise TypeError(f"{where}: parameters must be Parameters, got {parameters!r}")
    epsilon = parameters.epsilon(type(scheme))
    if abs(scheme.epsilon - epsilon) > 1e-9 * epsilon:
        raise ValueError(
            f"{where}: the epsilon of the scheme must be that of {parameters.true} true slots of "
            f"{parameters.slots}, {epsilon:.6f}, or its estimates are biased; got {scheme.epsilon}"
        )


@lru_cache(maxsize=8)
def powers_of(count: int) -> list[bytes]:
    """Return the powers 0, 1, ..., of the generator g."""
    return group.multiples(group.G, count)


def without(point: bytes, numbers: Sequence[int], powers: list[bytes]) -> sigma.Or:
    """Elements C g^-u; the one with the committed u is a power of h."""
    return [group.sub(point, powers[u]) for u in numbers]


def commit(u: int, randomness: Randomness) -> tuple[bytes, int]:
    """Commitment to `u`, and its blinding. The neutral element is left out for every u alike."""
    while True:
        s = group.random_scalar(randomness)
        point = group.commit(u, s)
        if group.is_point(point):
            return point, s


def points_of(where: str, octets: bytes) -> list[bytes]:
    """Return the elements in a message, each checked."""
    points = [octets[i : i + group.SIZE] for i in range(0, len(octets), group.SIZE)]
    for i, point in enumerate(points):
        if not group.is_point(point):
            raise ProofError(f"{where}: commitment {i} is no element of the group")
    return points


def sized(where: str, name: str, octets: bytes, size: int) -> bytes:
    """Return a message if it has its length."""
    if not isinstance(octets, bytes):
        raise TypeError(f"{where}: {name} must be bytes, got {type(octets).__name__}")
    if len(octets) != size:
        raise ProofError(f"{where}: {name} must have {size} bytes, got {len(octets)}")
    return octets


class Party:
    """What both sides share: parameters, and the hash that binds a proof to its session."""

    _label: str

    def __init__(
        self, parameters: Parameters, scheme: Scheme, *, randomness: Randomness | None
    ) -> None:
        self.parameters = parameters
        self.scheme = scheme
        self.signs = checked_scheme(type(self).__name__, scheme)
        _check_epsilon(type(self).__name__, parameters, scheme)
        self.randomness = secrets.token_bytes if randomness is None else randomness

    def _context(self, *parts: bytes) -> bytes:
        p, s = self.parameters, self.scheme
        numbers = struct.pack("<5I", p.slots, p.true, s.hashes, s.width, s.fingerprint)
        return group.digest(self._label, numbers, group.G, group.H, *parts)

    def _oracle(self, context: bytes, index: int) -> sigma.Oracle:
        def oracle(announcements: list[bytes]) -> int:
            place = index.to_bytes(4, "little")
            octets = group.digest("challenge", context, place, *announcements)
            return int.from_bytes(octets, "little") % (1 << sigma.CHALLENGE_BITS)

        return oracle


class SessionClient(Party):
    """A client: one session, one commitment, one answer."""

    def __init__(
        self,
        parameters: Parameters,
        scheme: Scheme,
        session: bytes,
        *,
        randomness: Randomness | None = None,
    ) -> None:
        super().__init__(parameters, scheme, randomness=randomness)
        if not isinstance(session, bytes):
            raise TypeError(f"{type(self).__name__}: session must be bytes, got {session!r}")
        self.session = session
        self._commitment: bytes | None = None
        self._answered = False

    def _once(self, commitment: bytes) -> bytes:
        self._commitment = commitment
        return commitment

    def _fresh(self) -> None:
        if self._commitment is not None:
            raise ValueError(f"{type(self).__name__}: has committed; take a new one for a session")

    def _committed(self, coin: bytes, size: int) -> bytes:
        name = f"{type(self).__name__}"
        if self._commitment is None:
            raise ValueError(f"{name}: has not committed to anything yet")
        sized(name, "the coin", coin, size)
        return self._commitment

    def _spend(self) -> None:
        if self._answered:
            raise ValueError(
                f"{type(self).__name__}: has answered a coin; two answers to one commitment tell "
                "more than epsilon allows"
            )
        self._answered = True


def coins_of(where: str, octets: bytes, slots: int) -> list[int]:
    """Return the coins in a message, each in range."""
    coins = [value for (value,) in struct.iter_unpack("<H", octets)]
    if max(coins) >= slots:
        raise ProofError(f"{where}: a coin must be in 0..{slots - 1}, got {max(coins)}")
    return coins


class SessionServer(Party, ABC):
    """A server: spends each session at the coin, and counts how they end."""

    def __init__(
        self,
        parameters: Parameters,
        scheme: Scheme,
        *,
        randomness: Randomness | None = None,
    ) -> None:
        super().__init__(parameters, scheme, randomness=randomness)
        self._spent: set[bytes] = set()
        self._open: dict[bytes, tuple[bytes, bytes]] = {}
        self.finished = 0
        self.rejected = 0

    @property
    def opened(self) -> int:
        """Number of coins given out."""
        return len(self._spent)

    @property
    def pending(self) -> int:
        """Number of sessions that had their coin and have not answered: aborts, in the end."""
        return len(self._open)

    @property
    @abstractmethod
    def commitment_size(self) -> int:
        """Bytes of the first message."""

    @property
    @abstractmethod
    def response_size(self) -> int:
        """Bytes of the third message."""

    @abstractmethod
    def _draw(self) -> bytes:
        """Return the second message."""

    @abstractmethod
    def _check(self, session: bytes, commitment: bytes, coin: bytes, response: bytes) -> Reports:
        """Return the report of a right response, else raise ``ProofError``."""

    def challenge(self, session: bytes, commitment: bytes) -> bytes:
        """Return the coin for a commitment, and spend the session.

        Parameters
        ----------
        session : bytes
            Name of the session; that of an authenticated identity, so that there is one each.
        commitment : bytes
            The client's first message.

        Raises
        ------
        ProofError
            The session is spent, or the message malformed: wrong length, a point that is not in
            the group of prime order or not canonical, a row out of range.
        TypeError
            An argument is not bytes.
        """
        where = f"{type(self).__name__}.challenge"
        if not isinstance(session, bytes):
            raise TypeError(f"{where}: session must be bytes, got {session!r}")
        if session in self._spent:
            raise ProofError(f"{where}: session {session.hex()} is spent")
        self._admit(where, sized(where, "commitment", commitment, self.commitment_size))
        coin = self._draw()
        self._spent.add(session)
        self._open[session] = commitment, coin
        return coin

    @abstractmethod
    def _admit(self, where: str, commitment: bytes) -> None:
        """Raise unless the commitment is well formed."""

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

        Raises
        ------
        ProofError
            The session has no open coin, or the response is malformed or its proof wrong. A
            session gets one attempt.
        TypeError
            `response` is not bytes.
        """
        where = f"{type(self).__name__}.accept"
        if session not in self._open:
            raise ProofError(f"{where}: session {session!r} has no open coin")
        commitment, coin = self._open.pop(session)
        try:
            sized(where, "response", response, self.response_size)
            report = self._check(session, commitment, coin, response)
        except ProofError:
            self.rejected += 1
            raise
        self.finished += 1
        return report

    def _verified(
        self, statement: sigma.Statement, proof: bytes, oracle: sigma.Oracle, index: int
    ) -> None:
        where = f"{type(self).__name__}.accept"
        try:
            pairs = sigma.decode(proof)
        except ValueError as error:
            raise ProofError(f"{where}: sign {index}: {error}") from None
        if not sigma.verify(statement, pairs, oracle):
            raise ProofError(f"{where}: the proof of sign {index} is wrong")
