"""The house rules that a machine can keep: imports between parts, size, cost of importing."""

from __future__ import annotations

import ast
import importlib
import io
import subprocess
import sys
import tokenize

import pytest

from privlib.ledger import PARTS

NAMES = set(PARTS.values())
SHARED = {"numpy", "scipy", "sympy", "networkx", "mpmath", "privlib"}
EXTRAS = {"nacl", "dask", "distributed", "ot"}  # optional, each in a module that says so
# Lines without docstrings, comments and blanks: of a module, of a part, of what all parts share.
MODULE_CEILING, PART_CEILING, SHARED_CEILING = 300, 2200, 1000


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
                assert top in SHARED | EXTRAS | set(sys.stdlib_module_names), path.name + name
            if path.name != "plots.py":
                assert not name.startswith("matplotlib"), f"{path.name} imports {name}"


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
    sizes = {path.relative_to(root).as_posix(): code_lines(path) for path in modules(root)}
    assert max(sizes.values()) <= MODULE_CEILING, max(sizes, key=sizes.__getitem__)
    for owner in {None} | NAMES:
        lines = sum(code_lines(path) for path in modules(root) if part(path, root) == owner)
        assert lines <= (PART_CEILING if owner else SHARED_CEILING), owner


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
        "privlib", "privlib.ledger", "privlib.interactive", "privlib.correlated",
        "privlib.laplace", "privlib.disclosure", "privlib.location", "privlib.sketch",
        "privlib.correlated.gaussian",
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
        ("location.railway", "simulate"),
        ("datasets", "facebook tokyo_flow"),
        ("interactive", "Slider show"),
    ],
)
def test_a_reader_finds_each_function_under_its_module(module, names):
    found = importlib.import_module(f"privlib.{module}")
    assert not [name for name in names.split() if not hasattr(found, name)]
