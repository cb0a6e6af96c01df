"""The house rules that a machine can keep: imports between parts, size, cost of importing."""

from __future__ import annotations

import ast
import graphlib
import importlib
import io
import subprocess
import sys
import tokenize

import pytest

from privlib.kit.evidence import PARTS

NAMES = set(PARTS.values())
SHARED = {"numpy", "scipy", "sympy", "networkx", "mpmath", "privlib"}
# Lines without docstrings, comments and blanks. A part that gains a capability may raise the first
# number by at most 150, with the reason in the commit; nothing else may.
FIVE_PARTS, KIT, EXTENSION = 5800, 1200, 1000


def modules(root):
    return sorted((root / "privlib").rglob("*.py"))


def imports(tree):
    """Absolute names of all modules that a tree imports, wherever in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def part(path, root):
    name = path.relative_to(root / "privlib").parts[0]
    return name if name in NAMES else None


def test_no_part_imports_another_and_shared_modules_import_none(root):
    for path in modules(root):
        own = part(path, root)
        allowed = {own, "laplace"} if own else set()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for name in imports(tree):
            words = set(name.replace(".", " ").split())
            assert not (words & NAMES) - allowed, f"{path.name} imports {name}"
            if own and not name.startswith("."):
                top = name.split(".")[0]
                assert top in SHARED | set(sys.stdlib_module_names), f"{path.name} imports {name}"
                assert not name.startswith("privlib.kit"), f"{path.name} imports {name}"
            if path.name != "plots.py":
                assert not name.startswith("matplotlib"), f"{path.name} imports {name}"


def test_modules_import_each_other_in_one_direction(root):
    names = {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path
        for path in modules(root)
    }
    graph = {
        name: set(imports(ast.parse(path.read_text(encoding="utf-8")))) & set(names) - {name}
        for name, path in names.items()
    }
    assert len(list(graphlib.TopologicalSorter(graph).static_order())) == len(names)


def code_lines(path):
    """Count lines that hold code: no docstrings, comments, blank lines."""
    source = path.read_text(encoding="utf-8")
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in (
            tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
            tokenize.ENDMARKER,
        ):  # fmt: skip
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(
            node
        ):
            text = node.body[0]
            lines.difference_update(range(text.lineno, (text.end_lineno or text.lineno) + 1))
    return len(lines)


def test_the_package_stays_small(root):
    def total(owners):
        return sum(code_lines(path) for path in modules(root) if part(path, root) in owners)

    assert total(NAMES) <= FIVE_PARTS
    assert total({None}) <= KIT
    assert sum(map(code_lines, root.glob("book/_ext/**/*.py"))) <= EXTENSION


def public_functions(path):
    """Functions and methods of a module that have a public name, ``__init__`` included."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        for found in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(found, ast.FunctionDef) and not found.name.startswith("_"):
                yield found


@pytest.mark.parametrize("name", sorted(NAMES))
def test_beyond_two_arguments_are_keyword_only(root, name):
    for path in (root / "privlib" / name).glob("[a-z]*.py"):
        for function in public_functions(path):
            arguments = [a.arg for a in function.args.posonlyargs + function.args.args]
            arguments = [a for a in arguments if a not in ("self", "cls")]
            assert len(arguments) <= 2, f"{path.name}: {function.name}{tuple(arguments)}"


HEAVY = {"matplotlib", "plotly", "sympy", "networkx", "IPython", "dask", "nacl", "ot", "pandas"}


def imported(module):
    """What a fresh interpreter has loaded after importing a module, and the seconds that took."""
    probe = (
        "import sys, time; start = time.perf_counter(); "
        f"import {module}; print(time.perf_counter() - start, *sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    seconds, *names = out.stdout.split()
    return float(seconds), set(names)


@pytest.mark.parametrize(
    "module",
    [
        "privlib", "privlib.kit", "privlib.kit.evidence", "privlib.kit.interactive",
        "privlib.correlated", "privlib.laplace", "privlib.disclosure", "privlib.location",
        "privlib.sketch", "privlib.correlated.gaussian",
    ],
)  # fmt: skip
def test_importing_pulls_in_no_plotting_and_no_algebra(module):
    seconds, names = imported(module)
    assert not HEAVY & names
    assert seconds < 10  # a bound that only a blunder breaks; `benchmarks.book` has the budget


def test_the_package_and_its_parts_load_almost_nothing():
    _, names = imported("privlib")
    assert "numpy" not in names
    assert not {f"privlib.{name}" for name in NAMES} & names
    _, names = imported(", ".join(f"privlib.{name}" for name in sorted(NAMES)))
    assert not [name for name in names if name.startswith("scipy")]


@pytest.mark.parametrize(
    "module", ["correlated.gaussian", "correlated.finite", "location.mechanism", "laplace.erm"]
)
def test_optimisers_are_imported_by_those_who_call_them(module):
    _, names = imported(f"privlib.{module}")
    assert "scipy.optimize" not in names
    assert "scipy.stats" not in names


def test_every_module_opens_with_its_mathematics(root):
    for path in modules(root):
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        assert len(text) > 80, f"{path.name}: a docstring that says what it is about"


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("sketch", "CountMeanSketch HadamardCountMeanSketch Sketch"),
        ("sketch.poisoning", "frequency_gain fake_reports norm_sub"),
        ("sketch.transfer", "oblivious_report infer_from_choices threat_matrix verifiable"),
        (
            "disclosure.sampling",
            (
                "identification_risk worst_case_risk learning_attacker_risk max_sample_size "
                "bernoulli_risk benedetti_franconi_risk"
            ),
        ),
        (
            "disclosure.pram",
            (
                "retention_matrix apply_pram ratio_minima pk_level pk_level_response_knowledge "
                "membership_bound retention_for_k stratified_pk_level estimate_shares best_thinning"
            ),
        ),
        ("disclosure.posterior", "match_probability"),
        ("location.flow", "most_likely_movement unit_savings Movement"),
        ("location.exact", "log_realisation printed_realisation expected_movement"),
        ("location.gain", "max_gain gain_table"),
        ("location.release", "private_histogram optimal_mechanism invert Release"),
        ("location.paths", "ngram_dp"),
        ("location.ranking", "ndcg"),
        ("kit.railway", "simulate"),
        ("kit.datasets", "facebook tokyo_flow"),
        ("kit.interactive", "Slider show"),
    ],
)
def test_a_reader_finds_each_function_under_its_module(module, names):
    found = importlib.import_module(f"privlib.{module}")
    assert not [name for name in names.split() if not hasattr(found, name)]
