r"""Many coins at once: independent bits with a given probability, exact to the last bit of it.

Write :math:`q = 0.q_1 q_2 \dots q_t` in base two; a double has finitely many digits. A uniform
number :math:`u = 0.u_1 u_2 \dots` is smaller than *q* if and only if at the first place where
they differ :math:`u_i = 0` and :math:`q_i = 1`, so that :math:`\Pr(u < q) = q` exactly. Each
place decides half of the coins that are still open: a coin needs two random bits in the mean.

Here 64 coins lie in one word, and one pass over the words serves one binary place of all of
them. A word is done when its slowest coin is, after about :math:`\log_2 64 + 1.3` places in the
mean. No division, no float comparison and no table of thresholds comes in, hence no
rounding of the flip probability, which in a private release would be a rounding of epsilon.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib._checks import IntArray

WordArray = npt.NDArray[np.uint64]
ByteArray = npt.NDArray[np.uint8]

_BLOCK = 1 << 14  # words worked on at a time: 128 KiB, so that the passes stay in the cache
_FULL = np.iinfo(np.uint64).max


def _digits(q: float) -> list[int]:
    """Binary digits of a q in [0, 1) after the point, up to the last one that is set."""
    numerator, denominator = q.as_integer_ratio()  # the denominator is a power of two
    places = denominator.bit_length() - 1
    return [(numerator >> place) & 1 for place in range(places - 1, -1, -1)]


def _fill(out: WordArray, digits: list[int], rng: np.random.Generator) -> None:
    """Set each bit of the zeroed `out` with the probability that has these binary digits."""
    done = out
    where = None  # places in `out` of the words that are still open
    undecided = np.full(out.size, _FULL)
    for place, digit in enumerate(digits):
        u = rng.integers(0, _FULL, undecided.size, dtype=np.uint64, endpoint=True)
        u &= undecided  # coins that stay open: those whose random digit equals q's
        if digit:
            undecided ^= u  # the others have the digit 0 where q has 1: they are below q
            done |= undecided
        undecided = u  # at a digit 0 take a set bit of the word for the digit 0: as probable
        if place >= 7 and place % 2:  # most words close at the eighth place, few before
            left = np.flatnonzero(undecided)
            if where is not None:
                out[where] = done
            where = left if where is None else where[left]
            done = out[where]
            undecided = undecided[left]
            if not left.size:
                return
    if where is not None:
        out[where] = done


def bernoulli_bits(rows: int, width: int, *, q: float, rng: np.random.Generator) -> ByteArray:
    """Return packed rows of `width` independent bits, each set with probability exactly `q`.

    Parameters
    ----------
    rows, width : int
        Number of rows and of bits in each; ``width`` at least 1.
    q : float
        Probability of a set bit, in [0, 1).
    rng : numpy.random.Generator
        Source of the random words.

    Returns
    -------
    ndarray of uint8, shape (rows, ceil(width / 8))
        Bit i of a row is bit ``i % 8`` of byte ``i // 8`` (``bitorder="little"``); the spare bits
        of the last byte are 0.

    Examples
    --------
    >>> import numpy as np
    >>> packed = bernoulli_bits(10_000, 64, q=0.25, rng=np.random.default_rng(0))
    >>> packed.shape, int(np.unpackbits(packed).sum())  # of 640,000
    ((10000, 8), 160442)
    """
    checks.bounded("bernoulli_bits", "q", q, "be in [0, 1)", lambda x: 0 <= x < 1)
    row_bytes = -(-width // 8)
    words = np.zeros(-(-rows * row_bytes // 8), dtype=np.uint64)
    digits = _digits(q)
    for start in range(0, words.size, _BLOCK):
        _fill(words[start : start + _BLOCK], digits, rng)
    stream = words.astype("<u8", copy=False).view(np.uint8)
    packed = stream[: rows * row_bytes].reshape(rows, row_bytes)
    if width % 8:
        packed[:, -1] &= (1 << width % 8) - 1
    return packed


def column_counts(packed: ByteArray, rows: IntArray, *, groups: int, width: int) -> IntArray:
    r"""Count the set bits by group and bit position.

    Parameters
    ----------
    packed : ndarray of uint8, shape (n, ceil(width / 8))
        One packed row of bits a report, as `bernoulli_bits` makes them.
    rows : ndarray of int, shape (n,)
        Group of each report, in ``0..groups-1`` (not checked).
    groups, width : int
        Shape of the answer; at most 65,536 groups.

    Returns
    -------
    ndarray of int64, shape (groups, width)

    Notes
    -----
    Reports of a group are laid side by side in blocks of :math:`2^L` (the last one filled up
    with empty reports). :math:`L` rounds add neighbours as numbers in base two whose digits lie in
    *L* + 1 words, 64 positions at a time: a full adder is two exclusive ors, two ands and one or.
    Only the sums of whole blocks are unpacked and added in the ordinary way.

    Examples
    --------
    >>> import numpy as np
    >>> column_counts(np.array([[5], [1], [7]], np.uint8), np.array([1, 1, 0]), groups=2, width=3)
    array([[1, 1, 1],
           [2, 0, 1]])
    """
    sizes = np.bincount(rows, minlength=groups)
    # The mean group fills about four blocks: little is lost by filling up.
    levels = min(max(int(packed.shape[0] // groups).bit_length() - 2, 1), 6)
    blocks = -(-sizes // (1 << levels))
    first = np.cumsum(blocks) - blocks
    total_blocks = int(blocks.sum())
    order = np.argsort(rows.astype(np.uint16), kind="stable")  # 16 bits: a radix sort
    place = np.arange(rows.size) + np.repeat((first << levels) - np.cumsum(sizes) + sizes, sizes)
    # Neighbours lie half the array apart, so that each addition runs over contiguous memory, and
    # a report moves as one opaque value.
    size = -(-packed.shape[1] // 8) * 8
    padded = np.zeros((rows.size, size), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    slots = np.zeros((total_blocks << levels, size), dtype=np.uint8)
    where = (place & ((1 << levels) - 1)) * total_blocks + (place >> levels)
    slots.view(f"V{size}")[where, 0] = padded.view(f"V{size}")[order, 0]
    digits = [slots.view(np.uint64)]
    for _ in range(levels):
        half = len(digits[0]) // 2
        digits = _add([d[:half] for d in digits], [d[half:] for d in digits])
    sums = np.zeros((total_blocks, width), dtype=np.uint8)
    for power, digit in enumerate(digits):
        bits = np.unpackbits(digit.view(np.uint8), axis=1, count=width, bitorder="little")
        sums |= bits << np.uint8(power)
    out = np.zeros((groups, width), dtype=np.int64)
    used = np.flatnonzero(blocks)
    if used.size:
        out[used] = np.add.reduceat(sums, first[used], axis=0, dtype=np.int64)
    return out


def _add(x: list[WordArray], y: list[WordArray]) -> list[WordArray]:
    """Add numbers whose binary digits lie in words, the lowest digit first."""
    carry = x[0] & y[0]
    digits = [x[0] ^ y[0]]
    for a, b in zip(x[1:], y[1:]):
        differ = a ^ b
        digits.append(differ ^ carry)
        carry = (a & b) | (differ & carry)
    return [*digits, carry]
