"""Change one thing in what a claim rests on, and see which of its checks fail.

``python tools/mutation/mutate.py laplace`` runs the notebooks of a part without a kernel. Before
each statement with a `claim` it forks, once for each change (`operators`): of a number or an
operator in the claim's block, or in a statement that the block rests on, or of what a function of
the package returns. What depends on the change runs again, then the block, in which each check is
judged by itself: after one that fails the block goes on. First it all runs unchanged; only checks
that pass then count.

A check was *seen to fail* if a change made it fail. An error before it is reached, or within it,
says nothing about it, but the change was caught. So is one after which a step of a derivation no
longer follows; that makes its `derived` check fail. A change after which the block reads the values
that it read before is none, and not counted. A thing is changed in several ways until the claim
notices.

The totals go into ``tools/mutation/summary.json``. The exit code is 1 if a check that decides a
claim was never seen to fail.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import contextlib
import dataclasses
import gc
import hashlib
import io
import json
import math
import os
import pickle
import random
import resource
import selectors
import signal
import sys
import time
import traceback
import types
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial, wraps
from numbers import Number
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import sympy as sp

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # where the reader is

from ledger import layout
from ledger.dataflow import Flow, Site, sites
from ledger.evidence import code_cells
from operators import CHANGED, Mutant, cases_of, places, tolerances_of

from privlib import notebook as package
from privlib.notebook import claims
from privlib.notebook.claims import PARTS, CheckFailedError, claim
from privlib.notebook.derivations import StepError, derivation

ROOT = Path(__file__).resolve().parents[2]
CHECKS = ("exact", "derived", "close", "at_most", "holds", "sampled", "differs", "limit", "fails")
MEMORY = 8 << 30  # bytes; a change may ask for more than there is
# How the results of a function of the package change.
WAYS = {"factor": "off by a factor", "one": "off by one", "sign": "negated"}
CAP, MORE = 40, 96  # things to change for each claim; further changes where checks stay green


class NoChangeError(Exception):
    """A change that leaves everything as it was."""


# --- changing values ----------------------------------------------------------------------------


def changed(value: Any, how: str) -> Any:
    """Return a value with its numbers off by a factor, by one, or negated.

    Raises
    ------
    NoChangeError
        If there is no number in it.
    """
    if isinstance(value, (bool, np.bool_)):
        return not value
    if isinstance(value, Number) or type(value).__module__.startswith("sympy."):
        return _number(value, how)
    if isinstance(value, np.ndarray) and value.dtype.kind in "iufcb":
        if value.dtype.kind == "b":
            return ~value
        if how == "factor" and value.dtype.kind in "fc":
            return value * 1.05 + 1e-3
        ways = {"factor": 2 * value + (value == 0), "one": value + 1, "sign": -value}
        return (ways | {"less": value - 1 if value.dtype.kind in "iu" else value / 1.05})[how]
    if isinstance(value, np.ndarray):
        new = value.copy()
        new.flat[:] = _leaves(list(value.flat), how)
        return new
    if isinstance(value, dict):
        return dict(zip(value, _leaves(list(value.values()), how)))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*_leaves(value, how))
    if isinstance(value, (list, tuple, set, frozenset)):
        return type(value)(_leaves(list(value), how))
    if hasattr(value, "__dict__") and type(value).__module__.startswith("privlib."):
        new = object.__new__(type(value))
        for name, field in vars(value).items():
            object.__setattr__(new, name, field)
        for name, field in zip(vars(value), _leaves(list(vars(value).values()), how)):
            object.__setattr__(new, name, field)
        return new
    raise NoChangeError


def _leaves(values: Sequence[Any], how: str) -> list[Any]:
    found, any_changed = [], False
    for value in values:
        try:
            found.append(changed(value, how))
            any_changed = True
        except NoChangeError:
            found.append(value)
    if not any_changed:
        raise NoChangeError
    return found


def _number(value: Any, how: str) -> Any:
    try:
        if how == "one":
            return value + 1
        if how == "sign" and value != 0:
            return -value
        if how == "less":
            whole = isinstance(value, (int, np.integer))
            inexact = isinstance(value, (float, complex, np.inexact))
            return value - 1 if whole else value / 1.05 if inexact else value * Fraction(20, 21)
        if isinstance(value, (int, np.integer)):
            return 2 * value if value else 1
        if isinstance(value, (float, complex, np.inexact)):
            return value * 1.05 + 1e-3
        return value * Fraction(21, 20) if value != 0 else value + 1
    except TypeError:  # such as truth values and sets of sympy
        raise NoChangeError from None


def returning(function: Callable[..., Any], how: str, touched: list[bool]) -> Callable[..., Any]:
    """Return a function whose numeric results are changed."""

    @wraps(function)
    def wrapper(*arguments: Any, **named: Any) -> Any:
        result = function(*arguments, **named)
        if isinstance(result, (types.FunctionType, types.MethodType)):
            return returning(result, how, touched)
        return _or_same(result, how, touched)

    return wrapper


def _or_same(value: Any, how: str, touched: list[bool]) -> Any:
    """Return a changed value and note that there was one, or the same."""
    try:
        value = changed(value, how)
        touched.append(True)
    except NoChangeError:
        pass
    return value


def fingerprint(value: Any, names: Mapping[str, Any]) -> str:
    """Return a digest of a value; of functions their code, for `names` are looked at apart."""
    if isinstance(value, types.ModuleType):
        return value.__name__
    if isinstance(value, types.FunctionType) and value.__globals__ is names:
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        inside = [fingerprint(v, names) for v in (value.__defaults__, value.__kwdefaults__, *cells)]
        return _written(value.__code__) + "".join(inside)
    if isinstance(value, dict):
        value = [*value.items()]
    if isinstance(value, (list, tuple)) and not all(isinstance(v, (int, float)) for v in value):
        return f"[{' '.join(fingerprint(v, names) for v in value)}]"
    try:
        return hashlib.sha256(pickle.dumps(value)).hexdigest()
    except Exception:  # noqa: BLE001  (whatever a value raises that cannot be written)
        text = repr(value)
        return f"? {time.perf_counter_ns()}" if " at 0x" in text else text


def _written(code: types.CodeType) -> str:
    inner = [_written(c) if isinstance(c, types.CodeType) else repr(c) for c in code.co_consts]
    return repr((code.co_code, code.co_names, code.co_varnames, inner))


# --- judging checks one by one ---------------------------------------------------------------


class Judge:
    """Notes what came out of every check, and lets blocks go on after one that fails.

    Attributes
    ----------
    checks : dict of claim id to dict of place to dict
        Place: line of the notebook and how often it was there before. Of each check the outcome
        (``"green"``, ``"red"``, ``"error"``), its side, text, whether it is
        decisive, and, if it rests on a derivation, that one's number.
    errors : dict of claim id to str
        Blocks that ended in an error.
    broken : list of str
        Derivations that broke.
    """

    def __init__(self) -> None:
        self.checks: dict[str, dict[str, dict[str, Any]]] = {}
        self.errors: dict[str, str] = {}
        self.broken: list[str] = []

    def install(self, names: dict[str, Any], wanted: str) -> None:
        """Take the place of the checks in this process; of tables keep the wanted row alone."""
        for name in CHECKS:
            setattr(claim, name, self._judged(name, getattr(claim, name)))
        judge, original = self, claims.misprints

        def leave(c: claim, kind: Any, error: Any, _trace: Any) -> bool:
            judge.checks.setdefault(c.id, {})
            if kind is not None:
                judge.errors[c.id] = f"{kind.__name__}: {error}"
            return kind is not None and issubclass(kind, Exception)

        def some(rows: Sequence[Any]) -> Any:
            return original([row for row in rows if not wanted or row[0] == wanted])

        for name, relation in (("equal", "="), ("at_most", r"\le"), ("at_least", r"\ge")):
            setattr(derivation, name, self._stepping(getattr(derivation, name), relation))
        claim.__exit__ = leave  # type: ignore[assignment, method-assign]
        claims.show = lambda *_, **__: None
        package.misprints = some
        for name, value in list(names.items()):
            if value is original:
                names[name] = some

    def _stepping(self, method: Callable[..., Any], relation: str) -> Callable[..., Any]:
        """Note a step that does not follow, and let the derivation go on."""

        def step(chain: derivation, expression: Any, reason: str, **named: Any) -> Any:
            try:
                return method(chain, expression, reason, **named)
            except StepError:
                self.broken.append(getattr(chain, "number", ""))
                return chain._add(relation, sp.sympify(expression), reason)  # type: ignore[arg-type]

        return step

    def _judged(self, name: str, method: Callable[..., Any]) -> Callable[..., None]:
        def check(c: claim, *arguments: Any, **named: Any) -> None:
            found = self.checks.setdefault(c.id, {})
            at = _line()
            place = f"{at} {sum(key.startswith(f'{at} ') for key in found)}"
            outcome = "green"
            try:
                method(c, *arguments, **named)
            except CheckFailedError:
                outcome = "red"
            except Exception:  # noqa: BLE001  (a type that a check refuses, for instance)
                outcome = "error"
            if outcome != "green":
                c._add("supports", "exact", "")
            last = c._checks[-1]
            found[place] = {
                "outcome": outcome, "side": last.side, "text": last.text, "decisive": last.decisive,
                "derivation": getattr(arguments[0], "number", "") if name == "derived" else "",
            }  # fmt: skip

        return check


def _line() -> str:
    """Return the cell and line of the notebook that is running."""
    frame = sys._getframe(1)
    while frame.f_back is not None and not frame.f_code.co_filename.startswith("<cell "):
        frame = frame.f_back
    return f"{frame.f_code.co_filename} {frame.f_lineno}"


def _calls(called: set[str]) -> Callable[..., None]:
    """Return a trace that notes which functions of the notebook are called, by their lines."""

    def trace(frame: types.FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith("<cell "):
            called.add(f"{frame.f_code.co_filename} {frame.f_code.co_firstlineno}")

    return trace


def _number_derivations(running: list[int]) -> None:
    """Give derivations numbers: the statement that makes them, and how many it made before."""
    made: dict[int, int] = {}
    begin = derivation.__init__

    @wraps(begin)
    def init(self: derivation, *arguments: Any, **named: Any) -> None:
        where = running[-1]
        self.number = f"{where} {made.get(where, 0)}"  # type: ignore[attr-defined]
        made[where] = made.get(where, 0) + 1
        begin(self, *arguments, **named)

    derivation.__init__ = init  # type: ignore[method-assign]


# --- one process for each change ------------------------------------------------------------------


def forked(
    jobs: Iterable[tuple[Any, Callable[[], Any], float]], parallel: int, *, quiet: bool = True
) -> Iterator[tuple[Any, Any]]:
    """Run each job in a fork of this process; yield what it returned, ``None`` if it hung or died.

    Parameters
    ----------
    jobs : iterable of (key, job, limit)
        `job` returns what JSON can say, within `limit` seconds of a processor.
    parallel : int
        How many at a time.
    quiet : bool, optional
        Whether to drop what they print.

    Raises
    ------
    RuntimeError
        If a job raises.
    """
    waiting, running = iter(jobs), selectors.DefaultSelector()
    more = True
    while more or running.get_map():
        while more and len(running.get_map()) < parallel:
            try:
                key, job, limit = next(waiting)
            except StopIteration:
                more = False
                break
            out, into = os.pipe()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # forking beside threads that only wait
                child = os.fork()
            if not child:
                os.close(out)
                limits = {resource.RLIMIT_CPU: int(limit) + 1, resource.RLIMIT_AS: MEMORY}
                _report(job, into, limits if quiet else {})
            os.close(into)
            deadline = time.monotonic() + 60 + 20 * limit  # for what waits without computing
            running.register(out, selectors.EVENT_READ, [key, child, deadline, b""])
        if not running.get_map():  # nothing to wait for
            return
        for ready, _ in running.select(timeout=0.5):
            told = os.read(ready.fd, 1 << 16)
            ready.data[3] += told
            if not told:
                yield ready.data[0], _ended(running, ready)
        for entry in list(running.get_map().values()):
            if time.monotonic() > entry.data[2]:
                os.kill(entry.data[1], signal.SIGKILL)
                entry.data[3] = b""
                yield entry.data[0], _ended(running, entry)


def _report(job: Callable[[], Any], into: int, limits: Mapping[int, int]) -> None:
    """Run a job in a fork, write what it returns, end."""
    try:
        for what, limit in limits.items():
            resource.setrlimit(what, (limit, resource.getrlimit(what)[1]))
        with contextlib.ExitStack() as stack:
            if limits:
                stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
                stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
            told = {"result": job()}
    except BaseException:  # noqa: BLE001  (the other process raises it)
        told = {"raised": traceback.format_exc()}
    try:
        left = json.dumps(told).encode()
        while left:
            left = left[os.write(into, left) :]
    finally:
        os._exit(0)


def _ended(running: selectors.BaseSelector, entry: selectors.SelectorKey) -> Any:
    running.unregister(entry.fileobj)
    os.close(entry.fd)
    os.waitpid(entry.data[1], 0)
    told = json.loads(entry.data[3]) if entry.data[3] else {"result": None}
    if "raised" in told:
        raise RuntimeError(told["raised"])
    return told["result"]


# --- a notebook -----------------------------------------------------------------------------------


@dataclasses.dataclass
class Finding:
    """What became of the changes for one claim, in one or several notebooks."""

    checks: dict[str, dict[str, Any]] = dataclasses.field(default_factory=dict)
    failed: set[str] = dataclasses.field(default_factory=set)
    tried: int = 0
    caught: int = 0
    survivors: list[str] = dataclasses.field(default_factory=list)

    def add(self, notebook: str, data: Mapping[str, Any]) -> None:
        """Add what was found in a notebook."""
        self.checks |= {f"{notebook} {place}": c for place, c in data["checks"].items()}
        self.failed |= {f"{notebook} {place}" for place in data["failed"]}
        self.tried += data["tried"]
        self.caught += data["caught"]
        self.survivors += data["survivors"]

    def told(self) -> dict[str, Any]:
        """Return all that was found in a form that JSON can say."""
        return {**vars(self), "failed": sorted(self.failed)}

    def decisive(self) -> list[str]:
        """Return the checks that decide the claim.

        Those that are marked, a lone support, whatever shows that the printed form differs. Where
        none of several supports is marked, each counts.
        """
        supports = [p for p, check in self.checks.items() if check["side"] == "supports"]
        marked = [p for p in supports if self.checks[p]["decisive"]] or supports
        return [p for p, c in self.checks.items() if p in marked or c["side"] == "differs"]

    def never_failed(self) -> list[str]:
        """Return the decisive checks that were never seen to fail."""
        return [place for place in self.decisive() if place not in self.failed]

    def to_dict(self) -> dict[str, Any]:
        """Return the totals, the decisive checks that never failed, the changes that survived."""
        decisive, never_failed = self.decisive(), self.never_failed()
        return {
            "decisive": len(decisive),
            "seen_to_fail": len(decisive) - len(never_failed),
            "changed": self.tried,
            "caught": self.caught,
            "never_failed": [self.checks[place]["text"] for place in never_failed],
            # Changes that run side by side end in any order.
            "survivors": sorted(self.survivors),
        }


class Mutator:
    """Runs a notebook, and changes what its claims rest on.

    Parameters
    ----------
    path : Path
        The ``.ipynb`` file.
    parallel : int
        Processes at a time.
    only : collection of str, optional
        These claims alone; all if it is empty.
    cap, more : int, optional
        Changes for each claim, and further ones for decisive checks that stayed green.
    """

    def __init__(
        self, path: Path, *, parallel: int = 2, only: Collection[str] = (), cap: int = CAP,
        more: int = MORE,
    ) -> None:  # fmt: skip
        text = path.read_text(encoding="utf-8")
        cells = code_cells(nbformat.reads(text, as_version=4).cells)
        self.path, self.only, self.parallel, self.limits = path, only, parallel, (cap, more)
        self.codes = [cell.source for cell in cells]
        self.lines = [code.splitlines() for code in self.codes]
        self.flow = Flow(self.codes)
        self.cases, self.tolerances = cases_of(self.flow), tolerances_of(self.flow)
        module = types.ModuleType("__main__")
        self.names = vars(module)
        self.names["__builtins__"] = builtins
        self.running = [0]
        self.readers: dict[Site, dict[str, set[int]]] = {}
        self.found: dict[str, Finding] = {}

    def run(self) -> dict[str, Finding]:
        """Run the notebook, change what every claim rests on; return what was found."""
        places_of: dict[int, list[Site]] = {}
        for site in sites(self.flow):
            if not self.only or site.claim_id in ("", *self.only):
                places_of.setdefault(site.end, []).append(site)
        last = max(places_of, default=-1)
        shown = ("plt.show(", "interactive.show(")  # pictures: only what others need of them
        kept = {
            s.index
            for s in self.flow.statements
            if s.index in places_of or not any(w in self.codes[s.cell - 1] for w in shown)
        }
        kept |= set().union(*(self.flow.slice(index) for index in kept))
        for statement in self.flow.statements[: last + 1]:
            for site in places_of.get(statement.index, ()):
                self.change(site)
            if statement.index not in kept:
                continue
            with contextlib.redirect_stdout(io.StringIO()):
                self.execute(statement.index)
        return self.found

    def told(self) -> dict[str, Any]:
        """Run in the notebook's folder and return what was found in a form that JSON can say."""
        os.chdir(self.path.parent)
        _number_derivations(self.running)
        warnings.simplefilter("ignore")
        self.run()
        return {i: finding.told() for i, finding in self.found.items()}

    def execute(self, index: int) -> None:
        """Run a statement."""
        statement = self.flow.statements[index]
        self.running[-1] = index
        module = ast.Module([statement.tree], [])
        # Lines of the cell, so that errors and checks name them.
        exec(compile(module, f"<cell {statement.cell}>", "exec"), self.names)

    # One claim ------------------------------------------------------------------------------------

    def trial(self, site: Site, again: Sequence[int], mutant: Mutant | None) -> dict[str, Any]:
        """Run the claim's block in this process, after what has to run again before it."""
        judge, touched = Judge(), [True]
        judge.install(self.names, site.claim_id)
        called: set[str] = set()
        if mutant is None:
            sys.settrace(_calls(called))
        elif mutant.apply is None:
            touched = self.patch(*mutant.target)
        else:
            touched = [mutant.kind != "reading"]
            self.names[CHANGED] = lambda value, how: _or_same(value, how, touched)
            mutant.apply()
        told: dict[str, Any] = {"error": "", "reads": ""}
        try:
            for index in again:
                self.execute(index)
        except Exception as error:  # noqa: BLE001  (whatever a changed statement raises)
            told["error"] = f"{type(error).__name__}: {error}"[:200]
        if not told["error"]:
            read = self.flow.setters(site.owner, site.own)
            prints = [fingerprint(self.names.get(name), self.names) for name in sorted(read)]
            told["reads"] = hashlib.sha256("".join(prints).encode()).hexdigest()
            judge.checks.clear()  # of other claims that ran again
            judge.errors.clear()
            try:
                self.execute(site.end)
            except Exception as error:  # noqa: BLE001
                told["error"] = f"{type(error).__name__}: {error}"[:200]
        sys.settrace(None)
        return told | {
            "none": not any(touched), "called": sorted(called), "seconds": time.process_time(),
            "checks": judge.checks, "errors": judge.errors, "broken": judge.broken,
        }  # fmt: skip

    def patch(self, name: str, how: str) -> list[bool]:
        """Let a function or a method of the package return changed results."""
        touched: list[bool] = []
        owner, last = self._owner(name)
        if owner is None:
            self.names[last] = returning(self.names[last], how, touched)
            return touched
        old = vars(owner).get(last, getattr(owner, last))
        if isinstance(old, property):
            assert old.fget is not None
            new: Any = property(returning(old.fget, how, touched))
        elif isinstance(old, (staticmethod, classmethod)):
            new = type(old)(returning(old.__func__, how, touched))
        else:
            new = returning(old, how, touched)
        setattr(owner, last, new)
        return touched

    def _owner(self, name: str) -> tuple[Any, str]:
        """Return the module or class that an attribute is of, ``None`` for the notebook's names."""
        first, _, rest = name.partition(".")
        if not rest:
            return None, first
        if ":" in name:  # module:Class.method
            module, _, path = name.partition(":")
            kind, _, last = path.partition(".")
            return getattr(sys.modules[module], kind), last
        owner = self.names[first]
        *middle, last = rest.split(".")
        for step in middle:
            owner = getattr(owner, step)
        return owner, last

    def functions(self, site: Site) -> dict[str, set[int]]:
        """Return the functions of the package that a claim rests on, with who reads them.

        And the methods, of classes beside those functions, whose names occur.
        """
        if site in self.readers:
            return self.readers[site]
        found = self.readers[site] = {}
        for index in sorted(site.within | {site.owner}):
            whole = site.own if index == site.owner else None
            for dotted in sorted(self.flow.dotted(index, whole)):
                for name in self._targets(dotted, site):
                    found.setdefault(name, set()).add(index)
        return found

    def _targets(self, dotted: str, site: Site) -> list[str]:
        first, *rest = dotted.split(".")
        value, name = self.names.get(first), first
        while rest and isinstance(value, types.ModuleType):
            name = f"{name}.{rest[0]}"
            value = getattr(value, rest.pop(0), None)
        module = getattr(value, "__module__", "") or ""
        ours = module.startswith("privlib.") and not module.startswith("privlib.notebook")
        if not ours or isinstance(value, types.ModuleType):
            return []
        trees = [self.flow.statements[i].tree for i in (*site.within, site.end)]
        used = {n.attr for t in trees for n in ast.walk(t) if isinstance(n, ast.Attribute)}
        methods = [
            f"{module}:{kind.__name__}.{method}"
            for kind in vars(sys.modules[module]).values()
            if isinstance(kind, type) and kind.__module__ == module
            for method, function in vars(kind).items()
            if (method in used or method == "__call__")
            and isinstance(function, (types.FunctionType, property, staticmethod, classmethod))
        ]
        return methods if isinstance(value, type) else [name, *methods]

    def things(self, site: Site, decisive: set[str]) -> list[list[Mutant]]:
        """Return what can be changed for a claim, each thing with its changes.

        Two of the block, one function of the package, one of what comes before, and so on.
        """
        chance = random.Random(f"{self.path.stem} {site.claim_id} {site.end}")
        checks: list[list[Mutant]] = []
        block: list[list[Mutant]] = []
        before: list[list[Mutant]] = []
        for index in sorted(site.within | {site.owner}):
            statement = self.flow.statements[index]
            tree = site.own if index == site.owner else ast.Module([statement.tree], [])
            spans = [
                (node.lineno, node.end_lineno or node.lineno)
                for node in ast.walk(tree)
                if isinstance(node, ast.stmt)
                and f"<cell {statement.cell}> {node.lineno}" in decisive
            ]
            for line, made in places(tree, index, self.cases, self.tolerances):
                if any(start <= line <= end for start, end in spans):
                    checks.append(made)
                else:
                    (block if index == site.owner or spans else before).append(made)
        library = [
            [
                Mutant("library", min(readers), 0, f"{shown} {text}", None, (name, how))
                for how, text in WAYS.items()
            ]
            for name, readers in self.functions(site).items()
            for shown in [name.rpartition(":")[2]]
        ]
        for group in (checks, block, library):
            chance.shuffle(group)
        before.sort(key=self._lot)  # the same for all claims, so that they try the same
        rows = [[*checks, *block], library, before]
        mixed: list[list[Mutant]] = []
        while any(rows):
            mixed += rows[0][:2] + rows[1][:1] + rows[2][:1]
            rows = [rows[0][2:], rows[1][1:], rows[2][1:]]
        return mixed

    def _lot(self, made: list[Mutant]) -> str:
        place = f"{self.path.stem} {made[0].where} {made[0].line} {made[0].column}"
        return hashlib.sha256(place.encode()).hexdigest()

    def again(self, site: Site, mutant: Mutant) -> tuple[int, ...]:
        """Return what has to run again for a change."""
        start = {mutant.where} if mutant.apply else self.functions(site)[mutant.target[0]]
        return tuple(self.flow.rerun(start - {site.end}, site.within, site.end))

    def change(self, site: Site) -> None:
        """Change what a claim rests on, note which of its checks go red."""
        start = time.perf_counter()
        gc.freeze()  # what forks share stays shared
        ((_, control),) = forked([(0, lambda: self.trial(site, (), None), 3600)], 1)
        if control is None or control["error"] or control["errors"]:
            raise RuntimeError(f"{self.path.stem}: {site.claim_id or 'a claim'}: {control}")
        here = {
            claim_id: checks
            for claim_id, checks in control["checks"].items()
            if checks and (not self.only or claim_id in self.only)
        }
        red = [c for checks in here.values() for c in checks.values() if c["outcome"] != "green"]
        if red:
            raise RuntimeError(f"{self.path.stem}: red without any change: {red}")
        decisive: dict[str, set[str]] = {}
        for claim_id, checks in here.items():
            decisive[claim_id] = set(Finding(checks).decisive())
            self.found.setdefault(claim_id, Finding()).checks |= checks
        if not here:
            return
        run = Trials(self, site, here, control)
        lines = {place.rpartition(" ")[0] for places in decisive.values() for place in places}
        things = self.things(site, lines)
        cap, more = self.limits
        while things and run.tried < cap:
            size = cap - run.tried
            run.mutate(things[:size])
            things = things[size:]
        extra = [m for thing in (*run.left, *things) for m in thing]
        turns: Counter[tuple[int, int, int]] = Counter()
        turn = {}  # which change of its place it is
        for mutant in extra:
            at = mutant.where, mutant.line, mutant.column
            turn[mutant] = turns[at]
            turns[at] += 1
        while extra and more > 0:
            green = {p for i, places in decisive.items() for p in places - self.found[i].failed}
            if not green:
                break
            rows = [
                sorted(extra, key=lambda m: self.above(m, check) + 3 * turn[m])
                for check in sorted(green)
            ]
            extra = list(dict.fromkeys(mutant for several in zip(*rows) for mutant in several))
            run.mutate([[mutant] for mutant in extra[:16]], store=False)
            extra, more = extra[16:], more - 16
        for claim_id in here:
            finding = self.found[claim_id]
            never_failed = "".join(
                f"\n      never red: {finding.checks[p]['text']}" for p in finding.never_failed()
            )
            print(
                f"  {claim_id:10s} {len(finding.decisive()):3d} decisive, {finding.tried:3d} tried,"
                f" {finding.caught:3d} caught, {time.perf_counter() - start:5.1f} s{never_failed}",
                flush=True,
            )

    def above(self, mutant: Mutant, check: str) -> float:
        """Return by how many lines a change stands above a check; infinite if it does not."""
        cell, line, _ = check.rsplit(" ", 2)
        lines = int(line) - mutant.line
        here = cell == f"<cell {self.flow.statements[mutant.where].cell}>" and lines >= 0
        return lines if here else math.inf

    def place(self, mutant: Mutant) -> str:
        """Say where a change is: notebook, cell, line."""
        statement = self.flow.statements[mutant.where]
        line = mutant.line or statement.tree.lineno
        text = self.lines[statement.cell - 1][line - 1].strip()
        return f"{self.path.stem}, cell {statement.cell}: {text}"


