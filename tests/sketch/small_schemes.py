"""Small schemes whose outputs can be listed, with the chance and the gain of each."""

from __future__ import annotations

import itertools
import math

from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch
from privlib.sketch.hashing import ExplicitFamily

SCHEMES = [CountMeanSketch, HadamardCountMeanSketch]


def small(kind, epsilon=1.0, *, width=4, rows=((0, 1, 1), (2, 2, 3))):
    """Three items a, b, c on two rows; a and b meet on the second, b and c on the first."""
    table = {item: [row[i] for row in rows] for i, item in enumerate("abc")}
    return kind.with_family(epsilon, ExplicitFamily(table, width))


def default(kind, epsilon=1.0):
    return kind(epsilon, hashes=1024, width=128, seed=1)


def sylvester(column, position):
    return -1 if (int(column) & int(position)).bit_count() % 2 else 1


def outputs(scheme):
    """Every possible report, as what goes into pack."""
    if scheme.name == "CMS":
        for row in range(scheme.hashes):
            for v in itertools.product((-1, 1), repeat=scheme.width):
                yield row, v
    else:
        yield from itertools.product(range(scheme.hashes), range(scheme.width), (-1, 1))


def one_gain(scheme, report, targets):
    """What one report adds to the targets, by the definition of the estimator, in plain Python."""
    k, m, c = scheme.hashes, scheme.width, scheme.debias_factor
    total = 0.0
    for t in targets:
        h = [int(x) for x in scheme.family.positions([t])[0]]
        matrix_mean = 0.0
        for row in range(k):
            if row == report[0]:
                if scheme.name == "CMS":
                    entry = k * (c / 2 * report[1][h[row]] + 1 / 2)
                else:
                    entry = k * c * report[2] * sylvester(report[1], h[row])
                matrix_mean += entry / k
        total += m / (m - 1) * (matrix_mean - 1 / m)
    return total


def output_chances(scheme, attack, targets):
    """Probability of every output under an attack, by its description."""
    k, m, q = scheme.hashes, scheme.width, scheme.flip
    p = 1 - q
    at = {t: [int(x) for x in scheme.family.positions([t])[0]] for t in targets}
    for report in outputs(scheme):
        row = report[0]
        if attack == "rpa":
            weight = 1 / k / (2**m if scheme.name == "CMS" else 2 * m)
        elif scheme.name == "CMS":
            ones = [{at[t][row]} for t in targets] if attack == "ria" else [set(range(m))]
            weight = sum(
                math.prod(p if (x == 1) == (i in one) else q for i, x in enumerate(report[1]))
                for one in ones
            ) / (len(ones) * k)
        elif attack == "ria":
            weight = sum(
                p if report[2] == sylvester(report[1], at[t][row]) else q for t in targets
            ) / (len(targets) * k * m)
        else:
            weight = (report[1] == 0) * (p if report[2] == 1 else q) / k
        yield report, weight
