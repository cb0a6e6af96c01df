"""The package as users get it: built, installed in an empty environment, tried.

The wheel asks for numpy, scipy, sympy, networkx and lazy-loader, with the extra ``notebooks`` for
what the book's notebooks use. The tests borrow those from their own environment instead of
downloading them; nothing else of that environment can be imported.
"""

from __future__ import annotations

import email
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import nbformat
import plain_notebook
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

pytestmark = pytest.mark.slow

NEEDS = {"numpy", "scipy", "sympy", "networkx", "lazy-loader"}
BOOK = {"yaml", "IPython", "matplotlib", "plotly", "pooch", "pandas", "nbformat", "sklearn"}
ADDRESS = "https://example.org/book"


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def built(root, folder, address=""):
    """Build the wheel from a copy, so that nothing is left in the working tree."""
    source = folder / "source"
    shutil.copytree(root / "privlib", source / "privlib", ignore=shutil.ignore_patterns("__pyc*"))
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(root / name, source)
    options = ["--no-deps", "--no-build-isolation", "--disable-pip-version-check", "--no-index"]
    pip = [sys.executable, "-m", "pip", "wheel", *options, str(source), "-w", str(folder)]
    run(*pip, env={**os.environ, "PRIVLIB_BOOK_URL": address})
    (wheel,) = folder.glob("privlib_book-*.whl")
    return wheel


