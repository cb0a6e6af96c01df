"""Other public software that needs packages of its own: an environment and a process for each.

An environment is made on demand in the per-user cache and kept; ``PRIVLIB_PEER_<NAME>`` may name
the Python of another one. A peer is a script of this folder that imports nothing of this project
and speaks JSON by line: the workload comes in, ``{"packages": ...}`` goes out; then each line that
comes in asks for one run, and ``{"seconds": ..., "answer": ...}`` goes out. The peer takes the time
itself, so that neither its start nor the passing of its answers counts.

A peer that can not be had is no error: the reason is returned as text, for the table's note.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import tempfile
import threading
import venv
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self, TypeVar

PATIENCE = 300.0  # seconds for an answer

P = TypeVar("P", bound="Process")


class PeerUnavailableError(RuntimeError):
    """A peer does not run here."""


def python(name: str, *, install: Sequence[str], create: bool = True) -> Path | str:
    """Return the Python of a peer's environment, or why there is none.

    Parameters
    ----------
    name : str
        Short name; ``PRIVLIB_PEER_<NAME>``, in capitals, may name a Python that exists.
    install : sequence of str
        What pip installs, pinned. Another list makes another environment.
    create : bool
        Whether a missing environment is made.
    """
    variable = f"PRIVLIB_PEER_{name.upper().replace('-', '_')}"
    given = os.environ.get(variable)
    if given:
        return Path(given) if Path(given).is_file() else f"{variable} names no file"
    import pooch

    digest = hashlib.sha256("\n".join(install).encode()).hexdigest()[:8]
    home = Path(pooch.os_cache("privlib")) / "peers" / f"{name}-{digest}"
    found = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    ready = home / ".ready"
    if ready.exists():
        return found
    if not create:
        return "no environment yet; --full makes it"
    pip = [str(found), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *install]
    try:
        venv.create(home, with_pip=True, clear=True)
        done = subprocess.run(pip, check=False, capture_output=True, text=True)
    except (OSError, subprocess.SubprocessError) as error:
        return f"its environment can not be made: {error}"
    if done.returncode:
        return f"it does not install: {last_line(done.stderr)}"
    ready.touch()
    return found


class Process:
    """A peer at work.

    Attributes
    ----------
    packages : dict of str to str
        Versions of what it uses.
    seconds : list of float
        Times of its runs so far, as taken by itself.
    """

    def __init__(self, path: Path, script: str, work: Mapping[str, Any]) -> None:
        self.seconds: list[float] = []
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115  (closed with the process)
        self._process = subprocess.Popen(
            [str(path), "-I", str(Path(__file__).parent / script)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True,
        )  # fmt: skip
        self.packages: dict[str, str] = self.ask(work)["packages"]

    def ask(self, message: Any) -> Any:
        """Send one line and return the line that comes back; it has `PATIENCE` seconds for it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        if self._process.stdin.closed:
            raise PeerUnavailableError("it stopped before")
        late = threading.Event()

        def give_up() -> None:
            late.set()
            self._process.kill()

        bell = threading.Timer(PATIENCE, give_up)
        bell.start()
        try:
            print(json.dumps(message), file=self._process.stdin, flush=True)
            return json.loads(self._process.stdout.readline())
        except (BrokenPipeError, json.JSONDecodeError) as error:
            self._process.kill()
            self._process.wait()
            self._errors.seek(0)
            said = last_line(self._errors.read())
            self.__exit__()
            if late.is_set():
                raise PeerUnavailableError(f"no answer in {PATIENCE:g} s") from error
            raise PeerUnavailableError(f"it does not run: {said}") from error
        finally:
            bell.cancel()

    def run(self, message: Any = None) -> Any:
        """Return the answer of one run and keep its time."""
        reply = self.ask(message)
        self.seconds.append(reply["seconds"])
        return reply["answer"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.stdin is not None and not self._process.stdin.closed:
            with suppress(BrokenPipeError):
                self._process.stdin.close()  # ends its loop over lines
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._errors.close()


def start(
    name: str,
    script: str,
    work: Mapping[str, Any],
    *,
    install: Sequence[str],
    create: bool = True,
) -> Process | str:
    """Return the running peer, or why there is none."""
    return start_as(lambda path: Process(path, script, work), name, install=install, create=create)


def start_as(
    kind: Callable[[Path], P], name: str, *, install: Sequence[str], create: bool = True
) -> P | str:
    """Return the peer that `kind` makes of its Python, or why there is none."""
    path = python(name, install=install, create=create)
    if isinstance(path, str):
        return path
    try:
        return kind(path)
    except (PeerUnavailableError, OSError) as error:
        return str(error)


def last_line(text: str) -> str:
    """Return the last line of an error message without the folders of this machine."""
    lines = text.strip().splitlines() or ["no message"]
    return re.sub(r"\s*\(?[\"']?(/|[A-Z]:\\)[^\s\"')]+[\"']?\)?", "", lines[-1])
