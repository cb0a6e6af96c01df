r"""The group of prime order behind the protocols: libsodium's edwards25519, called through PyNaCl.

Two generators *g* and *h* of a group of prime order *L* whose relation :math:`\log_h g` nobody
knows commit to a number *u* by

.. math:: C = g^u h^s, \qquad s \text{ uniform in } \mathbb{Z}_L.

For every *u* the map :math:`s \mapsto C` is a bijection: *C* is uniform whatever *u* is, so it
tells nothing (perfectly hiding). Two openings of one *C* give
:math:`\log_h g = (s' - s)/(u - u')`: who cannot compute that logarithm is bound to one *u*.

Here *h* is libsodium's base point, because most exponents belong to *h* and libsodium is several
times faster there; *g* is the hash of a fixed sentence, mapped onto the curve and into the
subgroup by libsodium (Elligator, times the cofactor). Points are their 32 bytes, scalars Python
integers in 0..L-1. The group is written as a multiplicative one in formulas; libsodium, and the
functions here, write it additively. libsodium refuses the zero scalar and the neutral element:
`mul` and `base_mul` answer those cases themselves. No curve arithmetic of our own.

libsodium's multiplications take the same time for all scalars. Python around them does not
promise that: this is code for study, and a clock near it may learn something.

Secrets and draws of the protocols come from *randomness*, a callable from a number of bytes to so
many bytes, and not from a numpy generator, whose state can be computed from what it has put out.
The default is the operating system's `secrets.token_bytes`. A seeded source (as
``np.random.default_rng(1).bytes``) makes a page or a test repeatable; with one, nothing is secret.

Needs the optional extra ``privlib-book[transfer]``: PyNaCl 1.6.2 or later. Older libsodium
takes some points outside the subgroup for members (CVE-2025-69277); `require_subgroup_check`
refuses to work with it.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any

from privlib import _checks as checks

# What other folders of the package may use; the rest is for this part.
__all__ = [
    "IDENTITY",
    "SIZE",
    "G",
    "H",
    "L",
    "Meter",
    "Randomness",
    "add",
    "base_mul",
    "commit",
    "digest",
    "is_point",
    "mul",
    "octets",
    "source",
    "sub",
    "uniform",
]

Randomness = Callable[[int], bytes]

L = 2**252 + 27742317777372353535851937790883648493
"""Order of the group, a prime."""

SIZE = 32
"""Bytes of a point, and of a scalar."""

IDENTITY = b"\x01" + bytes(31)
"""The neutral element; valid inside computations, never accepted from outside."""

H = bytes.fromhex("58" + 31 * "66")
"""The generator *h*: libsodium's base point."""

G = bytes.fromhex("74652328cebe1f4a9df8583a3dc47d3d708994c93d18eb4d6be677f73ba077e2")
"""The generator *g*: ``hash_to_point("generator g of privlib.sketch")``."""


@cache
def sodium() -> Any:
    """Return libsodium's functions. The first call imports PyNaCl, and refuses an old libsodium.

    Not at import: this package without PyNaCl can be looked at, and says so where it is needed.
    """
    bindings = checks.optional("privlib.sketch.transfer", "nacl.bindings")
    require_subgroup_check(bindings)
    return bindings


def require_subgroup_check(bindings: Any) -> None:
    """Raise ``ImportError`` if libsodium takes h times the point of order two for a member."""
    order_two = (2**255 - 20).to_bytes(SIZE, "little")  # x = 0, y = -1
    outside = bindings.crypto_core_ed25519_add(H, order_two)
    if bindings.crypto_core_ed25519_is_valid_point(outside):
        fault = "accepts points outside the group of prime order (CVE-2025-69277)"
        advice = "install PyNaCl 1.6.2 or later"
        raise ImportError(f"privlib.sketch: this libsodium {fault}; {advice}")


