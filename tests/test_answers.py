"""Exercises that answer back: each right answer is computed here on a way of its own.

`CASES` has for each exercise with a check what is right, by enumeration, by a function of the
package or by a search, or as its executed solution has it (`stored`, `asserted`); and an answer
that is wrong in a way that one may think of.
"""

from __future__ import annotations

import ast
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
import sympy as sp
from ledger import evidence as ledger_evidence
from scipy import integrate, optimize, stats

import conftest
from privlib import location
from privlib.correlated import FiniteDistribution, GaussianModel
from privlib.disclosure import design, posterior, pram, sampling
from privlib.laplace import accuracy, erm
from privlib.location.exact import transition_probability
from privlib.notebook import check
from privlib.notebook.exercises import _ENTRIES as ENTRIES
from privlib.research import markov_chain
from privlib.research.markov_random_field import MarkovField
from privlib.research.optimal_query import best_release
from privlib.research.staircase import Staircase
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch, poisoning
from privlib.sketch.data import shop_counts
from privlib.sketch.hadamard import hadamard_matrix
from privlib.sketch.slots import slot_constant, slot_epsilon, slots_for

ROOT = Path(__file__).resolve().parent.parent
half = Fraction(1, 2)
CASES = {}

# Exercises without a check, each with the reason: an answer in words, a proof, or an open end
# (examples to find, experiments whose outcome depends on the draws).
WITHOUT = {
    label: reason
    for reason, labels in {
        "prose": ("lap-06-same lo-08-forecast sk-09-weights sk-10-grr"),
        "proof": (
            "lap-01-parity 02-compose 03-average 09-pythagoras "
            "di-01-absent di-05-two lo-03-two lo-03-three sk-08-quiet sk-08-three "
            "sk-09-divide"
        ),
        "open": "02-events di-03-zero lo-01-mixed lo-08-day",
    }.items()
    for label in labels.split()
}


@cache
def glued():
    return {k: v for found in ledger_evidence.notebooks(ROOT) for k, v in found.stored.items()}


def stored(*names):
    """Values that executed notebooks stored, of which the solutions' prose is made."""
    found = [glued()[name] for name in names]
    found = [Fraction(value) if isinstance(value, str) else value for value in found]
    return found[0] if len(found) == 1 else found


