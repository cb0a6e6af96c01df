"""Keep the three formats of every notebook in step, and execute what is stale.

A notebook is one name with three formats: ``.md`` (MyST, what one reviews), ``.py`` (percent
script, what tools read) and ``.ipynb`` (executed, what the book shows). Edit any *one* of them;
``python tools/notebooks.py`` finds the format that disagrees with the other two, brings those in
step, and executes every notebook that is stale: its code is not the code that its stored outputs
came from, a module of `privlib` that it loaded has changed, or one of its exercises asks for
something else than it did. What an execution showed goes into the metadata of the ``.ipynb``
(`ledger.evidence`), which all pages are made from.

``--all`` executes every notebook again, ``--check`` changes nothing and fails if a format or the
evidence is out of step or a notebook is stale.

Time stamps play no part (a fresh clone scrambles them), and nothing that changes between runs is
stored: cell ids come from the cells' source, no execution timings, fixed kernel metadata. So
executing the book again leaves ``git status`` clean. The picture of the cell tagged ``cover`` is
also written to ``book/_static/cover.png``.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from pathlib import Path
from typing import Any

import jupytext
import nbformat
import pictures
import prose_numbers
import yaml
from jupytext.config import load_jupytext_configuration_file
from ledger import layout
from ledger.claims import Claim, LedgerError, claims_file, load_claims, parts, yaml_loader
from ledger.dataflow import claim_ids
from ledger.digests import code_digest, package_digests
from ledger.evidence import (
    METADATA,
    WORK,
    Evidence,
    check_calls,
    code_cells,
    extract,
    stored,
)
from ledger.evidence import notebooks as stored_notebooks
from ledger.freshness import stale as stale_evidence
from ledger.verdicts import check_ids
from nbclient import NotebookClient

from privlib.notebook import exercises
from privlib.notebook.claims import Record, shown

ROOT = Path(__file__).resolve().parent.parent
CONFIG = load_jupytext_configuration_file(str(ROOT / "jupytext.toml"))
FORMATS = {".md": "md:myst", ".py": "py:percent"}
KERNEL = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python", "file_extension": ".py", "pygments_lexer": "ipython3"},
}
# What a cell is for, but for the story that is shown: the text of the button that opens it.
ROLES = {"figure": "how it is drawn", "set-up": "the set-up"}
COVER = ROOT / "book" / "_static" / "cover.png"
DECIDES_NOTHING = {"privlib.notebook.exercises"}  # modules that no verdict rests on
CELL_TIMEOUT = 900  # seconds; guards against a hang, busy machines are slow


class OutOfStepError(Exception):
    """The formats of a notebook disagree and it is not clear which one is meant."""


LOADED = """import json, sys
print(json.dumps(sorted(m for m in sys.modules if m.partition(".")[0] == "privlib")))"""


def stems(folder: Path = ROOT / "notebooks") -> list[Path]:
    """Return every notebook as a path without suffix, in reading order."""
    return sorted(
        {
            path.with_suffix("")
            for suffix in (".md", ".py", ".ipynb")
            for path in folder.rglob(f"*{suffix}")
            if ".ipynb_checkpoints" not in path.parts
        }
    )


def file_of(stem: Path, suffix: str) -> Path:
    """Return the file of one format (slugs may contain dots, so no ``with_suffix``)."""
    return stem.parent / (stem.name + suffix)


def read(path: Path) -> Any:
    """Read a format as a notebook."""
    return jupytext.read(path, config=CONFIG)


def text(notebook: Any, suffix: str) -> str:
    """Write a notebook as one of its text formats; outputs and cell ids do not show."""
    bare = nbformat.from_dict(
        {
            "cells": [
                {
                    "cell_type": cell.cell_type,
                    "metadata": _in_order(_plain(cell)),
                    "source": cell.source,
                    **({"outputs": [], "execution_count": None} if _is_code(cell) else {}),
                }
                for cell in notebook.cells
            ],
            "metadata": {"kernelspec": KERNEL["kernelspec"], **_own(notebook.metadata)},
            "nbformat": 4,
            "nbformat_minor": 4,
        }
    )
    written: str = jupytext.writes(bare, fmt=FORMATS[suffix], config=CONFIG)
    return written.rstrip("\n") + "\n"


def _in_order(value: Any) -> Any:
    """Sort the keys of metadata, as .ipynb files have them; drop JupyterLab's mark of trust."""
    if isinstance(value, dict):
        return {key: _in_order(value[key]) for key in sorted(value) if key != "trusted"}
    return value