@dataclass
class Meter:
    """Exponentiations (products scalar times point) and seconds in the blocks that it measured.

    Parameters
    ----------
    exponentiations : int, optional
        Number of exponentiations to begin with.
    seconds : float, optional
        Number of seconds to begin with.

    Examples
    --------
    >>> meter = Meter()
    >>> with meter.measure():
    ...     point = add(base_mul(3), mul(2, G))
    >>> meter.exponentiations, meter.seconds > 0
    (2, True)
    """

    exponentiations: int = 0
    seconds: float = 0.0

    @contextmanager
    def measure(self) -> Iterator[None]:
        """Add what the block costs.

        Within a block that another meter measures, the inner meter counts the exponentiations.

        Yields
        ------
        None
            Nothing. The meter has been increased when the block has ended, by an exception too.

        Examples
        --------
        Two blocks of one meter add up.

        >>> meter = Meter()
        >>> for scalar in (2, 3):
        ...     with meter.measure():
        ...         point = base_mul(scalar)
        >>> meter.exponentiations
        2
        """
        token = _meter.set(self)
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - start
            _meter.reset(token)


_meter: ContextVar[Meter | None] = ContextVar("meter", default=None)


def _tick() -> None:
    meter = _meter.get()
    if meter is not None:
        meter.exponentiations += 1


def add(p: bytes, q: bytes) -> bytes:
    """Return the product (in formulas) of two elements.

    Parameters
    ----------
    p, q : bytes
        Elements of the group, 32 bytes each.

    Returns
    -------
    bytes
        An element of the group, 32 bytes.

    Examples
    --------
    >>> add(H, H) == base_mul(2), add(H, IDENTITY) == H
    (True, True)
    """
    return bytes(sodium().crypto_core_ed25519_add(p, q))


def sub(p: bytes, q: bytes) -> bytes:
    """Return the quotient (in formulas) of two elements.

    Parameters
    ----------
    p, q : bytes
        Elements of the group, 32 bytes each.

    Returns
    -------
    bytes
        An element of the group, 32 bytes.

    Examples
    --------
    >>> sub(base_mul(5), base_mul(3)) == base_mul(2), sub(G, G) == IDENTITY
    (True, True)
    """
    return bytes(sodium().crypto_core_ed25519_sub(p, q))


def mul(scalar: int, p: bytes) -> bytes:
    """Return the power (in formulas) of an element.

    Parameters
    ----------
    scalar : int
        The exponent, of which only the remainder modulo *L* counts.
    p : bytes
        An element of the group, 32 bytes.

    Returns
    -------
    bytes
        An element of the group, 32 bytes.

    Examples
    --------
    >>> mul(2, G) == add(G, G), mul(L, G) == mul(0, G) == IDENTITY
    (True, True)
    """
    _tick()
    scalar %= L
    if scalar == 0 or p == IDENTITY:
        return IDENTITY
    return bytes(sodium().crypto_scalarmult_ed25519_noclamp(scalar.to_bytes(SIZE, "little"), p))


def base_mul(scalar: int) -> bytes:
    """Return the power of the base point *h*.

    Parameters
    ----------
    scalar : int
        The exponent, of which only the remainder modulo *L* counts.

    Returns
    -------
    bytes
        An element of the group, 32 bytes.

    Examples
    --------
    >>> base_mul(1) == H, add(base_mul(2), base_mul(3)) == base_mul(5)
    (True, True)
    """
    _tick()
    scalar %= L
    if scalar == 0:
        return IDENTITY
    return bytes(sodium().crypto_scalarmult_ed25519_base_noclamp(scalar.to_bytes(SIZE, "little")))


