r"""Proofs of "I know one of these logarithms", and ors of ands of them, without telling which.

**One logarithm** (Schnorr). To show knowledge of *s* with :math:`P = h^s`: announce
:math:`T = h^k`, get a challenge *c*, answer :math:`z = k + c s`; the check is
:math:`h^z = T P^c`. Two answers *z*, *z'* to different challenges and the same *T* give
:math:`s = (z - z')/(c - c')`: *special soundness*. And whoever may pick *c* and *z* first and
sets :math:`T = h^z P^{-c}` gets the same distribution without *s*: a proof tells an honest
verifier nothing.

*Names.* The drafts of the CFRG, *Interactive Sigma Proofs* and *Fiat-Shamir Transformation*, call
*s* the witness, *T* the commitment and *z* the response. Here *T* is the announcement, because a
commitment is already that of Pedersen which a statement is about; *z* is the answer. Our
`announcement` computes what the drafts call a simulated commitment, and a proof that holds
challenges and answers only is their short proof. The encodings are ours and not those of the
drafts.

**One of several** (Cramer, Damgård and Schoenmakers). The prover simulates the clauses that it
cannot prove with challenges of its own choice; the challenges must add up to the verifier's, so
one of them is not free. **All of several**: the same challenge for all. A statement here is a list
of branches of which one holds; a branch is a list of *ors* all of which hold; an *or* is a list of
elements of which the logarithm of one is known. If two accepted transcripts with the same
announcements have different challenges, some branch has different challenges, hence each of its
*ors* has an element with different challenges, whose logarithm follows.

The challenge is a hash of everything before it (Fiat and Shamir), 128 bits: announcements are not
sent but recomputed. A forger who tries *Q* hashes succeeds with probability about :math:`Q
2^{-128}`, if the hash behaves as a random function (random oracle model). The caller's oracle must
hash, beside the announcements, the statement and all that belongs to the session: with the
announcements alone, a forger picks the statement afterwards. Only this, soundness, rests on the
hash: for each clause that a prover may know, and each value of what it draws and then discards
(challenge and answer of the clause that it can prove, which were simulated with the others), the
remaining draws correspond one to one to the accepted proofs. So the same number of draws leads to
each accepted proof: a proof is uniform on these and does not tell which clause was known, whatever
the hash is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, chain, pairwise
from typing import TypeAlias

from privlib.sketch import group

CHALLENGE_BITS = 128
"""Length of a challenge; 2^CHALLENGE_BITS is less than the order of the group."""

CLAUSE_SIZE = CHALLENGE_BITS // 8 + group.SIZE
"""Bytes of one clause of a proof: its challenge and its answer."""

Or: TypeAlias = list[bytes]
Statement: TypeAlias = list[list[Or]]
# Number of the branch that holds, and in each of its ors the number and logarithm of one.
Witness: TypeAlias = tuple[int, list[tuple[int, int]]]

# Challenge and answer of one clause.
Pair: TypeAlias = tuple[int, int]

# From announcements to the challenge.
Oracle: TypeAlias = Callable[[list[bytes]], int]


def _span() -> int:
    return 1 << CHALLENGE_BITS


def _challenges(total: int, count: int, randomness: group.Randomness) -> list[int]:
    """Random challenges that add up to `total`."""
    free = [group.uniform(_span(), randomness) for _ in range(count - 1)]
    return [*free, (total - sum(free)) % _span()] if count else []


def announcement(point: bytes, pair: Pair) -> bytes:
    r"""Return :math:`T = h^z P^{-c}`, the announcement that a clause claims to have begun with.

    Parameters
    ----------
    point : bytes
        The element *P* of the group.
    pair : tuple of int
        Challenge *c* and answer *z*.

    Returns
    -------
    bytes
        An element of the group, 32 bytes.

    Examples
    --------
    Whoever knows the logarithm *s* and has begun with :math:`h^k` answers :math:`k + cs`.

    >>> s, k, c = 77, 1000, 5
    >>> announcement(group.base_mul(s), (c, k + c * s)) == group.base_mul(k)
    True
    """
    challenge, answer = pair
    return group.sub(group.base_mul(answer), group.mul(challenge, point))


def simulate(statement: Statement, challenge: int, *, randomness: group.Randomness) -> list[Pair]:
    """Return a transcript for a given challenge, without a witness; as a prover's, in distribution.

    Parameters
    ----------
    statement : list of list of list of bytes
        Branches, of ors, of elements.
    challenge : int
        What the challenges of the branches add up to, modulo :math:`2^{128}`.
    randomness : callable
        Source of the draws; see `privlib.sketch.group`.

    Returns
    -------
    list of tuple of int
        One pair of challenge and answer a clause, in order. With its `announcement` it passes every
        check but that of the hash.

    Examples
    --------
    Nobody needs to know a logarithm if the challenge is known beforehand.

    >>> import secrets
    >>> statement = [[[group.base_mul(77), group.base_mul(78)]]]
    >>> pairs = simulate(statement, 5, randomness=secrets.token_bytes)
    >>> verify(statement, pairs, oracle=lambda announced: 5)
    True
    >>> verify(statement, pairs, oracle=lambda announced: 6)
    False
    """
    return [
        (c, group.uniform(group.L, randomness))
        for branch, share in zip(statement, _shares(statement, challenge, randomness))
        for points in branch
        for c in _challenges(share, len(points), randomness)
    ]


def _shares(statement: Statement, total: int, randomness: group.Randomness) -> list[int]:
    """Challenges of the branches; a branch with an empty or cannot hold and must get 0."""
    able = [i for i, branch in enumerate(statement) if all(branch)]
    shares = [0] * len(statement)
    for i, share in zip(able, _challenges(total, len(able), randomness)):
        shares[i] = share
    return shares


def prove(
    statement: Statement, witness: Witness, *, oracle: Oracle, randomness: group.Randomness
) -> list[Pair]:
    """Return a proof that one branch of the statement holds.

    Parameters
    ----------
    statement : list of list of list of bytes
        Branches, of ors, of elements.
    witness : tuple
        Number of the branch that holds, and in each of its ors the number and the logarithm of one
        element.
    oracle : callable
        Makes the challenge from the announcements of all clauses.
    randomness : callable
        Source of the draws; see `privlib.sketch.group`.

    Returns
    -------
    list of tuple of int
        One pair of challenge and answer a clause, in order.

    Notes
    -----
    The whole statement is simulated for a challenge of no meaning, then the clauses of the witness
    are begun anew with :math:`T = h^k` and get the challenges that the sums leave to them.

    Examples
    --------
    >>> import secrets
    >>> known, unknown = group.base_mul(77), group.base_mul(78)
    >>> proof = prove(
    ...     [[[known, unknown]]],
    ...     (0, [(0, 77)]),
    ...     oracle=lambda announced: 5,
    ...     randomness=secrets.token_bytes,
    ... )
    >>> verify([[[known, unknown]]], proof, oracle=lambda announced: 5)
    True
    """
    real, openings = witness
    pairs = simulate(statement, 0, randomness=randomness)
    begin = sum(len(points) for branch in statement[:real] for points in branch)
    spans = list(pairwise(accumulate(map(len, statement[real]), initial=begin)))
    known = [start + index for (start, _), (index, _) in zip(spans, openings)]
    nonces = {place: group.uniform(group.L, randomness) for place in known}
    announcements = [
        group.base_mul(nonces[i]) if i in nonces else announcement(point, pairs[i])
        for i, point in enumerate(_points(statement))
    ]
    # The simulated branches keep their challenges, of sum 0 with the old one of the real branch.
    old = sum(c for c, _ in pairs[slice(*spans[0])])
    share = (oracle(announcements) + old) % _span()
    for place, (start, stop), (_, logarithm) in zip(known, spans, openings):
        others = sum(pairs[i][0] for i in range(start, stop) if i != place)
        c = (share - others) % _span()
        pairs[place] = c, (nonces[place] + c * logarithm) % group.L
    return pairs


def _points(statement: Statement) -> list[bytes]:
    return list(chain.from_iterable(chain.from_iterable(statement)))


def verify(statement: Statement, pairs: Sequence[Pair], *, oracle: Oracle) -> bool:
    """Return whether a proof is right: sums of challenges, and the hash.

    Parameters
    ----------
    statement : list of list of list of bytes
        Branches, of ors, of elements.
    pairs : sequence of tuple of int
        Challenge and answer of each clause.
    oracle : callable
        Makes the challenge from the announcements, as in `prove`.

    Returns
    -------
    bool
        False too if there is not one pair for each clause.

    Examples
    --------
    >>> import secrets
    >>> statement = [[[group.base_mul(77)]]]
    >>> def oracle(announced):
    ...     return int.from_bytes(group.digest("example", *announced)[:16], "little")
    >>> proof = prove(statement, (0, [(0, 77)]), oracle=oracle, randomness=secrets.token_bytes)
    >>> verify(statement, proof, oracle=oracle)
    True
    >>> verify(statement, [(c, z + 1) for c, z in proof], oracle=oracle)
    False
    """
    points = _points(statement)
    if len(points) != len(pairs):
        return False
    rest = iter(pairs)
    shares = [{sum(next(rest)[0] for _ in ors) % _span() for ors in branch} for branch in statement]
    if any(len(share) != 1 for share in shares):
        return False
    total = sum(share.pop() for share in shares) % _span()
    return total == oracle([announcement(p, pair) for p, pair in zip(points, pairs)])


def encode(pairs: Sequence[Pair]) -> bytes:
    """Return the bytes of a proof, 48 a clause.

    Parameters
    ----------
    pairs : sequence of tuple of int
        Challenge, below :math:`2^{128}`, and answer, below *L*, of each clause.

    Returns
    -------
    bytes
        48 a clause: 16 of the challenge and 32 of the answer, least first.

    Examples
    --------
    >>> octets = encode([(5, 7), (6, 8)])
    >>> len(octets), octets[0], octets[16]
    (96, 5, 7)
    """
    size = CHALLENGE_BITS // 8
    return b"".join(c.to_bytes(size, "little") + z.to_bytes(group.SIZE, "little") for c, z in pairs)


def decode(octets: bytes) -> list[Pair]:
    """Return the clauses of a proof.

    Parameters
    ----------
    octets : bytes
        48 a clause, as `encode` returns them.

    Returns
    -------
    list of tuple of int
        Challenge and answer of each clause.

    Raises
    ------
    ValueError
        The length is no multiple of 48, or an answer is not reduced modulo *L*.

    Examples
    --------
    >>> decode(encode([(5, 7), (6, 8)]))
    [(5, 7), (6, 8)]
    """
    if len(octets) % CLAUSE_SIZE:
        raise ValueError(f"octets must be {CLAUSE_SIZE} a clause, got {len(octets)}")
    size = CHALLENGE_BITS // 8
    pairs = []
    for start in range(0, len(octets), CLAUSE_SIZE):
        middle, stop = start + size, start + CLAUSE_SIZE
        answer = int.from_bytes(octets[middle:stop], "little")
        if answer >= group.L:
            raise ValueError(f"answer {start // CLAUSE_SIZE} is not reduced modulo the order")
        pairs.append((int.from_bytes(octets[start:middle], "little"), answer))
    return pairs
