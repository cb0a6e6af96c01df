"""The house rules that a machine can keep: imports between parts, cost of importing."""

from __future__ import annotations

import ast
import graphlib
import importlib
import re
import subprocess
import sys

import pytest

from privlib.notebook.claims import PARTS

NAMES = set(PARTS.values())
SHELVES = NAMES | {"research"}
SHARED = {"lazy_loader", "numpy", "scipy", "sympy", "networkx", "mpmath", "privlib"}
# Public for the sake of research, which may not import what is internal to a part; users need none.
FOR_RESEARCH = {
    "correlated": {"matrices", "noise_search", "validation"},
    "disclosure": {"bounds", "ratios", "validation"},
    "location": {"validation"},
    "sketch": {"group", "items", "one_use"},
}


def modules(root):
    return sorted((root / "privlib").rglob("*.py"))


def module_names(root):
    """The dotted names of all modules of the package, each with its path."""
    return {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path
        for path in modules(root)
    }


def imports(tree):
    """Absolute names of all modules that a tree imports, wherever in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def shelf(path, root):
    """Return the part that a module belongs to, or ``research``; ``None`` for shared modules."""
    name = path.relative_to(root / "privlib").parts[0]
    return name if name in SHELVES else None


def allowed_for(name):
    """Return the shelves that a module of a shelf may import."""
    if name == "research":
        return SHELVES
    if name is None:
        return set()
    return {name}


def test_parts_stand_apart_and_research_stands_on_them(root):
    """No part imports another one or research; shared modules import neither."""
    for path in modules(root):
        own = shelf(path, root)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for name in imports(tree):
            words = set(name.replace(".", " ").split())
            assert not (words & SHELVES) - allowed_for(own), f"{path.name} imports {name}"
            if own and not name.startswith("."):
                top = name.split(".")[0]
                assert top in SHARED | set(sys.stdlib_module_names), f"{path.name} imports {name}"
                assert not name.startswith("privlib.notebook"), f"{path.name} imports {name}"
            if path.name != "plots.py":
                assert not name.startswith("matplotlib"), f"{path.name} imports {name}"


def test_underscored_modules_are_internal_to_their_folder(root):
    """Those at the top of the package are shared; those of a part are for that part alone."""
    for path in modules(root):
        own = f"privlib.{shelf(path, root)}"
        for name in imports(ast.parse(path.read_text(encoding="utf-8"))):
            words = name.split(".")
            internal = len(words) > 2 and words[0] == "privlib" and words[2].startswith("_")
            if internal and words[1] in SHELVES:
                assert ".".join(words[:2]) == own, f"{path.name} imports {name}"


def is_private(name):
    return name.startswith("_") and not name.endswith("_")


def defined_names(tree):
    """Names that a module defines anywhere: functions, classes, variables and attributes."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def borrowed_private_names(tree, names):
    """Private names of other modules: those imported, and attributes that no code here defines.

    A class may use what it inherits, by `self`, `cls` or `super()`.
    """
    own = set(defined_names(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                is_module = f"{node.module}.{alias.name}" in names
                if is_private(alias.name) and not is_module:
                    yield f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in own:
            holder = ast.unparse(node.value)
            if holder not in ("self", "cls", "super()"):
                yield f"{holder}.{node.attr}"


def test_no_module_uses_private_names_of_another(root):
    names = module_names(root)
    for name, path in names.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert not list(borrowed_private_names(tree, names)), name


def test_borrowed_private_names_are_noticed():
    code = """
from privlib import _checks, other
from privlib.other import _helper, public
class Own(public):
    def method(self, value):
        self._inherited()
        value._foreign()
        other._function()
        return self._own
    def _own(self):
        return value._own
"""
    borrowed = list(borrowed_private_names(ast.parse(code), {"privlib._checks"}))
    assert borrowed == ["privlib.other._helper", "value._foreign", "other._function"]


def test_modules_import_each_other_in_one_direction(root):
    names = module_names(root)
    graph = {
        name: set(imports(ast.parse(path.read_text(encoding="utf-8")))) & set(names) - {name}
        for name, path in names.items()
    }
    assert len(list(graphlib.TopologicalSorter(graph).static_order())) == len(names)


def test_nothing_that_is_tested_imports_from_the_tests(root):
    """Package, tools, extension and benchmarks run where there are neither conftest nor tests."""
    for folder in ("privlib", "tools", "book/_ext", "benchmarks"):
        for path in (root / folder).rglob("*.py"):
            tops = {n.split(".")[0] for n in imports(ast.parse(path.read_text(encoding="utf-8")))}
            upwards = {top for top in tops if top in ("conftest", "tests") or top[:5] == "test_"}
            assert not upwards, f"{path.relative_to(root)} imports {upwards}"


def public_functions(path):
    """Functions and methods of a module that have a public name, of `__all__` where it has one."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    offered = None
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            offered = ast.literal_eval(node.value)
    for node in tree.body:
        name = getattr(node, "name", "_")
        if name.startswith("_") or (offered is not None and name not in offered):
            continue
        for function in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(function, ast.FunctionDef) and not function.name.startswith("_"):
                yield function


@pytest.mark.parametrize("name", sorted(SHELVES))
def test_beyond_two_arguments_are_keyword_only(root, name):
    for path in (root / "privlib" / name).glob("[a-z]*.py"):
        for function in public_functions(path):
            arguments = [a.arg for a in function.args.posonlyargs + function.args.args]
            arguments = [a for a in arguments if a not in ("self", "cls")]
            if (path.stem, function.name) == ("auditing", "audit"):
                arguments.remove("y")  # x and y are a pair: either order, the same result
            if arguments[:1] == ["where"]:
                continue  # a check of arguments: the public function, the name, the value
            assert len(arguments) <= 2, f"{path.name}: {function.name}{tuple(arguments)}"


HEAVY = {"matplotlib", "plotly", "sympy", "networkx", "IPython", "dask", "nacl", "ot", "pandas"}


def imported(*modules):
    """What a fresh interpreter has loaded after importing modules."""
    probe = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    return set(out.stdout.split())


@pytest.mark.parametrize("part", sorted(SHELVES))
def test_every_public_module_of_a_part_is_an_attribute(root, part):
    package = importlib.import_module(f"privlib.{part}")
    names = {path.stem for path in (root / "privlib" / part).glob("[a-z]*.py")}
    offered = names - FOR_RESEARCH.get(part, set())
    unknown = offered - set(dir(package))
    stub = f"privlib/{part}/__init__.pyi"
    assert not unknown, f"add `from . import NAME as NAME` to {stub} for {sorted(unknown)}"
    assert offered == names & set(dir(package))
    assert all(getattr(package, name).__name__ == f"privlib.{part}.{name}" for name in offered)


@pytest.mark.parametrize("part", sorted(SHELVES))
def test_every_public_module_of_a_part_has_its_section_in_the_api_reference(root, part):
    page = f"book/api/{part}.md"
    text = (root / page).read_text(encoding="utf-8")
    listed = re.findall(rf"^\.\. automodule:: privlib\.{part}\.(\w+)$", text, re.MULTILINE)
    names = {path.stem for path in (root / "privlib" / part).glob("[a-z]*.py")}
    missing = sorted(names - set(listed))
    assert not missing, f"add a section with an `automodule` to {page} for {missing}"
    assert set(listed) == names, f"{page} has sections of modules that are not there"


@pytest.mark.parametrize("part", sorted(SHELVES))
def test_the_package_of_a_part_says_what_each_of_its_modules_is_for(root, part):
    package = importlib.import_module(f"privlib.{part}")
    names = {path.stem for path in (root / "privlib" / part).glob("[a-z]*.py")}
    offered = names - FOR_RESEARCH.get(part, set())
    missing = sorted(name for name in offered if f"`{name}`" not in package.__doc__)
    assert not missing, f"add a line on {missing} to the docstring of privlib/{part}/__init__.py"


@pytest.mark.parametrize("name", ["", *sorted(SHELVES), "notebook"])
def test_type_checkers_know_the_names_that_are_loaded_late(root, name):
    """The stub lists what a package offers, each name twice, by which it passes it on."""
    package = importlib.import_module(f"privlib.{name}".rstrip("."))
    stub = ast.parse((root / "privlib" / name / "__init__.pyi").read_text(encoding="utf-8"))
    homes = {}
    others = []
    for node in stub.body:
        if isinstance(node, ast.ImportFrom):
            (alias,) = node.names
            assert alias.name == alias.asname
            homes[alias.name] = node.module
        else:
            others.append(ast.unparse(node))
    # Without a list of its own, what a stub passes on is what a star import binds.
    assert others == ([] if name else ["__version__: str"])
    assert sorted(homes) == dir(package) == package.__all__
    for offered, module in homes.items():
        value = getattr(package, offered)
        if module is None:
            assert value.__name__ == f"{package.__name__}.{offered}"
        else:
            home = importlib.import_module(f"{package.__name__}.{module}")
            assert value is getattr(home, offered)


BARE = """
import importlib, inspect, pkgutil, pydoc, sys
OPTIONAL = {OPTIONAL}
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in OPTIONAL:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
import privlib
for package in [privlib, *(getattr(privlib, name) for name in dir(privlib))]:
    if not inspect.ismodule(package):
        continue
    bound = {{}}
    exec(f"from {{package.__name__}} import *", bound)
    assert set(dir(package)) == set(package.__all__) <= set(bound), package
    for name in dir(package):
        assert hasattr(package, name), name
    for shown in [package, *(value for _, value in inspect.getmembers(package))]:
        inspect.getmembers(shown)
        assert pydoc.render_doc(shown)
for found in pkgutil.walk_packages(privlib.__path__, "privlib."):
    module = importlib.import_module(found.name)
    assert pydoc.render_doc(module)
    assert isinstance(hasattr(module, "nothing of that name"), bool)
assert not OPTIONAL & {{name.partition(".")[0] for name in sys.modules}}
def message(call):
    try:
        return call() and ""
    except ImportError as error:
        return str(error)
print(message(lambda: privlib.research.private_estimators.PrivateRidge()))
print(message(lambda: privlib.research.private_estimators.PrivateLinearClassifier()))
print(message(lambda: privlib.sketch.transfer.Sender(2)))
print(message(lambda: privlib.notebook.plots.panels()))
"""

OPTIONAL = {
    "IPython", "dask", "distributed", "matplotlib", "nacl", "opendp", "ot",
    "pandas", "plotly", "pooch", "sklearn", "yaml",
}  # fmt: skip


def test_without_optional_packages_all_can_be_looked_at():
    """`hasattr`, `help`, `dir` and a star import of everything; what is missing is named in use."""
    code = BARE.format(OPTIONAL=OPTIONAL)
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert out.returncode == 0, out.stderr
    needs = [line.partition(": needs ")[2] for line in out.stdout.splitlines()]
    learning = "scikit-learn; pip install scikit-learn"
    assert needs == [
        learning, learning, "pynacl; pip install pynacl", "matplotlib; pip install matplotlib",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["", *sorted(SHELVES), "notebook"])
def test_a_star_import_binds_what_is_offered(name):
    package = importlib.import_module(f"privlib.{name}".rstrip("."))
    bound = {}
    exec(f"from {package.__name__} import *", bound)
    assert all(bound[each] is getattr(package, each) for each in dir(package))


def test_importing_pulls_in_no_plotting_and_no_algebra():
    shared = [f"privlib.notebook{name}" for name in ("", ".claims", ".interactive")]
    parts = [f"privlib.{name}" for name in SHELVES]
    assert not HEAVY & imported("privlib", *shared, *parts, "privlib.correlated.gaussian")


def test_the_package_and_its_parts_load_almost_nothing():
    names = imported("privlib")
    assert "numpy" not in names
    assert not {f"privlib.{name}" for name in SHELVES} & names
    names = imported(*(f"privlib.{name}" for name in SHELVES))
    assert not [name for name in names if name.startswith("scipy")]


def test_optimisers_are_imported_by_those_who_call_them():
    modules = ("correlated.gaussian", "correlated.finite", "location.mechanism", "laplace.erm")
    names = imported(*(f"privlib.{module}" for module in modules))
    assert not {"scipy.optimize", "scipy.stats"} & names
