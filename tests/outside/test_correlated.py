"""Correlated data: our numbers beside those of others."""

from __future__ import annotations

import math
from itertools import product

import networkx as nx
import numpy as np
import opendp.prelude as dp
import pytest
from scipy import stats

from privlib.correlated.finite import FiniteDistribution
from privlib.correlated.gaussian import GaussianModel
from privlib.notebook import datasets
from privlib.research.markov_chain import MarkovChain
from tests.outside.comparing import CASES, compare, of_part, ours, theirs

dp.enable_features("contrib")


@pytest.mark.parametrize("case", of_part("correlated"), ids=str)
def test_others_agree(case):
    compare(case)


# --- a few people ---------------------------------------------------------------------------------

COUNT = np.full((2, 2, 2), 1 / 8)  # three independent fair bits


def fair_copies(n):
    """The joint distribution of n fair bits that are always equal."""
    joint = np.zeros((2,) * n)
    joint[(0,) * n] = 0.5
    joint[(1,) * n] = 0.5
    return joint


def laplace_by_opendp(scale):
    numbers = dp.atom_domain(T="f64", nan=False)
    return dp.m.make_laplace(numbers, dp.absolute_distance(T="f64"), scale=scale)


def level_by_opendp(scale, distance):
    """OpenDP's level of a Laplace release of a number that changes by a distance."""
    return laplace_by_opendp(scale).map(distance)


def scale_by_opendp(epsilon, distance):
    """The smallest scale that OpenDP finds private enough."""

    def enough(scale):
        return level_by_opendp(scale, distance) <= epsilon

    return dp.binary_search(enough, bounds=(1.0, 100.0))


@ours("laplace-deltas")
def deltas(case):
    places = ((1, 1, 1), (3, 3, 1), (2, 4, 2), (2, 4, 0.5), (1, 1, 0), (2, 2, 0))
    result = []
    for scale, sensitivity, epsilon in places:
        model = GaussianModel(precision=[[1.0]], width=sensitivity)
        result.append(model.laplace_delta(0, epsilon=epsilon, scale=scale))
    return result


@ours("level-of-a-count")
def levels_of_a_count(case):
    return [FiniteDistribution(COUNT).dp_level(scale=1 / epsilon) for epsilon in (0.1, 0.5, 2.0)]


@theirs("level-of-a-count")
def levels_of_a_count_by_opendp(case):
    return [level_by_opendp(1 / epsilon, 1.0) for epsilon in (0.1, 0.5, 2.0)]


SCALES = (0.5, 2.0, 10.0)


@ours("independent-or-strong")
def leakage_of_independent_people_and_to_strong_attackers(case):
    first, second, third = [0.2, 0.8], [0.5, 0.5], [0.9, 0.1]
    independent = FiniteDistribution(np.einsum("a,b,c->abc", first, second, third))
    result = [max(independent.all_leakages(scale=scale).values()) for scale in SCALES]

    random = np.random.default_rng(2).dirichlet(np.ones(8)).reshape(2, 2, 2)
    law = FiniteDistribution(random)
    for scale in SCALES:
        strong = []
        for target in range(3):
            known = [person for person in range(3) if person != target]
            strong.append(law.leakage(target, known, scale=scale))
        result.append(max(strong))
    return result


@theirs("independent-or-strong")
def sensitivity_over_scale_by_opendp(case):
    levels = [level_by_opendp(scale, 1.0) for scale in SCALES]
    return levels + levels


GROUPS = (2, 5, 10)


@ours("groups")
def groups_who_always_agree(case):
    result = []
    for n in GROUPS:
        law = FiniteDistribution(fair_copies(n))
        result.append(law.leakage(0, scale=4.0))
        result.append(law.noise_scale(0.5))
    return result


@theirs("groups")
def groups_by_opendp(case):
    result = []
    for n in GROUPS:
        result.append(level_by_opendp(4.0, float(n)))
        result.append(scale_by_opendp(0.5, float(n)))
    return result


RELEASES = ((5.0, 4), (20.0, 10))  # scale, and how many


@ours("merged-releases")
def one_release_in_place_of_several(case):
    law = FiniteDistribution(COUNT)
    return [max(law.all_leakages(scale=scale / times).values()) for scale, times in RELEASES]


@theirs("merged-releases")
def composition_by_opendp(case):
    result = []
    for scale, times in RELEASES:
        several = dp.c.make_composition([laplace_by_opendp(scale)] * times)
        result.append(several.map(1.0))
    return result


@ours("four-friends")
def distance_of_the_flu(case):
    ill = [0.1, 0.15, 0.5, 0.15, 0.1]
    joint = np.zeros((2, 2, 2, 2))
    for people in product((0, 1), repeat=4):
        joint[people] = ill[sum(people)] / math.comb(4, sum(people))
    return [FiniteDistribution(joint).wasserstein_distance()]


# --- networks -------------------------------------------------------------------------------------


def grounded(graph, prior):
    """Join every vertex to one more vertex, by an edge whose conductance is the prior."""
    result = nx.Graph()
    for u, v, data in graph.edges(data=True):
        result.add_edge(u, v, weight=data.get("weight", 1.0))
    for v in graph:
        result.add_edge(v, "ground", weight=prior)
    return result