class Trials:
    """The changes for one claim, or for the claims of one block with computed ids."""

    def __init__(
        self, mutator: Mutator, site: Site, here: Mapping[str, Any], control: Mapping[str, Any]
    ) -> None:
        self.mutator, self.site, self.here = mutator, site, here
        self.controls: dict[tuple[int, ...], Any] = {(): control}
        self.tried = 0
        self.left: list[list[Mutant]] = []

    def mutate(self, things: Sequence[list[Mutant]], *, store: bool = True) -> None:
        """Change each thing in one way after the other, until the checks of all claims notice."""
        noticed: dict[int, set[str]] = {}
        changes: dict[int, list[Mutant]] = {}
        for depth in range(max(map(len, things))):
            open_things = {
                mutant: k
                for k, thing in enumerate(things)
                if noticed.get(k, set()) < set(self.here) or not store
                for mutant in thing[depth : depth + 1]
            }
            for mutant, caught in self.run(list(open_things)):
                if caught is not None:
                    noticed.setdefault(open_things[mutant], set()).update(caught)
                    changes.setdefault(open_things[mutant], []).append(mutant)
        if not store:
            return
        self.tried += len(changes)
        self.left += [
            [m] for k, thing in enumerate(things) for m in thing if m not in changes.get(k, ())
        ]
        for k, tried in changes.items():
            for claim_id in self.here:
                finding = self.mutator.found[claim_id]
                finding.tried += 1
                finding.caught += claim_id in noticed[k]
                if claim_id not in noticed[k]:
                    told = "; ".join(mutant.change for mutant in tried)
                    where = self.mutator.place(tried[0])
                    finding.survivors.append(f"{where}: {told}")

    def run(self, mutants: Sequence[Mutant]) -> Iterator[tuple[Mutant, set[str] | None]]:
        """Try changes; yield the claims that notice each, ``None`` if it changes nothing here."""
        trial = self.mutator.trial
        again = {mutant: self.mutator.again(self.site, mutant) for mutant in mutants}
        new = set(again.values()) - set(self.controls)
        controls = [(r, partial(trial, self.site, r, None), 3600.0) for r in new]
        self.controls |= dict(forked(controls, self.mutator.parallel))
        jobs = []
        for mutant, run in again.items():
            usual = (self.controls[run] or {"seconds": 0.0})["seconds"]
            job = partial(trial, self.site, run, mutant)
            jobs.append((mutant, job, 5 + 5 * usual))
        for mutant, told in forked(jobs, self.mutator.parallel):
            yield mutant, self.noticed(mutant, told, self.controls[again[mutant]])

    def noticed(self, mutant: Mutant, told: Any, expected: Any) -> set[str] | None:
        """Return the claims that notice a change, and note their checks that went red."""
        if told is not None and told["none"]:
            return None
        if expected is None or expected["error"] or expected["errors"]:
            return None  # what ran again does not even run unchanged
        statement, site = self.mutator.flow.statements[mutant.where], self.site
        if mutant.inside and f"<cell {statement.cell}> {mutant.inside}" not in expected["called"]:
            return None  # a function that nothing calls here
        if mutant.apply:
            block = mutant.where == site.owner
        else:
            block = site.owner in self.mutator.functions(site)[mutant.target[0]]
        ran = told is not None and not told["error"]
        if ran and not block and told["reads"] == expected["reads"]:
            return None  # nothing that the block reads has changed
        caught = set()
        for claim_id in self.here:
            finding = self.mutator.found[claim_id]
            checks = expected["checks"].get(claim_id, {})
            green = {p for p, c in checks.items() if c["outcome"] == "green"}
            now = told["checks"].get(claim_id, {}) if told else {}
            red = {p for p in green if p in now and now[p]["outcome"] == "red"}
            broken = set(told["broken"]) if told else set()
            red |= {p for p in green if checks[p]["derivation"] in broken}
            if not mutant.idle:
                finding.failed |= red & set(finding.checks)
            error = told is None or told["error"] or claim_id in told["errors"] or broken
            if red or error or any(p in now and now[p]["outcome"] == "error" for p in green):
                caught.add(claim_id)
        return caught


