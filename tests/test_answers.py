"""Exercises that answer back: each right answer is computed here on a way of its own.

`CASES` has for each exercise with a check what is right, by enumeration, by a function of the
package or by a search, or as its executed solution has it (`stored`, `asserted`); and an answer
that is wrong in a way that one may think of.
"""

from __future__ import annotations

import ast
import json
import math
import re
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, permutations, product
from math import comb, exp, log, sqrt
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import reader
import sympy as sp
from scipy import integrate, optimize, stats

from privlib.correlated import FiniteLaw, GaussianModel, MarkovField, best_release, chain
from privlib.disclosure import design, posterior, pram, sampling
from privlib import location
from privlib.kit import check
from privlib.kit.answers import _ENTRIES as ENTRIES
from privlib.laplace import accuracy, erm
from privlib.laplace.staircase import Staircase
from privlib.location.exact import realisation

ROOT = Path(__file__).resolve().parent.parent
half = Fraction(1, 2)
CASES = {}

# Exercises without a check, each with the reason: an answer in words, a proof, or an open end
# (examples to find, experiments whose outcome depends on the draws).
WITHOUT = {}


@cache
def glued():
    return {k: v for found in reader.notebooks(ROOT) for k, v in found.stored.items()}


def stored(*names):
    """Values that executed notebooks stored, of which the solutions' prose is made."""
    found = [glued()[name] for name in names]
    found = [Fraction(value) if isinstance(value, str) else value for value in found]
    return found[0] if len(found) == 1 else found


@cache
def exercises():
    """By label: the notebook, what stands between exercise and solution, and the solution."""
    pattern = r"exercise-start\}.*\n:label: ex-(.+)\n[^~]+?exercise-end\}([^~]+?)solution-start\}"
    whole = re.compile(pattern + r" ex-\1\n([^~]+?)solution-end")
    return {
        m[1]: (path.relative_to(ROOT).with_suffix("").as_posix(), m[2], m[3])
        for path in sorted(ROOT.glob("notebooks/*/*.md"))
        for m in whole.finditer(path.read_text(encoding="utf-8").replace("~", " "))
    }


def asserted(label, text):
    """Return the literal that an executed solution asserts."""
    assert f"== {text}" in exercises()[label][2]
    return ast.literal_eval(text)


# --- the Laplace mechanism ------------------------------------------------------------------------


def coin():
    """Two fair tosses; the answer is true unless both show heads."""
    tosses = list(product("HT", repeat=2))
    true = Fraction(sum(toss != ("H", "H") for toss in tosses), len(tosses))
    return log(true / (1 - true)), max(true, 1 - true)


def largest_lambda(tight):
    """By bisection: the regularisation from which on none has to be added."""

    def raised(level):
        told = {"epsilon": 0.1, "regularization": level, "curvature": 0.25, "tight": tight}
        return 0.5 - (erm.budget(320, **told)[1] > 0)

    return optimize.bisect(raised, 1e-4, 1, xtol=1e-9)


def squared(step):
    law = Staircase(epsilon=3.0, step=step)
    pieces = sorted({0.0, *(k + s for k in range(9) for s in (step, 1.0))})
    return sum(
        integrate.quad(lambda x: x**2 * law.pdf(x), a, b)[0] for a, b in pairwise(pieces)
    )


def least_epsilon(share):
    return optimize.brentq(lambda e: Staircase(epsilon=e).error * e - share, 0.1, 9)


def count_error(q, t):
    return 1 - (1 - q) / (1 + q) * sum(q ** abs(k) for k in range(1 - t, t))


