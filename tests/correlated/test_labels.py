"""Labels that come with pandas objects: numbers go to those they belong to, or are refused."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sps

from privlib.correlated import FiniteDistribution, GaussianModel, gaussian, networks
from privlib.research import sparse_gaussian
from privlib.research.markov_chain import MarkovChain, projective_diameter

NAMES = list("abc")
PRECISION = pd.DataFrame([[3, -1, 0], [-1, 2, -0.5], [0, -0.5, 4]], NAMES, NAMES)


def test_widths_and_weights_are_read_by_position():
    P = PRECISION.to_numpy()
    plain = GaussianModel(precision=P, width=[10, 1, 2], weights=[1, 2, 3])
    numbered = pd.Series([10, 1, 2]), pd.Series([1, 2, 3])
    for precision in (P, PRECISION):
        model = GaussianModel(precision=precision, width=numbered[0], weights=numbered[1])
        assert model.noise_scale(1.0) == plain.noise_scale(1.0)
        for name in ("width", "weights"):
            for index in (NAMES, [2, 1, 0], [1, 2, 3]):
                numbers = {"width": 1, name: pd.Series([10, 1, 2], index)}
                said = f"GaussianModel: {name} is read by position, .*{name}.reindex"
                with pytest.raises(ValueError, match=said):
                    GaussianModel(precision=precision, **numbers)


def test_rows_and_columns_of_a_precision_have_the_same_labels():
    square = GaussianModel(precision=PRECISION, width=1).leakage_coefficients()
    plain = GaussianModel(precision=PRECISION.to_numpy(), width=1).leakage_coefficients()
    assert type(square) is np.ndarray
    np.testing.assert_array_equal(square, plain)
    for table in (PRECISION[["c", "a", "b"]], PRECISION.set_axis(list("xyz"), axis=1)):
        for call in (
            lambda table: GaussianModel(precision=table, width=1),
            lambda table: GaussianModel.from_covariance(table, width=1),
            sparse_gaussian.max_leakage_bounds,
            gaussian.algorithm1,
        ):
            with pytest.raises(ValueError, match="the same distinct labels on both axes"):
                call(table)


def test_queries_and_weights_are_read_by_position():
    rows, columns = pd.Index([0, 1], name="x"), pd.Index([0, 1], name="y")
    joint = pd.DataFrame([[0.3, 0.1], [0.2, 0.4]], rows, columns)
    query = pd.DataFrame([[0, 1], [7, 3]], rows, columns)
    plain = FiniteDistribution(joint.to_numpy(), query=query.to_numpy())
    assert FiniteDistribution(joint, query=query).all_leakages(scale=3) == plain.all_leakages(
        scale=3
    )
    with pytest.raises(ValueError, match=r"^FiniteDistribution: query is read by position"):
        FiniteDistribution(joint, query=query.loc[[1, 0], [1, 0]])
    named, turned = pd.Series({"y": 5, "x": 1}), pd.Series([5, 1], [1, 0])
    for weights in (named, named[["x", "y"]], turned):
        with pytest.raises(ValueError, match=r"^FiniteDistribution: weights is read by position"):
            FiniteDistribution(joint, weights=weights)
    with pytest.raises(ValueError, match=r"^FiniteDistribution: values is read by position"):
        FiniteDistribution(joint.to_numpy(), values=[pd.Series([0, 5], [1, 0]), [0, 1]])


def test_labels_are_no_concern_of_what_has_none():
    """A list has a method of the name `index`, which is no axis."""
    P = [[2.0, -1], [-1, 2]]
    series = GaussianModel(precision=P, width=pd.Series([1, 5]))
    assert series.noise_scale(1) == GaussianModel(precision=P, width=[1, 5]).noise_scale(1)
    uniform, query = [[0.25, 0.25], [0.25, 0.25]], [[0, 1], [7, 3]]
    framed = FiniteDistribution(uniform, query=pd.DataFrame(query))
    assert framed.leakage(0, scale=3) == FiniteDistribution(uniform, query=query).leakage(
        0, scale=3
    )


STEPS = pd.DataFrame(
    [[0.9, 0.1, 0], [0.3, 0.5, 0.2], [0.1, 0.1, 0.8]], list("abc"), list("abc")
)  # fmt: skip
GRAPH = nx.from_pandas_adjacency(STEPS, create_using=nx.DiGraph)


@pytest.mark.parametrize("transition", [STEPS, GRAPH, [STEPS, STEPS], [GRAPH, STEPS]])
def test_names_of_states_are_names_and_all_else_is_read_by_position(transition):
    """By the joint distribution of three tuples."""
    first, values = [0.2, 0.5, 0.3], [0, 1, 5]
    P = STEPS.to_numpy()
    joint = np.array(first)[:, None, None] * P[:, :, None] * P
    leakages = FiniteDistribution(joint, values=[[0, 1, 5]] * 3).all_leakages(scale=2)
    query = {"initial": first, "values": values}
    worst = MarkovChain(transition, 3, **query).worst_adversary(scale=2)
    assert worst.leakage == pytest.approx(max(leakages.values()), rel=1e-10)
    expected = MarkovChain(P, 3, **query).noise_scale(1)
    assert MarkovChain(transition, 3, **query).noise_scale(1) == expected
    assert MarkovChain(transition, 3, **query).wasserstein_distance() == (
        MarkovChain(P, 3, **query).wasserstein_distance()
    )
    for name, given in query.items():
        labelled = pd.Series(given, list("abc"))
        for series in (labelled, labelled[::-1], labelled.reset_index(drop=True)[::-1]):
            with pytest.raises(ValueError, match=f"^MarkovChain: {name} is read by position"):
                MarkovChain(transition, 3, **{name: series}).worst_adversary(scale=2)
        numbered = labelled.reset_index(drop=True)
        assert MarkovChain(transition, 3, **query | {name: numbered}).worst_adversary(
            scale=2
        ) == MarkovChain(transition, 3, **query).worst_adversary(scale=2)


@pytest.mark.parametrize(
    "transition",
    [STEPS[list("bca")], STEPS.loc[list("cab")], STEPS.set_axis(list("xyz"), axis=1),
     STEPS.set_axis([2, 0, 1]).set_axis([2, 0, 1], axis=1), STEPS.set_axis(list("aab"))],
)  # fmt: skip
def test_both_axes_of_a_chain_have_the_same_labels_in_one_order(transition):
    for ask in (
        lambda: MarkovChain(transition, 3).worst_adversary(scale=2),
        lambda: MarkovChain(transition, 3).noise_scale(2),
        lambda: MarkovChain(transition, 3).markov_quilt_scale(2),
        lambda: MarkovChain(transition, 3).wasserstein_distance(),
        lambda: projective_diameter(transition, 2),
        lambda: MarkovChain(transition, 3).markov_bound(1),
    ):
        with pytest.raises(
            ValueError, match=r"transition (must have the same distinct|is read by)"
        ):
            ask()


def test_matrices_of_a_class_have_the_same_labels():
    turned = STEPS.loc[list("cba"), list("cba")]
    with pytest.raises(ValueError, match=r"same labels as transition\[0\].*loc\[states, states\]"):
        MarkovChain([turned, STEPS], 4).worst_adversary(scale=2)
    plain = MarkovChain(turned.to_numpy(), 4).worst_adversary(scale=2)
    assert MarkovChain([turned, turned], 4).worst_adversary(scale=2) == plain
    with pytest.raises(ValueError, match="all matrices of a class must have 3 states"):
        MarkovChain([sps.csr_array(STEPS), sps.eye_array(1)], 4).worst_adversary(scale=2)
    with pytest.raises(ValueError, match="a matrix, or matrices of one shape"):
        MarkovChain([STEPS.to_numpy(), np.eye(2)], 4).worst_adversary(scale=2)


@pytest.mark.parametrize("labels", [[0, 5], [1, 2], [0.5, 1.5], [5, 0], [0, -1], [1, 0]])
@pytest.mark.parametrize("form", ["table", "graph"])
def test_labels_that_are_numbers_may_be_meant_as_values(labels, form):
    """States 0 and 5 of a crosstab: the leakage came out five times too small."""
    P = pd.DataFrame([[0.8, 0.2], [0.4, 0.6]], labels, labels)
    if form == "graph":
        P = nx.from_pandas_adjacency(P, create_using=nx.DiGraph)
    for ask in (
        lambda **values: MarkovChain(P, 3, **values).worst_adversary(scale=10).leakage,
        lambda **values: MarkovChain(P, 3, **values).noise_scale(1),
        lambda **values: MarkovChain(P, 3, **values).wasserstein_distance(),
        lambda **values: MarkovChain(P, 3, **values).leakage(0, scale=10),
        lambda **values: MarkovChain(P, 3, **values).markov_quilt_scale(1),
    ):
        with pytest.raises(ValueError, match=r"values must be given where|is read by position"):
            ask()
        if labels != [1, 0]:
            assert ask(values=[0, 5]) > 0


def test_states_named_0_1_2_count_as_such():
    P = [[0.8, 0.2], [0.4, 0.6]]
    expected = MarkovChain(P, 5).worst_adversary(scale=2)
    for labels in ([0, 1], [False, True], ["0", "1"], [np.int64(0), np.int64(1)]):
        assert MarkovChain(pd.DataFrame(P, labels, labels), 5).worst_adversary(scale=2) == expected


@pytest.mark.parametrize("names", [["nodes", "b"], ["nodes", "edges"], ["toarray", "axes"]])
def test_states_may_have_the_names_of_attributes(names):
    """pandas answers an attribute it does not know with the column of that name."""
    plain = np.array([[0.9, 0.1], [0.3, 0.7]])
    named = pd.DataFrame(plain, names, names)
    expected = MarkovChain(plain, 6, values=[0, 5]).worst_adversary(scale=2)
    assert MarkovChain(named, 6, values=[0, 5]).worst_adversary(scale=2) == expected
    assert MarkovChain([named, named], 6, values=[0, 5]).worst_adversary(scale=2) == expected
    assert projective_diameter(named, 1) == pytest.approx(np.log(0.9 * 0.7 / 0.03))


RING = nx.Graph([("c", "a"), ("a", "b"), ("b", "d"), ("d", "c")])  # list(RING): c, a, b, d


def test_numbers_of_a_graph_are_in_the_order_of_its_nodes():
    named = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0}
    ordered = [3.0, 1.0, 2.0, 4.0]  # by hand, in the order of the nodes
    P = networks.precision(RING, named)
    assert P.diagonal().tolist() == [5.0, 3.0, 4.0, 6.0]  # two links each
    for numbers in (ordered, pd.Series(ordered)):
        np.testing.assert_array_equal(P, networks.precision(RING, numbers))
    for name in ("width", "weights", "prior"):
        by_name = {"prior": 1, "width": 1, name: pd.Series(named)}
        with pytest.raises(ValueError, match=f"{name} is read by position"):
            GaussianModel.from_graph(RING, **by_name)
    for foreign in ({**named, "x": 1}, {"a": 1.0}):
        with pytest.raises(ValueError, match="prior must have one entry for each node"):
            networks.precision(RING, foreign)


def test_nodes_that_are_positions_in_another_order_are_refused():
    turned = nx.Graph([(2, 0), (0, 1)])
    for call in (
        lambda: networks.precision(turned, 1.0),
        lambda: networks.precision(turned, {0: 1, 1: 2, 2: 3}, sparse=True),
        lambda: GaussianModel.from_graph(turned, 1.0, width=1),
        lambda: gaussian.leakage_sweep(turned, [1.0]),
    ):
        with pytest.raises(ValueError, match=r"labels 0 to 2 must be in order, got \[2, 0, 1\]"):
            call()
    assert GaussianModel.from_graph(nx.Graph([(1, 2), (3, 2)]), 1.0, width=1).noise_scale(1) == 2


def test_rows_of_a_matrix_of_weights_are_numbered():
    weights = nx.to_scipy_sparse_array(RING, nodelist=list("abcd"), dtype=float)
    model = GaussianModel.from_graph(weights, [4, 3, 2, 1], width=[4, 3, 2, 1], sparse=True)
    P = networks.precision(weights, [4, 3, 2, 1])
    plain = GaussianModel(precision=P, width=[4, 3, 2, 1])
    assert model.noise_scale(1) == plain.noise_scale(1)


def test_a_model_does_not_change_with_the_array_it_was_made_from():
    distribution = np.array([[0.49, 0.01], [0.01, 0.49]])
    model = FiniteDistribution(distribution)
    before = model.leakage(0, scale=10)
    distribution[0, 0] = 5
    assert model.leakage(0, scale=10) == before
    matrix = PRECISION.to_numpy().copy()
    normal = GaussianModel(precision=matrix, width=1)
    matrix[0, 0] = 100
    np.testing.assert_array_equal(
        normal.leakage_coefficients(),
        GaussianModel(precision=PRECISION.to_numpy(), width=1).leakage_coefficients(),
    )


def test_people_may_have_the_names_of_attributes_of_a_graph():
    names = ["nodes", "edges"]
    table = pd.DataFrame([[2.0, -1.0], [-1.0, 2.0]], index=names, columns=names)
    found = GaussianModel(precision=table, width=1).leakage_coefficients()
    assert found.tolist() == pytest.approx([0.5, 0.5])
    bounds = sparse_gaussian.max_leakage_bounds(table)
    assert bounds.low <= 0.5 <= bounds.high
