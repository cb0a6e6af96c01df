"""pure-ldp in an environment and a process of its own (`pure_ldp_peer.py`).

It needs NumPy < 2.3 and xxhash < 4. The environment is made on demand in the per-user cache;
``PRIVLIB_PURE_LDP`` may name the Python of an existing one.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import venv
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from benchmarks import harness
from privlib.sketch.hashing import ExplicitFamily

PEER = "pure-ldp 1.2.0"
PINS = ("pure-ldp==1.2.0", "numpy==2.2.6", "xxhash==3.8.2", "scikit-learn", "statsmodels")


class PeerUnavailableError(RuntimeError):
    """pure-ldp is not at hand and could not be installed."""


class Peer:
    """A process that runs pure-ldp on a workload, as often as it is told."""

    def __init__(self, python: Path, work: Mapping[str, Any]) -> None:
        self.family: Any = None
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115  (closed with the process)
        self._process = subprocess.Popen(
            [str(python), "-I", str(Path(__file__).with_name("pure_ldp_peer.py"))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True,
        )  # fmt: skip
        ready = self._ask(json.dumps(work))
        if ready["packages"]["pure-ldp"] != PEER.split()[1]:
            self.__exit__()
            raise PeerUnavailableError(f"{python} has pure-ldp {ready['packages']['pure-ldp']}")
        self.packages = ", ".join(f"{name} {number}" for name, number in ready["packages"].items())
        self.family = ExplicitFamily(dict(zip(work["items"], ready["positions"])), work["width"])

    def _ask(self, line: str) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            print(line, file=self._process.stdin, flush=True)
            return json.loads(self._process.stdout.readline())
        except (BrokenPipeError, json.JSONDecodeError) as error:
            self._process.kill()
            self._process.wait()
            self._errors.seek(0)
            said = self._errors.read().strip().splitlines() or ["no message"]
            self.__exit__()
            raise PeerUnavailableError(f"it does not run: {said[-1]}") from error

    def run(self, name: str) -> npt.NDArray[np.float64]:
        """Return the estimates of one run.

        Raises
        ------
        PeerUnavailableError
            If pure-ldp itself fails, with what it says.
        """
        answer = self._ask(name)
        if isinstance(answer, str):
            raise PeerUnavailableError(f"{name}: {answer}")
        return np.array(answer)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()  # closes its input, so its loop over lines ends
        self._errors.close()


def peer_python(*, install: bool) -> Path:
    """Return the Python of pure-ldp's environment, which is made on demand."""
    given = os.environ.get("PRIVLIB_PURE_LDP")
    if given:
        if not Path(given).is_file():
            raise PeerUnavailableError(f"PRIVLIB_PURE_LDP names no file: {given}")
        return Path(given)
    import pooch

    home = Path(pooch.os_cache("privlib")) / "pure-ldp-1.2.0"
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    ready = home / ".ready"
    if ready.exists():
        return python
    if not install:
        raise PeerUnavailableError("no environment yet; --full makes it")
    venv.create(home, with_pip=True, clear=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PINS]
    done = subprocess.run(pip, check=False, capture_output=True, text=True)
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["no message"]
        raise PeerUnavailableError(f"it does not install: {said[-1]}")
    ready.touch()
    return python


def start(work: Mapping[str, Any], *, install: bool) -> Peer | str:
    """Return the running peer, or why there is none."""
    try:
        return Peer(peer_python(install=install), work)
    except (PeerUnavailableError, OSError, subprocess.SubprocessError) as error:
        return str(error)


def described(peer: Peer | str) -> harness.Peer:
    """Return what a report says of the peer."""
    name, number = PEER.split()
    if isinstance(peer, Peer):
        return harness.Peer(name, f"{number} ({peer.packages})")
    return harness.Peer(name, number, peer)
