r"""Oblivious transfer, and the two schemes that the paper builds on it: OT-CMS and OT-HCMS.

**The transfer** (Chou and Orlandi). In a group with base *h* the sender publishes :math:`A = h^a`.
A receiver who wants message *i* of *N*, counted from 1 so that no choice is a special case on the
clock, answers :math:`B = h^b A^i`. The sender masks message *i'* with a hash of :math:`(B
A^{-i'})^a`; the receiver can compute :math:`A^b`, which is that for *i' = i*. *The receiver is
private*, perfectly: *B* is uniform whatever *i* is. *The sender is private* under two assumptions:
nobody can compute :math:`h^{a^2}` from :math:`h^a` (the square Diffie-Hellman problem; two of the
keys would give that element as their quotient), **and** the hash that makes masks of the keys
behaves as a random function (the random oracle model). Keys are hashed with *A*, *B*, the number of
the transfer and of the slot.

**The schemes.** The client offers slots for each sign; the server takes one by a transfer, so the
client does not see what it took. *What is proved is the transfer, not the contents of the slots.*

- Order known: slots (w, -w), and the server takes the first with probability *p*. Its choice and
  what it got give *w*: :func:`infer_from_choices`.
- Order shuffled by the client, *T* of *N* slots true, a uniform choice: private with
  :math:`\varepsilon = \ln \frac{T}{N-T}` a sign, and the choice tells nothing. The scheme must
  have the epsilon of these slots: `oblivious_report` refuses every other.
- In either order a client that puts one sign into all slots sends what it wants.
- *Retries.* A client that repeats a transfer of a sign with a new shuffle reports twice, at
  :math:`2\varepsilon`. So a server that falsely says that a transfer failed doubles
  :math:`\varepsilon`: a client may send the same masked messages again, but must not offer a sign
  in a new transfer.
- *Denial.* The offers of a transfer are made once, whoever asked for them. Parties must be
  authenticated first, and each user gets one report; nothing here does that.

The masks are exclusive-or with a hash, without authentication: enough for the secrecy of what the
receiver did not choose. It is not a transfer that composes with everything (its simulation needs
care: Genç, Iovino and Rial 2020), and code for study; see `privlib.sketch.group` on clocks. An
object may be used by several threads: what can be used once is spent under a lock before it is
used. It cannot be copied or pickled. Needs PyNaCl (the extra ``privlib-book[transfer]``).
"""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import IntArray
from privlib.sketch import group
from privlib.sketch.group import Meter, Randomness
from privlib.sketch.items import Item
from privlib.sketch.one_use import OneUse
from privlib.sketch.scheme import Reports, Scheme, SignArray
from privlib.sketch.slots import agreed_slots

PAYLOAD = 16
"""Bytes of a message in a slot."""

MAX_MASKS = 1 << 22
"""Largest number of slots that the transfers of one report may have in all."""


def _element(where: str, name: str, value: bytes) -> bytes:
    if len(group.octets(where, name, value)) != group.SIZE or not group.is_point(value):
        raise ValueError(f"{where}: {name} is no element of the group of prime order")
    return value


def _masked(message: bytes, key: bytes, *transcript: bytes, index: int, slot: int) -> bytes:
    """Exclusive-or of a message with a hash of a shared element and of the transcript."""
    place = index.to_bytes(4, "little") + slot.to_bytes(4, "little")
    octets = group.digest("transfer", key, *transcript, place)
    return bytes(x ^ y for x, y in zip(message, octets))


