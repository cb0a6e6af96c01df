"""Location histograms: our numbers beside those of others."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import networkx as nx
import numpy as np
import ot
import pytest
from scipy import optimize, stats
from sklearn import metrics

from privlib.location import exact, flow, mechanism, ranking
from privlib.research import location_certificate
from tests.outside.comparing import CASES, compare, of_part, ours, theirs


@pytest.mark.parametrize("case", of_part("location"), ids=str)
def test_others_agree(case):
    compare(case)


# --- published transport problems, as likeliest movements -----------------------------------------


def least_cost(costs, before, after):
    """The least cost of a transport problem, by the most likely movement.

    The costs become transition probabilities: exp(−cost), each row divided by its sum, which costs
    everybody who leaves a place the same. Places that nobody leaves or reaches make it square.
    """
    size = max(len(before), len(after))
    unit = 100.0 / np.max(costs)
    raw = np.zeros((size, size))
    raw[: len(before), : len(after)] = np.exp(-unit * np.array(costs))
    raw[len(before) :] = 1.0
    sums = raw.sum(axis=1)
    start = np.zeros(size, dtype=int)
    start[: len(before)] = before
    end = np.zeros(size, dtype=int)
    end[: len(after)] = after
    best = flow.most_likely_movement(start, end, transition=raw / sums[:, None])
    return (best.cost - start @ np.log(sums)) / unit


@ours("four-tasks")
def cost_of_four_tasks(case):
    workers = ((90, 76, 75, 70), (35, 85, 55, 65), (125, 95, 90, 105), (45, 110, 95, 115))
    return [least_cost(workers, [1] * 4, [1] * 4)]


@ours("dantzigs-transport")
def cost_of_dantzigs_transport(case):
    costs = ((2.5, 1.7, 1.8, 0.0), (2.5, 1.8, 1.4, 0.0))  # thousand miles; what stays costs nothing
    plants = (350, 600)
    markets = (325, 300, 275)
    left_over = sum(plants) - sum(markets)
    return [0.09 * least_cost(costs, plants, [*markets, left_over])]


@ours("scipys-assignment")
def cost_of_scipys_assignment(case):
    return [least_cost([[4, 1, 3], [2, 0, 5], [3, 2, 2]], [1] * 3, [1] * 3)]


@ours("three-jobs")
def cost_of_three_jobs(case):
    return [least_cost([[8, 4, 7], [5, 2, 3], [9, 4, 8]], [1] * 3, [1] * 3)]


# --- movements between two histograms -------------------------------------------------------------

TOWN = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.125, 0.375, 0.5]])
RIVER = np.array([[0.6, 0.4, 0, 0], [0.3, 0.5, 0.2, 0], [0, 0.3, 0.4, 0.3], [0, 0, 0.5, 0.5]])
EXAMPLE = ((2, 2, 1), (1, 2, 2))  # the histograms of the paper's Example 4.1
REACHED = ((5, 0, 3, 2), (2, 4, 1, 3))
NOT_REACHED = ((4, 4, 0, 0), (0, 1, 7, 0))


@ours("networks")
def flows_and_costs(case):
    return [
        flow.max_flow(*EXAMPLE, transition=TOWN),
        flow.most_likely_movement(*EXAMPLE, transition=TOWN).cost,
        flow.max_flow(*REACHED, transition=RIVER),
        flow.most_likely_movement(*REACHED, transition=RIVER).cost,
        flow.max_flow(*NOT_REACHED, transition=RIVER),
        exact.bound_transition_probability(*EXAMPLE, transition=TOWN),
    ]


@theirs("networks")
def flows_and_costs_by_networkx(case):
    whole, cost = flow_and_cost(TOWN, *EXAMPLE)
    reached, cost_of_reached = flow_and_cost(RIVER, *REACHED)
    not_all, _ = flow_and_cost(RIVER, *NOT_REACHED)
    bound = math.factorial(5) * math.exp(-cost)
    return [whole, cost, reached, cost_of_reached, not_all, bound]


def flow_and_cost(P, before, after):
    unit = 10**9  # its simplex wants whole costs
    graph = nx.DiGraph()
    for i, people in enumerate(before):
        graph.add_edge("source", ("from", i), capacity=people, weight=0)
    for j, people in enumerate(after):
        graph.add_edge(("to", j), "sink", capacity=people, weight=0)
    for i, j in np.argwhere(P > 0).tolist():
        cost = round(-math.log(P[i, j]) * unit)
        graph.add_edge(("from", i), ("to", j), capacity=sum(before), weight=cost)
    best = nx.max_flow_min_cost(graph, "source", "sink")
    largest = nx.maximum_flow_value(graph, "source", "sink")
    return largest, nx.cost_of_flow(graph, best) / unit


@ours("savings")
def savings_of_one_person_less(case):
    movement = flow.most_likely_movement(*EXAMPLE, transition=TOWN)
    return flow.unit_savings(movement, TOWN)


@theirs("savings")
def savings_by_solving_again(case):
    before, after = EXAMPLE
    whole = cost_person_by_person(TOWN, before, after)
    result = []
    for i, j in product(range(3), repeat=2):
        fewer_before = list(before)
        fewer_before[i] -= 1
        fewer_after = list(after)
        fewer_after[j] -= 1
        result.append(whole - cost_person_by_person(TOWN, fewer_before, fewer_after))
    return result


def cost_person_by_person(P, before, after):
    """The least cost of moving people one by one, by scipy."""
    origins = np.repeat(range(len(before)), before)
    goals = np.repeat(range(len(after)), after)
    costs = -np.log(P)[np.ix_(origins, goals)]
    return costs[optimize.linear_sum_assignment(costs)].sum()


@ours("counted-movements")
def counts_of_movements(case):
    result = []
    for places, largest in ((3, 6), (4, 3)):
        for n in range(1, largest + 1):
            result.append(len(exact.movements([n] * places, [n] * places)))
    return result


@ours("everybody-moves")
def counts_of_derangements(case):
    result = []
    for barred in (1, 2):  # staying, and then the next place too
        for n in range(3, 8):
            allowed = np.zeros((n, n))
            for i in range(n):
                for step in range(barred, n):
                    allowed[i, (i + step) % n] = 1
            choices = n - barred
            probability = exact.transition_probability(
                [1] * n, [1] * n, transition=allowed / choices
            )
            result.append(probability * choices**n)
    return result


@ours("from-one-place")
def probabilities_from_one_place(case):
    histograms = mechanism.histograms(6, 3)
    return [exact.transition_probability([0, 0, 6], x, transition=TOWN) for x in histograms]


@theirs("from-one-place")
def multinomial_by_scipy(case):
    return [stats.multinomial.pmf(x, 6, TOWN[2]) for x in mechanism.histograms(6, 3)]


@ours("forgetful-movements")
def expected_movement_of_the_forgetful(case):
    P = np.tile([0.2, 0.5, 0.3], (3, 1))
    return exact.expected_movement([3, 4, 5], [2, 6, 4], transition=P)


@theirs("forgetful-movements")
def random_table_by_scipy(case):
    return stats.random_table.mean([3, 4, 5], [2, 6, 4])


def entropic_plan():
    before = np.array([2, 2, 1]) / 5
    after = np.array([1, 2, 2]) / 5
    return ot.sinkhorn(before, after, -np.log(TOWN), reg=1.0, stopThr=1e-14)


@ours("bridge")
def expected_movement_on_the_bridge(case):
    return exact.expected_movement(*EXAMPLE, transition=TOWN, method="bridge")


@theirs("bridge")
def plan_for_five_people_by_pot(case):
    return 5 * entropic_plan()


@ours("many-people")
def expected_shares_of_500_people(case):
    return exact.expected_movement([200, 200, 100], [100, 200, 200], transition=TOWN) / 500


@theirs("many-people")
def plan_by_pot(case):
    return entropic_plan()


# --- rankings -------------------------------------------------------------------------------------

TRUE = np.array([90, 70, 55, 40, 31, 20, 12, 5])
SHOWN = np.array([61, 80, 50, 12, 33, 25, 30, 1])
FIRST = (3, 5, 8)


@ours("ndcg")
def ndcg_of_three_gains(case):
    result = []
    for k in FIRST:
        for gain in ("linear", "exponential", "printed"):
            result.append(ranking.ndcg(TRUE, SHOWN, k=k, gain=gain))
    return result


@theirs("ndcg")
def ndcg_by_sklearn(case):
    ranks = stats.rankdata(-TRUE)
    result = []
    for k in FIRST:
        relevance = np.maximum(k + 1 - ranks, 0)
        for gains in (relevance, 2**relevance - 1, 2.0 ** (k - ranks - 1)):
            result.append(metrics.ndcg_score([gains], [SHOWN], k=k))
    return result


# --- optimal mechanisms and leakage ---------------------------------------------------------------


@ours("event-level")
def least_error_at_event_level(case):
    result = []
    for before, epsilon in case.given["histograms"]:
        made = mechanism.event_level_mechanism(before, case.given["moves"], epsilon=epsilon)
        result.append(made.loss)
    return result


@ours("adversarial-privacy-costs-less")
def least_error_under_adversarial_privacy(case):
    given = CASES["event-level"].given
    result = []
    for before, epsilon in given["histograms"]:
        for two_sided in (False, True):
            made = mechanism.optimal_mechanism(
                before, given["moves"], epsilon=epsilon, two_sided=two_sided
            )
            result.append(made.loss)
    return result


@theirs("adversarial-privacy-costs-less")
def least_errors_twice(case):
    return np.repeat(CASES["event-level"].theirs, 2)


@ours("proved-in-fractions")
def proved_errors(case):
    moves = []
    for row in case.given["moves"]:
        moves.append([Fraction(round(10 * probability), 10) for probability in row])
    result = []
    for before, epsilon in case.given["histograms"]:
        proved = location_certificate.certified_mechanism(
            before, transition=moves, bound=Fraction(math.exp(epsilon)), promise="event-level"
        )
        result.append(proved[0].loss)
    return result


@ours("leakages")
def leakages_and_capacities(case):
    moves = np.array(case.given["moves"])
    wins = np.array(case.given["wins"])
    histograms = mechanism.histograms(3, 3)

    honest = math.exp(case.given["epsilon"])
    answer = (np.ones((3, 3)) + (honest - 1) * np.eye(3)) / (honest + 2)
    reports = np.array([mechanism.output_distribution(x, answer) for x in histograms])

    result = []
    for channel in (np.eye(len(histograms)), reports):
        law = mechanism.output_distribution([1, 1, 1], moves) @ channel
        gains = mechanism.mechanism_gain([1, 1, 1], moves, channel=channel)[:, 0]
        won = (wins @ (moves[0] * gains).T).max(axis=0) @ law
        result.append(won / (wins @ moves[0]).max())
        result.append(law @ gains.max(axis=1))
    return result
