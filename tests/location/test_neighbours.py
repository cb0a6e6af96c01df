"""What pandas, networkx and scipy.sparse bring: read by position, refused where labels differ."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections import Counter
from fractions import Fraction

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from privlib import location
from privlib.location import exact, flow, gain, mechanism, reconstruction, release, segment

PLACES = ["home", "work", "shop"]
P = np.array([[0.6, 0.3, 0.1], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6]])
TABLE = pd.DataFrame(P, index=PLACES, columns=PLACES)
BEFORE, AFTER = [8, 5, 3], [5, 5, 6]
YESTERDAY, TODAY = (
    pd.Series(np.repeat(PLACES, counts)).sample(frac=1, random_state=1).value_counts()
    for counts in (BEFORE, AFTER)
)

TABLES = [
    lambda a, b, **o: flow.most_likely_movement(a, b, **o).counts,
    lambda a, b, **o: flow.unit_savings(flow.most_likely_movement(a, b, **o), **o),
    exact.expected_movement,
    lambda a, b, **o: exact.expected_movement(a, b, method="bridge", **o),
    gain.gain_table,
    lambda a, b, **o: gain.gain_table(a, b, definition="exact", **o),
]
HISTOGRAMS = [
    lambda a, b, **o: release.private_histogram(a, b, epsilon=0.1, **o).histogram,
    lambda a, b, **o: release.private_histogram(a, b, epsilon=0.1, step=0.1, **o).histogram,
    lambda a, _, **o: release.prediction(a, **o),
    lambda a, b, **o: gain.gain_table(a, b, adversary="MK", definition="exact", **o),
    lambda a, b, **o: reconstruction.reconstruct_true(a, b, **o)[0][1],
]
PLAIN = [
    flow.max_flow, exact.transition_probability, exact.bound_transition_probability, gain.max_gain,
    lambda a, b, **o: segment.feasible_intervals(a, b, epsilon=0.1, **o),
    lambda a, _, **o: mechanism.output_distribution(a, **o),
]  # fmt: skip


def same(found, plain):
    """A table of pandas lies the other way round in memory: the last digit may differ."""
    np.testing.assert_allclose(found, plain, rtol=1e-12, atol=1e-13)


CALLS = [*TABLES, *HISTOGRAMS, *PLAIN]


def test_value_counts_are_in_another_order():
    assert list(TODAY.index) != PLACES


@pytest.mark.parametrize("call", CALLS)
def test_a_table_with_the_same_labels_on_both_axes_is_an_array(call):
    plain = call(BEFORE, AFTER, transition=P)
    found = call(BEFORE, AFTER, transition=TABLE)
    assert type(found) is type(plain)
    same(found, plain)


@pytest.mark.parametrize("transition", [P, TABLE])
@pytest.mark.parametrize("call", CALLS)
def test_histograms_with_labels_are_refused_with_the_remedy(call, transition):
    with pytest.raises(ValueError, match=r"before is read by position.*before\.reindex\(categ"):
        call(YESTERDAY, AFTER, transition=transition)
    # In the order of the places the labels are no positions either.
    with pytest.raises(ValueError, match="before is read by position"):
        call(pd.Series(BEFORE, index=PLACES), AFTER, transition=transition)
    with pytest.raises(ValueError, match="must be 0, 1"):
        call(pd.Series(BEFORE)[[2, 0, 1]], AFTER, transition=transition)
    with pytest.raises(TypeError, match=r"got a Counter with labels; pass \[before\.get"):
        call(Counter(dict(enumerate(BEFORE))), AFTER, transition=transition)
    ordered = YESTERDAY.reindex(PLACES, fill_value=0).to_numpy()
    same(call(ordered, AFTER, transition=transition), call(BEFORE, AFTER, transition=P))
    numbered = pd.Series(BEFORE)
    same(call(numbered, AFTER, transition=transition), call(BEFORE, AFTER, transition=P))


@pytest.mark.parametrize("call", [*TABLES, *HISTOGRAMS[:2], *PLAIN[:-1]])
def test_histograms_after_with_labels_are_refused(call):
    for after in (TODAY, pd.Series(AFTER, index=PLACES), dict(zip(PLACES, AFTER))):
        with pytest.raises((ValueError, TypeError), match=r"(after|true|published) is read by"):
            call(BEFORE, after, transition=TABLE)


@pytest.mark.parametrize("call", CALLS)
def test_a_graph_and_a_sparse_matrix_of_transitions(call):
    graph = nx.DiGraph()
    graph.add_nodes_from(PLACES)
    graph.add_weighted_edges_from(
        (a, b, P[i, j]) for i, a in enumerate(PLACES) for j, b in enumerate(PLACES)
    )
    plain = call(BEFORE, AFTER, transition=P)
    for found in (
        call(BEFORE, AFTER, transition=graph),
        call(BEFORE, AFTER, transition=sparse.csr_matrix(P)),
        call(BEFORE, AFTER, transition=sparse.coo_array(P)),
    ):
        dense = found.toarray() if sparse.issparse(found) else found
        np.testing.assert_allclose(dense, plain, rtol=1e-9, atol=1e-12)


def test_fractions_in_a_frame_stay_fractions():
    third = Fraction(1, 3)
    frame = pd.DataFrame([[third, 2 * third], [Fraction(1), Fraction(0)]])
    assert exact.transition_probability([2, 0], [1, 1], transition=frame) == Fraction(4, 9)
    assert exact.expected_movement([2, 0], [1, 1], transition=frame)[0, 1] == Fraction(1)


def test_tables_whose_labels_do_not_fit_are_refused():
    swapped = TABLE[["work", "home", "shop"]]
    twice = pd.DataFrame(P, index=["a", "a", "b"], columns=["a", "a", "b"])
    numbers = pd.DataFrame(P, index=[2, 0, 1], columns=[2, 0, 1])
    for call in CALLS:
        for table in (swapped, twice):
            with pytest.raises(ValueError, match="same distinct labels on both axes, in the same"):
                call(BEFORE, AFTER, transition=table)
        with pytest.raises(ValueError, match="its labels 0 to 2 must be in order"):
            call(BEFORE, AFTER, transition=numbers)
    with pytest.raises(ValueError, match="every row of transition must sum to 1"):
        flow.max_flow([1, 1, 0], [1, 1, 0], transition=nx.complete_graph(3))


def test_without_pot_the_message_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ot", None)
    with pytest.raises(ImportError, match=r"most_likely_movement: needs pot; pip install pot"):
        flow.most_likely_movement(BEFORE, AFTER, transition=P)
    exact_town = [[Fraction(1, 2), Fraction(1, 2)], [Fraction(0), Fraction(1)]]
    assert exact.transition_probability([2, 0], [1, 1], transition=exact_town) == Fraction(1, 2)


def test_modules_and_main_names_load_when_they_are_named():
    for name in ("exact", "flow", "gain", "mechanism", "ngram", "paths", "ranking", "release"):
        assert getattr(location, name) is importlib.import_module(f"privlib.location.{name}")
        assert name in dir(location)
    for name, module in (("max_gain", "gain"), ("private_histogram", "release")):
        assert getattr(location, name) is getattr(getattr(location, module), name)
        assert name in dir(location)
    with pytest.raises(AttributeError, match="attribute flaw"):
        location.flaw  # noqa: B018
    probe = "import privlib, sys; privlib.location; print([m for m in sys.modules if 'scipy' in m])"
    out = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_masses_that_floats_cannot_count_are_refused():
    with pytest.raises(ValueError, match=r"below 2\*\*53"):
        flow.most_likely_movement([1e19, 0, 0], [0, 0, 1e19], transition=P)