@ours("karate-conductances")
def coefficients_of_the_karate_club(case):
    model = GaussianModel.from_graph(nx.karate_club_graph(), 0.5, width=1)
    return 1 + model.leakage_coefficients()


@theirs("karate-conductances")
def conductances_by_networkx(case):
    club = nx.karate_club_graph()
    resistances = nx.resistance_distance(
        grounded(club, 0.5), "ground", weight="weight", invert_weight=False
    )
    return [1 / (0.5 * resistances[v]) for v in club]


GRAPHS = (nx.petersen_graph(), nx.path_graph(5), nx.complete_graph(6))


@ours("forests")
def coefficients_of_three_graphs(case):
    models = [GaussianModel.from_graph(graph, 1.0, width=1) for graph in GRAPHS]
    return np.concatenate([1 + model.leakage_coefficients() for model in models])


@theirs("forests")
def inverse_probabilities_of_roots_by_networkx(case):
    result = []
    for graph in GRAPHS:
        wired = grounded(graph, 1.0)
        trees = nx.number_of_spanning_trees(wired, weight="weight")
        for v in graph:
            without = wired.copy()
            without.remove_edge(v, "ground")
            rooted = trees - nx.number_of_spanning_trees(without, weight="weight")
            result.append(trees / rooted)
    return result


@ours("facebook")
def size_of_facebook(case):
    graph = datasets.facebook()
    friendliest = max(graph, key=graph.degree)
    return [len(graph), graph.number_of_edges(), graph.degree(friendliest), friendliest]


@ours("triangles")
def triangles_of_a_member(case):
    A = nx.to_scipy_sparse_array(datasets.facebook(), dtype=np.int64)
    triangles = (A @ A * A).sum(axis=1) // 2
    return [np.median(triangles), np.rint(triangles.mean())]


@ours("clustering")
def clustering_of_facebook(case):
    A = nx.to_scipy_sparse_array(datasets.facebook(), dtype=np.int64)
    triangles = (A @ A * A).sum(axis=1) // 2
    friends = A.sum(axis=1)
    pairs = friends * (friends - 1) // 2
    shares = np.zeros(len(triangles))
    np.divide(triangles, pairs, where=pairs > 0, out=shares)
    return [shares.mean(), triangles.sum() // 3]


# --- normal values --------------------------------------------------------------------------------


@ours("gaussian-deltas")
def deltas_of_normal_noise(case):
    result = []
    for sigma, sensitivity, epsilon in ((1.0, 1.0, 1.0), (1.0, 3.0, 1.0), (5.0, 5.0, 2.0)):
        model = GaussianModel(precision=[[1.0]], width=sensitivity)
        mu = model.gaussian_noise_mu(0, sigma=sigma)
        upper = stats.norm.cdf(mu / 2 - epsilon / mu)
        lower = stats.norm.cdf(-mu / 2 - epsilon / mu)
        result.append(upper - math.exp(epsilon) * lower)
    return result


ALIKE = tuple(product((2, 3, 4, 5), (0.05, 0.1, 0.2)))  # people, and their correlation


@ours("equal-correlations")
def amplification_of_equal_correlations(case):
    result = []
    for n, rho in ALIKE:
        covariance = (1 - rho) * np.eye(n) + rho
        model = GaussianModel.from_covariance(covariance, width=1)
        result.append(1 + max(model.leakage_coefficients()))
    return result


@theirs("equal-correlations")
def amplification_by_their_formula(case):
    return [1 + n * n / 4 / (1 / rho - n + 2) for n, rho in ALIKE]


# --- chains ---------------------------------------------------------------------------------------

MATRICES = ([[0.9, 0.1], [0.4, 0.6]], [[0.8, 0.2], [0.2, 0.8]], [[0.7, 0.3], [0.4, 0.6]])
LENGTHS = (10, 30, 100)


@ours("quilts")
def scales_of_the_quilt_mechanism(case):
    result = []
    for epsilon in (1.0, 2.0):
        for P in MATRICES:
            for n in LENGTHS:
                result.append(MarkovChain(P, n).markov_quilt_scale(epsilon))
    return result


@ours("exact-noise-is-less")
def least_scales_for_30_steps(case):
    result = []
    for epsilon in (1.0, 2.0):
        for P in MATRICES:
            result.append(MarkovChain(P, 30).noise_scale(epsilon))
    return result


@theirs("exact-noise-is-less")
def quilts_for_30_steps(case):
    by_length = np.reshape(CASES["quilts"].theirs, (6, len(LENGTHS)))
    return by_length[:, LENGTHS.index(30)]


EPSILONS = (0.1, 1.0, 10.0, 50.0)


@ours("bound-on-a-chain")
def leakage_along_a_chain(case):
    return [MarkovChain(0.9, 20).worst_adversary(scale=1 / epsilon).leakage for epsilon in EPSILONS]


@theirs("bound-on-a-chain")
def bound_by_their_formula(case):
    return [epsilon + 4 * math.log(0.9 / 0.1) for epsilon in EPSILONS]
