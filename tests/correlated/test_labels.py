"""Labels that come with pandas objects: numbers go to those they belong to, or are refused."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from privlib.correlated import FiniteLaw, GaussianModel, chain, gaussian, networks, sparse

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
            sparse.max_leakage_bounds,
            gaussian.algorithm1,
        ):
            with pytest.raises(ValueError, match="the same distinct labels on both axes"):
                call(table)


def test_queries_and_weights_are_read_by_position():
    rows, columns = pd.Index([0, 1], name="x"), pd.Index([0, 1], name="y")
    joint = pd.DataFrame([[0.3, 0.1], [0.2, 0.4]], rows, columns)
    query = pd.DataFrame([[0, 1], [7, 3]], rows, columns)
    plain = FiniteLaw(joint.to_numpy(), query=query.to_numpy())
    assert FiniteLaw(joint, query=query).all_leakages(scale=3) == plain.all_leakages(scale=3)
    with pytest.raises(ValueError, match="^FiniteLaw: query is read by position"):
        FiniteLaw(joint, query=query.loc[[1, 0], [1, 0]])
    named, turned = pd.Series({"y": 5, "x": 1}), pd.Series([5, 1], [1, 0])
    for weights in (named, named[["x", "y"]], turned):
        with pytest.raises(ValueError, match="^FiniteLaw: weights is read by position"):
            FiniteLaw(joint, weights=weights)
    with pytest.raises(ValueError, match="^FiniteLaw: values is read by position"):
        FiniteLaw(joint.to_numpy(), values=[pd.Series([0, 5], [1, 0]), [0, 1]])


def test_labels_are_no_concern_of_what_has_none():
    """A list has a method of the name `index`, which is no axis."""
    P = [[2.0, -1], [-1, 2]]
    series = GaussianModel(precision=P, width=pd.Series([1, 5]))
    assert series.noise_scale(1) == GaussianModel(precision=P, width=[1, 5]).noise_scale(1)
    uniform, query = [[0.25, 0.25], [0.25, 0.25]], [[0, 1], [7, 3]]
    framed = FiniteLaw(uniform, query=pd.DataFrame(query))
    assert framed.bdp_leakage(0, scale=3) == FiniteLaw(uniform, query=query).bdp_leakage(0, scale=3)


STEPS = pd.DataFrame(
    [[0.9, 0.1, 0], [0.3, 0.5, 0.2], [0.1, 0.1, 0.8]], list("abc"), list("abc")
)  # fmt: skip
TURNED = [STEPS[list("bca")], STEPS.loc[list("abc"), list("cab")]]
GRAPH = nx.from_pandas_adjacency(STEPS, create_using=nx.DiGraph)


@pytest.mark.parametrize("transition", [STEPS, *TURNED, GRAPH, [STEPS, *TURNED]])
def test_a_chain_follows_the_labels_of_its_states(transition):
    """By the joint law of three tuples; a permutation of states with all that belongs to them."""
    first, values = pd.Series([0.2, 0.5, 0.3], list("abc")), pd.Series([0, 1, 5], list("abc"))
    P, start = STEPS.to_numpy(), first.to_numpy()
    joint = start[:, None, None] * P[:, :, None] * P
    leakages = FiniteLaw(joint, values=[[0, 1, 5]] * 3).all_leakages(scale=2)
    query = {"initial": first[list("cab")], "values": values[::-1]}
    worst = chain.worst_adversary(transition, 3, scale=2, **query)
    assert worst.leakage == pytest.approx(max(leakages.values()), rel=1e-10)
    expected = chain.noise_scale(P, 3, epsilon=1, initial=start, values=[0, 1, 5])
    assert chain.noise_scale(transition, 3, epsilon=1, **query) == expected
    assert chain.wasserstein_distance(transition, 3, **query) == (
        chain.wasserstein_distance(P, 3, initial=start, values=[0, 1, 5])
    )
    foreign = pd.Series([0, 0, 1], list("abz"))
    for name in query:
        with pytest.raises(ValueError, match=f"^worst_adversary: {name} must have the labels"):
            chain.worst_adversary(transition, 3, scale=2, **{name: foreign})


def test_a_chain_starts_with_the_first_label():
    """All of it turned, default values number the states in the other order."""
    turned = STEPS.loc[list("cba"), list("cba")]
    plain = chain.worst_adversary(STEPS.to_numpy(), 4, scale=2, values=[2, 1, 0])
    assert chain.worst_adversary(turned, 4, scale=2).leakage == pytest.approx(plain.leakage)
    class_of_two = chain.worst_adversary([turned, STEPS], 4, scale=2)  # the same chain twice
    assert class_of_two == chain.worst_adversary(turned, 4, scale=2)
    for function, rest in ((chain.projective_diameter, {"steps": 2}),
                           (chain.markov_bound, {"epsilon": 1})):  # fmt: skip
        full = STEPS * 0.7 + 0.1
        assert function(full[list("bca")], **rest) == function(full.to_numpy(), **rest)
        with pytest.raises(ValueError, match="transition must have the labels"):
            function(STEPS.set_axis(list("xyz"), axis=1), **rest)


@pytest.mark.parametrize("names", [["nodes", "b"], ["nodes", "edges"], ["toarray", "axes"]])
def test_states_may_have_the_names_of_attributes(names):
    """pandas answers an attribute it does not know with the column of that name."""
    plain = np.array([[0.9, 0.1], [0.3, 0.7]])
    named = pd.DataFrame(plain, names, names)
    values = pd.Series([5, 0], names[::-1])
    turned = named[names[::-1]]
    expected = chain.worst_adversary(plain, 6, scale=2, values=[0, 5])
    assert chain.worst_adversary(named, 6, scale=2, values=values) == expected
    assert chain.worst_adversary([turned, named], 6, scale=2, values=values) == expected
    assert chain.projective_diameter(turned, 1) == pytest.approx(np.log(0.9 * 0.7 / 0.03))
    with pytest.raises(ValueError, match=f"values must have the labels \\['{names[0]}'"):
        chain.worst_adversary(named, 6, scale=2, values=values.set_axis(["x", "y"]))


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
    law = np.array([[0.49, 0.01], [0.01, 0.49]])
    model = FiniteLaw(law)
    before = model.bdp_leakage(0, scale=10)
    law[0, 0] = 5
    assert model.bdp_leakage(0, scale=10) == before
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
    bounds = sparse.max_leakage_bounds(table)
    assert bounds.low <= 0.5 <= bounds.high
