"""Objects with a state that is used once: a lock, and no copies.

A copy of such an object, or what is unpickled from it, would answer, offer or accept a second time
what the original has spent. So both are refused. A process that forks is a copy too, which nobody
can refuse: fork before these objects are made.
"""

from __future__ import annotations

import threading
from typing import Any, NoReturn, SupportsIndex

# What other folders of the package may use; the rest is for this part.
__all__ = ["OneUse"]


class OneUse:
    """Base of the parties of the protocols; `_lock` guards what they have spent.

    Examples
    --------
    >>> import copy
    >>> copy.copy(OneUse())
    Traceback (most recent call last):
        ...
    TypeError: OneUse: cannot be copied or pickled; a copy could be used once more
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """Refuse to be copied or pickled."""
        name = type(self).__name__
        raise TypeError(f"{name}: cannot be copied or pickled; a copy could be used once more")

    def __copy__(self) -> Any:
        """Refuse to be copied."""
        self.__reduce_ex__(2)

    def __deepcopy__(self, memo: Any) -> Any:
        """Refuse to be copied."""
        self.__reduce_ex__(2)