class Sender(OneUse):
    """The side that has the messages; one key for a batch of transfers.

    Parameters
    ----------
    slots : int, optional
        Number *N* of messages of a transfer.
    randomness : callable, optional
        Source of the secret; see `privlib.sketch.group`. Whoever can guess it opens all slots.

    Attributes
    ----------
    first : bytes
        The message A, 32 bytes, sent once.

    Examples
    --------
    >>> sender = Sender()
    >>> receiver = Receiver(sender.first, 0, choice=1)
    >>> offers = sender.offer(
    ...     receiver.second, 0, messages=[b"left".ljust(16), b"right".ljust(16)]
    ... )
    >>> receiver.open(offers)
    b'right           '
    >>> len(sender.first + receiver.second + offers)
    96
    """

    def __init__(self, slots: int = 2, *, randomness: Randomness = secrets.token_bytes) -> None:
        super().__init__()
        self.slots = checks.integer("Sender", "slots", slots, low=2, high=(1 << 16) - 1)
        self._secret = 1 + group.uniform(group.L - 1, group.source("Sender", randomness))
        self.first = group.base_mul(self._secret)
        self._shift = group.mul(self._secret, self.first)
        self._done: set[int] = set()

    def offer(self, second: bytes, index: int, *, messages: Iterable[bytes]) -> bytes:
        """Return the masked messages of one transfer.

        Parameters
        ----------
        second : bytes
            The receiver's message B, 32 bytes.
        index : int
            Number of the transfer; each is used once, whatever becomes of the offers.
        messages : iterable of bytes
            *N* messages of 16 bytes.

        Returns
        -------
        bytes
            16 a slot.

        Raises
        ------
        ValueError
            B is no element of the group, the number has been used, or the messages are not *N* of
            16 bytes.
        TypeError
            The index is no integer, or B or a message is not of type bytes, or there are no
            messages to list. Neither error spends the transfer.

        Examples
        --------
        >>> sender = Sender()
        >>> receiver = Receiver(sender.first, 0, choice=0)
        >>> offers = sender.offer(receiver.second, 0, messages=[b"0" * 16, b"1" * 16])
        >>> len(offers), receiver.open(offers)
        (32, b'0000000000000000')
        >>> sender.offer(receiver.second, 0, messages=[b"0" * 16, b"1" * 16])
        Traceback (most recent call last):
            ...
        ValueError: Sender.offer: transfer 0 is done; a second one would reveal more
        """
        where = "Sender.offer"
        index = checks.integer(where, "index", index, low=0, high=(1 << 32) - 1)
        _element(where, "the receiver's message", second)
        if index in self._done:
            raise ValueError(f"{where}: {_done(index)}")
        if not isinstance(messages, Iterable):
            got = type(messages).__name__
            raise TypeError(f"{where}: messages must be a sequence of bytes, got {got}")
        # A list first: an iterator would be used up by the checks.
        held = list(itertools.islice(messages, self.slots + 1))
        sizes = [len(group.octets(where, "a message", message)) for message in held]
        if sizes != [PAYLOAD] * self.slots:
            rule = f"messages must be {self.slots} of {PAYLOAD} bytes"
            raise ValueError(f"{where}: {rule}, got {len(sizes)} of {sorted(set(sizes))} bytes")
        with self._lock:
            if index in self._done:
                raise ValueError(f"{where}: {_done(index)}")
            self._done.add(index)
        key = group.mul(self._secret, second)
        offers = b""
        for slot, message in enumerate(held):
            key = group.sub(key, self._shift)
            offers += _masked(message, key, self.first, second, index=index, slot=slot)
        return offers


def _done(index: int) -> str:
    return f"transfer {index} is done; a second one would reveal more"


