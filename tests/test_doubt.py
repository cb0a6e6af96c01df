"""Changes to what claims rest on, and the stored results of the parts that were doubted."""

from __future__ import annotations

import ast
import json
import re
import subprocess
from fractions import Fraction

import doubt
import mutants
import nbformat
import numpy as np
import pytest
import reader
import sympy as sp
from flow import Flow

# Parts whose stored results are those of their notebooks.
DOUBTED = ("laplace", "correlated", "disclosure", "location", "sketch")

SET_UP = """
import sympy as sp
from privlib.kit import claim, derivation, slips
from privlib.laplace.accuracy import tolerance_for
"""
GOOD = """
scale = 2.0
half = tolerance_for(0.5, epsilon=1 / scale, sensitivity=1.0)
unused = 17
with claim("N-1") as c:
    c.carries().close(half, scale * 0.6931471805599453, "two routes")
    c.holds(half > 0.01, "far above", method="numeric")
"""
EMPTY = """
x = sp.Symbol("x", positive=True)
sides = [x + 3, x**2]
with claim("N-2") as c:
    c.carries().exact(list(sides), sides, "cannot fail")
    c.exact(sides[0], x + 3, "can")
"""
DERIVED = """
chain = derivation(x * (x + 1)).equal(x**2 + x, "expand").at_most((x + 1) ** 2, "more", by="sign")
with claim("N-3") as c:
    c.carries().derived(chain, chain.first, chain.last, "a chain")
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
slips(rows)
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
    listed = root / "tests" / "laplace" / "equivalent.yml"
    listed.parent.mkdir(parents=True)
    listed.write_text(
        "- {claim: N-1 N-9, where: half > 0.01, change: any, reason: a distant bound}\n"
    )
    return doubt.doubt_part("laplace", root, parallel=2, cap=12)


@pytest.mark.slow
def test_what_was_found_is_told_again_until_something_changes(tmp_path, monkeypatch):
    path = write(tmp_path, SET_UP, LOOP)
    first = doubt.doubt_part("laplace", tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(doubt, "forked", None)  # nothing runs
        assert doubt.doubt_part("laplace", tmp_path)["claims"] == first["claims"]
    path.write_text(path.read_text(encoding="utf-8").replace("a square", "a cube"))
    again = doubt.doubt_part("laplace", tmp_path)
    assert again["notebooks"] != first["notebooks"]


@pytest.mark.slow
def test_a_claim_is_doubted_anew_if_what_it_rests_on_changed(tmp_path, capfd):
    codes = (SET_UP, "one = 1", SHARED, TABLE, GOOD)
    path = write(tmp_path / "old", *codes)
    doubt.doubt_part("laplace", tmp_path / "old", cap=8)
    assert "  N-1 " in capfd.readouterr().out
    changed = [code.replace("sum(pair), 7", "sum(pair) + 1, 8") for code in codes]
    path.write_bytes(write(tmp_path / "new", *changed).read_bytes())
    again = doubt.doubt_part("laplace", tmp_path / "old", cap=8)
    assert re.findall("N-[0-9]", capfd.readouterr().out) == ["N-9"]
    assert again["claims"] == doubt.doubt_part("laplace", tmp_path / "new", cap=8)["claims"]
    assert {s["equivalent"] for s in again["claims"]["N-8"]["survivors"]} == {"noticed by N-9"}


@pytest.fixture
def committed(tmp_path):
    """Return the root of a book with two notebooks, doubted and committed; claims were kept."""
    write(tmp_path, SET_UP, "one = 1", SHARED, TABLE, GOOD, LOOP)
    second = tmp_path / "notebooks" / "laplace" / "02-more.ipynb"
    second.write_text(write(tmp_path / "more", SET_UP, EMPTY).read_text())
    counts = dict.fromkeys(("tried", "caught", "carrying", "carrying_seen_to_fail"), 0)
    blank = counts | {"carrying_never_failed": [], "survivors": []}
    ids = ["N-1", "N-2", "N-4", "N-5", "N-6a", "N-6b", "N-8", "N-9"]
    digests = {
        f"notebooks/laplace/{path.stem}": reader.code_digest(doubt.Doubter(path).codes)
        for path in sorted(second.parent.glob("*.ipynb"))
    }
    results = tmp_path / "benchmarks" / "results" / "doubt-laplace.json"
    results.parent.mkdir(parents=True)
    stored = {"claims": dict.fromkeys(ids, blank), "seconds": 5.0, "cap": 40, "notebooks": digests}
    results.write_text(json.dumps(stored))
    for words in ("init -q", "add .", "-c user.name=a -c user.email=a@b commit -qm a"):
        subprocess.run(["git", *words.split()], cwd=tmp_path, check=True)
    return tmp_path


def test_only_what_rests_on_other_statements_than_in_a_revision_is_doubted(committed, monkeypatch):
    root, folder = committed, committed / "notebooks" / "laplace"
    assert doubt.changed_since("HEAD", "laplace", root)[:2] == (set(), set())
    names = 'names = ("a", "b", "c", "d")\n' + SHARED.replace("sum(pair), 7", "len(names) + 3, 7")
    told = GOOD.replace('"N-1"', '"N-1", consequence="more"')  # tells readers, no check
    row = TABLE.replace('"5", "4"', '"6", "4"').replace("6 *", "3 * 2 *")
    (folder / "02-more.ipynb").unlink()
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    write(root, SET_UP, names, row, told)
    assert doubt.changed_since("HEAD", "laplace", root)[:2] == ({"N-5", "N-9"}, {"N-2"})
    seen, kept = [], json.loads((root / "benchmarks/results/doubt-laplace.json").read_text())

    def doubted(part, root, *, only, **_):
        seen.append(only)
        claims = {i: kept["claims"]["N-1"] | {"tried": 1} for i in only}
        return {"part": part, "notebooks": {"new": ""}, "seconds": 1.0, "claims": claims}

    monkeypatch.setattr(doubt, "doubt_part", doubted)
    assert doubt.main(["laplace", "--since", "HEAD", "--cap", "3"], root) == 0
    stored = json.loads((root / "benchmarks/results/doubt-laplace.json").read_text())
    assert seen == [{"N-5", "N-9"}]
    assert {i for i, found in stored["claims"].items() if found["tried"]} == {"N-5", "N-9"}
    assert set(stored["claims"]) == set(kept["claims"]) - {"N-2"}
    assert (stored["seconds"], stored["cap"], stored["notebooks"]) == (5.0, 40, {"new": ""})


def test_a_reason_written_later_reaches_what_was_kept(committed):
    path = committed / "benchmarks" / "results" / "doubt-laplace.json"
    stored = json.loads(path.read_text(encoding="utf-8"))
    left = {"where": "01-tiny, cell 4: half > 0.01", "change": "0.01 → 0.011", "equivalent": ""}
    seen = left | {"where": "a line that another claim watches", "equivalent": "noticed by N-9"}
    gone = left | {"where": "a line of no list", "equivalent": "a reason that was withdrawn"}
    stored["claims"]["N-1"] |= {"survivors": [left, seen, gone]}
    path.write_text(json.dumps(stored), encoding="utf-8")
    listed = committed / "tests" / "laplace" / "equivalent.yml"
    listed.parent.mkdir(parents=True)
    listed.write_text("- {claim: N-1, where: half > 0.01, change: any, reason: a distant bound}\n")
    assert doubt.main(["laplace", "--since", "HEAD"], committed) == 0
    again = json.loads(path.read_text(encoding="utf-8"))["claims"]
    told = [left | {"equivalent": "a distant bound"}, seen, gone | {"equivalent": ""}]
    assert again["N-1"]["survivors"] == told


def test_strings_that_are_no_row_of_misprints_count():
    def told(code):
        tree = doubt._Mute().visit(ast.parse(code))
        return ast.unparse(tree)

    assert told('x = ("a", "b", "c", d)') == told("x = ('a', 'b', 'c', d)") != told("x = ('a', d)")
    assert told('x = ("N-1", "b", "c", "d")') == "x = ('N-1', 'b', 'c', 'd')"
    assert told('x = ("N-1", "b", "c", d)') == "x = ('N-1', d)"


def test_a_result_of_another_revision_is_refused(committed, capsys):
    path = committed / "notebooks" / "laplace" / "01-tiny.ipynb"
    path.write_text(path.read_text().replace("a square", "a cube"))
    subprocess.run(["git", "add", "."], cwd=committed, check=True)
    commit = "git -c user.name=a -c user.email=a@b commit -qm b"
    subprocess.run(commit.split(), cwd=committed, check=True)
    for since, said in (("HEAD", "is not of the notebooks of HEAD"), ("HEAD --claim N-1", "both")):
        with pytest.raises(SystemExit):
            doubt.main(["laplace", "--since", *since.split()], committed)
        assert said.replace("both", "do not go together") in capsys.readouterr().err
    with pytest.raises(ValueError, match="no revision 'nowhere'"):
        doubt.changed_since("nowhere", "laplace", committed)


@pytest.mark.slow
def test_a_good_check_is_seen_to_fail(found):
    claim = found["claims"]["N-1"]
    assert claim["carrying"] == claim["carrying_seen_to_fail"] == 1
    where = '01-tiny, cell 2: c.holds(half > 0.01, "far above", method="numeric")'
    same = {"where": where, "change": "0.01 → 0.011; 0.01 → 0.009", "equivalent": "a distant bound"}
    assert claim["survivors"] == [same]
    assert claim["tried"] == claim["caught"] + 1 > 5


@pytest.mark.slow
def test_a_check_that_cannot_fail_is_named(found):
    claim = found["claims"]["N-2"]
    assert claim["carrying_never_failed"] == claim["never_failed"] == ["cannot fail"]
    assert (claim["carrying"], claim["carrying_seen_to_fail"]) == (1, 0)
    assert "N-2: never red: cannot fail" in doubt.summary(found)


@pytest.mark.slow
def test_a_derivation_that_breaks_counts_for_its_check(found):
    claim = found["claims"]["N-3"]
    assert (claim["carrying"], claim["carrying_seen_to_fail"]) == (1, 1)
    between = [s for s in found["claims"]["N-7"]["survivors"] if s["change"].startswith("x ** 2")]
    assert between == []  # no step leads on from there


@pytest.mark.slow
def test_each_row_of_a_table_is_a_claim(found):
    for claim_id, carrying in (("N-4", 2), ("N-5", 1)):
        claim = found["claims"][claim_id]
        assert (claim["carrying"], claim["carrying_seen_to_fail"]) == (carrying, carrying)
        assert claim["caught"] > 1


@pytest.mark.slow
def test_what_another_claim_notices_is_no_gap(found):
    first, both = (found["claims"][i] for i in ("N-8", "N-9"))
    reasons = {s["change"].partition(";")[0]: s["equivalent"] for s in first["survivors"]}
    assert reasons["5 → 6"] == "noticed by N-9"
    assert both["survivors"] == []


@pytest.mark.slow
def test_claims_with_computed_ids(found):
    for claim_id in ("N-6a", "N-6b"):
        assert found["claims"][claim_id]["carrying_seen_to_fail"] == 1


def test_cells_to_work_in_are_left_out(tmp_path):
    path = write(tmp_path, SET_UP, 'check("lap-01-coin", ...)', GOOD)
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[1].metadata["tags"] = ["exercise"]
    nbformat.write(notebook, path)
    assert doubt.Doubter(path).codes == [SET_UP.strip(), GOOD.strip()]


@pytest.mark.slow
def test_an_unchanged_notebook_with_a_red_check_is_refused(tmp_path):
    path = write(tmp_path, SET_UP, 'with claim("N-1") as c:\n    c.exact(1, 2)')
    with pytest.raises(RuntimeError, match="red without any change"):
        doubt.doubt_part("laplace", tmp_path)
    assert doubt.Doubter(path).codes[1].endswith("c.exact(1, 2)")


# --- what is changed --------------------------------------------------------------------------


def changes(code, line=0):
    flow = Flow([code])
    tree = ast.Module([flow.statements[line].tree], [])
    cases, tolerances = mutants.cases_of(flow), mutants.tolerances_of(flow)
    return {m.change for _, made in mutants.places(tree, line, cases, tolerances) for m in made}


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
    ((_, made),) = mutants.places(tree, 0, set(), set())
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
    assert doubt.changed(value, "factor") == factor
    assert doubt.changed(value, "one") == one


def test_changed_arrays_and_what_has_no_number():
    assert doubt.changed(np.array([1.0, 0.0]), "factor").tolist() == [1.051, 0.001]
    with pytest.raises(doubt.NoChangeError):
        doubt.changed(["a", None], "one")


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


# --- the stored results -------------------------------------------------------------------------


@pytest.mark.parametrize("part", DOUBTED)
class TestStored:
    @pytest.fixture
    def stored(self, part, root):
        path = root / "benchmarks" / "results" / f"doubt-{part}.json"
        return json.loads(path.read_text(encoding="utf-8"))

    def test_it_is_of_the_notebooks_as_they_are(self, stored, part, root):
        now = {evidence.name: evidence.code for evidence in reader.notebooks(root, part)}
        assert stored["notebooks"] == now, f"make doubt PART={part}"

    def test_every_claim_with_checks_was_doubted(self, stored, part, root):
        statuses = reader.statuses(root, part).items()
        assert set(stored["claims"]) == {
            i for i, s in statuses if any(check.method for check in s.checks)
        }

    def test_every_carrying_check_was_seen_to_fail(self, stored):
        never = {i: c["carrying_never_failed"] for i, c in stored["claims"].items()}
        assert {i: texts for i, texts in never.items() if texts} == {}

    def test_nearly_every_change_is_caught_or_listed(self, stored):
        claims = stored["claims"].values()
        same = sum(bool(s["equivalent"]) for c in claims for s in c["survivors"])
        caught, tried = (sum(c[key] for c in claims) for key in ("caught", "tried"))
        assert caught + same >= 0.95 * tried

    def test_the_list_of_equivalent_changes_has_no_idle_entry(self, stored, part, root):
        known = doubt.equivalents(root / "tests" / part / "equivalent.yml")
        survivors = [(i, s) for i, c in stored["claims"].items() for s in c["survivors"]]
        idle = [e for e in known if not any(doubt.reason(i, s, [e]) for i, s in survivors)]
        assert idle == []
