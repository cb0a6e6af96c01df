"""The page that says what is promised: its names exist, and no promising function is left out."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "book" / "api" / "promises.md").read_text(encoding="utf-8")
PARTS = ("laplace", "correlated", "disclosure", "location", "sketch")
NO_PROMISE = {
    # What others compute a promise with, and certify there.
    "correlated.matrices.inverse", "correlated.matrices.settle", "correlated.matrices.settle_one",
    "correlated.noise_search.smallest_scale", "disclosure.bounds.amplified_up",
    "disclosure.bounds.certify_level", "location.exact.solve_potentials",
    "location.flow.cheapest_sparse_plan", "location.flow.least_cost",
    "location.flow.movement_between", "location.flow.savings_table",
    "location.mechanism.AttackProblem", "location.segment.Segment", "sketch.slots.Slots",
    "sketch.slots.agreed_slots", "sketch.scheme.Scheme",
    # Checks of arguments that name a level.
    "disclosure.validation.epsilon", "disclosure.validation.level", "location.validation.level",
    "location.validation.privacy_level",
    # Records of what a listed function returned or was told.
    "laplace.budget.PrivacyBudget", "laplace.erm.LinearModel", "research.auditing.Audit",
    "research.binomial_test.BinomialTest",
    # What an attacker does, or a risk that another paper estimates without a promise.
    "disclosure.linkage.linkage_beliefs", "disclosure.sampling.benedetti_franconi_risk",
    "sketch.poisoning.best_pairs", "sketch.poisoning.fake_reports",
    # Draws a graph, not a release.
    "correlated.networks.preferential_attachment",
}  # fmt: skip
"""Functions and classes that look like a promise and make none, so that they need no row."""
ARGUMENTS = {"epsilon", "delta", "rng"}
CERTIFIES = {"certify", "UncertifiedError"}
NAMED_FOR_A_PROMISE = re.compile(r"(^|_)(scale|risk|level|leakage|release|epsilon|delta)s?($|_)")
RETURNS_A_PROMISE = re.compile(r"Release|Risk|Report|Mechanism")


def rows():
    """The names in the first cells of the tables, with the part that they stand under."""
    part = ""
    titles = dict(zip(
        ("The Laplace mechanism", "Correlated data", "Sampling and PRAM", "Location histograms",
         "Count sketches", "Research notes", "Notebooks"),
        (*PARTS, "research", "notebook"), strict=True,
    ))  # fmt: skip
    for line in PAGE.splitlines():
        if line.startswith("## "):
            part = titles[line[3:]]
        elif line.startswith("| ") and not line.startswith(("| function", "| ---")):
            for name in re.findall(r"`([A-Za-z_][\w.]*)[^`]*`", line.split(" | ")[0]):
                yield part, name


def found(part, name):
    """Whether a name is an object of a part, by whatever module it is reached."""
    package = importlib.import_module(f"privlib.{part}")
    places = [package, importlib.import_module("privlib")]
    places += [importlib.import_module(f"privlib.{part}.{m}") for m in modules(part)]
    places += [value for place in list(places) for value in vars(place).values()
               if isinstance(value, type)]  # fmt: skip
    for place in places:
        value = place
        for step in name.split("."):
            value = getattr(value, step, None)
        if value is not None:
            return True
    return False


def modules(part):
    return [path.stem for path in (ROOT / "privlib" / part).glob("[a-z]*.py")]


@pytest.mark.parametrize("part", [*PARTS, "research"])
def test_every_name_exists(part):
    named = {name for own, name in rows() if own == part}
    assert len(named) > 5
    unknown = {name for name in named if not found(part, name.removeprefix(f"{part}."))}
    others = {"method", "alike", "shown", "LaplaceMechanism"}
    assert not {name for name in unknown if name.split(".")[-1] not in others} - others


def calls(function):
    """The names of what a function calls, without what they are called on."""
    called = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called.add(node.func.id)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            called.add(node.func.attr)
    return called


def certifies(function, helpers):
    """Whether a function certifies its result, itself or by private functions of its module."""
    todo, seen = [function], set()
    while todo:
        called = calls(todo.pop())
        if called & CERTIFIES:
            return True
        new = {name for name in called if name in helpers} - seen
        seen |= new
        todo += [helpers[name] for name in new]
    return False


def promises(function, helpers):
    """Whether a function looks as if it made a promise about privacy."""
    arguments = function.args.posonlyargs + function.args.args + function.args.kwonlyargs
    if ARGUMENTS & {argument.arg for argument in arguments}:
        return True
    if NAMED_FOR_A_PROMISE.search(function.name):
        return True
    if function.returns and RETURNS_A_PROMISE.search(ast.unparse(function.returns)):
        return True
    return certifies(function, helpers)


def promising(source):
    """The public functions, methods and classes of a module that look like promises.

    A class does if it is made with a level or certifies itself when it is made.
    """
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    helpers = {f.name: f for f in functions if re.match(r"_[^_]", f.name)}
    for node in tree.body:
        if getattr(node, "name", "_").startswith("_"):
            continue
        if isinstance(node, ast.FunctionDef) and promises(node, helpers):
            yield node.name
        if isinstance(node, ast.ClassDef):
            fields = {ast.unparse(n.target) for n in node.body if isinstance(n, ast.AnnAssign)}
            methods = [n for n in node.body if isinstance(n, ast.FunctionDef)]
            made = [n for n in methods if n.name in ("__init__", "__post_init__", "__new__")]
            if fields & ARGUMENTS or any(promises(method, helpers) for method in made):
                yield node.name
            for method in methods:
                if not method.name.startswith("_") and promises(method, helpers):
                    yield f"{node.name}.{method.name}"


def every_promise():
    """What looks like a promise in the parts and in research: ``part.module.name``."""
    for part in (*PARTS, "research"):
        for module in sorted(modules(part)):
            source = (ROOT / "privlib" / part / f"{module}.py").read_text(encoding="utf-8")
            for name in promising(source):
                yield f"{part}.{module}.{name}"


def without_a_row(every):
    """What of these has no row on the page: neither by its name nor, for a method, by its class."""
    on_page = set()
    for part, name in rows():
        on_page.add(("research" if name.startswith("research.") else part, name.split(".")[-1]))
    for path in every:
        part, _, name = path.split(".", 2)
        if not any((part, step) in on_page for step in name.split(".")):
            yield path


def excepted(path):
    """The entry of `NO_PROMISE` that a path is, or is a method of."""
    return path if path in NO_PROMISE else path.rpartition(".")[0]


def test_what_looks_like_a_promise_has_a_row_or_is_known_to_be_none():
    missing = [path for path in without_a_row(every_promise()) if excepted(path) not in NO_PROMISE]
    assert not missing, f"add a row to book/api/promises.md, or a line to NO_PROMISE, for {missing}"


def test_no_exception_is_left_over():
    assert set(map(excepted, without_a_row(every_promise()))) >= NO_PROMISE


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def private_share(values, *, epsilon, rng=None): ...", ["private_share"]),
        ("def noise_scale(values): ...", ["noise_scale"]),
        ("def publish(values) -> Release: ...", ["publish"]),
        ("def bound(x):\n    _safety.certify('bound', 'it', x, 1)", ["bound"]),
        ("def bound(x): _a(x)\ndef _a(x): _b(x)\ndef _b(x): certify('bound', x, 1)", ["bound"]),
        ("class Noise:\n    epsilon: float", ["Noise"]),
        ("class Noise:\n    def draw(self, rng): ...\n    def mean(self): ...", ["Noise.draw"]),
        ("def mean(values): ...\ndef _noise(epsilon): ...", []),
    ],
)  # fmt: skip
def test_a_promise_is_recognised(source, names):
    assert list(promising(source)) == names
