"""Write our numbers into ``numbers.yml``, and those of others that are computed here.

``make outside`` runs this. Numbers that differ from the stored ones by rounding alone stay as they
are. ``--ask`` also asks the packages that need an environment of their own: it makes one for each
list of packages, a minute or two each, and asks them the questions of ``peers.py``.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import venv
from importlib.metadata import version
from pathlib import Path

import numpy as np
import yaml

from privlib.notebook.datasets import DataUnavailableError

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))  # where the reader is
from tests.outside import (  # noqa: F401  (importing them enters their functions)
    test_correlated,
    test_disclosure,
    test_laplace,
    test_location,
    test_sketch,
)
from tests.outside.comparing import CASES, NUMBERS, OURS, SETTLED, THEIRS, flat


def renewed(text, case, side, new):
    """Return the text of the file with other numbers on a side of a case."""
    new = flat(new)
    stored = flat(getattr(case, side))
    if new.shape == stored.shape and np.allclose(new, stored, **SETTLED):
        return text
    print(f"{case.id}: {side} renewed")
    numbers = yaml.dump(new.tolist(), default_flow_style=True, width=76).strip()
    numbers = numbers.replace("\n  ", "\n    ")
    entry = rf"(?s)(^- id: {case.id}\n(?:(?!^- id: ).)*?^  {side}:)\s+\[.*?\]"
    return substituted(entry, lambda found: f"{found[1]} {numbers}", text)


def with_version(text, case):
    """Return the text of the file with the version of the package that has answered."""
    current = version(case.package)
    written = re.search(rf"{case.package} (\d[\w.]*)", case.source)[1]
    if written == current:
        return text
    entry = rf"(?s)(^- id: {case.id}\n(?:(?!^- id: ).)*?{case.package}\s+){re.escape(written)}"
    return substituted(entry, lambda found: found[1] + current, text)


def substituted(pattern, new, text):
    result, times = re.subn(pattern, new, text, count=1, flags=re.MULTILINE)
    assert times == 1, pattern
    return result


def asked(folder, case):
    """Return what a package answers in an environment of its own."""
    home = Path(folder) / re.sub(r"\W+", "-", case.install)
    python = home / "bin" / "python"
    if not home.exists():
        venv.create(home, with_pip=True)
        packages = case.install.split()
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
    script = Path(__file__).with_name("peers.py")
    done = subprocess.run(
        [python, "-I", script, case.ask],
        input=json.dumps(case.given), capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


def main():
    options = argparse.ArgumentParser(prog="python -m tests.outside.record", description=__doc__)
    options.add_argument("--ask", action="store_true", help="ask the other packages again, too")
    arguments = options.parse_args()
    text = NUMBERS.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES.values():
            try:
                text = renewed(text, case, "ours", OURS[case.id](case))
            except DataUnavailableError as error:
                print(f"{case.id}: not computed: {error}")
                continue
            if case.id in THEIRS:
                text = renewed(text, case, "theirs", THEIRS[case.id](case))
            if case.package:
                text = with_version(text, case)
            if case.ask and arguments.ask:
                try:
                    text = renewed(text, case, "theirs", asked(folder, case))
                except subprocess.CalledProcessError as error:
                    print(f"{case.id}: not asked: {error}")
    NUMBERS.write_text(text, encoding="utf-8")
    print(f"{len(CASES)} cases; `pytest tests/outside` judges them")


if __name__ == "__main__":
    main()
