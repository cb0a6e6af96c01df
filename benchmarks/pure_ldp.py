"""pure-ldp in an environment and a process of its own; it needs NumPy < 2.3 and xxhash < 4."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks import peers
from privlib.sketch.hashing import ExplicitFamily

NAME, VERSION = "pure-ldp", "1.2.0"
PEER = f"{NAME} {VERSION}"
PINS = (f"{NAME}=={VERSION}", "numpy==2.2.6", "xxhash==3.8.2", "scikit-learn", "statsmodels")


class Peer(peers.Process):
    """A process that runs pure-ldp on a workload, as often as it is told.

    Attributes
    ----------
    family : ExplicitFamily
        The hash functions that it drew, for the exact moments of its estimates.
    """

    def __init__(self, path: Path, work: Mapping[str, Any]) -> None:
        super().__init__(path, "pure_ldp_peer.py", work)
        if self.packages[NAME] != VERSION:
            found = self.packages[NAME]
            self.__exit__()
            raise peers.PeerUnavailableError(f"{path} has {NAME} {found}, not {VERSION}")
        positions = dict(zip(work["items"], self.ask("positions")))
        self.family = ExplicitFamily(positions, work["width"])

    def estimates(self, name: str) -> npt.NDArray[np.float64]:
        """Return the estimates of one run.

        Raises
        ------
        PeerUnavailableError
            If pure-ldp itself fails, with what it says.
        """
        answer = self.run(name)
        if isinstance(answer, str):
            raise peers.PeerUnavailableError(f"{name}: {answer}")
        return np.array(answer)


def start(work: Mapping[str, Any], *, install: bool) -> Peer | str:
    """Return the running peer, or why there is none."""
    return peers.start_as(lambda path: Peer(path, work), NAME, install=PINS, create=install)