def uniform(bound: int, randomness: Randomness) -> int:
    """Return an integer that is exactly uniform in 0..bound-1, by rejection.

    Parameters
    ----------
    bound : int
        How many integers there are, at least 1.
    randomness : callable
        Returns so many random bytes as it is called with.

    Returns
    -------
    int
        The integer.

    Raises
    ------
    ValueError
        The source does not return as many bytes as it was asked for, or 1000 draws in a row are out
        of range.

    Examples
    --------
    The source is seeded here, so that the draws can be shown; a real one is `secrets.token_bytes`.

    >>> import numpy as np
    >>> randomness = np.random.default_rng(1).bytes
    >>> draws = [uniform(6, randomness) for _ in range(600)]
    >>> [draws.count(face) for face in range(6)]
    [93, 89, 119, 103, 96, 100]
    """
    bits = (bound - 1).bit_length()
    size = -(-bits // 8)
    for _ in range(1000):
        octets = randomness(size)
        if not isinstance(octets, bytes) or len(octets) != size:  # the source is the caller's
            raise ValueError(f"randomness: must return {size} bytes when called with {size}")
        number = int.from_bytes(octets, "little") & ((1 << bits) - 1)
        if number < bound:
            return number
    raise ValueError("randomness: 1000 draws in a row were out of range; it is not random")


def source(where: str, randomness: Randomness) -> Randomness:
    """Return `randomness` if it can be called.

    Parameters
    ----------
    where : str
        Name of the public function, for the message.
    randomness : callable
        What was given as the source of random bytes.

    Returns
    -------
    callable
        `randomness` itself; it is not called.

    Raises
    ------
    TypeError
        It cannot be called.

    Examples
    --------
    >>> import secrets
    >>> source("Sender", secrets.token_bytes) is secrets.token_bytes
    True
    >>> source("Sender", 7)
    Traceback (most recent call last):
        ...
    TypeError: Sender: randomness must be a callable from a number to so many bytes, got int
    """
    if not callable(randomness):
        rule = "randomness must be a callable from a number to so many bytes"
        raise TypeError(f"{where}: {rule}, got {type(randomness).__name__}")
    return randomness


def octets(where: str, name: str, value: bytes) -> bytes:
    """Return `value` if it is of type bytes; not of a subclass, which may be equal to nothing.

    Parameters
    ----------
    where : str
        Name of the public function, for the message.
    name : str
        Name of the argument, for the message.
    value : bytes
        What was received, of any length.

    Returns
    -------
    bytes
        `value` itself.

    Raises
    ------
    TypeError
        It is not of type bytes; a bytearray is not.

    Examples
    --------
    >>> octets("Receiver.open", "offers", b"abc")
    b'abc'
    >>> octets("Receiver.open", "offers", bytearray(b"abc"))
    Traceback (most recent call last):
        ...
    TypeError: Receiver.open: offers must be bytes, got bytearray
    """
    if type(value) is not bytes:
        raise TypeError(f"{where}: {name} must be bytes, got {type(value).__name__}")
    return value


def digest(label: str, *parts: bytes) -> bytes:
    """Return SHA-512 of a label and parts, each with its length, so that no two inputs agree.

    Parameters
    ----------
    label : str
        What the digest is for.
    *parts : bytes
        What it depends on.

    Returns
    -------
    bytes
        The 64 bytes.

    Examples
    --------
    Parts that are the same when they are joined have different digests.

    >>> len(digest("label")), digest("label", b"ab", b"c") == digest("label", b"a", b"bc")
    (64, False)
    """
    state = hashlib.sha512()
    for part in (b"privlib.sketch", label.encode(), *parts):
        state.update(len(part).to_bytes(8, "little"))
        state.update(part)
    return state.digest()


def hash_to_point(label: str) -> bytes:
    """Return an element of the group that nobody knows the logarithm of.

    Parameters
    ----------
    label : str
        What it is for; each has another element.

    Returns
    -------
    bytes
        An element of the group, 32 bytes.
    """
    return bytes(sodium().crypto_core_ed25519_from_uniform(digest(label)[:SIZE]))


def commit(u: int, randomness: Randomness) -> tuple[bytes, int]:
    """Return a commitment g^u h^s and its s. The neutral element is left out for every u alike.

    Parameters
    ----------
    u : int
        What is committed to, of which only the remainder modulo *L* counts.
    randomness : callable
        Returns so many random bytes as it is called with. Whoever can guess them learns *u*, if it
        is one of a few.

    Returns
    -------
    tuple of bytes and int
        The commitment, 32 bytes, and *s*, which opens it.

    Examples
    --------
    >>> import secrets
    >>> point, s = commit(5, secrets.token_bytes)
    >>> point == add(mul(5, G), base_mul(s))
    True

    The product of two commitments is a commitment to the sum.

    >>> other, t = commit(2, secrets.token_bytes)
    >>> add(point, other) == add(mul(7, G), base_mul(s + t))
    True
    """
    while True:
        s = uniform(L, randomness)
        point = add(mul(u, G), base_mul(s))
        if is_point(point):
            return point, s


def is_point(octets: bytes) -> bool:
    """Whether 32 bytes are an element of the group other than the neutral one, canonical.

    Parameters
    ----------
    octets : bytes
        What was received.

    Returns
    -------
    bool
        Whether they are.

    Examples
    --------
    >>> is_point(H), is_point(mul(7, G)), is_point(IDENTITY), is_point(bytes(32))
    (True, True, False, False)
    """
    return bool(sodium().crypto_core_ed25519_is_valid_point(octets))