class Receiver(OneUse):
    """The side that takes one message; an object serves one transfer.

    Parameters
    ----------
    first : bytes
        The sender's message A.
    index : int
        Number of the transfer.
    choice : int
        Number of the slot to take, in 0..N-1.
    slots : int, optional
        Number *N* of slots.
    randomness : callable, optional
        Source of the secret; see `privlib.sketch.group`. Whoever can guess it learns the choice.

    Attributes
    ----------
    second : bytes
        The message B, 32 bytes.

    Raises
    ------
    ValueError
        A is no element of the group, or the choice is no slot.
    TypeError
        A is not of type bytes, or the choice or the number of slots no integer.

    Examples
    --------
    What the receiver sends is 32 bytes, uniform whatever it chooses.

    >>> sender = Sender(3)
    >>> receiver = Receiver(sender.first, 0, choice=2, slots=3)
    >>> len(receiver.second)
    32
    >>> receiver.open(sender.offer(receiver.second, 0, messages=[b"0" * 16, b"1" * 16, b"2" * 16]))
    b'2222222222222222'
    """

    def __init__(
        self,
        first: bytes,
        index: int,
        *,
        choice: int,
        slots: int = 2,
        randomness: Randomness = secrets.token_bytes,
    ) -> None:
        super().__init__()
        self.slots = checks.integer("Receiver", "slots", slots, low=2, high=(1 << 16) - 1)
        self._choice = checks.integer("Receiver", "choice", choice, low=0, high=self.slots - 1)
        self._first = _element("Receiver", "the sender's message", first)
        self._index = checks.integer("Receiver", "index", index, low=0, high=(1 << 32) - 1)
        shift = group.mul(1 + self._choice, first)
        # B may be any element but the neutral one, for every choice alike.
        self.second = group.IDENTITY
        while self.second == group.IDENTITY:
            self._secret = group.uniform(group.L, randomness)
            self.second = group.add(group.base_mul(self._secret), shift)
        self._open = True

    def open(self, offers: bytes) -> bytes:
        """Return the chosen message.

        Parameters
        ----------
        offers : bytes
            What the sender offers: 16 bytes a slot.

        Returns
        -------
        bytes
            The message of the chosen slot, 16 bytes.

        Raises
        ------
        ValueError
            The offers have not 16 bytes a slot, or the receiver has been used.
        TypeError
            The offers are not of type bytes; the receiver can still be used.

        Examples
        --------
        >>> sender = Sender()
        >>> receiver = Receiver(sender.first, 0, choice=1)
        >>> offers = sender.offer(receiver.second, 0, messages=[b"0" * 16, b"1" * 16])
        >>> receiver.open(offers)
        b'1111111111111111'
        >>> receiver.open(offers)
        Traceback (most recent call last):
            ...
        ValueError: Receiver.open: has been used; take a new one for each transfer
        """
        used = "Receiver.open: has been used; take a new one for each transfer"
        if not self._open:
            raise ValueError(used)
        size = self.slots * PAYLOAD
        if len(group.octets("Receiver.open", "offers", offers)) != size:
            raise ValueError(f"Receiver.open: offers must have {size} bytes, got {len(offers)}")
        with self._lock:
            if not self._open:
                raise ValueError(used)
            self._open = False
        key = group.mul(self._secret, self._first)
        slot = self._choice
        offer = offers[PAYLOAD * slot :][:PAYLOAD]
        return _masked(offer, key, self._first, self.second, index=self._index, slot=slot)


@dataclass(frozen=True, eq=False, repr=False)
class Transcript:
    """What a server has seen of one report, and what it cost.

    Parameters
    ----------
    report : ndarray of the scheme's `report_dtype`, shape (1,)
        What the server adds to its sketch.
    order : {"known", "shuffled"}
        Whether the server knows which slots the client fills with the true sign.
    choices : ndarray of int, shape (signs,)
        Slots that the server took.
    signs : ndarray of int8, shape (signs,)
        What they held.
    sent : tuple of int and int
        Bytes sent by client and server, without row and coordinate.
    exponentiations : tuple of int and int
        Of client and server.

    Examples
    --------
    One sign in eleven slots of 16 bytes, beside a message of 32 bytes from each side.

    >>> from privlib.sketch import HadamardCountMeanSketch
    >>> from privlib.sketch.slots import slot_epsilon
    >>> scheme = HadamardCountMeanSketch(slot_epsilon(11, 8), hashes=4, width=8, seed=0)
    >>> transcript = oblivious_report(scheme, "A18")
    >>> transcript.signs.shape, transcript.sent
    ((1,), (208, 32))
    """

    report: Reports
    order: str
    choices: IntArray
    signs: SignArray
    sent: tuple[int, int]
    exponentiations: tuple[int, int]

    def __repr__(self) -> str:
        return (
            f"Transcript({self.signs.size} signs, {self.order} order, bytes sent {self.sent}, "
            f"exponentiations {self.exponentiations})"
        )


def _shuffled(row: list[int], randomness: Randomness) -> list[int]:
    """Fisher and Yates: every arrangement is as probable."""
    for i in range(len(row) - 1, 0, -1):
        j = group.uniform(i + 1, randomness)
        row[i], row[j] = row[j], row[i]
    return row