CASES |= {
    "lap-01-coin": (coin, (log(4), 0.75)),
    "lap-01-small": (
        lambda: stored("lap-01-short-small", "lap-01-short-one"),
        (100 * (exp(0.1) - 1.1), 100 * (math.e - 2)),
    ),
    "lap-01-group": (lambda: lambda k, eps: math.prod([exp(eps)] * k), "k * exp(eps)"),
    "lap-02-median": (lambda: accuracy.tolerance_for(0.5, epsilon=0.1, sensitivity=1), 10),
    "lap-02-histogram": (
        lambda: stored("lap-02-worst-bin", "lap-02-union"),
        (-log(1 - 0.95**0.1), log(200)),
    ),
    "lap-02-tolerance": (
        lambda: lambda eps: np.diff(stats.laplace.logpdf([1, 0], scale=1 / (2 * eps)))[0],
        "eps / 2",
    ),
    "lap-02-chernoff": (
        lambda: (
            (1 + sqrt(2 * log(20)) + log(20))
            / accuracy.tolerance_for(0.05, epsilon=1, sensitivity=1, dimension=1)
        ),
        1,
    ),
    "lap-03-size": (lambda: 30 * 1000 * erm.sensitivity(1000, regularization=0.03), 1000),
    "lap-03-ridge": (
        lambda: (erm.ridge_radius, lambda level: 1 + erm.ridge_radius(level)),
        ("1 / Lambda", "1 + 1 / Lambda"),
    ),
    "lap-03-raise": (
        lambda: (largest_lambda(tight=False), largest_lambda(tight=True)),
        (largest_lambda(tight=True), largest_lambda(tight=False)),
    ),
    "lap-03-determinant": (lambda: np.linalg.det([[2, 0], [0, 1]]), 4),
    "lap-04-largest": (
        lambda: (-log(1 - 2 * (0.5 - 2.0**-53)), 1 - 2 * (0.5 - 2.0**-53)),
        (53 * log(2), 2.0**-53),
    ),
    "lap-04-tail": (lambda: count_error, "q ** t"),
    "lap-04-many": (
        lambda: lambda s, r: sum((-1) ** j * comb(9, j) * s ** (r * j) for j in range(10)),
        "1 - s ** (9 * r)",
    ),
    "lap-05-worth": (lambda: (least_epsilon(0.9), least_epsilon(0.5)), (0.81, 2.18)),
    "lap-05-square": (
        lambda: optimize.minimize_scalar(squared, bounds=(0.1, 0.5), method="bounded").x,
        Staircase(epsilon=3.0).step,
    ),
    "lap-05-silence": (
        lambda: sp.solve("exp(eps)*v - 1 + exp(-eps)*(1 - v)", "v")[0],
        "1 / (1 + exp(-eps))",
    ),
    "lap-05-rule": (
        lambda: lambda n, beta: -log(-math.expm1(log(beta / 2) / n)),
        "log(n)",
    ),
    "lap-06-one": (
        lambda: 2 * optimize.brentq(lambda b: stats.laplace.cdf(1, scale=1 / b) - 0.9, 0.1, 9),
        log(5),
    ),
    "lap-06-average": (
        lambda: lambda eps, p: p * (1 - exp(-eps)) / (2 * p * (1 - p)),
        "(1 - exp(-eps)) / (1 - p)",
    ),
}
WITHOUT |= {"lap-01-parity": "proof", "lap-06-same": "prose"}


# --- correlated data ------------------------------------------------------------------------------

TABLE_B = np.array([[0.49, 0.01], [0.01, 0.49]])
AGREE = np.zeros((2, 2, 2))
AGREE[0, 0, 0] = AGREE[1, 1, 1] = 0.5
CHAIN = np.array([[0.9, 0.1], [0.1, 0.9]])
FOUR = np.einsum("ab,bc,cd->abcd", CHAIN / 2, CHAIN, CHAIN)
CIRCLE = nx.laplacian_matrix(nx.cycle_graph(5)).toarray() + np.eye(5)
MIXED = np.array([[3, -1, 1], [-1, 2, 0], [1, 0, 2]])
STAR = nx.laplacian_matrix(nx.star_graph(5)).toarray() + np.eye(6)


def coefficient(graph, prior, who=0):
    """Of the weak attacker of `who`, by conditional means: solve for the others."""
    P = nx.laplacian_matrix(graph).toarray() + np.diag(np.broadcast_to(prior, len(graph)))
    rest = [v for v in range(len(P)) if v != who]
    return -np.linalg.solve(P[np.ix_(rest, rest)], P[rest, who]).sum()


def brute(P):
    """Every attacker of tuple 0 of three with what he learns, largest first."""
    found = []
    for known in ([], [1], [2]):
        rest = [v for v in (1, 2) if v not in known]
        inner = P[np.ix_(rest, rest)]
        found.append((-np.linalg.solve(inner, P[rest, 0]).sum(), [k + 1 for k in known]))
    return max(found)


