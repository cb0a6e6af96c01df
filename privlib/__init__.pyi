from privlib import correlated as correlated
from privlib import disclosure as disclosure
from privlib import laplace as laplace
from privlib import location as location
from privlib import notebook as notebook
from privlib import sketch as sketch
from privlib._safety import UncertifiedError as UncertifiedError

__version__: str