def role(cell: Any) -> str:
    """Return what a cell is for: figure, set-up, or story.

    Raises
    ------
    ValueError
        If it has two roles.
    """
    found = [tag for tag in cell.metadata.get("tags", ()) if tag in ROLES]
    if len(found) > 1:
        raise ValueError(f"a cell has one role, not {' and '.join(found)}: {cell.source[:60]!r}")
    return found[0] if found else "story"


def _plain(cell: Any) -> dict[str, Any]:
    """Return the metadata of a cell as the text formats have them.

    Of what a role implies they say that the cell is folded in JupyterLab, which reads it there.
    """
    metadata = dict(cell.metadata)
    if role(cell) != "story":
        metadata["tags"] = [tag for tag in metadata["tags"] if tag != "hide-input"]
        metadata["jupyter"] = {"source_hidden": True}
        folded = metadata.get("mystnb", {})
        metadata["mystnb"] = {k: v for k, v in folded.items() if not k.startswith("code_prompt")}
    return {key: value for key, value in metadata.items() if value or key != "mystnb"}


def _dressed(cell: Any) -> dict[str, Any]:
    """Return the metadata of a cell with what its role implies: folded, with a button that says so.

    In the book and in JupyterLab alike; what the cell shows stays open.
    """
    metadata, what = _plain(cell), ROLES.get(role(cell))
    if what is None:
        return metadata
    prompts = {"code_prompt_show": f"Show {what}", "code_prompt_hide": f"Hide {what}"}
    return metadata | {
        "tags": [*metadata["tags"], "hide-input"],
        "mystnb": {**metadata.get("mystnb", {}), **prompts},
    }


def _with_badges(notebook: Any, root: Path) -> Any:
    """Let the badges say what the claims say now; which verdict they show stays what it was."""
    for output in (o for cell in notebook.cells for o in cell.get("outputs", ())):
        stored = output.get("metadata", {}).get("privlib", {})
        if records := [Record.from_dict(record) for record in stored.get("claims", ())]:
            output["data"] = shown(records, table="table" in stored, folder=root)
    return notebook


def _own(metadata: Any) -> dict[str, Any]:
    return {key: metadata[key] for key in ("html_meta", "mystnb") if key in metadata}


def _is_code(cell: Any) -> bool:
    return bool(cell.cell_type == "code")


def _code(notebook: Any) -> list[str]:
    return [cell.source for cell in notebook.cells if _is_code(cell)]


def name_of(stem: Path) -> str:
    """Return the name of a notebook in the book: ``notebooks/part/NN-slug``."""
    return stem.relative_to(home(stem)).as_posix()


def short(stem: Path) -> str:
    """Return the name of a notebook in messages: ``part/NN-slug``, as `main` takes it."""
    return f"{stem.parent.name}/{stem.name}"


def home(stem: Path) -> Path:
    """Return the root of the book that a notebook belongs to."""
    folder = next(above for above in stem.parents if above.name == "notebooks")
    return folder.parent


@cache
def _forms(root: Path) -> tuple[str, ...]:
    """Return the words of the glossary."""
    path = root / "book" / "glossary.yml"
    text = path.read_text(encoding="utf-8") if path.exists() else "[]"
    terms = yaml.load(text, Loader=yaml_loader())
    return tuple(form for term in terms for form in term["ja"])


def wanted_numbers(stem: Path, notebook: Any) -> list[str]:
    """Return the sources of the numbers in a notebook's text, and of those on other pages."""
    try:
        own = prose_numbers.sources(prose_numbers.texts_of(notebook))
    except ValueError as error:
        raise OutOfStepError(f"{short(stem)}: {error}") from None
    elsewhere = prose_numbers.asked_for(home(stem), name_of(stem))
    return list(dict.fromkeys([*own, *elsewhere]))


def evidence(
    stem: Path, notebook: Any, modules: Mapping[str, str], numbers: Mapping[str, str]
) -> Evidence:
    """Return what an executed notebook showed."""
    wanted = wanted_numbers(stem, notebook)
    return extract(
        notebook.cells,
        name_of(stem),
        modules=modules,
        numbers={source: numbers[source] for source in wanted if source in numbers},
        forms=_forms(home(stem)),
    )