# --- a part ---------------------------------------------------------------------------------------


def mutate_part(
    part: str, root: Path = ROOT, *, parallel: int = 2, only: Collection[str] = (), cap: int = CAP
) -> dict[str, dict[str, Any]]:
    """Mutate what every claim of a part, or some, rests on; return what was found by claim."""
    findings: dict[str, Finding] = {}
    for name in layout.names(root):
        if layout.part_of(name) != part:
            continue
        path = root / f"{name}.ipynb"
        mutator = Mutator(path, parallel=parallel, only=only, cap=cap)
        if only and not {site.claim_id for site in sites(mutator.flow)} & {"", *only}:
            continue
        print(path.relative_to(root), flush=True)
        # In a process of its own: what notebooks and changes do to modules ends with it.
        ((_, shown),) = forked([(0, mutator.told, 24 * 3600)], 1, quiet=False)
        if shown is None:
            raise RuntimeError(f"{path.stem}: its process died")
        for claim_id, data in shown.items():
            findings.setdefault(claim_id, Finding()).add(path.stem, data)
    return {claim_id: finding.to_dict() for claim_id, finding in findings.items()}


def summary(claims: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the totals of a part and the decisive checks that were never seen to fail."""
    totals: dict[str, Any] = {
        key: sum(claim[key] for claim in claims.values())
        for key in ("decisive", "seen_to_fail", "changed", "caught")
    }
    never = [f"{i}: {text}" for i, claim in claims.items() for text in claim["never_failed"]]
    return {"claims": len(claims), **totals, "never_failed": never}


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("part", choices=tuple(PARTS.values()), help="make mutate PART=laplace")
    parser.add_argument("--claim", default="", help="this claim alone: print all, store nothing")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--cap", type=int, default=CAP, help="changes for each claim")
    options = parser.parse_args(arguments)
    only = {options.claim} - {""}
    claims = mutate_part(options.part, root, parallel=options.jobs, only=only, cap=options.cap)
    if only and not claims:
        parser.error(f"no notebook of {options.part} checks {options.claim}")
    found = summary(claims)
    if only:
        print(json.dumps(claims, ensure_ascii=False, indent=1))
    else:
        path = root / "tools" / "mutation" / "summary.json"
        stored = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        told = {"date": time.strftime("%Y-%m-%d"), **found}
        text = json.dumps({**stored, options.part: told}, ensure_ascii=False, indent=1)
        path.write_text(text + "\n", encoding="utf-8")
    for line in found["never_failed"]:
        print(f"never red: {line}")
    print(
        f"{found['claims']} claims: {found['seen_to_fail']} of {found['decisive']} decisive checks "
        f"seen to fail; {found['changed']} changes, {found['caught']} caught"
    )
    return int(found["decisive"] > found["seen_to_fail"])


if __name__ == "__main__":
    sys.exit(main())
