"""Kernels for the tests that are forked from a process which has loaded the libraries.

A kernel that starts the ordinary way spends two seconds of its processor on `ipykernel`, numpy,
scipy, sympy and matplotlib, and each notebook has its own. Here a server of `multiprocessing`
loads them once, and each kernel is a fork of it: still a process of its own, in which nothing has
run but imports of libraries, and none of `privlib`. The outputs that are stored come from ordinary
kernels (`tools/notebooks.py`), so a notebook that forgets an import fails there.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
from contextlib import suppress
from importlib.metadata import EntryPoint
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Any

from jupyter_client.provisioning.factory import KernelProvisionerFactory
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

LIBRARIES = [
    "IPython.display", "ipykernel.debugger", "ipykernel.kernelapp", "ipykernel.zmqshell",
    "matplotlib.pyplot", "mpl_toolkits.mplot3d", "myst_nb", "nbformat", "networkx",
    "ot", "plotly.graph_objects", "psutil", "scipy.optimize", "scipy.sparse.linalg", "scipy.stats",
    "sqlite3", "sympy", "sympy.physics.units",  # the last is what sympy.simplify loads
    "yaml",
]  # fmt: skip


def switch_on() -> None:
    """Let `jupyter_client` fork its kernels from now on, on Linux, where that is sound."""
    if sys.platform == "linux":
        # matplotlib asks for it when it is imported; a kernel sets it before.
        os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
        get_context("forkserver").set_forkserver_preload(LIBRARIES)
        factory = KernelProvisionerFactory.instance()
        group = factory.GROUP_NAME
        factory.provisioners["forked"] = EntryPoint("forked", f"{__name__}:Forked", group)
        factory.default_provisioner_name = "forked"


class Forked(LocalProvisioner):
    """Starts kernels as forks of one process that has the libraries."""

    process: Any = None  # elsewhere of `subprocess`

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
        """Fork a kernel; what stands after the name of its program are its arguments."""
        given = cmd[cmd.index("ipykernel_launcher") + 1 :], kwargs["env"], kwargs["cwd"]
        self.process = _Process(get_context("forkserver").Process(target=_kernel, args=given))
        self.pid = self.pgid = self.process.pid
        return self.connection_info


class _Process:
    """A process of `multiprocessing` with the manners of one of `subprocess`."""

    stdin = stdout = stderr = None

    def __init__(self, process: Any) -> None:
        process.start()
        self.pid, self.kill, self.terminate = process.pid, process.kill, process.terminate
        self._process = process

    def poll(self) -> int | None:
        """Return its exit code, ``None`` while it runs."""
        code: int | None = self._process.exitcode
        return code

    def wait(self) -> int | None:
        """Wait for its end."""
        self._process.join()
        return self.poll()

    def send_signal(self, signum: int) -> None:
        """Send it a signal; one that has ended gets none, as with `subprocess`."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signum)


def _kernel(arguments: list[str], environment: dict[str, str], folder: str) -> None:
    """Be a kernel: with a session of its own, silent, and gone when its parent is."""
    os.setsid()
    Thread(target=_end_with_the_parent, daemon=True).start()
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    gc.freeze()
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    sys.argv = ["ipykernel_launcher", *arguments]
    importlib.import_module("ipykernel.kernelapp").launch_new_instance()


def _end_with_the_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