def renewed_evidence(stem: Path, notebook: Any) -> Evidence | None:
    """Return the stored evidence of a notebook, with its text and exercises as they are now.

    Prose and exercises may be new. Cells that are not those that ran, or ran elsewhere (nobody
    knows with what), keep the evidence as it was, which is stale.
    """
    known = stored(home(stem), name_of(stem))
    if known is None or not is_executed(notebook):
        return known
    if known.code != code_digest(cell.source for cell in code_cells(notebook.cells)):
        return known
    return evidence(stem, notebook, known.modules, known.numbers)


def changed_format(stem: Path) -> str | None:
    """Return the suffix of the format that was edited, ``None`` if all agree.

    Raises
    ------
    OutOfStepError
        If more than one format was edited.
    """
    present = [suffix for suffix in (".md", ".py", ".ipynb") if file_of(stem, suffix).exists()]
    texts = {suffix: text(read(file_of(stem, suffix)), ".md") for suffix in present}
    groups: dict[str, list[str]] = {}
    for suffix, content in texts.items():
        groups.setdefault(content, []).append(suffix)
    if len(groups) == 1:
        return None if len(present) == 3 else present[0]
    alone = [members[0] for members in groups.values() if len(members) == 1]
    if len(groups) == 2 and len(alone) == 1:
        return ".md" if alone == [".ipynb"] and as_it_ran(stem) else alone[0]
    if len(present) == 2:
        # One format is missing and the others differ: nothing says which is newer.
        raise OutOfStepError(f"{short(stem)}: {' and '.join(present)} differ; remove the older one")
    raise OutOfStepError(
        f"{short(stem)}: more than one format was edited; keep the edits of one and restore the "
        f"others, such as with `git checkout -- {name_of(stem)}.py`"
    )


def as_it_ran(stem: Path) -> bool:
    """Whether the cells of the ``.ipynb`` are those that ran, and those of the ``.md`` are not.

    Then both text formats were edited, in the same way, and not the notebook.
    """
    known = stored(home(stem), name_of(stem))
    if known is None:
        return False
    digests = []
    for suffix in (".ipynb", ".md"):
        cells = code_cells(read(file_of(stem, suffix)).cells)
        digests.append(code_digest(cell.source for cell in cells))
    return digests[0] == known.code != digests[1]


def _with_ids(notebook: Any) -> Any:
    """Give each cell an id made from its source, so that ids are stable and diffs small."""
    seen: dict[str, int] = {}
    for cell in notebook.cells:
        digest = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:12]
        seen[digest] = seen.get(digest, 0) + 1
        cell["id"] = digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"
    return notebook


def _as_ipynb(notebook: Any, shown_by_it: Evidence | None) -> str:
    """Write a notebook as the ``.ipynb`` format has it, with its evidence in its metadata."""
    metadata = {**KERNEL, **_own(notebook.metadata)}
    if shown_by_it is not None:
        metadata[METADATA] = shown_by_it.as_metadata()
    notebook.metadata = nbformat.from_dict(metadata)
    notebook.nbformat = 4
    notebook.nbformat_minor = 5
    for cell in notebook.cells:
        cell["metadata"] = nbformat.from_dict(_in_order(_dressed(cell)))
    written: str = nbformat.writes(_with_ids(notebook))
    return written.rstrip("\n") + "\n"


def formats_of(stem: Path, edited: str) -> dict[str, str]:
    """Return the contents of all formats of a notebook, as one of them has it.

    Stored outputs are kept where the code is the same.
    """
    # Once through the text form: what cannot be said there (wrapping, order of keys) is dropped.
    written = text(read(file_of(stem, edited)), ".md")
    source = jupytext.reads(written, fmt=FORMATS[".md"], config=CONFIG)
    notebook_path = file_of(stem, ".ipynb")
    if notebook_path.exists():
        old = read(notebook_path)
        if _code(old) == _code(source):
            kept = iter([cell for cell in old.cells if _is_code(cell)])
            for cell in source.cells:
                if _is_code(cell):
                    ran = next(kept)
                    cell.outputs, cell.execution_count = ran.outputs, ran.execution_count
    known = stored(home(stem), name_of(stem))
    if known is not None:
        prose_numbers.write(source, known.numbers)
    shown_by_it = renewed_evidence(stem, source)
    formats = {".ipynb": _as_ipynb(_with_badges(source, home(stem)), shown_by_it)}
    return formats | {suffix: text(source, suffix) for suffix in FORMATS}


