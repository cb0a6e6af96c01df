from . import correlated as correlated
from . import disclosure as disclosure
from . import laplace as laplace
from . import location as location
from . import notebook as notebook
from . import research as research
from . import sketch as sketch
from ._safety import UncertifiedError as UncertifiedError

__version__: str
