"""Changes to what claims rest on, and which checks they make fail."""

from __future__ import annotations

import ast
from fractions import Fraction

import mutate
import nbformat
import numpy as np
import operators
import pytest
import sympy as sp
from ledger.dataflow import Flow

SET_UP = """
import sympy as sp
from privlib.notebook import claim, derivation, misprints
from privlib.laplace.accuracy import tolerance_for
"""
GOOD = """
scale = 2.0
half = tolerance_for(0.5, epsilon=1 / scale, sensitivity=1.0)
unused = 17
with claim("N-1") as c:
    c.decisive().close(half, scale * 0.6931471805599453, "two routes")
    c.holds(half > 0.01, "far above", method="numeric")
"""
EMPTY = """
x = sp.Symbol("x", positive=True)
sides = [x + 3, x**2]
with claim("N-2") as c:
    c.decisive().exact(list(sides), sides, "cannot fail")
    c.exact(sides[0], x + 3, "can")
"""
DERIVED = """
chain = derivation(x * (x + 1)).equal(x**2 + x, "expand").at_most((x + 1) ** 2, "more", by="sign")
with claim("N-3") as c:
    c.decisive().derived(chain, chain.first, chain.last, "a chain")
with claim("N-7") as c:
    c.holds(bool(chain.last.subs(x, 1) > 0), "positive", method="symbolic")
"""
TABLE = """
def check_sum(c):
    c.differs(sum([2, 2]), 5, "as printed")
    c.exact(sum([2, 2]), 4, "as corrected")

def check_other(c):
    c.exact(6 * sum([3, 4]), 42)

rows = [("N-4", "5", "4", check_sum), ("N-5", "", "", check_other)]
misprints(rows)
"""
SHARED = """
pair = [sum([1, 1]), 5 * sum([1])]
with claim("N-8") as c:
    c.exact(pair[0], 2, "the first alone")
with claim("N-9") as c:
    c.exact(sum(pair), 7, "both")
"""
LOOP = """
for k in (1, 2):
    with claim(f"N-6{'ab'[k - 1]}") as c:
        c.exact(k * k, 2 * k - 2 + k**2 - 2 * (k - 1), "a square")
"""


def write(folder, *codes):
    path = folder / "notebooks" / "laplace" / "01-tiny.ipynb"
    path.parent.mkdir(parents=True)
    cells = [nbformat.v4.new_code_cell(code.strip()) for code in codes]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    root = tmp_path_factory.mktemp("book")
    write(root, SET_UP, GOOD, EMPTY, DERIVED, TABLE, SHARED, LOOP)
    return mutate.mutate_part("laplace", root, parallel=2, cap=12)


@pytest.mark.slow
def test_a_good_check_is_seen_to_fail(found):
    claim = found["N-1"]
    assert claim["decisive"] == claim["seen_to_fail"] == 1
    where = '01-tiny, cell 2: c.holds(half > 0.01, "far above", method="numeric")'
    assert claim["survivors"] == [f"{where}: 0.01 → 0.011; 0.01 → 0.009"]
    assert claim["changed"] == claim["caught"] + 1 > 5


@pytest.mark.slow
def test_a_check_that_cannot_fail_is_named(found):
    claim = found["N-2"]
    assert claim["never_failed"] == ["cannot fail"]
    assert (claim["decisive"], claim["seen_to_fail"]) == (1, 0)
    told = mutate.summary(found)
    assert told["never_failed"] == ["N-2: cannot fail"]
    assert told["decisive"] == told["seen_to_fail"] + 1


@pytest.mark.slow
def test_a_derivation_that_breaks_counts_for_its_check(found):
    claim = found["N-3"]
    assert (claim["decisive"], claim["seen_to_fail"]) == (1, 1)
    between = [s for s in found["N-7"]["survivors"] if ": x ** 2" in s]
    assert between == []  # no step leads on from there


@pytest.mark.slow
def test_each_row_of_a_table_is_a_claim(found):
    for claim_id, decisive in (("N-4", 2), ("N-5", 1)):
        claim = found[claim_id]
        assert (claim["decisive"], claim["seen_to_fail"]) == (decisive, decisive)
        assert claim["caught"] > 1


@pytest.mark.slow
def test_claims_with_computed_ids(found):
    for claim_id in ("N-6a", "N-6b"):
        assert found[claim_id]["seen_to_fail"] == 1