def sync(stem: Path) -> str:
    """Bring the formats in step with the edited one; return what was done, ``""`` if nothing."""
    written = {
        suffix: file_of(stem, suffix).read_text(encoding="utf-8")
        for suffix in (".md", ".py", ".ipynb")
        if file_of(stem, suffix).exists()
    }
    formats = formats_of(stem, next(iter(written)))
    if formats == written:  # no format was edited, and to ask which one is to read all of them
        return ""
    note = ""
    if edited := changed_format(stem):
        note = f"from {edited}"
        formats = formats_of(stem, edited)
    for suffix, content in formats.items():
        if written.get(suffix) != content:
            file_of(stem, suffix).write_text(content, encoding="utf-8")
            note = note or f"{suffix} written anew"
    return note


def _digest(paths: Iterable[Path]) -> str:
    found = hashlib.sha256()
    for path in paths:
        content = path.read_bytes() if path.exists() else b"none"
        found.update(f"{path.name} {len(content)} ".encode() + content)
    return found.hexdigest()


def _state(stem: Path, tools: str) -> str:
    """Return a digest of all that `sync` reads for a notebook: if it was in step, it still is."""
    own = [file_of(stem, suffix) for suffix in (*FORMATS, ".ipynb")]
    return tools + _digest(own)


def sync_all(chosen: Sequence[Path], root: Path) -> Iterator[tuple[Path, str]]:
    """Sync notebooks, but for those that are as they were found in step; yield what was done."""
    here = Path(__file__).resolve().parent
    shared = [
        here.glob("*.py"),
        here.glob("ledger/*.py"),
        here.parent.glob("privlib/notebook/*.py"),
        root.glob("book/claims/**/*.yml"),
    ]
    rest = [root / "book" / "glossary.yml", root / "jupytext.toml", root / "requirements.txt"]
    tools = _digest([*(path for paths in shared for path in sorted(paths)), *rest])
    store = root / "_build" / "in-step.json"
    known = json.loads(store.read_text(encoding="utf-8")) if store.exists() else {}
    for stem in chosen:
        if known.get(name_of(stem)) != _state(stem, tools):
            if note := sync(stem):
                yield stem, note
            known[name_of(stem)] = _state(stem, tools)
    store.parent.mkdir(exist_ok=True)
    store.write_text(json.dumps(known, indent=1), encoding="utf-8")