def oblivious_report(
    scheme: Scheme,
    item: Item,
    *,
    order: str = "shuffled",
    slots: int | None = None,
    true: int | None = None,
    contents: npt.ArrayLike | None = None,
    place: tuple[int, int] | None = None,
    randomness: Randomness = secrets.token_bytes,
) -> Transcript:
    """Run OT-CMS or OT-HCMS for one report, with real transfers.

    Parameters
    ----------
    scheme : CountMeanSketch or HadamardCountMeanSketch
        *m* transfers for CMS, one for HCMS.
    item : str or int
        The client's item.
    order : {"shuffled", "known"}
        The client shuffles its slots and the server takes a uniform one; or there are two, the
        true sign in the first, and the server takes the first with the scheme's probability *p*.
        With a known order the client has **no privacy** from the server, see
        `infer_from_choices`.
    slots : int, optional
        For the shuffled order only: number of slots, 11 by default.
    true : int, optional
        For the shuffled order only: number of true slots, 8 by default. The scheme must have been
        made with the epsilon of the two numbers, ``slot_epsilon(slots, true)``, for CMS with
        ``bits=2``. With another one, both the privacy of its reports and the estimates from them
        would be those of the slots and not of the scheme, so it is refused.
    contents : array_like of int, shape (signs, slots), optional
        What a client that does not keep to the protocol puts into the slots instead. The honest
        clients keep to the numbers of slots, so these must be those of the scheme here too.
    place : (int, int), optional
        Row and coordinate of the report, which the client picks (uniform by default). To be
        private, a client must pick it without regard to its item.
    randomness : callable, optional
        Source of both parties' secrets and draws; see `privlib.sketch.group`. Whoever can guess it
        learns the item.

    Returns
    -------
    Transcript
        What the server has seen of the report, and what it cost. The choices are 0 or 1 for a known
        order, and in 0..N-1 for a shuffled one.

    Raises
    ------
    ValueError
        Unknown order; the slots have another epsilon than the scheme; numbers of slots with a
        known order; contents of a wrong shape or not -1 and 1; a number out of its range.
    TypeError
        `scheme` is none of the two, or something else has the wrong type.

    Notes
    -----
    In shuffled order a report has the scheme's level against a server that keeps to the protocol,
    and against one that does not, as far as the transfer is secure. The level is that of one
    report; a second one on the same item adds its own. A slot of 16 bytes carries one sign. For
    *M* signs the client sends *32 + 16 N M* bytes and the server *32 M*.

    References
    ----------
    Section 4.2 of the paper, which speaks of "1-out-of-1/p" transfers; 1/p is no integer.

    Examples
    --------
    >>> from privlib.sketch import CountMeanSketch
    >>> scheme = CountMeanSketch(1.0, hashes=4, width=8, seed=0)
    >>> transcript = oblivious_report(scheme, "A18", order="known", place=(2, 0))
    >>> bool(infer_from_choices(transcript).argmax() == scheme.family.positions("A18")[0, 2])
    True
    """
    where = "oblivious_report"
    known = checks.choice(where, "order", order, ("shuffled", "known")) == "known"
    if not isinstance(scheme, Scheme):
        # By its type: where arguments are exchanged, it is the item.
        got = type(scheme).__name__
        raise TypeError(f"{where}: scheme must be a count mean sketch, got {got}")
    group.source(where, randomness)
    if known:
        if slots is not None or true is not None:
            rule = "slots and true are for the shuffled order; in a known order there are two slots"
            raise ValueError(f"{where}: {rule}, got {slots!r} and {true!r}")
        slots = 2
        true = 1
    else:
        if slots is None:
            slots = 11
        if true is None:
            true = 8
        slots, true = agreed_slots(
            where,
            slots,
            true=true,
            epsilon=scheme.epsilon,
            bits=scheme.sensitivity,
        )
    _safety.limit(where, "slots of all transfers", scheme.signs * slots, MAX_MASKS)
    row, column = _place(where, scheme, place, randomness)
    if contents is None:
        encoded = scheme.encode(item, row, column=column)
        filled = [[sign] * true + [-sign] * (slots - true) for sign in encoded]
        if not known:
            filled = [_shuffled(held, randomness) for held in filled]
        # What the level of the slots rests on, counted in what is really offered.
        if any(held.count(sign) != true for held, sign in zip(filled, encoded)):
            raise _safety.UncertifiedError(f"{where}: {true} of {slots} slots must be true")
    else:
        array = checks.reals(where, "contents", contents, shape=(scheme.signs, slots))
        checks.refuse(where, "contents", array, "-1 or 1", abs(array) == 1)
        filled = array.astype(int).tolist()
    client = Meter()
    server = Meter()
    with client.measure():
        sender = Sender(slots, randomness=randomness)
    if known:
        # q is a double, a fraction with a power of two below: so many bits decide exactly. Not by
        # the double of p = 1 - q, which is 1 for a small q.
        flips, denominator = scheme.flip.as_integer_ratio()
        bits = max(64, denominator.bit_length() - 1)
        first = (1 << bits) - (flips << bits) // denominator
        choices = [int(group.uniform(1 << bits, randomness) >= first) for _ in filled]
    else:
        choices = [group.uniform(slots, randomness) for _ in filled]
    taken = []
    offered = 0
    for i, (held, choice) in enumerate(zip(filled, choices)):
        messages = [bytes([sign < 0]) * PAYLOAD for sign in held]
        with server.measure():
            receiver = Receiver(sender.first, i, choice=choice, slots=slots, randomness=randomness)
        with client.measure():
            offers = sender.offer(receiver.second, i, messages=messages)
        with server.measure():
            taken.append(1 - 2 * receiver.open(offers)[0])
        offered += len(offers)
    report = scheme.report_of(taken, row, column=column)
    signs = np.array(taken, dtype=np.int8)
    sent = len(sender.first) + offered, group.SIZE * len(taken)
    costs = client.exponentiations, server.exponentiations
    return Transcript(report, order, np.array(choices), signs, sent, costs)


