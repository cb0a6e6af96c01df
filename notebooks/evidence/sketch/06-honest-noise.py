# ---
# jupyter:
#   jupytext:
#     cell_metadata_filter: all,-trusted
#     notebook_metadata_filter: kernelspec,jupytext,mystnb,html_meta
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#       jupytext_version: 1.19.6
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Evidence: How can a client prove that it added the noise?
#
# One claim beyond the paper: what the proof of an *or of ands* reveals, and what it proves. Nothing is hidden. The single tools (commitment, public coin, proof of one of several) are checked with the whole protocol, by [S-B13](../research/sketch-verifiable-noise.ipynb). The story is told in
# [the notebook of the same name](../../sketch/06-honest-noise.ipynb).

# %%
from collections import Counter
from functools import partial
from itertools import product
from types import SimpleNamespace
from unittest import mock

import numpy as np

from privlib.notebook import claim
from privlib.research import sigma_proofs as sigma

rng = np.random.default_rng(2016)

# %% [markdown]
# ## S-B15a (the proof for a committed item)
#
# *The proof of an or of ands is uniform on the accepted proofs, whichever branch the client knows and whatever the hash; valid answers to two different total challenges, with the same first messages, give a witness for every part of one branch.* The package's own prover and verifier run in a group of order 3 with one-bit
# challenges, over **every** value of the client's random numbers. The package draws, and then discards, one challenge and response for what it knows, so several draws lead to each proof; there must be equally many for each.

# %%
h, prime = 2, 7  # the group {1, 2, 4}
C_d, C_rho, g = 2, 1, 4
base = {"item 0": C_d, "item 1": C_d * pow(g, -1, prime) % prime}
for number in range(3):
    base[f"rho {number}"] = C_rho * pow(g, -number, prime) % prime
logarithm = {pow(h, s, prime): s for s in range(3)}

# The two items have different signs; or both have the sign +1, and one branch is empty.
names = {
    "two branches": [[["item 0"], ["rho 0", "rho 1"]], [["item 1"], ["rho 2"]]],
    "one empty": [[["item 0", "item 1"], ["rho 0", "rho 1"]], [[], ["rho 2"]]],
}
toy_group = SimpleNamespace(
    L=3,
    base_mul=lambda z: pow(h, z, prime),
    mul=lambda challenge, point: pow(point, challenge, prime),
    sub=lambda a, b: a * pow(b, -1, prime) % prime,
    uniform=lambda size, draws: draws(size),
)
tables = {
    "constant": dict.fromkeys(product((1, 2, 4), repeat=5), 0),
    "parity": {T: sum(T) % 2 for T in product((1, 2, 4), repeat=5)},
    "random": {T: int(rng.integers(2)) for T in product((1, 2, 4), repeat=5)},
}


# %%
def witnesses(branches, statement):
    """All that a client may know: one clause of each or of one branch."""
    for branch, ors in enumerate(branches):
        for chosen in product(*[range(len(clauses)) for clauses in ors]):
            openings = []
            for part, index in enumerate(chosen):
                openings.append((index, logarithm[statement[branch][part][index]]))
            yield branch, openings


def next_of(numbers, size):
    """The next of prepared draws, whatever their range."""
    return next(numbers)


def all_proofs(statement, witness, hashed):
    """How often each proof comes out, over all draws of the package's prover."""
    requested = []

    def first_run(size):
        requested.append(size)
        return 0

    sigma.prove(statement, witness, oracle=lambda T: hashed[tuple(T)], randomness=first_run)
    proofs = Counter()
    for values in product(*[range(size) for size in requested]):
        draw = partial(next_of, iter(values))
        pairs = sigma.prove(statement, witness, oracle=lambda T: hashed[tuple(T)], randomness=draw)
        proofs[tuple(pairs)] += 1
    return proofs


# %%
times, sent_but_refused, never_sent, number_accepted = {}, 0, 0, {}
one_pair = list(product(range(2), range(3)))
with mock.patch.multiple(sigma, group=toy_group, CHALLENGE_BITS=1):
    for (shape, branches), (kind, hashed) in product(names.items(), tables.items()):
        statement = [[[base[name] for name in part] for part in ors] for ors in branches]
        accepted = set()
        for pairs in product(one_pair, repeat=5):
            if sigma.verify(statement, pairs, oracle=lambda T, table=hashed: table[tuple(T)]):
                accepted.add(pairs)
        number_accepted[shape, kind] = len(accepted)
        times[shape, kind] = []
        for witness in witnesses(branches, statement):
            proofs = all_proofs(statement, witness, hashed)
            times[shape, kind].append(set(proofs.values()))
            sent_but_refused += len(set(proofs) - accepted)
            never_sent += len(accepted - set(proofs))

# %% [markdown]
# Special soundness: all pairs of transcripts with the same first messages whose total challenges differ, for the first statement, without the package. In this group the first message and the challenge determine the response. One witness is 0 ($C_\rho = 1$), so two responses of a clause may agree; the challenges differ, and that is enough.

# %%
clauses = ["item 0", "rho 0", "rho 1", "item 1", "rho 2"]
secret = [logarithm[base[name]] for name in clauses]
parts = [[(0,), (1, 2)], [(3,), (4,)]]  # branches, their ors, clauses
rule = {}  # challenges that obey the rule, and their total
for e in product((0, 1), repeat=5):
    if e[0] == (e[1] + e[2]) % 2 and e[3] == e[4]:
        rule[e] = (e[0] + e[3]) % 2
pairs_tried, without_branch, wrong_witness = 0, 0, 0
for nonces in product(range(3), repeat=5):
    for e, other in product(rule, repeat=2):
        if rule[e] == rule[other]:
            continue
        extracted = set()
        for i in range(5):
            if e[i] != other[i]:
                z = (nonces[i] + e[i] * secret[i]) % 3
                z_other = (nonces[i] + other[i] * secret[i]) % 3
                quotient = (z - z_other) * pow(e[i] - other[i], -1, 3) % 3
                wrong_witness += quotient != secret[i]
                extracted.add(i)
        whole = [all(extracted & set(part) for part in branch) for branch in parts]
        without_branch += not any(whole)
        pairs_tried += 1

# %%
with claim("S-B15a") as c:
    label = "order 3: proofs that the package's server accepts, two statements, three hashes"
    c.exact(number_accepted, dict.fromkeys(number_accepted, 4 * 3**5), label)
    label = "every draw of the package's prover: how often each proof comes out, by witness"
    equally = {}
    for case in times:
        equally[case] = [{9}] * (3 if case[0] == "two branches" else 4)
    c.decisive("sampled").exact(times, equally, label)
    label = "proofs that are refused, and accepted proofs that never come out"
    c.decisive("sampled").exact((sent_but_refused, never_sent), (0, 0), label)
    label = f"{pairs_tried:,} pairs of transcripts: no branch extracted, wrong witness"
    c.decisive("sampled").exact((without_branch, wrong_witness), (0, 0), label)