def metadata(wheel):
    with zipfile.ZipFile(wheel) as files:
        (name,) = (name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(files.read(name))


@pytest.fixture(scope="module")
def wheel(root, tmp_path_factory):
    return built(root, tmp_path_factory.mktemp("wheel"))


def closure(requirements, extra=""):
    """Names of the packages that requirements bring with them."""
    names, waiting = set(), [(line, {extra}) for line in requirements]
    while waiting:
        line, extras = waiting.pop()
        asked = Requirement(line)
        if asked.marker and not any(asked.marker.evaluate({"extra": e}) for e in {"", *extras}):
            continue
        name = canonicalize_name(asked.name)
        known = names.issuperset({name, *(f"{name}[{e}]" for e in asked.extras)})
        names |= {name, *(f"{name}[{e}]" for e in asked.extras)}
        lines = requirements if name == "privlib-book" else distribution(name).requires or ()
        waiting += [] if known else [(one, asked.extras) for one in lines]
    return {name for name in names if "[" not in name} - {"privlib-book"}


def environment(wheel, home, extra=""):
    """Make an environment with the wheel and what it asks for, nothing else."""
    venv.create(home)
    scheme = "nt" if os.name == "nt" else "posix_prefix"
    paths = sysconfig.get_paths(scheme, vars={"base": str(home), "platbase": str(home)})
    packages = Path(paths["purelib"])
    with zipfile.ZipFile(wheel) as files:
        files.extractall(packages)  # what pip does with a wheel of pure Python
    for name in closure(metadata(wheel).get_all("Requires-Dist"), extra):
        for path in {Path(file.parts[0]) for file in distribution(name).files}:
            source = Path(distribution(name).locate_file(path))
            # Several packages may share a folder, such as sphinxcontrib.
            if source.exists() and ".." not in path.parts and not (packages / path).exists():
                (packages / path).symlink_to(source)
    return Path(paths["scripts"]) / ("python.exe" if os.name == "nt" else "python")


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    """An environment with the wheel and what it needs, nothing else."""
    return environment(wheel, tmp_path_factory.mktemp("empty"))


def alone(python, code, folder):
    """Run code away from the working tree, in the environment's own interpreter."""
    settings = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return run(str(python), "-c", code, cwd=folder, env=settings)


def test_it_asks_for_five_packages_and_nothing_of_the_book(wheel):
    asked = metadata(wheel).get_all("Requires-Dist")
    always = {re.match(r"[\w-]+", line)[0] for line in asked if "extra ==" not in line}
    assert always == NEEDS


def test_type_checkers_find_what_is_loaded_late(root, wheel):
    stubs = {path.relative_to(root).as_posix() for path in root.glob("privlib/**/*.pyi")}
    assert stubs
    with zipfile.ZipFile(wheel) as files:
        assert stubs | {"privlib/py.typed"} <= set(files.namelist())


def test_its_version_is_that_of_the_package_and_of_the_citation(root, wheel):
    import privlib

    cited = re.search(r"^version: (.*)$", (root / "CITATION.cff").read_text(), re.MULTILINE)
    assert metadata(wheel)["Version"] == privlib.__version__ == cited[1].strip('"')


def test_the_extra_notebooks_takes_what_hosted_notebooks_hold(wheel):
    """Colab's IPython, which must not be upgraded there."""
    asked = [Requirement(line) for line in metadata(wheel).get_all("Requires-Dist")]
    held = [r for r in asked if r.name == "ipython" and r.marker.evaluate({"extra": "notebooks"})]
    assert held
    assert all(requirement.specifier.contains("7.34.0") for requirement in held)


def test_it_names_the_address_of_the_book_only_where_one_is_set(root, wheel, tmp_path):
    without, given = metadata(wheel), metadata(built(root, tmp_path, ADDRESS))
    assert without["Project-URL"] is None
    assert given["Project-URL"] == f"Book, {ADDRESS}"
    assert f"({ADDRESS}/_static/cover.png)" in given.get_payload()
    for text in (without.get_payload(), given.get_payload()):
        assert "Two commands" in text
        assert not re.search(r"\]\((?!https?://)", text)


def test_the_example_of_the_readme_runs(root, python, tmp_path):
    readme = (root / "README.md").read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    assert examples
    for example in examples:
        if extra := re.search(r'with the extra "(\w+)"', example):
            code = f"try:\n    exec({example!r})\nexcept ImportError as error:\n    print(error)"
            assert "; pip install " in alone(python, code, tmp_path), extra[1]
        else:
            alone(python, example, tmp_path)


def test_what_stands_beside_modules_is_in_the_wheel(root, wheel):
    files = {p for p in (root / "privlib").rglob("*.*") if p.suffix not in (".py", ".pyc")}
    with zipfile.ZipFile(wheel) as packed:
        assert {p.relative_to(root).as_posix() for p in files} <= set(packed.namelist())


def test_a_downloaded_notebook_checks_answers(python, tmp_path):
    code = """
import sys
from privlib.notebook import check
check("lap-01-group", ...)
check("lap-01-group", "k * eps")
check("lap-01-group", lambda k, eps: __import__("math").exp(k * eps))
print(*sys.modules)
"""
    first, second, third, modules = alone(python, code, tmp_path).splitlines()
    assert first.startswith("No answer yet. Wanted: the factor for a family of k (a formula in k,")
    assert second.startswith("Not yet. Hint: ")
    assert third == "Right."
    assert not BOOK & set(modules.split())


def test_every_part_can_be_imported_and_brings_nothing_of_the_book(python, tmp_path):
    code = """
import pkgutil, sys, importlib, privlib
assert "site-packages" in privlib.__file__, privlib.__file__
parts = [m.name for m in pkgutil.iter_modules(privlib.__path__) if m.ispkg and m.name != "notebook"]
for part in parts:
    module = importlib.import_module(f"privlib.{part}")
    for found in pkgutil.iter_modules(module.__path__):
        importlib.import_module(f"privlib.{part}.{found.name}")  # also what has optional needs
print(*parts, "|", *sys.modules)
"""
    parts, _, modules = alone(python, code, tmp_path).partition("|")
    assert set(parts.split()) == {
        "laplace", "correlated", "disclosure", "location", "sketch", "research",
    }  # fmt: skip
    assert not BOOK & set(modules.split())


RUN = """
import sys, nbformat, privlib
from nbclient import NotebookClient
assert "site-packages" in privlib.__file__, privlib.__file__
notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, kernel_name="python3", timeout=None).execute()
print(sys.argv[1], sum(len(cell.get("outputs", ())) for cell in notebook.cells))
"""


@pytest.mark.parametrize(
    "name",
    ["laplace/02-laplace-mechanism", "correlated/02-bayesian-differential-privacy",
     "sketch/01-count-mean-sketch"],
)  # fmt: skip
def test_a_downloaded_notebook_runs_with_the_extra_notebooks(root, wheel, tmp_path, name):
    """Away from the repository, in an environment with this one extra."""
    own = environment(wheel, tmp_path / "empty", "notebooks")
    book = plain_notebook.Book(root, "", "nothing, the wheel is there")
    stored = nbformat.read(root / "notebooks" / f"{name}.ipynb", 4)
    notebook = plain_notebook.plain(stored, f"notebooks/{name}", book)
    assert notebook.cells[1].metadata.tags == ["installation"]
    del notebook.cells[1]
    nbformat.write(notebook, tmp_path / "downloaded.ipynb")
    settings = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    settings |= {"JUPYTER_DATA_DIR": str(tmp_path), "JUPYTER_RUNTIME_DIR": str(tmp_path)}
    result = run(str(own), "-c", RUN, "downloaded.ipynb", cwd=tmp_path, env=settings)
    assert int(result.split()[1]) > 0


def test_the_extra_has_what_notebooks_import(root, wheel):
    """Packages that the notebooks themselves import; the test above runs only one of them."""
    brought = closure(metadata(wheel).get_all("Requires-Dist"), "notebooks")
    called = {"sklearn": "scikit-learn", "mpl_toolkits": "matplotlib", "IPython": "ipython"}
    found = {}
    for path in (root / "notebooks").glob("*/*.py"):
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"^ *(?:import|from) (\w+)[\w. ]*", text, re.MULTILINE):
            if name not in sys.stdlib_module_names and name != "privlib":
                found[canonicalize_name(called.get(name, name))] = path.name
    assert {"numpy", "pandas"} <= set(found)
    assert not {name: file for name, file in found.items() if name not in brought}
