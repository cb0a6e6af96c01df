"""A group of order 5 and 128-bit challenges cut to 2 bits: small enough to list every case.

The protocols run on it unchanged: only the calls of `privlib.sketch.group` and its source of
numbers differ.
"""

from __future__ import annotations

from privlib.research import sigma_proofs
from privlib.sketch import group

ORDER, MODULUS, BASE, OTHER = 5, 11, 3, 4  # 3 and 4 generate the squares modulo 11


def install(monkeypatch):
    """Replace the group by the squares modulo 11, and randomness by an iterator of numbers."""

    def element(value):
        return bytes([value % MODULUS])

    def power(scalar, point):
        return element(pow(point[0], scalar % ORDER, MODULUS))

    changes = {
        "L": ORDER,
        "IDENTITY": element(1),
        "H": element(BASE),
        "G": element(OTHER),
        "add": lambda p, q: element(p[0] * q[0]),
        "sub": lambda p, q: element(p[0] * pow(q[0], -1, MODULUS)),
        "mul": power,
        "base_mul": lambda scalar: power(scalar, element(BASE)),
        "uniform": lambda bound, tape: next(tape),
        "is_point": lambda p: p[0] in {3, 4, 5, 9},
    }
    for name, value in changes.items():
        monkeypatch.setattr(group, name, value)
    monkeypatch.setattr(group, "SIZE", 1)
    monkeypatch.setattr(sigma_proofs, "CHALLENGE_BITS", 2)


def logarithm(point):
    """Exponent of an element to the base."""
    return next(s for s in range(ORDER) if pow(BASE, s, MODULUS) == point[0])