def _place(
    where: str, scheme: Scheme, place: tuple[int, int] | None, randomness: Randomness
) -> tuple[int, int]:
    """Return row and coordinate of a report, uniform unless they are given."""
    sizes = scheme.hashes, scheme.n_coordinates
    if place is None:
        return group.uniform(sizes[0], randomness), group.uniform(sizes[1], randomness)
    try:
        row, column = place
    except (TypeError, ValueError):
        rule = "place must be a pair (row, coordinate)"
        raise ValueError(f"{where}: {rule}, got {place!r}") from None
    row = checks.integer(where, "place[0]", row, low=0, high=sizes[0] - 1)
    column = checks.integer(where, "place[1]", column, low=0, high=sizes[1] - 1)
    return row, column


def infer_from_choices(transcript: Transcript) -> SignArray:
    """Return the client's signs before the noise, from what a server saw that knows the order.

    Parameters
    ----------
    transcript : Transcript
        Of an `oblivious_report` with known order.

    Returns
    -------
    ndarray of int8, shape (signs,)
        The true sign is what the first slot held, or the opposite of what the second held.

    Raises
    ------
    ValueError
        The order was shuffled: the choices tell nothing.
    TypeError
        `transcript` is no transcript.

    Examples
    --------
    The noise does not hide the item from a server that knows the order.

    >>> from privlib.sketch import CountMeanSketch
    >>> scheme = CountMeanSketch(0.1, hashes=4, width=8, seed=0)
    >>> transcript = oblivious_report(scheme, "A18", order="known", place=(2, 0))
    >>> infer_from_choices(transcript).tolist() == scheme.encode("A18", 2, column=0)
    True
    """
    if not isinstance(transcript, Transcript):
        got = type(transcript).__name__
        raise TypeError(f"infer_from_choices: transcript must be one, got {got}")
    if transcript.order != "known":
        raise ValueError("infer_from_choices: the order was shuffled, the choices tell nothing")
    return np.where(transcript.choices == 0, transcript.signs, -transcript.signs)