@cache
def exercises():
    """By label: the notebook, what stands between exercise and solution, and the solution."""
    return {
        one.label.removeprefix("ex-"): (
            path.relative_to(ROOT).with_suffix("").as_posix(),
            "\n".join(one.work),
            "\n".join(one.solution),
        )
        for path in sorted(ROOT.glob("notebooks/*/*.md"))
        for one in conftest.exercises(path)
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


def steepest(weight):
    """Slope of the squared loss at the worst record: it is largest at a corner."""
    return max(abs(x * (weight * x - y)) for x, y in product((-1, 1), repeat=2))


def squared(step):
    law = Staircase(epsilon=3.0, step=step)
    pieces = sorted({0.0, *(k + s for k in range(9) for s in (step, 1.0))})
    return sum(integrate.quad(lambda x: x**2 * law.pdf(x), a, b)[0] for a, b in pairwise(pieces))


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
        lambda: (erm.ridge_radius, lambda level: steepest(erm.ridge_radius(level))),
        ("1 / (2 * sqrt(Lambda))", "sqrt(Lambda) / 2"),
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


# --- correlated data ------------------------------------------------------------------------------

TABLE_B = np.array([[0.49, 0.01], [0.01, 0.49]])
AGREE = np.zeros((2, 2, 2))
AGREE[0, 0, 0] = AGREE[1, 1, 1] = 0.5
CHAIN = np.array([[0.9, 0.1], [0.1, 0.9]])
FOUR = np.einsum("ab,bc,cd->abcd", CHAIN / 2, CHAIN, CHAIN)
CIRCLE = nx.laplacian_matrix(nx.cycle_graph(5)).toarray() + np.eye(5)
MIXED = np.array([[3, -1, 1], [-1, 2, 0], [1, 0, 2]])
STAR = nx.laplacian_matrix(nx.star_graph(5)).toarray() + np.eye(6)


def of_matrix(P):
    return GaussianModel(precision=P, width=1)


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


def known_by(n, s):
    """Who knows n − 2 tuples: regress the last one, which opposes the known, on x_1 and them."""
    rho = 1 / (n - 2 + s)
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


def fewest_known():
    """On a ladder of 2 times 4: how many people the worst attackers know, at least."""
    ladder = nx.convert_node_labels_to_integers(nx.ladder_graph(4))
    field = MarkovField({tie: [[9, 1], [1, 9]] for tie in ladder.edges})
    target, worst = field.worst_adversary(scale=0.1).adversary
    leaks = {
        known: field.bdp_leakage(target, known, scale=0.1)
        for size in range(len(worst) + 1)
        for known in combinations(worst, size)
    }
    return min(len(known) for known, found in leaks.items() if found > leaks[worst] - 1e-9)


def last_ratio(known):
    """Leakage minus ε for hardly any noise: a likelihood ratio of patterns one unit apart."""
    return FiniteDistribution(FOUR).bdp_leakage(1, known, scale=1 / 30) - 30


def told_by_leavers():
    """What the executed cell of the solution printed."""
    notebook = exercises()["06-leave"][0]
    outputs = [
        o
        for c in ledger_evidence.cells_of(ROOT / f"{notebook}.ipynb")
        for o in c.get("outputs", ())
    ]
    printed = "".join("".join(o.get("text", "")) for o in outputs)
    return [int(v) for v in re.findall(r"^τ = (?:0.01|1): vertex (\d+)", printed, re.MULTILINE)]


def decided():
    """Whether the two largest degrees of the double broom are ever as far apart as they must be."""
    broom = nx.Graph([(0, 1), (1, 2), (0, 3), (0, 4), (2, 5), (2, 6)])
    second, first = sorted(degree for _, degree in broom.degree())[-2:]
    return "yes" if any(first / second >= 1 + 1 / tau for tau in np.geomspace(1e-3, 1e9)) else "no"


def turned(tau):
    """Share of random networks in which a tuple without the largest degree leaks most."""
    found = []
    for seed in range(20):
        graph = nx.gnm_random_graph(60, 120, seed=seed)
        leaks = [coefficient(graph, tau, who) for who in graph]
        found.append(graph.degree(int(np.argmax(leaks))) < max(d for _, d in graph.degree()))
    return np.mean(found)


def missed():
    """How often one link less asks for more noise: every link of every network of up to five."""
    below = []
    for whole in nx.graph_atlas_g()[2:53]:
        for link in whole.edges:
            seen = nx.restricted_view(whole, [], [link])
            known, true = (max(coefficient(g, 1, who) for who in g) for g in (seen, whole))
            below.append(true < known - 1e-12)
    return "never" if not any(below) else "always" if all(below) else "sometimes"


def weighed():
    """What common friends as weights do to the likelihood, and to the ratio, which should be 1."""
    gains, ratios = (
        stored(f"cor-10-{told}common", f"cor-10-{told}equal") for told in ("gain-", "")
    )
    better = gains[0] > gains[1], abs(log(ratios[0])) < abs(log(ratios[1]))
    return ["yes" if one else "no" for one in better]


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


def forgotten(order):
    """Law of who is left of five on a path, by integrating one after the other out."""
    P = nx.laplacian_matrix(nx.path_graph(5)).toarray() + np.eye(5)
    left = list(range(5))
    for who in order:
        k = left.index(who)
        P, left = P - np.outer(P[k], P[:, k]) / P[k, k], left[:k] + left[k + 1 :]
        P = np.delete(np.delete(P, k, 0), k, 1)
    return P


def blind():
    """Of the weak attacker of tuple 1, from the covariance: which entry makes it nothing."""

    def coefficients(w):
        C = np.linalg.inv([[2, w], [w, 1]])
        return 1 + C[0, 1] / C.diagonal()

    w = optimize.brentq(lambda w: coefficients(w)[0], 0.1, 1.4, xtol=1e-13)
    return w, coefficients(w)[1], 1  # who knows the rest learns of the target alone


def behind(strength):
    """Leakage of the end of a path of three whose known friend has a friend behind."""
    W = np.zeros((2,) * 5)
    for a, b, c, d, e in product((0, 1), repeat=5):
        W[a, b, c, d, e] = 4 ** (a == b) * 4 ** (b == c) * strength ** (a == d) * 7 ** (d == e)
    return FiniteDistribution(W / W.sum()).bdp_leakage(0, [3, 4], scale=1)


def worst_boundaries(scale):
    """Of five on a path with a known friend each: all states of all boundaries, listed."""
    leaks, states = {}, list(product((0, 1), repeat=5))
    for known in states:
        law = np.zeros((2, 6))
        for x in states:
            alike = sum(a == b for a, b in pairwise(x))
            law[x[2], sum(x)] += 3**alike * 2 ** sum(a == b for a, b in zip(x, known))
        law /= law.sum(axis=1, keepdims=True)
        outputs = law @ np.exp(-np.abs(np.subtract.outer(range(6), range(6))) / scale)
        leaks[known] = np.abs(np.log(outputs[1] / outputs[0])).max()
    worst = {k for k, leak in leaks.items() if leak > max(leaks.values()) - 1e-12}
    if (0,) * 5 in worst:  # the target's own friend does not count: others may be as bad
        return "agree"
    return "alternate" if (0, 1, 0, 1, 0) in worst else "neither"


CASES |= {
    "01-three": (
        lambda: (3 * 2**2, lambda eps: FiniteDistribution(AGREE).bdp_leakage(0, scale=1 / eps)),
        (12, "eps"),
    ),
    "01-rho": (
        lambda: (
            lambda rho, eps: FiniteDistribution(
                np.array([[1 + rho, 1 - rho], [1 - rho, 1 + rho]]) / 4
            ).bdp_leakage(0, scale=1 / eps)
        ),
        "(1 + rho) * eps",
    ),
    "01-dial": (lambda: (lambda c, k: means(c, 0), means), ("1 + 9 * c", "1 + (9 - k) * c")),
    "02-couple": (
        lambda: (3 * 3, lambda c: 3 * (c * 3 + (1 - c)) / ((1 - c) * 3 + c)),
        ("9", "9 * c"),
    ),
    "02-scales": (
        lambda: (1 / (1 / 2 + 2), FiniteDistribution(TABLE_B).bdp_leakage(0, scale=0.4)),
        (2.5, FiniteDistribution(TABLE_B).bdp_leakage(0, scale=2.5)),
    ),
    "03-star": (
        lambda: lambda n, tau: coefficient(nx.star_graph(n - 1), tau),
        "(n - 1) / (n - 1 + tau)",
    ),
    "03-inside": (lambda: stored("co-03-share") / 100, 0.25),
    "03-order": (
        lambda: (
            "no"
            if all(np.allclose(forgotten(o), forgotten((0, 2, 3))) for o in permutations((0, 2, 3)))
            else "yes"
        ),
        "yes",
    ),
    "03-endless": (lambda: first_house(0.1), 8),
    "04-silent": (
        lambda: int(np.sum(of_matrix(sp.Matrix(CIRCLE.astype(int))).all_coefficients() == 0)),
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
    "05-decides": (decided, "yes"),
    "05-third": (
        lambda: optimize.brentq(
            lambda third: (
                coefficient(nx.path_graph(3), [1, 0.1, third])
                - coefficient(nx.Graph([(0, 1)]), [1, 0.1])
            ),
            0.1,
            9,
        ),
        0.1,
    ),
    "05-how-often": (lambda: turned(1e4), turned(0.01)),
    "06-own-prior": (firmer, ("it falls", "it falls")),
    "06-degrees": (lambda: (Fraction(1045, 10 + 1), 104.5), (104.5, Fraction(1045, 9))),
    "06-leave": (told_by_leavers, (1684, 1684)),
    "06-missing": (missed, "sometimes"),
    "07-blind": (blind, (-1, half, 1)),
    "07-crossing": (
        lambda: (
            lambda v, ell: optimize.brentq(
                lambda s: (1 + ell) * s - sqrt(s * s + v), 1e-3, 99, xtol=1e-14, rtol=1e-14
            )
        ),
        "sqrt(v) / (1 + ell)",
    ),
    "07-budget": (lambda: household, "tau / (tau + (n - 1) * k)"),
    "07-switch": (lambda: (last_ratio([]), last_ratio([3])), (81, 369)),
    "08-star": (
        lambda: (star_field, lambda n, c, lam: star_field(n, 10.0**12, lam)),
        ("1/lam + log((c + exp(-1/lam)) / (1 + c*exp(-1/lam)))", "n / lam"),
    ),
    "08-known": (
        lambda: "no" if np.ptp([behind(s) for s in (1, 3, 50)]) < 1e-9 else "yes",
        "yes",
    ),
    "08-ladder": (
        lambda: (*stored("08-ladder-sets", "08-ladder-one"), fewest_known()),
        (108, 0, 4),
    ),
    "08-boundary": (lambda: [worst_boundaries(s) for s in (3, 0.1)], ("agree", "agree")),
    "09-independent": (
        lambda: lambda n, p, eps: best_release(of_matrix(p * np.eye(n)), eps).weights[0],
        1,
    ),
    "09-centre": (
        lambda: optimize.bisect(
            lambda e: 0.5 - (best_release(of_matrix(STAR), e).weights[0] > 1e-9), 2, 8
        ),
        sqrt(35),
    ),
    "09-negative": (lambda: asserted("09-negative", "[0, 3, 10]"), (3, 0, 10)),
    "cor-10-ends": (lambda: [100 / (known + 1) for known in (0, 50, 99)], (100, 50, 1)),
    "cor-10-naive": (lambda: stored("cor-10-naive"), 12),
    "cor-10-scale": (scaled_club, (10.72, 10.72)),
    "cor-10-weights": (weighed, ("no", "yes")),
    "11-symmetric": (
        lambda: next(
            m for m in range(1, 99) if markov_chain.projective_diameter(0.9, m) <= log(1.01)
        ),
        24,
    ),
    "11-strong": (lambda: known_by, "1 + (n - 4) / s"),
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


def cities():
    """The city in which she is behind her one line nearest to as often as Claim 4.1 says."""
    n, known, size = 10_000, 100, 1000
    rng, off = np.random.default_rng(2), {}
    for exponent, cells in product((0, 1, 2), (100, 20_000)):
        share = 1 / np.arange(1, cells + 1) ** exponent
        alike = rng.multinomial(n, share / share.sum())  # people by value
        alike = alike[alike > 0]
        others = np.ones(len(alike))  # that no other with her value is known, and none drawn
        for drawn in (known - 1, size - 1):
            for j in range(drawn):
                others *= np.clip(1 - (alike - 1) / (n - 1 - j), 0, 1)
        right = alike * others  # she alone is drawn; one of the N alike is N times as likely
        said = known / (n - size + 1)
        off[exponent, cells] = abs(right.sum() / (right * alike).sum() / said - 1)
    return min(off, key=off.get)


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


def rooks(people, slots):
    """Number of ways to seat people in slots, a match of values counting eleven times."""
    ways = [1]
    for n, s in zip(people, slots):
        keep = [comb(n, j) * comb(s, j) * math.factorial(j) * 10**j for j in range(min(n, s) + 1)]
        ways = np.convolve(np.array(ways, dtype=object), np.array(keep, dtype=object))
    n, s = sum(people), sum(slots)
    return sum(int(w) * math.perm(n - j, s - j) for j, w in enumerate(ways))


def right_links(people, slots):
    """Whoever has a slot's value is likeliest to be behind it: the sum of these chances."""
    whole, found = rooks(people, slots), Fraction(0)
    for v, s in enumerate(slots):
        fewer = [[k - (u == v) for u, k in enumerate(of)] for of in (people, slots)]
        found += Fraction(11 * s * rooks(*fewer), whole)
    return found


def three_tables():
    expected = [5, 5, 5, 5, 6, 7, 8, 11, 18, 30]
    yield right_links([1, 999], [1, 99])
    yield right_links([100] * 10, [10] * 10)
    yield right_links([1, 2, 4, 8, 16, 32, 64, 128, 256, 489], expected)


def ten_known(rho):
    """Level of the target by the number of the others, known and not, that show a 1."""
    a, b, g = rho + (1 - rho) / 10, (1 - rho) / 10, 0.1

    def full(ones, targets, unknown):
        return sum(
            comb(ones, j) * a**j * b**t * comb(unknown, 99 - j - t) * g ** (99 - j - t)
            for j, t in product(range(ones + 1), range(targets + 1))
        )

    others = 9 * b * full(8, 1, 990) + 990 * g * full(9, 1, 989)
    return 1 + others / (a * full(9, 0, 990))


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
    "di-02-population": (cities, (0, 20_000)),
    "di-03-attributes": (
        lambda: (
            lambda gamma_A, gamma_B: (
                pram.ratio_minima(
                    np.kron([[1, gamma_A], [gamma_A, 1]], [[1, gamma_B], [gamma_B, 1]])
                    / ((1 + gamma_A) * (1 + gamma_B))
                ).gamma
            )
        ),
        "(gamma_A + gamma_B) / 2",
    ),
    "di-03-mixed": (least_levels, (Fraction(8, 7), Fraction(95, 81))),
    "di-04-blind": (
        lambda: [lambda n, s, k=k: blind_chances(n, s)[k] for k in range(3)],
        ("s/n", "1/s", "s/n"),
    ),
    "di-04-suppress": (levels_of_lines, (5, 5, 1, 5, 5, 1)),
    "di-04-links": (lambda: [*three_tables()], [100 / 83.6] * 3),
    "di-04-limited": (lambda: [ten_known(rho) for rho in (1, 0.5, 0.1)], [ten_known(1)] * 3),
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
CHAIN_OF_TWO = [[Fraction(v, 10) for v in row] for row in ((7, 3), (4, 6))]
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
    """Least mean of the concave cost over laws of the posterior on a grid: a linear program."""
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


def later():
    """Whether a second histogram changes the first step of one of three, by listing paths."""
    told = {}
    for path in product((0, 1), repeat=6):
        weight, now, then = Fraction(1), path[:3], path[3:]
        for start, middle, end in zip((0, 0, 1), now, then):
            weight *= CHAIN_OF_TWO[start][middle] * CHAIN_OF_TWO[middle][end]
        both = told.setdefault((sum(now), sum(then)), [0, 0])
        both[now[0]] += weight
    posterior = {seen: both[1] / sum(both) for seen, both in told.items()}
    by_first = [{p for (now, _), p in posterior.items() if now == k} for k in range(4)]
    return "yes" if any(len(found) > 1 for found in by_first) else "no"


def another_day():
    """Whether a ranking by another day's matrix passes, and Algorithm 1 is well above its zero."""
    score, moved, skill = stored("lo-06-other", "lo-06-loss", "lo-06-skill-suburb14")
    above = 1 - (1 - skill) / (1 - moved)  # both errors are in units of today's forecast
    return ["yes" if one else "no" for one in (score > 0.99, above > 0.5)]


def in_the_end(B, E):
    """Log of the largest ratio after many reports: of all sequences, the extreme ratios."""
    low = high = 1.0
    for _ in range(400):
        after = [(B[0][0] * x + B[0][1]) / (B[1][0] * x + B[1][1]) for x in (low, high)]
        low, high = min(after) / E, max(after) * E
    return log(max(high, 1 / low))


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
        lambda: (math.factorial(3), transition_probability([3, 0], [2, 1], transition=np.eye(2))),
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
    "lo-04-later": (later, "yes"),
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
    "lo-06-other-day": (another_day, ("no", "yes")),
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
    "lo-09-restless": (lambda: in_the_end([[0.1, 0.9], [0.7, 0.3]], 2), 2.16),
}


# --- count sketches -------------------------------------------------------------------------------


SIZE = {"hashes": 1024, "width": 128, "seed": 0}


def survey(**other):
    return CountMeanSketch(**{"epsilon": 1.0, **SIZE} | other)


def reports_needed(epsilon):
    s = survey(epsilon=epsilon)
    return s.factor**2 * (s.debias_factor**2 - 1) / 4 / (0.1 * 0.05) ** 2


def pays(times):
    """Bias of a fixed family beside the noise, both worked out and not simulated."""
    scheme, counts = survey(), shop_counts()
    f = np.array([*counts.values()], dtype=float) * times
    places = scheme.family.positions([*counts])
    shares = np.mean(places[:, None] == places, axis=2)
    bias = float(scheme.factor) * (shares @ f - f.sum() / 128) - f
    noise = f.sum() * float(scheme.factor) ** 2 * (float(scheme.debias_factor) ** 2 - 1) / 4
    return "yes" if 0.9 * sqrt(np.mean(bias**2) + noise) > sqrt(noise) else "no"


def terms():
    """Variance of four users' terms for another item: at will, and with each coordinate once."""
    H = hadamard_matrix(4).astype(int)
    words = H[:, 1] * H[:, 2]
    free = [sum(chosen) for chosen in product(words.tolist(), repeat=4)]
    turns = [sum(chosen) for chosen in permutations(words.tolist())]
    return np.var(free), np.var(turns)


def fakes(scheme, attack):
    gain = poisoning.frequency_gain(scheme, attack, n_fake=1, targets=1)
    lead = shop_counts()["A2"] - shop_counts()["A43"]
    return next(n for n in range(9999) if n * gain > lead + 1e-6)


def grown(hashes):
    spread = [survey(hashes=k).variances(shop_counts()).mean() for k in (hashes, 1024)]
    return spread[0] / spread[1]


def constant_row(n, f, k):
    """One of k rows has all reports in one column, the others are right in the mean."""
    m = 128
    row = Fraction(m, m - 1) * (n - Fraction(n, m))
    return (row + (k - 1) * f) / k - f


def best_slots():
    pairs = [(s, t) for s in range(2, 31) for t in range(s // 2 + 1, s) if log(t / (s - t)) <= 1]
    return max(pairs, key=lambda pair: (Fraction(pair[1], pair[0]), -pair[0]))


def opened(alpha, N, N_t, m):
    return (1 - alpha) * survey(width=m).factor * (slot_constant(N, N_t) - Fraction(1, m))


def partial(N, N_t, f):
    slots = [1] * (N - f) + [-1] * f
    return Fraction(sum(slots), N) * slot_constant(N, N_t)


def flips(w, coins):
    """How many of the eleven numbers lead to two answers: the last three slots flip."""
    answers = [tuple(w if (rho + c) % 11 < 8 else -w for c in coins) for rho in range(11)]
    return answers.count((1, -1))


def forged():
    """Whether each coin that is foreseen leaves a fake a number that keeps its sign."""
    return all(any((rho + coin) % 11 < 8 for rho in range(11)) for coin in range(11))


def stopping(r, root):
    """Coin by coin: a report that is worth less than nothing is not sent."""
    p = root / (root + 1)
    found = 0.0
    for coins in product((True, False), repeat=r):
        value = sum(root / (root - 1) if coin else -1 / (root - 1) for coin in coins)
        found += math.prod(p if coin else 1 - p for coin in coins) * max(value, 0)
    return found


def clipped():
    """Share of a raw gain that is left where negative estimates become zero."""
    before, raw = np.array([5.0, -1.0, 40.0, -3.0]), np.array([7.0, -2.0, -4.0, 1.0])
    lift = np.clip(before + raw, 0, None) - np.clip(before, 0, None)
    return lift[0] / raw[0]


def seen(scheme, S):
    G = (
        (scheme.debias_factor + 1) / 2
        if isinstance(scheme, CountMeanSketch)
        else scheme.debias_factor
    )
    return S * (stats.norm.isf(0.005) / (0.01 * (float(G) - 1))) ** 2


def shyest(p, D):
    K, G = (2 * p - 1) ** 2 / (p * (1 - p)), p / (2 * p - 1)

    def slope(x):
        return -2 * K / D * (G - 1 - x) + 2 * p / (1 - p) * K / (D - 1) * x

    return optimize.brentq(slope, 0, G, xtol=1e-14, rtol=1e-14)


def subset(D, E):
    """Chances of being named, the own item and another, for each number of named items."""
    own = {w: w * E / (w * E + D - w) for w in range(1, D)}
    return {w: (P, (w - P) / (D - 1)) for w, P in own.items()}


def quietest(D):
    E = 3.0
    rise = {w: (1 - Q) / (P - Q) for w, (P, Q) in subset(D, E).items()}
    return min(rise, key=rise.get)


def safest():
    apart = {w: Q - P for w, (P, Q) in subset(43, math.e).items()}
    large = {w: Q - P for w, (P, Q) in subset(20_000, math.e).items()}
    return min(apart, key=apart.get), min(large, key=large.get) / 20_000


def guessed(eta, x, D):
    rest = 1 / (1 + eta)
    return (x - (1 - rest) / D) / rest - x


def published(F, c, j):
    m = 128
    signs = np.array([1] * (43 - j) + [-1] * j)
    entries = F * (c * signs - 1 / m)
    return entries[0] - (entries.sum() - 1) / 43


def worth(bits):
    return exp(bits) / (1 + exp(bits))


CASES |= {
    "sk-01-many": (lambda: 1 / (1 + math.prod([math.e] * 7)), worth(7)),
    "sk-01-users": (
        lambda: (reports_needed(1.0), reports_needed(0.1)),
        (4 * reports_needed(1.0), 4 * reports_needed(0.1)),
    ),
    "sk-01-solve": (lambda: (pays(1), pays(10_000)), ("no", "no")),
    "sk-02-bits": (
        lambda: (1024 + math.log2(65536), 1 + math.log2(65536) + math.log2(1024)),
        (1040, 26),
    ),
    "sk-02-zero": (lambda: lambda m: 1 - 1 / survey(width=m).factor ** 2, "1 / m"),
    "sk-02-team": (terms, (16, 0)),
    "sk-03-overtake": (
        lambda: (
            fakes(survey(), "mga"),
            fakes(survey(epsilon=0.1), "mga"),
            fakes(survey(), "ria"),
        ),
        (1084, 134, 2767),
    ),
    "sk-03-percent": (lambda: stored("sk-03-bound-128"), 100 * (3 - 2 * sqrt(2))),
    "sk-03-variance": (
        lambda: sqrt(502 / 50) * survey(epsilon=0.1).factor * survey(epsilon=0.1).debias_factor / 2,
        sqrt(502) * 20,
    ),
    "sk-03-block": (
        lambda: max(r for r in range(2, 40) if 1024 * 127 * Fraction(2) ** (1 - r) >= 1),
        18,
    ),
    "sk-04-scatter": (
        lambda: next(n for n in range(1, 99) if sqrt(stats.chi2.var(43)) / 43 / sqrt(n) <= 0.05),
        5,
    ),
    "sk-04-rows": (lambda: (grown(64), grown(1)), (16, 1024)),
    "sk-04-linear": (lambda: constant_row, "f / k"),
    "sk-04-fit": (lambda: stored("sk-04-best-runs", "sk-04-best-rows"), (50, 1)),
    "sk-05-five": (
        lambda: (slot_epsilon(5, 3), Fraction(3, 5), slot_constant(5, 3)),
        (slot_epsilon(5, 3), Fraction(3, 5), 2),
    ),
    "sk-05-best": (best_slots, (30, 21)),
    "sk-05-audit": (lambda: opened, "m/(m - 1) * (N/(2*N_t - N) - 1/m)"),
    "sk-05-partial": (lambda: partial, "N / (2*N_t - N)"),
    "sk-05-signs": (
        lambda: sum(comb(8, h) * abs(2 * h - 8) for h in range(9)) / 2**8,
        8,
    ),
    "sk-06-slots": (
        lambda: next((s.slots, s.true) for s in slots_for(2.0, 200) if s.variance_cost <= 0.01),
        (26, 19),
    ),
    "sk-06-two": (lambda: Fraction(flips(1, (0, 3)), flips(-1, (0, 3))), Fraction(7, 2)),
    "sk-06-lazy": (lambda: "estimates" if forged() else "client", "client"),
    "sk-06-wide": (
        lambda: (stopping(8, exp(0.5)), 8 * stopping(1, exp(0.5))),
        (8, 8 * stopping(1, exp(0.5))),
    ),
    "sk-07-clip": (clipped, half),
    "sk-07-enough": (
        lambda: (seen(survey(), 126), seen(HadamardCountMeanSketch(1.0, **SIZE), 151)),
        (126 * 0.01**-2, 151 * 0.01**-2),
    ),
    "sk-07-shy": (lambda: shyest, "p / (2*p - 1) - 1"),
    "sk-08-noise": (lambda: np.var([2] * 3 + [-3] * 2), 5),
    "sk-08-limits": (lambda: quietest, "1"),
    "sk-09-ceiling": (lambda: (worth(7), worth(1)), (worth(7), worth(0.5))),
    "sk-09-many": (lambda: stored("sk-09-needed"), 110),
    "sk-10-guess": (lambda: guessed, "eta * x"),
    "sk-10-subset": (safest, (1, half)),
    "sk-10-pairs": (lambda: published, "2 * F * c * j / 43"),
}


# --- the tests ------------------------------------------------------------------------------------


def said(capsys, label, answer):
    capsys.readouterr()
    check(label, answer)
    return capsys.readouterr().out


@pytest.mark.parametrize("label", CASES)
def test_the_right_answer_is_right_and_a_wrong_one_gets_the_hint(capsys, monkeypatch, label):
    (find, wrong), entry = CASES[label], dict(ENTRIES[label])
    right, hint = find(), f"Not yet. Hint: {entry['hint']}\n"
    assert said(capsys, label, right) == "Right.\n"
    assert said(capsys, label, wrong) == hint
    if entry["kind"] != "choice":  # were the data off by a twentieth, this test would see it
        stored_as = entry["answer"] if isinstance(entry["answer"], list) else [entry["answer"]]
        for k, one in enumerate(stored_as):
            off = [*stored_as[:k], f"({one}) * 1.06" if one != "0" else "1", *stored_as[k + 1 :]]
            changed = entry | {"answer": off if isinstance(entry["answer"], list) else off[0]}
            monkeypatch.setitem(ENTRIES, label, changed)
            assert said(capsys, label, right) == hint


def test_every_exercise_has_a_check_or_a_reason_for_none():
    assert set(ENTRIES) == set(CASES)
    assert not set(CASES) & set(WITHOUT)
    assert set(CASES) | set(WITHOUT) == set(exercises())
    assert set(WITHOUT.values()) <= {"prose", "proof", "open"}


def test_each_check_stands_in_a_cell_of_its_own_before_the_solution():
    work = re.compile(r"```\{code-cell\}\n:tags: \[exercise\]\n\n(.*?)\n```", re.DOTALL)
    for label, (_, between, _) in exercises().items():
        expected = [f'check("{label}", ...)'] if label in CASES else []
        assert [cell.splitlines()[-1] for cell in work.findall(between)] == expected, label
    for path in ROOT.glob("notebooks/*/*.md"):
        first, *others = work.findall(path.read_text(encoding="utf-8"))
        assert re.fullmatch(r"from privlib.notebook import check\n\ncheck.*", first), path.stem
        assert all(re.fullmatch("check.*", cell) for cell in others), path.stem


def test_the_notebooks_show_what_is_wanted_as_the_data_have_it(capsys):
    shown = {}
    for path in ROOT.glob("notebooks/*/*.ipynb"):
        for cell in ledger_evidence.cells_of(path):
            if ledger_evidence.WORK in cell["metadata"].get("tags", ()):
                label = re.search(r'check\("(.+)", \.\.\.\)', "".join(cell["source"]))[1]
                shown[label] = "".join("".join(o["text"]) for o in cell["outputs"])
    assert shown == {label: said(capsys, label, ...) for label in CASES}


FIELDS = {"number": set(), "formula": {"in"}, "choice": {"of"}}


@pytest.mark.parametrize("label", ENTRIES)
def test_entries_are_whole_and_hints_give_nothing_away(label):
    entry = ENTRIES[label]
    needed = {"ask", "kind", "answer", "hint"} | FIELDS[entry["kind"]]
    assert needed <= set(entry) <= needed | {"digits"}
    assert not entry["ask"].endswith(".")
    assert entry["hint"][-1] in ".?"
    assert len(entry["hint"]) < 200
    right = entry["answer"] if isinstance(entry["answer"], list) else [entry["answer"]]
    if entry["kind"] == "choice":
        assert set(right) <= set(entry["of"])
    else:  # not written out; a single digit may be there for another reason
        plain = re.sub(r"\s", "", entry["hint"])
        assert not any(len(a) > 2 and re.sub(r"\s", "", a) in plain for a in right)


# --- what an answer may be ------------------------------------------------------------------------

k, eps = sp.symbols("k varepsilon")


@pytest.mark.parametrize(
    ("label", "answer"),
    [
        ("lap-01-group", "exp(k * ε)"),
        ("lap-01-group", "exp(epsilon) ** k"),
        ("lap-01-group", sp.exp(k * eps)),
        ("lap-01-group", lambda k, eps: np.exp(k * eps)),
        ("lap-03-size", 2000),
        ("lap-03-size", 2000.0),
        ("lap-03-size", np.int64(2000)),
        ("lap-03-size", Fraction(4000, 2)),
        ("lap-03-size", sp.Integer(2000)),
        ("lap-03-size", "60 / 0.03"),
        ("lap-03-size", "-2 * (0 - 1000)"),
        ("lap-02-median", 6.93),
        ("lap-02-median", 10 * sp.log(2)),
        ("lap-02-median", "10 * ln(2)"),
        ("di-04-suppress", np.array([11, 5, 2, 5, 5, 1])),
        ("di-04-suppress", sp.Matrix([11, 5, 2, 5, 5, 1])),
        # however a word is typed
        ("lo-06-score", "Second"),
        ("05-decides", "No"),
        ("06-missing", " NEVER"),
        ("cor-10-weights", ("no", "No")),
        ("lo-06-other-day", np.array(["Yes", "yes"])),
        ("di-02-population", (0.0, "100")),
        # as the solutions print them
        ("lap-01-small", (0.468, 26.4)),
        ("lap-05-square", 0.26),
        ("lo-04-budget", (9360, 43.7)),
        ("lo-05-wrong", (3.25, 1.82)),
        ("lo-05-wrong", (3.252, 1.826)),  # another of the best event-level releases
        ("sk-01-many", 0.00091),
        ("sk-04-rows", (1.05, 4.26)),
        ("sk-09-ceiling", (0.999, 0.731)),
    ],
)
def test_answers_of_many_types_are_right(capsys, label, answer):
    assert said(capsys, label, answer) == "Right.\n"


@pytest.mark.parametrize(
    ("label", "answer"),
    [
        ("lap-03-size", math.nan),
        ("lap-03-size", math.inf),
        ("lap-03-size", sp.nan),
        ("lap-03-size", 2000.1),
        ("lap-02-median", 6.8),
        ("lap-02-median", -6.93),
        ("lap-01-group", lambda k, eps: math.nan),
        ("lap-01-group", 3),
        ("di-04-blind", ("1/s", "1/n", "s/n")),
        ("lo-02-lost", (0, 6)),
        ("lap-05-square", 0.25),
        ("lap-05-square", 0.27),
        ("sk-01-many", 0.001),
    ],
)
def test_what_is_not_a_number_or_off_is_wrong(capsys, label, answer):
    assert said(capsys, label, answer).startswith("Not yet. Hint: ")


@pytest.mark.parametrize(
    ("label", "answer", "error", "message"),
    [
        ("lap-99", 1, ValueError, "label must be that of an exercise with a check, got 'lap-99'"),
        ("lap-03-size", None, TypeError, "answer must be a number, got None"),
        ("lap-03-size", True, TypeError, "answer must be a number, got True"),
        ("lap-03-size", 1j, TypeError, "answer must be a number, got 1j"),
        ("lap-03-size", "about 5", ValueError, "answer must be a number, got invalid syntax"),
        ("lap-03-size", "n", ValueError, "answer must be a number, got 'n', which is none of"),
        ("lap-03-size", sp.Symbol("n"), ValueError, "answer must be a number, got 'n'"),
        ("lap-03-size", "__import__('os')", ValueError, "which is none of"),
        ("lap-03-size", "1 if 1 else 2", ValueError, "which is none of"),
        ("lap-03-size", "9**9**9", ValueError, "answer must be a number, got"),
        ("lap-03-size", "9**-9**9 - (9**9999)**9999", ValueError, "answer must be a number, got"),
        ("lap-01-group", "k**k**k**k**k", ValueError, "answer must be a formula in k, eps, got"),
        ("lap-01-group", "k ^ 2", ValueError, r"a formula in k, eps, got 'k \^ 2', which"),
        ("lap-01-group", "exp(l)", ValueError, "got 'l', which is none of .*k, eps"),
        ("lap-01-group", "1 / (k - k)", ValueError, "answer must be a formula in k, eps"),
        ("lap-01-group", "log(0 - k)", ValueError, "answer must be a formula in k, eps"),
        ("lap-01-group", lambda: 1, TypeError, "answer must be a formula in k, eps, got <function"),
        ("lap-01-group", lambda k, eps: "a", TypeError, "in k, eps, got 'a'"),
        ("lo-02-lost", 6, TypeError, "answer must be 2 answers in brackets, each a number, got 6"),
        ("lo-02-lost", (6, 0, 0), TypeError, r"2 answers in brackets, .*got \(6, 0, 0\)"),
        ("lo-02-lost", {6, 0}, TypeError, "2 answers in brackets, each a number"),
        ("lo-06-score", "third", ValueError, 'answer must be "first" or "second", got \'third\''),
        ("lo-06-score", 2, ValueError, 'answer must be "first" or "second", got 2'),
    ],
)
def test_what_is_no_answer_is_named(label, answer, error, message):
    with pytest.raises(error, match=f"^check: .*{message}"):
        check(label, answer)


def test_formulas_are_compared_exactly_at_the_same_points_every_time():
    asked = []

    def formula(k, eps):
        asked.append((k, eps))
        return exp(k * eps)

    check("lap-01-group", formula)
    check("lap-01-group", formula)
    assert asked[:6] == asked[6:]
    assert len(set(asked[:6])) == 6
    assert all(isinstance(k, int) and 2 <= k <= 6 and 0.1 < eps < 1.5 for k, eps in asked)


def test_the_pages_show_the_cells_to_work_in(html):
    shown = 0
    for path in (html / "notebooks").glob("*/*.html"):
        page = path.read_text(encoding="utf-8")
        cells = re.findall(
            r'<div class="cell tag_exercise.+?\n</div>\n</div>\n</div>\n', page, re.DOTALL
        )
        assert all("No answer yet. Wanted: " in cell for cell in cells), path.stem
        shown += len(cells)
    assert shown == len(CASES)