def means(c, k):
    """Difference of the sum's means, given that x_1 is as the k known ones, or is not."""
    shared = c / 2 / (c / 2 + (1 - c) / 2 ** (k + 1))
    alike = k + 1 + (9 - k) * (shared + (1 - shared) / 2)
    return alike - (k + (9 - k) / 2 if k else 9 * (1 - c) / 2)


def first_house(prior):
    """Length of the street whose middle house comes within one per mille of the limit."""
    lengths = range(1, 99, 2)
    streets = ((size, 1 + coefficient(nx.path_graph(size), prior, size // 2)) for size in lengths)
    return next(size for size, found in streets if found >= 0.999 * sqrt(1 + 4 / prior))


def known_by(n, rho):
    """Who knows n − 2 tuples: regress the last one, which opposes the known, on x_1 and them."""
    R = np.full((n, n), -rho) + (1 + rho) * np.eye(n)
    R[0, 1:] = R[1:, 0] = rho
    return 1 + np.linalg.solve(R[:-1, :-1], R[:-1, -1])[0]


def household(tau, n, k):
    """1 + ℓ of who knows all over that of who knows nobody."""
    P = tau * np.eye(n) + k
    return 1 / (1 - np.linalg.solve(P[1:, 1:], P[1:, 0]).sum())


def star_field(n, c, lam):
    ties = {(0, j): [[1, 1 / c], [1, c]] for j in range(1, n + 1)}
    return MarkovField(ties).bdp_leakage(0, scale=lam)


def scaled_club():
    P = nx.laplacian_matrix(nx.karate_club_graph(), weight=None).toarray() + np.eye(34)
    C = np.linalg.inv(P)
    sd = np.sqrt(C.diagonal())
    return (C.sum(axis=1) / C.diagonal()).max(), (C / np.outer(sd, sd)).sum(axis=1).max()


def last_ratio(known):
    """Leakage minus ε for hardly any noise: a likelihood ratio of patterns one unit apart."""
    return FiniteLaw(FOUR).bdp_leakage(1, known, scale=1 / 30) - 30


def told_by_leavers():
    """What the executed cell of the solution printed."""
    notebook = exercises()["06-leave"][0]
    outputs = [o for c in reader.cells_of(ROOT / f"{notebook}.ipynb") for o in c.get("outputs", ())]
    printed = "".join("".join(o.get("text", "")) for o in outputs)
    return [int(v) for v in re.findall(r"^τ = (?:0.01|1): vertex (\d+)", printed, re.MULTILINE)]


def firmer():
    """What a stronger prior of the hub's own does to its coefficient and to a friend's."""
    names = {0: "nothing", 1: "it rises", -1: "it falls"}
    priors = [1] * 6, [1000] + [1] * 5
    found = [[coefficient(nx.star_graph(5), p, who) for p in priors] for who in (0, 1)]
    return [names[int(np.sign(round(after - before, 9)))] for before, after in found]


def walks():
    n, c = sp.symbols("n c")
    leading = sp.LT(sp.expand(n * sp.summation(2 * c**2, (c, 1, n - 2))), n)
    return leading, leading / (sp.Rational(14, 9) * n**3)


CASES |= {
    "01-three": (
        lambda: (3 * 2**2, lambda eps: FiniteLaw(AGREE).bdp_leakage(0, scale=1 / eps)),
        (12, "eps"),
    ),
    "01-rho": (
        lambda: lambda rho, eps: FiniteLaw(
            np.array([[1 + rho, 1 - rho], [1 - rho, 1 + rho]]) / 4
        ).bdp_leakage(0, scale=1 / eps),
        "(1 + rho) * eps",
    ),
    "01-dial": (lambda: (lambda c, k: means(c, 0), means), ("1 + 9 * c", "1 + (9 - k) * c")),
    "02-couple": (
        lambda: (3 * 3, lambda c: 3 * (c * 3 + (1 - c)) / ((1 - c) * 3 + c)),
        ("9", "9 * c"),
    ),
    "02-scales": (
        lambda: (1 / (1 / 2 + 2), FiniteLaw(TABLE_B).bdp_leakage(0, scale=0.4)),
        (2.5, FiniteLaw(TABLE_B).bdp_leakage(0, scale=2.5)),
    ),
    "03-star": (
        lambda: lambda n, tau: coefficient(nx.star_graph(n - 1), tau),
        "(n - 1) / (n - 1 + tau)",
    ),
    "03-inside": (lambda: stored("co-03-share") / 100, 0.25),
    "03-endless": (lambda: first_house(0.1), 8),
    "04-silent": (
        lambda: int(
            np.sum(GaussianModel(sp.Matrix(CIRCLE.astype(int))).all_coefficients() == 0)
        ),
        5,
    ),
    "04-separate": (walks, ("2/3 * n**3", "3/7")),
    "04-stranger": (
        lambda: lambda w, tau: coefficient(nx.Graph([(0, 1, {"weight": w})]), tau),
        "w / (2*w + tau)",
    ),
    "04-negative": (
        lambda: (brute(MIXED)[1][0], -MIXED[2, 0] / MIXED[2, 2]),
        (2, -half),
    ),
    "05-hub": (
        lambda: (
            lambda n, tau: coefficient(nx.star_graph(n - 1), tau),
            lambda n, tau: coefficient(nx.complete_graph(n), tau),
        ),
        ("(n - 1) / (1 + tau)", "(n - 1) / (n - 1 + tau)"),
    ),
    "05-third": (
        lambda: optimize.brentq(
            lambda third: coefficient(nx.path_graph(3), [1, 0.1, third])
            - coefficient(nx.Graph([(0, 1)]), [1, 0.1]),
            0.1,
            9,
        ),
        0.1,
    ),
    "06-own-prior": (firmer, ("it falls", "it falls")),
    "06-degrees": (lambda: (Fraction(1045, 10 + 1), 104.5), (104.5, Fraction(1045, 9))),
    "06-leave": (told_by_leavers, (1684, 1684)),
    "07-crossing": (
        lambda: lambda v, ell: optimize.brentq(
            lambda s: (1 + ell) * s - sqrt(s * s + v), 1e-3, 99, xtol=1e-14, rtol=1e-14
        ),
        "sqrt(v) / (1 + ell)",
    ),
    "07-budget": (lambda: household, "tau / (tau + (n - 1) * k)"),
    "07-switch": (lambda: (last_ratio([]), last_ratio([3])), (81, 369)),
    "08-star": (
        lambda: (star_field, lambda n, c, lam: star_field(n, 10.0**12, lam)),
        ("1/lam + log((c + exp(-1/lam)) / (1 + c*exp(-1/lam)))", "n / lam"),
    ),
    "08-ladder": (
        lambda: stored("08-ladder-sets", "08-ladder-one", "08-ladder-tenth"),
        (255, 0, 4),
    ),
    "09-independent": (
        lambda: lambda n, p, eps: best_release(GaussianModel(p * np.eye(n)), eps).weights[0],
        1,
    ),
    "09-centre": (
        lambda: optimize.bisect(
            lambda e: 0.5 - (best_release(GaussianModel(STAR), e).weights[0] > 1e-9), 2, 8
        ),
        sqrt(35),
    ),
    "09-negative": (lambda: asserted("09-negative", "[0, 3, 10]"), (3, 0, 10)),
    "cor-10-ends": (lambda: [100 / (known + 1) for known in (0, 50, 99)], (100, 50, 1)),
    "cor-10-naive": (lambda: stored("cor-10-naive"), 12),
    "cor-10-scale": (scaled_club, (10.72, 10.72)),
    "11-symmetric": (
        lambda: next(m for m in range(1, 99) if chain.projective_diameter(0.9, m) <= log(1.01)),
        24,
    ),
    "11-strong": (lambda: known_by, "1 + (n**2/4) / (1/rho - n + 2)"),
    "11-stream": (lambda: stored("cor-11-stream"), 10),
}


# --- sampling and PRAM ----------------------------------------------------------------------------

IDENTITY = np.eye(2, dtype=int).astype(object)
BLIND = [[Fraction(1, 3), Fraction(2, 3)]] * 2
MIXED_ROWS = [[Fraction(x, 20) for x in row] for row in ((2, 11, 7), (1, 18, 1), (9, 10, 1))]


def rumoured(n, s, gamma, omega):
    """Success for the first slot, by enumeration: samples with record 0 count by the odds."""
    people, lines = [0] + [1] * (n - 1), [0] + [1] * (s - 1)
    factor = omega * (1 - s / n) / (s / n)
    total = hit = 0.0
    for order in permutations(range(n), s):
        weight = math.prod(1 if people[r] == v else gamma for r, v in zip(order, lines))
        weight *= factor if 0 in order else 1
        total, hit = total + weight, hit + weight * (order[0] == 0)
    return hit / total


def believed(n_0, n_hat, eps):
    """The target's value once, a value that nobody known has in the other slot."""
    share = (1 - eps) / n_0
    rows = [[float(v == u) for v in range(n_0 + 1)] for u in range(n_0)] + [[share] * n_0 + [eps]]
    people = [*range(n_0), *[n_0] * (n_hat + 1)]
    return posterior.match_probability(people, [0, n_0], transition=rows, record=0, slot=0)


def least_levels():
    """Of all tables of three, and of those where the two others are alike."""
    levels = {}
    for people, lines in product(product(range(3), repeat=3), product(range(3), repeat=2)):
        match = posterior.match_matrix(people, lines, transition=MIXED_ROWS, by="record")
        for r, (a, b) in enumerate(((1, 2), (0, 2), (0, 1))):
            alike = people[a] == people[b]
            for found in match[r]:
                levels[alike] = min(levels.get(alike, 9), 1 / found)
    return min(levels.values()), levels[True]


def blind_chances(n, s):
    case = ([k % 2 for k in range(n)], [k % 2 for k in range(s)])
    who = {"transition": BLIND, "record": 0}
    return (
        posterior.match_probability(*case, slot=0, **who),
        posterior.response_match_probability(*case, slot=0, **who),
        posterior.membership_probability(*case, **who),
    )


def levels_of_lines():
    people, lines = np.repeat(range(3), (11, 5, 2)), np.repeat(range(3), (5, 5, 1))
    return [
        1 / tell(people, lines, transition=np.eye(3), record=r, slot=j)
        for tell in (posterior.match_probability, posterior.response_match_probability)
        for r, j in ((0, 0), (11, 5), (16, 10))
    ]


def allocations():
    A = pram.retention_matrix(0.95 / 1.1, 3)
    least = {
        m: pram.stratified_pk_level(A, [900, 100], samples=[100 - m, m]).min()
        for m in range(1, 100)
    }
    best = max(least, key=least.get)
    return best, least[best]


def kept_twice(rho):
    R = np.linalg.matrix_power(np.asarray(pram.retention_matrix(rho, 3), dtype=float), 2)
    return R[0, 0] - R[1, 0]


def em(rounds):
    share = 0.5
    for _ in range(rounds):
        yes, no = 0.2 + 0.6 * share, 0.8 - 0.6 * share
        share *= 0.2 * 0.8 / yes + 0.8 * 0.2 / no
    return share


def averaged(V, m):
    """Every proper union of groups is in the mean of estimates once, with its own noise."""
    unions = 2**m - 2
    return unions * V / (unions / 2) ** 2


CASES |= {
    "di-01-crowd": (
        lambda: posterior.match_matrix(
            [0] * 5 + [1] * 5, [0, 0, 0, 1], transition=IDENTITY, by="value"
        )[0],
        (Fraction(3, 5), 0),
    ),
    "di-01-rumour": (lambda: rumoured, "1 / (1 + (n - s) * gamma + (s - 1) * gamma**2)"),
    "di-01-twice": (
        lambda: lambda n, s: 1 - Fraction(comb(n - 1, s), comb(n, s)) ** 2,
        "2 * s / n",
    ),
    "di-02-stranger": (
        lambda: lambda n, s: sampling.worst_case_risk(n, 1, n_sampled=s),
        "s / n",
    ),
    "di-02-twice": (
        lambda: (
            sampling.identification_risk(5, 2, n_sampled=3, shown=2),
            stored("di-02-twice"),
        ),
        (half, Fraction(2, 5)),
    ),
    "di-02-smooth": (lambda: believed, "1 / (1 + n_hat / n_0)"),
    "di-03-attributes": (
        lambda: lambda gamma_A, gamma_B: pram.ratio_minima(
            np.kron([[1, gamma_A], [gamma_A, 1]], [[1, gamma_B], [gamma_B, 1]])
            / ((1 + gamma_A) * (1 + gamma_B))
        ).gamma,
        "(gamma_A + gamma_B) / 2",
    ),
    "di-03-mixed": (least_levels, (Fraction(8, 7), Fraction(95, 81))),
    "di-04-blind": (
        lambda: [lambda n, s, k=k: blind_chances(n, s)[k] for k in range(3)],
        ("s/n", "1/s", "s/n"),
    ),
    "di-04-suppress": (levels_of_lines, (5, 5, 1, 5, 5, 1)),
    "di-05-one": (
        lambda: design.retention_for_k(1000, 10, n_sampled=1, categories=10),
        design.retention_for_k(1000, 10, n_sampled=10, categories=10),
    ),
    "di-05-allocation": (allocations, (10, 5.95)),
    "di-05-negative": (lambda: stats.norm.isf(0.001), stats.norm.isf(0.0005)),
    "di-06-twice": (lambda: kept_twice, "2*rho - rho**2"),
    "di-06-crawl": (lambda: (0, em(1000)), (0.2, em(1000))),
    "di-06-average": (lambda: averaged, "V / (2**(m - 1) - 1)"),
}


# --- location histograms --------------------------------------------------------------------------

LABELS = ("first", "second")
EXAMPLE = [[Fraction(v, 8) for v in row] for row in ((4, 2, 2), (2, 4, 2), (1, 3, 4))]


def source_gain(law):
    def found(p):
        told = {"transition": [[1 - p, p], [0, 1]], "law": law}
        return max(location.max_gain([20, 0], x, **told) for x in ([20, 0], [0, 20], [8, 12]))

    return found


def bridge_errors(times):
    case = times * np.array([2, 2, 1]), times * np.array([1, 2, 2])
    told = {"transition": np.array(EXAMPLE, float)}
    exact = location.expected_movement(*case, **told)
    return np.abs(location.expected_movement(*case, method="bridge", **told) / exact - 1).max()


def bounds_kept():
    """How many releases of Example 4.1 keep the factor 3 on one side, and on both."""
    releases = [x for x in product(range(6), repeat=3) if sum(x) == 5]
    told = {"transition": EXAMPLE, "law": "exact"}
    gains = [location.gain_table([2, 2, 1], x, **told) for x in releases]
    one = [g for g in gains if g.max() <= 3]
    return len(one), sum(g.min() >= Fraction(1, 3) for g in one)


def whole_truth():
    """The step at which both states hold whole numbers of people."""
    for k in range(10):
        first = (Fraction("3.84") - Fraction(k, 10) * Fraction("6.6")) / (1 - Fraction(k, 10))
        if first.denominator == 1 and 0 <= first <= 10:
            return first, 10 - first
    return None


def people_for_the_day():
    def excess(n):
        mean = 1440 * 13 / (2 * n)
        return mean + sqrt(2 * mean) * stats.norm.isf(1 / n) - 1

    guide = optimize.brentq(lambda n: 1440 * 13 / (2 * n) - 1, 10, 1e9)
    return guide, optimize.brentq(excess, 10, 1e9) / guide


def two_ends(p, E):
    """Least mean of the concave cost over laws of the posterior on a grid, by linear programming."""
    r = np.linspace(p / E, 1 - (1 - p) / E, 201)
    rows, sums = [np.ones_like(r), r], [1, p]
    return optimize.linprog(2 * np.minimum(r, 1 - r), A_eq=rows, b_eq=sums).fun


def fair_coins(good):
    """Largest gain of truth or fresh draw, for two people who toss."""
    tosses = list(product((0, 1), repeat=2))
    kept = [t for t in tosses if sum(t) in good]
    outputs, right = {}, {}
    for moves, fresh in product(tosses, kept):
        out = sum(moves if sum(moves) in good else fresh)
        outputs[out] = outputs.get(out, 0) + 1
        right[out, moves[0]] = right.get((out, moves[0]), 0) + 1
    return max(Fraction(v, outputs[out]) * 2 for (out, _), v in right.items())


def coin_gain(count):
    tosses = [t for t in product((0, 1), repeat=2) if sum(t) == count]
    return max(2 * Fraction(sum(t[0] == m for t in tosses), len(tosses)) for m in (0, 1))


def event_level(L, E):
    """Least error of a channel with L answers, by linear programming."""
    cost = 2 * (1 - np.eye(L)).ravel() / L
    apart = []
    for x, y in permutations(range(L), 2):
        for out in range(L):
            row = np.zeros((L, L))
            row[x, out], row[y, out] = 1, -E
            apart.append(row.ravel())
    sums = np.kron(np.eye(L), np.ones(L))
    return optimize.linprog(
        cost, A_ub=apart, b_ub=np.zeros(len(apart)), A_eq=sums, b_eq=np.ones(L)
    ).fun


def for_ever(q, d):
    """The level at which the recursion, run long, makes past and future tell e together."""

    def excess(eps):
        x = 1.0
        for _ in range(4000):
            x = exp(eps) * (q * (x - 1) + 1) / (d * (x - 1) + 1)
        return 2 * log(x) - eps - 1

    return optimize.brentq(excess, 0.05, 1, xtol=1e-13, rtol=1e-13)


CASES |= {
    "lo-01-safe": (lambda: lambda eps: 1 / exp(eps), "1 - exp(-eps)"),
    "lo-01-two-sided": (bounds_kept, (13, 13)),
    "lo-01-mean": (
        lambda: (1 / Fraction(8, 5), asserted("lo-01-mean", "[0.609, 0.501, 0.402]")[0]),
        (Fraction(3, 8), 0.609),
    ),
    "lo-02-lost": (
        lambda: (math.factorial(3), realisation([3, 0], [2, 1], transition=np.eye(2))),
        (6, 6),
    ),
    "lo-02-source": (
        lambda: (
            lambda p: location.max_gain([20, 0], [0, 20], transition=[[1 - p, p], [0, 1]]),
            source_gain("exact"),
            source_gain("bridge"),
        ),
        ("1", "1/p", "1"),
    ),
    "lo-02-rate": (lambda: round(math.log2(bridge_errors(16) / bridge_errors(8))), -half),
    "lo-03-mk": (lambda: optimize.brentq(lambda a: 2 * (1 - a) + a - exp(0.5), 0, 1), 0.5),
    "lo-04-third": (whole_truth, (3, 7)),
    "lo-04-budget": (people_for_the_day, (1440 * 13, 43.74)),
    "lo-05-truth": (
        lambda: optimize.brentq(lambda e: exp(e) - 1 / 0.1, 0, 9),
        10,
    ),
    "lo-05-wrong": (lambda: stored("sharper-one", "sharper-dp"), (math.e, math.e)),
    "lo-05-two-sided": (lambda: two_ends, "1 / E"),
    "lo-06-score": (
        lambda: LABELS[int(np.argmax(stored("lo-06-first", "lo-06-second")))],
        "first",
    ),
    "lo-06-orders": (lambda: stored("lo-06-single", "lo-06-states"), (8.6, 199)),
    "lo-07-alone": (lambda: stored("lo-07-alone"), 29),
    "lo-07-busy": (lambda: stored("lo-07-busy"), 0.89),
    "lo-07-bound": (lambda: stored("lo-07-straight"), 0.72),
    "lo-08-coin": (
        lambda: [*map(coin_gain, range(3)), fair_coins({1}), fair_coins({0, 1})],
        (2, 1, 2, 1, 2),
    ),
    "lo-09-equal": (lambda: event_level, "(L - 1) / (E + L - 1)"),
    "lo-09-forever": (lambda: for_ever, "1/2"),
}


# --- the tests ------------------------------------------------------------------------------------


def said(capsys, label, answer):
    capsys.readouterr()
    check(label, answer)
    return capsys.readouterr().out


@pytest.mark.parametrize("label", CASES)
def test_the_right_answer_is_right_and_a_wrong_one_gets_the_hint(capsys, label):
    right, wrong = CASES[label]
    assert said(capsys, label, right()) == "Right.\n"
    assert said(capsys, label, wrong) == f"Not yet. Hint: {ENTRIES[label]['hint']}\n"
