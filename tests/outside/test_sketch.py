"""Count sketches: our numbers beside those of others."""

from __future__ import annotations

import math

import numpy as np
import opendp.prelude as dp
import ot
import pytest
from scipy import linalg

from privlib.research.frequency_oracles import frequency_gain, grr, olh, oue
from privlib.sketch import defences, poisoning, slots
from privlib.sketch.count_mean import CountMeanSketch
from privlib.sketch.data import shop_counts
from privlib.sketch.hadamard import HadamardCountMeanSketch, hadamard_matrix
from privlib.sketch.hashing import ExplicitFamily
from tests.outside.comparing import compare, of_part, ours, theirs

dp.enable_features("contrib")
SKETCHES = (CountMeanSketch, HadamardCountMeanSketch)
EPSILONS = (0.1, 1.0, 4.0)


@pytest.mark.parametrize("case", of_part("sketch"), ids=str)
def test_others_agree(case):
    compare(case)


@ours("hadamard")
def hadamard_matrices(case):
    return np.concatenate([hadamard_matrix(order).ravel() for order in (1, 2, 4, 8)])


@theirs("hadamard")
def hadamard_matrices_by_scipy(case):
    return np.concatenate([linalg.hadamard(order).ravel() for order in (1, 2, 4, 8)])


# --- the paper's example of men and women ---------------------------------------------------------


def men_and_women(kind, epsilon):
    """A sketch in which both functions send men to the first column and women to the second."""
    family = ExplicitFamily({"male": (0, 0), "female": (1, 1)}, width=2)
    return kind.with_family(epsilon, family)


@ours("constants")
def flip_probabilities_and_constants(case):
    result = []
    for kind in SKETCHES:
        for epsilon in case.given["epsilons"]:
            scheme = men_and_women(kind, epsilon)
            result.append(scheme.flip)
            result.append(scheme.debias_factor)
    return result


@ours("four-reports")
def sketch_of_four_reports(case):
    cms = men_and_women(CountMeanSketch, 60.0)
    added = []
    for signs, row in case.given["reports"]:
        added.append(cms.aggregate(cms.pack([row], [signs])))
    total = sum(added)
    result = []
    for sketch in [*added, total]:
        result.extend(sketch.matrix.ravel())
    result.extend(total.estimate(["male", "female"]))
    return result


@ours("four-hadamard-reports")
def sketch_of_four_hadamard_reports(case):
    hcms = men_and_women(HadamardCountMeanSketch, 60.0)
    added = []
    for sign, row, column in case.given["reports"]:
        added.append(hcms.aggregate(hcms.pack([row], [sign], columns=[column])))
    total = sum(added)
    result = []
    for sketch in [*added, total]:
        result.extend(sketch.coordinates.ravel())
    result.extend(total.estimate(["male", "female"]))
    return result


@ours("levels-of-reports")
def levels_of_reports(case):
    result = []
    for epsilon in EPSILONS:
        hcms = men_and_women(HadamardCountMeanSketch, epsilon)
        cms = men_and_women(CountMeanSketch, epsilon)
        result.append(math.log(hcms.keep / hcms.flip))
        result.append(2 * math.log(cms.keep / cms.flip))  # two items differ in two signs
    return result


@theirs("levels-of-reports")
def levels_of_reports_by_opendp(case):
    result = []
    for epsilon in EPSILONS:
        result.append(level_of_a_sign(1 / (1 + math.exp(-epsilon))))
        result.append(2 * level_of_a_sign(1 / (1 + math.exp(-epsilon / 2))))
    return result


def level_of_a_sign(probability):
    """OpenDP's level of a sign that is true with a probability."""
    return dp.m.make_randomized_response_bool(probability).map(1)


SLOTS = ((3, 2), (11, 8), (100, 73), (7, 4))  # all signs to choose from, and the true ones


@ours("slot-levels")
def levels_of_slots(case):
    return [slots.slot_epsilon(n, true) for n, true in SLOTS]