def is_executed(notebook: Any) -> bool:
    """Whether every code cell has run, in order, from a fresh kernel, without an error."""
    cells = [cell for cell in notebook.cells if _is_code(cell) and cell.source.strip()]
    in_order = [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    clean = all(o.output_type != "error" for cell in cells for o in cell.outputs)
    return in_order and clean


def run(stem: Path) -> tuple[Any, dict[str, str], dict[str, str], float]:
    """Execute a notebook without storing it.

    Returns
    -------
    (notebook, modules, numbers, seconds)
        With its outputs; the modules of `privlib` that it loaded, with the digests of their code;
        the values of the numbers in its text.
    """
    path = file_of(stem, ".ipynb")
    notebook = read(path)
    wanted = wanted_numbers(stem, notebook)
    notebook.cells.append(nbformat.v4.new_code_cell(LOADED))
    notebook.cells.append(nbformat.v4.new_code_cell(prose_numbers.evaluation(wanted)))
    before = package_digests(home(stem))
    start = time.perf_counter()
    client = NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT,
        kernel_name="python3",
        record_timing=False,
        extra_arguments=["--log-level=40"],  # the kernel's remarks on its transport are no news
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    seconds = time.perf_counter() - start
    for cell in notebook.cells:
        _join_streams(cell)
    numbers = prose_numbers.values_of(notebook.cells.pop().outputs[-1].text)
    loaded = json.loads(notebook.cells.pop().outputs[-1].text)
    after = package_digests(home(stem))
    # A module that changed meanwhile has no digest, so that the notebook stays stale.
    same = {}
    for module in sorted(set(loaded) - DECIDES_NOTHING):
        unchanged = before.get(module) == after.get(module)
        same[module] = before.get(module, "") if unchanged else "changed"
    return notebook, same, numbers, seconds


def execute(stem: Path) -> float:
    """Execute a notebook in place and store its evidence; return the seconds it took.

    Raises
    ------
    ValueError
        If an exercise does not accept what its own solution computed.
    """
    notebook, modules, numbers, seconds = run(stem)
    if labels := other_exercises(notebook):
        raise ValueError(
            f"the check does not accept what the solution computed: {', '.join(labels)}; "
            "mend the solution, or the answer in privlib/notebook/exercises.json"
        )
    pictures.spare(notebook)
    pictures.keep(read(file_of(stem, ".ipynb")), notebook)
    prose_numbers.write(notebook, numbers)
    for suffix in FORMATS:
        file_of(stem, suffix).write_text(text(notebook, suffix), encoding="utf-8")
    shown_by_it = evidence(stem, notebook, modules, numbers)
    file_of(stem, ".ipynb").write_text(_as_ipynb(notebook, shown_by_it), encoding="utf-8")
    for image in cover(notebook):
        COVER.write_bytes(image)
    return seconds


def stale(stem: Path) -> list[str]:
    """Return why a notebook has to run again: modules that changed, its cells; nothing if not."""
    notebook = read(file_of(stem, ".ipynb"))
    if not is_executed(notebook):
        return ["its cells"]
    reasons = stale_evidence(home(stem), name_of(stem)).get(name_of(stem), [])
    known = stored(home(stem), name_of(stem))
    if known is not None and not reasons:
        wanted = wanted_numbers(stem, notebook)
        if any(source not in known.numbers for source in wanted):
            reasons = ["a new number in its text"]
    if labels := other_exercises(notebook):
        reasons = [*reasons, f"exercises {', '.join(labels)}"]
    return reasons


def other_exercises(notebook: Any) -> list[str]:
    """Return the exercises whose cells show something else than they would print now.

    ``check("label", ...)`` prints what is wanted. A solution passes what it computed, and is right;
    hints play no part.
    """
    labels = []
    for cell in notebook.cells:
        if not _is_code(cell) or "check(" not in cell.source:
            continue
        printed = "".join(o.text for o in cell.outputs if o.output_type == "stream").splitlines()
        for label, answer in check_calls(cell.source):
            if answer == "..." and label in exercises.ENTRIES:
                text = exercises.wanted(label)
            elif WORK in cell.metadata.get("tags", ()) and answer != "...":
                continue  # somebody tried an answer
            else:
                text = exercises.RIGHT
            if text not in printed:
                labels.append(label)
    return labels


def wrong_claims(chosen: Iterable[Path]) -> list[str]:
    """Say which notebooks check a claim that the file of the claims does not have, and the remedy.

    Raises
    ------
    LedgerError
        If a file of claims is not valid.
    """
    claims: dict[Path, tuple[Claim, ...]] = {}
    faults = []
    for stem in chosen:
        path = claims_file(home(stem), layout.part_of(name_of(stem)))
        if not path.exists():
            continue
        if path not in claims:
            claims[path] = load_claims(path)
        codes = [cell.source for cell in code_cells(read(file_of(stem, ".md")).cells)]
        try:
            check_ids(claims[path], dict.fromkeys(claim_ids(codes), name_of(stem)))
        except LedgerError as error:
            faults.append(str(error))
    return faults


def cover(notebook: Any) -> list[bytes]:
    """Return the picture of the cell tagged ``cover`` (README and landing page show it)."""
    return [
        base64.b64decode(output.data["image/png"])
        for cell in notebook.cells
        if "cover" in cell.metadata.get("tags", [])
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]


def _join_streams(cell: Any) -> None:
    """Merge neighbouring pieces of one stream: where they are cut depends on timing."""
    joined: list[Any] = []
    for output in cell.get("outputs", []):
        last = joined[-1] if joined else None
        if last and output.output_type == "stream" == last.output_type and output.name == last.name:
            last.text += output.text
        else:
            joined.append(output)
    if "outputs" in cell:
        cell.outputs = joined


def check(stem: Path) -> list[str]:
    """Return what is wrong with a notebook, nothing if all is well."""
    missing = [s for s in (".md", ".py", ".ipynb") if not file_of(stem, s).exists()]
    if missing:
        return [f"{short(stem)}: no {suffix} format" for suffix in missing]
    notebook = read(file_of(stem, ".ipynb"))
    wrong = [
        f"{short(stem)}: {suffix} is out of step with .ipynb"
        for suffix in FORMATS
        if file_of(stem, suffix).read_text(encoding="utf-8") != text(notebook, suffix)
    ]
    known = stored(home(stem), name_of(stem))
    as_written = _as_ipynb(_with_badges(notebook, home(stem)), known)
    if file_of(stem, ".ipynb").read_text(encoding="utf-8") != as_written:
        wrong.append(f"{short(stem)}: .ipynb is not as the tool writes it (`make notebooks` does)")
    if not is_executed(notebook):
        return [*wrong, f"{short(stem)}: not executed in order"]
    if changed := stale(stem):
        return [*wrong, f"{short(stem)}: stale, changed: {', '.join(changed)}"]
    assert known is not None  # else it were stale
    texts = prose_numbers.texts_of(notebook)
    written = [prose_numbers.with_values(words, known.numbers) for words in texts]
    if written != texts:
        wrong.append(f"{stem.name}: a number in the text is not what the cells computed")
    if known != evidence(stem, notebook, known.modules, known.numbers):
        wrong.append(f"{short(stem)}: the evidence is not what the notebook shows")
    return wrong


def unchecked_claims(root: Path) -> list[str]:
    """Say which claims have neither a check in a notebook nor a reason why nothing checks them."""
    messages = []
    for part in parts(root):
        checked: set[str] = set()
        for notebook in stored_notebooks(root, part):
            checked.update(record.id for record in notebook.claims)
        claims = load_claims(claims_file(root, part))
        open_ids = [c.id for c in claims if c.id not in checked and not c.not_checkable]
        messages += [
            f"book/claims/{part}.yml: no notebook checks {claim_id}; check it in a cell "
            f'`with claim("{claim_id}")`, or say under `not_checkable` why nothing can'
            for claim_id in open_ids
        ]
    return messages


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help="only notebooks whose path contains one of these")
    parser.add_argument("--all", action="store_true", help="execute every notebook again")
    parser.add_argument("--check", action="store_true", help="change nothing, fail if out of step")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments)
    chosen = [
        stem
        for stem in stems()
        if not options.names or any(name in stem.as_posix() for name in options.names)
    ]
    if options.check:
        wrong = [line for stem in chosen for line in check(stem)]
        if wrong:
            wrong.append("`make notebooks` brings formats in step and executes what is stale")
        try:
            wrong += [*wrong_claims(chosen), *unchecked_claims(ROOT)]
        except LedgerError as error:
            wrong.append(str(error))
        print("\n".join(wrong) or f"{len(chosen)} notebooks: formats in step, all executed")
        return bool(wrong)
    try:
        for stem, note in sync_all(chosen, ROOT):
            print(f"synced    {stem.relative_to(ROOT / 'notebooks')}  {note}")
        faults = wrong_claims(chosen)
        for stem in chosen:
            wanted_numbers(stem, read(file_of(stem, ".md")))
    except (OutOfStepError, LedgerError) as error:
        faults = [str(error)]
    if faults:  # before anything is executed
        print("\n".join(f"notebooks: {fault}" for fault in faults), file=sys.stderr)
        return 1
    wanted = {s: ["--all"] if options.all else stale(s) for s in chosen}
    wanted = {s: why for s, why in wanted.items() if why}
    for stem, why in wanted.items():
        print(f"stale     {stem.relative_to(ROOT / 'notebooks')}  ({', '.join(why)})", flush=True)
    failed = 0
    with ProcessPoolExecutor(max_workers=max(1, options.jobs)) as pool:
        jobs = {pool.submit(execute, stem): stem for stem in wanted}
        for done, job in enumerate(as_completed(jobs), 1):
            name = jobs[job].relative_to(ROOT / "notebooks").as_posix()
            try:
                outcome = f"{job.result():6.1f} s"
            except Exception as error:  # noqa: BLE001  (whatever the notebook raised)
                failed += 1
                outcome = f"FAILED\n{error}"
            print(f"[{done}/{len(wanted)}] {name}  {outcome}", flush=True)
    print(f"{len(chosen)} notebooks, {len(wanted)} executed, {failed} failed")
    unchecked = unchecked_claims(ROOT)
    for message in unchecked:
        print(message)
    return bool(failed or unchecked)


if __name__ == "__main__":
    sys.exit(main())