def test_cells_to_work_in_are_left_out(tmp_path):
    path = write(tmp_path, SET_UP, 'check("lap-01-coin", ...)', GOOD)
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[1].metadata["tags"] = ["exercise"]
    nbformat.write(notebook, path)
    assert mutate.Mutator(path).codes == [SET_UP.strip(), GOOD.strip()]


@pytest.mark.slow
def test_an_unchanged_notebook_with_a_red_check_is_refused(tmp_path):
    path = write(tmp_path, SET_UP, 'with claim("N-1") as c:\n    c.exact(1, 2)')
    with pytest.raises(RuntimeError, match="red without any change"):
        mutate.mutate_part("laplace", tmp_path)
    assert mutate.Mutator(path).codes[1].endswith("c.exact(1, 2)")


# --- what is changed --------------------------------------------------------------------------


def changes(code, line=0):
    flow = Flow([code])
    tree = ast.Module([flow.statements[line].tree], [])
    cases, tolerances = operators.cases_of(flow), operators.tolerances_of(flow)
    return {m.change for _, made in operators.places(tree, line, cases, tolerances) for m in made}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("y = f(2)", {"2 → 3", "2 → 1", "2 → 4"}),
        ("y = f(0.5, 0)", {"0.5 → 0.55", "0.5 → 0.45", "0 → 1"}),
        ("y = g(a - b)", {"a - b → a + b", "a - b → a", "a - b → b"}),
        ("y = g(a ** b)", {"a ** b → a * b", "a ** b → a"}),
        ("y = g(-a)", {"-a → a"}),
        ("y = g(a, flag=True)", {"True → False"}),
        ("y = min(a)", {"min → max"}),
        ("y = g(a < b)", {"a < b → a >= b"}),
        ("y = g(size=3, rtol=1e-9, rng=7)", set()),
        ("print(3 * y)", set()),
        ('y = f"{3 * y}"', set()),
        ("stderr = a / b", set()),
        ("rng = np.random.default_rng(7)", set()),
    ],
)
def test_places(code, expected):
    assert changes(code) == expected


def test_a_number_with_a_name_is_changed_where_it_is_read():
    code = "n, wish = 1000, [Fraction(1, 3)]\ny = g(n) + h(n)"
    assert changes(code) == set()
    assert {"n more by a factor", "n more by one", "n less"} < changes(code, 1)


def test_a_change_is_taken_back():
    tree = ast.parse("y = f(2)")
    ((_, made),) = operators.places(tree, 0, set(), set())
    undo = made[0].apply()
    assert ast.unparse(tree) == "y = f(3)"
    undo()
    assert ast.unparse(tree) == "y = f(2)"


@pytest.mark.parametrize(
    ("value", "factor", "one"),
    [
        (3, 6, 4),
        (True, False, False),
        (Fraction(1, 2), Fraction(21, 40), Fraction(3, 2)),
        (sp.Symbol("x"), sp.Rational(21, 20) * sp.Symbol("x"), sp.Symbol("x") + 1),
        (("a", 3), ("a", 6), ("a", 4)),
        ({"k": [2]}, {"k": [4]}, {"k": [3]}),
    ],
)
def test_changed_values(value, factor, one):
    assert mutate.changed(value, "factor") == factor
    assert mutate.changed(value, "one") == one


def test_changed_arrays_and_what_has_no_number():
    assert mutate.changed(np.array([1.0, 0.0]), "factor").tolist() == [1.051, 0.001]
    with pytest.raises(mutate.NoChangeError):
        mutate.changed(["a", None], "one")


def test_what_runs_again_finds_the_values_of_the_first_time():
    flow = Flow(["n = 2", "a = f(n)", "b = g(a)", "n = 5", "z = a + n\nh(z, b)"])
    whole = flow.slice(5)
    assert whole == {0, 1, 2, 3, 4}
    assert flow.rerun({2}, whole, 5) == [2]
    # `a` again needs the first n; and then z the second one.
    assert flow.rerun({1}, whole, 5) == [0, 1, 2, 3, 4]


def test_a_function_is_followed_to_what_it_reads():
    flow = Flow(["n = 2", "def f(x):\n    return n * x", "y = f(1)", "m = 3"])
    assert flow.slice(2) == {0, 1}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nopart"], "invalid choice: 'nopart'"),
        (["laplace", "--claim", "N-99"], "no notebook of laplace checks N-99"),
    ],
)
def test_a_part_or_a_claim_that_is_none_is_named_and_nothing_stored(
    tmp_path, capsys, arguments, message
):
    with pytest.raises(SystemExit):
        mutate.main(arguments, tmp_path)
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
