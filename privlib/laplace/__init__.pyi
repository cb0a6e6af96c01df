from . import accuracy as accuracy
from . import discrete as discrete
from . import erm as erm
from . import mechanism as mechanism
from .discrete import histogram as histogram
from .mechanism import laplace_mechanism as laplace_mechanism