@theirs("slot-levels")
def levels_of_slots_by_opendp(case):
    return [level_of_a_sign(true / n) for n, true in SLOTS]


# --- a sketch without collisions is a unary encoding ----------------------------------------------


def unary_encoding(epsilon):
    """CMS whose one function has a column of its own for each of five values."""
    columns = {str(value): (value,) for value in range(5)}
    return CountMeanSketch.with_family(epsilon, ExplicitFamily(columns, width=5))


@ours("ones-of-reports")
def shares_of_ones(case):
    cms = unary_encoding(case.given["epsilon"])
    values = np.repeat([str(value) for value in range(5)], case.given["counts"])
    _, signs = cms.unpack(cms.privatize(values.tolist(), rng=4))
    return (signs > 0).mean(axis=0)


@ours("row-of-a-sketch")
def normalised_row(case):
    cms = unary_encoding(case.given["epsilon"])
    users = case.given["users"]
    signs = np.full((users, 5), -1)
    for column, ones in enumerate(case.given["ones"]):
        signs[:ones, column] = 1
    (row,) = cms.aggregate(cms.pack([0] * users, signs)).matrix
    return row / row.sum()


def noise(kind, epsilon):
    """The variance that one user adds to the estimate of an item that shares no cell with theirs.

    A million columns stand for infinitely many.
    """
    wide = kind(epsilon, hashes=1, width=2**20, seed=1)
    return wide.variance({"a": 1, "b": 0}, "b")


@ours("noise-of-cms")
def variances_of_cms(case):
    return [noise(CountMeanSketch, epsilon) for epsilon in case.given["epsilons"]]


@ours("noise-of-hcms")
def variances_of_hcms(case):
    result = []
    for epsilon in case.given["epsilons"]:
        variance = noise(HadamardCountMeanSketch, epsilon)
        result.append(variance)
        result.append(variance / noise(CountMeanSketch, epsilon))
    return result


# --- other mechanisms, poisoning ------------------------------------------------------------------


@ours("supports-of-clients")
def probabilities_of_support(case):
    items = case.given["items"]
    odds = math.exp(case.given["epsilon"])
    oracles = (grr(odds, items=items), oue(odds), olh(odds))
    result = []
    for oracle in oracles:
        result.append(oracle.own)
        result.append(oracle.other)
    return result


@ours("one-fake")
def gain_and_loss_of_one_fake(case):
    oracle = grr(math.exp(case.given["epsilon"]), items=len(case.given["counts"]))
    gain = frequency_gain(oracle, "mga", n_fake=1, targets=1)
    loss = frequency_gain(oracle, "demotion", n_fake=1, targets=1)
    result = [loss] * len(case.given["counts"])
    result[case.given["target"]] = gain
    return result


TARGET = "A2"
N_FAKE = 500


def attacked(kind):
    """Estimates of all items of the shop without and with fakes, and the place of the target."""
    counts = shop_counts()
    scheme = kind(1.0, hashes=64, width=128, seed=1)
    honest = scheme.simulate(counts, rng=1)
    reports = poisoning.fake_reports(scheme, "mga", targets=[TARGET], n_fake=N_FAKE, rng=2)
    items = list(counts)
    before = honest.estimate(items)
    after = (honest + scheme.aggregate(reports)).estimate(items)
    return before, after, items.index(TARGET)


def gains(nearest):
    """What the target gains as estimated, and after both estimates are made consistent."""
    users = sum(shop_counts().values())
    result = []
    for kind in SKETCHES:
        before, after, k = attacked(kind)
        result.append(after[k] - before[k])
        result.append(nearest(after, users + N_FAKE)[k] - nearest(before, users)[k])
    return result


@ours("norm-sub")
def gains_after_norm_sub(case):
    return gains(defences.norm_sub)


@theirs("norm-sub")
def gains_after_the_projection_of_pot(case):
    return gains(ot.utils.proj_simplex)
