"""How accurate the count mean sketches are beside other frequency oracles, at equal epsilon.

All see the same users, each estimates the same 43 counts without any clipping, and each must have
the mean and the variance that theory gives it. From multi-freq-ldpy come the clients; its servers
clip, so the counts of its reports are inverted here. pure-ldp runs both sides itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks import harness, peers, pure_ldp
from benchmarks.frequencies import (
    EPSILON,
    HASHES,
    LEVEL,
    SCHEMES,
    SEED,
    WIDTH,
    Estimates,
    agreement,
    recorded,
    scheme_of,
    workload,
)  # fmt: skip

LDPY = "multi-freq-ldpy"


@dataclass(frozen=True)
class Moments:
    """Mean and standard deviation of each estimate."""

    mean: npt.NDArray[np.float64]
    sd: npt.NDArray[np.float64]


@dataclass(frozen=True)
class Pure:
    """A pure protocol: who has the item supports it with probability P, all others with Q."""

    P: float
    Q: float

    def moments(self, counts: Mapping[Any, int]) -> Moments:
        """Return the moments of the unbiased estimates, which invert the expected support."""
        f = np.array(list(counts.values()), dtype=np.float64)
        n, P, Q = f.sum(), self.P, self.Q
        variance = n * Q * (1 - Q) + f * (P * (1 - P) - Q * (1 - Q))
        return Moments(f, np.sqrt(variance) / (P - Q))

    def estimates(self, support: Any, n: int) -> npt.NDArray[np.float64]:
        """Invert the expected support."""
        return np.asarray((support - n * self.Q) / (self.P - self.Q))


def levels(size: int) -> dict[str, Pure]:
    """Return P and Q of the pure protocols at `EPSILON` over `size` items."""
    e, root = math.exp(EPSILON), math.exp(EPSILON / 2)
    buckets, subset = round(e) + 1, max(1, round(size / (e + 1)))
    whole = subset * e + size - subset
    return {
        "randomised response": Pure(e / (e + size - 1), 1 / (e + size - 1)),
        "SUE": Pure(root / (root + 1), 1 / (root + 1)),
        "OUE": Pure(1 / 2, 1 / (e + 1)),
        "subset selection": Pure(
            subset * e / whole, subset * ((subset - 1) * e + size - subset) / ((size - 1) * whole)
        ),
        "OLH": Pure(e / (e + buckets - 1), 1 / buckets),
        "Hadamard response": Pure(e / (e + 1), 1 / 2),
    }


Contestants = dict[str, tuple[Any, Callable[[], npt.NDArray[np.float64]]]]  # law, one run


def of_privlib(names: list[str], codes: npt.NDArray[np.int64]) -> Contestants:
    """Our two sketches, each with its fixed hash family."""
    rng, users = np.random.default_rng(SEED), np.array(names)[codes]

    def run(scheme: Any) -> npt.NDArray[np.float64]:
        return np.asarray(scheme.aggregate(scheme.privatize(users, rng)).estimate(names))

    schemes = {f"{kind.name}, privlib": scheme_of(kind) for kind in SCHEMES}
    return {name: (scheme, partial(run, scheme)) for name, scheme in schemes.items()}


def of_multi_freq_ldpy(codes: list[int], size: int) -> Contestants:
    """Oracles of multi-freq-ldpy, whose compiled clients are seeded here."""
    import numba
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client
    from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Client
    from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Client

    def seed(value: int) -> None:
        np.random.seed(value)  # noqa: NPY002  (compiled code has a generator of its own)

    def unary(*, best: bool) -> Any:
        return np.sum([UE_Client(code, size, EPSILON, best) for code in codes], axis=0)

    def counted(client: Any) -> Any:
        reports = [np.atleast_1d(client(code, size, EPSILON)) for code in codes]
        return np.bincount(np.concatenate(reports), minlength=size)

    def run(law: Pure, support: Callable[[], Any]) -> npt.NDArray[np.float64]:
        return law.estimates(support(), len(codes))

    compiled: Any = numba.njit(seed)
    compiled(SEED)
    supports: dict[str, Callable[[], Any]] = {
        "randomised response": partial(counted, GRR_Client),
        "SUE": partial(unary, best=False),
        "OUE": partial(unary, best=True),
        "subset selection": partial(counted, SS_Client),
    }
    laws = levels(size)
    return {
        f"{name}, {LDPY}": (laws[name], partial(run, laws[name], support))
        for name, support in supports.items()
    }


def of_pure_ldp(peer: pure_ldp.Peer, size: int) -> tuple[Contestants, list[str]]:
    """Oracles of pure-ldp, and what those said that do not run there."""
    laws: dict[str, Any] = {k.name: k.with_family(EPSILON, peer.family) for k in SCHEMES}
    laws |= {name: levels(size)[name] for name in ("OLH", "Hadamard response")}
    found: Contestants = {}
    failed = []
    for name, law in laws.items():
        try:
            peer.estimates(name)
        except peers.PeerUnavailableError as error:
            failed.append(str(error))
        else:
            found[f"{name}, {pure_ldp.NAME}"] = law, partial(peer.estimates, name)
    return found, failed


def accuracy(n: int, seeds: int, *, install: bool) -> tuple[harness.Table, list[harness.Peer]]:
    """Squared and largest error of all oracles over seeds, beside theory."""
    counts = workload(n)
    names = list(counts)
    codes = np.repeat(np.arange(len(names)), list(counts.values()))
    np.random.default_rng(SEED).shuffle(codes)
    work = {
        "seed": SEED, "epsilon": EPSILON, "hashes": HASHES, "width": WIDTH, "runs": seeds + 2,
        "items": names, "codes": codes.tolist(),
    }  # fmt: skip
    contestants = of_privlib(names, codes) | of_multi_freq_ldpy(codes.tolist(), len(names))
    met = [harness.Peer(LDPY, version(LDPY))]
    with ExitStack() as stack:
        peer = pure_ldp.start(work, install=install)
        met.append(peers.met(pure_ldp.PEER, peer))
        failed: list[str] = []
        clocks: dict[str, Callable[[], float]] = {}
        if isinstance(peer, pure_ldp.Peer):
            stack.enter_context(peer)
            theirs, failed = of_pure_ldp(peer, len(names))
            contestants |= theirs
            clocks = dict.fromkeys(theirs, peer.clock)
        return _accuracy(counts, contestants, clocks, seeds, failed), met


def _accuracy(
    counts: Mapping[str, int],
    contestants: Contestants,
    clocks: Mapping[str, Callable[[], float]],
    seeds: int,
    failed: list[str],
) -> harness.Table:
    n, truth = sum(counts.values()), np.array(list(counts.values()))
    seen: dict[str, Estimates] = {name: [] for name in contestants}
    stopped: dict[str, str] = {}
    timings, _ = harness.compare(
        {name: recorded(call, seen[name]) for name, (_, call) in contestants.items()},
        runs=seeds, often=1, clocks=clocks, failed=stopped,
    )  # fmt: skip
    rows: list[list[Any]] = []
    for name, (law, _) in contestants.items():
        if name in stopped:
            continue
        judged = agreement(law, counts, seen[name])
        errors = np.array(seen[name]) - truth
        moments = law.moments(counts)
        theory = float(np.sqrt(np.mean((moments.mean - truth) ** 2 + moments.sd**2)))
        squared, squared_se = _mean(np.mean(errors**2, axis=1))
        largest, largest_se = _mean(np.abs(errors).max(axis=1))
        root = math.sqrt(squared)
        micros = 1e6 * timings[name].median / n
        rows.append(
            [name, root, squared_se / (2 * root), theory, largest, largest_se, micros, *judged]
        )
    rows.sort(key=lambda row: row[3])
    ours = [scheme_of(kind) for kind in SCHEMES]
    shares = [_collisions(scheme, counts, truth) for scheme in ours]
    said = "".join(f"; does not run: {text}" for text in failed) + harness.left_out(stopped)
    return harness.Table(
        f"Error of an estimate, {n:,} users, {len(counts)} items, epsilon = {EPSILON:g}, "
        f"{seeds + 1} seeds",
        ["", "root mean square", "its s.e.", "in theory", "largest", "its s.e.", "us a user",
         "p means", "p runs"],
        rows,
        "in users; nothing is clipped; every oracle agrees with its theory at level "
        f"{LEVEL:g}; pure-ldp takes its own time, without the passing of its answers{said}",
        "of the mean squared error, collisions of the hash family make "
        + " and ".join(f"{100 * s:.2g} % ({k.name})" for s, k in zip(shares, SCHEMES))
        + "; the noise of the reports makes the rest",
    )  # fmt: skip


def _mean(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Mean over seeds with its standard error."""
    return float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values)))


def _collisions(scheme: Any, counts: Mapping[str, int], truth: npt.NDArray[np.int64]) -> float:
    """Share of the mean squared error that the bias of the fixed hash family makes."""
    moments = scheme.moments(counts)
    bias = np.mean((moments.mean - truth) ** 2)
    return float(bias / (bias + np.mean(moments.sd**2)))
