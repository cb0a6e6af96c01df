"""How the run of the notebooks compares what it sees with what is stored."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable
from typing import Any

import pytest
from notebook_data import missing_data
from pictures import RMS, drawn_by, rms, spared

# The text formats of notebooks are not test modules; their .ipynb is one (with --nbval).
collect_ignore_glob = ["notebooks/**/*.py", "book/*", "benchmarks/*", "_build/*"]

TIMEOUT_S = 900  # a limit for what hangs; no cell takes as long, however busy the machine


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip notebooks where their data are missing, and only there."""
    for item in items:
        if item.path.suffix == ".ipynb":
            item.config.option.nbval_kernel_startup_timeout = TIMEOUT_S
            item.output_timeout = TIMEOUT_S  # type: ignore[attr-defined]
            reason = missing_data(item.path)
            if reason:
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: Any) -> Any:
    """Let a cell fail that draws otherwise than stored, or never ran."""
    result = yield
    if item.path.suffix == ".ipynb":
        if item.cell.source.strip() and item.cell.execution_count is None:
            item.raise_cell_error("The stored notebook has not run this cell")
        if wrong := redrawn(item.cell.outputs, item.test_outputs):
            item.raise_cell_error("Pictures differ", wrong)
        if recorded(item.cell.outputs) != recorded(item.test_outputs):
            item.raise_cell_error("The records of the checks are not those that are stored")
    return result


def recorded(outputs: Iterable[Any]) -> list[Any]:
    """Return what outputs carry for the ledger; nbval does not look at metadata."""
    told = (output.get("metadata", {}).get("privlib") for output in outputs)
    return [json.loads(json.dumps(one)) for one in told if one]


def redrawn(stored: Iterable[Any], fresh: Iterable[Any]) -> str:
    """Say how the pictures of a cell differ from the stored ones; empty if they agree.

    On the machine where they were made they come out byte for byte the same; elsewhere fonts and
    rounding may move a few pixels, hence a small tolerance. Another version of matplotlib draws
    otherwise: then only their number counts, and a warning says so.
    """
    before, after = (
        [spared(o["data"]["image/png"]) for o in outputs if "image/png" in o.get("data", {})]
        for outputs in (stored, fresh)
    )
    if len(before) != len(after):
        return f"{len(before)} pictures are stored, {len(after)} were drawn"
    for number, (old, new) in enumerate(zip(before, after), 1):
        if (drew := drawn_by(old)) != (draws := drawn_by(new)):
            told = f"{drew} drew what is stored, {draws} is here: not compared"
            warnings.warn(told, stacklevel=2)
        elif old != new and (distance := rms(old, new)) > RMS:
            return f"picture {number}: root mean square of {distance:.1f} of 255, at most {RMS}"
    return ""
